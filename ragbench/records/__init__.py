"""Every record that ragbench passes around or stores, in five private modules.

Stored records are frozen pydantic models that refuse unknown fields; records that only pass through
memory are slotted dataclasses. No record computes a score.
"""

from ragbench.records._documents import Chunk, Document, Place
from ragbench.records._problems import explain
from ragbench.records._questions import Question, QuestionSet
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
    "CallClass",
    "CallDiagnosis",
    "Chunk",
    "CommunicateCheck",
    "Diagnosis",
    "Document",
    "EvaluationCriteria",
    "EvidenceItem",
    "GoldAction",
    "HitRecord",
    "InitialState",
    "InlinedSpan",
    "ItemDiagnosis",
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
