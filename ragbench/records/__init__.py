"""Every record that ragbench passes around or stores, in six private modules.

Stored records are frozen pydantic models that refuse unknown fields; records that only pass through
memory are slotted dataclasses. No record computes a score.
"""

from ragbench.records._documents import Chunk, Document, Place
from ragbench.records._problems import explain
from ragbench.records._questions import Question, QuestionSet
from ragbench.records._reviews import (
    AssertionReview,
    ClaimReview,
    DeviationReview,
    Review,
    ReviewedPassage,
)
from ragbench.records._scores import (
    ActionCheck,
    CallClass,
    CallDiagnosis,
    CommunicateCheck,
    Diagnosis,
    ItemDiagnosis,
    NeedDiagnosis,
    NeedStatus,
    Score,
    TrialScore,
)
from ragbench.records._tasks import (
    Constant,
    Derivation,
    Distractor,
    EvaluationCriteria,
    EvidenceItem,
    GoldAction,
    InitialState,
    Need,
    Passage,
    RewardBasis,
    ScriptTurn,
    Task,
    UserScenario,
)
from ragbench.records._trajectory import (
    HitRecord,
    InlinedSpan,
    LLMCall,
    Message,
    Requestor,
    RetrievalEvent,
    Termination,
    ToolCall,
    Trajectory,
    Usage,
    Violation,
)

__all__ = [
    "ActionCheck",
    "AssertionReview",
    "CallClass",
    "CallDiagnosis",
    "Chunk",
    "ClaimReview",
    "CommunicateCheck",
    "Constant",
    "Derivation",
    "DeviationReview",
    "Diagnosis",
    "Distractor",
    "Document",
    "EvaluationCriteria",
    "EvidenceItem",
    "GoldAction",
    "HitRecord",
    "InitialState",
    "InlinedSpan",
    "ItemDiagnosis",
    "LLMCall",
    "Message",
    "Need",
    "NeedDiagnosis",
    "NeedStatus",
    "Passage",
    "Place",
    "Question",
    "QuestionSet",
    "Requestor",
    "RetrievalEvent",
    "Review",
    "ReviewedPassage",
    "RewardBasis",
    "Score",
    "ScriptTurn",
    "Task",
    "Termination",
    "ToolCall",
    "Trajectory",
    "TrialScore",
    "Usage",
    "UserScenario",
    "Violation",
    "explain",
]
