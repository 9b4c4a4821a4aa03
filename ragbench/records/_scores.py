"""Scores and diagnoses: what is computed from a trajectory and stored in ``scores.jsonl``.

Everywhere a float is finite, and None means undefined, never zero.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ragbench.records._trajectory import Termination

__all__ = [
    "ActionCheck",
    "CallClass",
    "CallDiagnosis",
    "CommunicateCheck",
    "Diagnosis",
    "ItemDiagnosis",
    "NeedDiagnosis",
    "NeedStatus",
    "Score",
    "StatementStatus",
    "TrialScore",
]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ActionCheck(_Record):
    """A gold action and the call matched to it.

    ``step`` and ``call_id`` are None when it was not attempted; ``differences`` maps a compared
    argument to ``[expected, found]``.
    """

    action_id: str
    name: str
    call_id: str | None = None
    step: int | None = None
    correct: bool = False
    differences: dict[str, tuple[Any, Any]] = Field(default_factory=dict)


class StatementStatus(StrEnum):
    """What became of a value that the agent was to state."""

    SAID = "said"
    CONTESTED = "contested"
    NOT_SAID = "not said"


class CommunicateCheck(_Record):
    """A communicate item, and whether the agent said it.

    Attributes:
        info: the value; of several wordings the first.
        step: of the first agent message that states it, or mentions it when it is contested; None
            when none does.
        status: contested is not said, unless a judge found that it was: then it is said, and the
            reason names the judge.
        reason: why it is contested, or what the judge found, in a sentence.
    """

    index: int
    info: str
    step: int | None = None
    status: StatementStatus = StatementStatus.NOT_SAID
    reason: str = ""

    @model_validator(mode="before")
    @classmethod
    def _without_status(cls, data: Any) -> Any:  # noqa: ANN401  (pydantic hands over anything)
        if isinstance(data, dict) and "status" not in data and data.get("step") is not None:
            return {**data, "status": StatementStatus.SAID}  # stored before there was a status
        return data

    @property
    def correct(self) -> bool:
        """Whether the agent said it."""
        return self.status is StatementStatus.SAID


class Score(_Record):
    """The outcome of a trial.

    Attributes:
        reward: product over the reward basis, in [0, 1]; None when a component was not judged or
            the simulation failed for infrastructure.
        components: value per member of the reward basis, None when it was not judged.
        reason: why the reward is None or 0, in words; differences, not adjectives.
        extra_writes: calls that changed the database and match no gold action.
        false_reports: what the agent said it did and the changes of the database contradict, each
            in a sentence; a flag that costs no reward.
    """

    reward: float | None
    components: dict[str, float | None] = Field(default_factory=dict)
    reason: str = ""
    actions: tuple[ActionCheck, ...] = ()
    communicate: tuple[CommunicateCheck, ...] = ()
    extra_writes: tuple[str, ...] = ()
    hard_violations: tuple[str, ...] = ()
    false_reports: tuple[str, ...] = ()

    @property
    def success(self) -> bool | None:
        """Whether the reward is 1; None when there is no reward."""
        return None if self.reward is None else self.reward >= 1.0


class NeedStatus(StrEnum):
    """When a need's evidence reached the agent; not known where its searches cannot be seen."""

    MET = "met"
    LATE = "late"
    UNMET = "unmet"
    NOT_KNOWN = "not known"


class CallClass(StrEnum):
    """What a retrieval call was good for."""

    USEFUL = "useful"
    UNNEEDED = "unneeded"
    REDUNDANT = "redundant"
    MISSED = "missed"


class ItemDiagnosis(_Record):
    """One evidence item: when it was covered, and why not in time.

    Attributes:
        covered_at: step at which it was first covered (0 when inlined), None when never.
        in_time: whether that was by its need's deadline.
        cause: why it was not, None when it was.
        cut_off_depth: for cause ``cut_off``, the smallest depth at which a query covers it.
    """

    need_id: str
    index: int
    covered_at: int | None
    in_time: bool
    cause: str | None = None
    cut_off_depth: int | None = None


class NeedDiagnosis(_Record):
    """One need: its deadline (a step) and when it was met."""

    need_id: str
    deadline: int
    status: NeedStatus
    consumers_correct: bool


class CallDiagnosis(_Record):
    """One retrieval call, in order.

    ``stale``: at least 90 % of what it returned had been seen; ``evidence_recall``: items covered
    after it / items, None without needs; ``call_class`` is None for a call that raised.
    """

    call_id: str
    step: int
    position: int
    query: str
    call_class: CallClass | None
    stale: bool = False
    evidence_recall: float | None = None
    n_tokens: int = 0


class Diagnosis(_Record):
    """The retrieval diagnosis of one trajectory; the formulas stand in `ragbench.diagnose`.

    ``label``: None when the simulation failed for infrastructure, or could not be judged.
    ``avoidable_tokens``: tokens of searches after sufficiency, repeated ones, and floods.
    ``causes_kept``: the causes are those of an earlier diagnosis, whose index is no longer at hand.
    """

    label: str | None
    lucky: bool = False
    sufficient_context: bool | None = None
    attribution: str | None = None
    n_calls: int = 0
    n_failed_calls: int = 0
    n_useful: int = 0
    n_unneeded: int = 0
    n_redundant: int = 0
    n_missed: int = 0
    n_stale: int = 0
    evidence_recall: float | None = None
    under_retrieval: float | None = None
    late_recall: float | None = None
    document_recall: float | None = None
    evidence_precision: float | None = None
    over_retrieval: float | None = None
    over_retrieval_floor: float | None = None
    duplicate_ratio: float | None = None
    tokens_per_item: float | None = None
    excess_tokens: int = 0
    excess_share: float | None = None
    retrieved_tokens: int = 0
    avoidable_tokens: int = 0
    misses_per_call: float | None = None
    is_flooded: bool = False
    over_search_rate: float | None = None
    under_search_rate: float | None = None
    n_consumers_attempted: int = 0
    n_consumers_uninformed: int = 0
    calls_to_sufficiency: int | None = None
    post_sufficiency_calls: int | None = None
    context_utilization: float | None = None
    needs: tuple[NeedDiagnosis, ...] = ()
    items: tuple[ItemDiagnosis, ...] = ()
    calls: tuple[CallDiagnosis, ...] = ()
    causes_kept: bool = False

    @property
    def causes(self) -> dict[str, int]:
        """How many items failed for each cause."""
        causes = [item.cause for item in self.items if item.cause is not None]
        return {cause: causes.count(cause) for cause in sorted(set(causes))}


class TrialScore(_Record):
    """One line of ``scores.jsonl``: no time, no path, so that equal runs have equal bytes.

    ``provenance``: what does not agree with the domain, where ``ragbench diagnose`` has looked.
    """

    schema_version: Literal[1] = 1
    task_id: str
    trial: int
    termination: Termination
    n_steps: int
    score: Score
    diagnosis: Diagnosis
    beats_reference: bool = False
    provenance: tuple[str, ...] = ()
