"""The retrieval diagnosis of one trajectory: needs, items, calls, causes, label, attribution.

Deterministic, no LLM. A need's *deadline* is the step of its first attempted consumer, else the
end; it is *met* when all its items are covered by then, *late* when only afterwards, else *unmet*.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.diagnose._calls import classify_calls
from ragbench.diagnose._causes import Probe, cause_of
from ragbench.diagnose._labels import NOT_OBSERVED, attribute_failure, label_of
from ragbench.diagnose._sets import chunking_floor, delivery, document_recall
from ragbench.diagnose._timeline import Timeline
from ragbench.evidence import LocatedItem
from ragbench.records import (
    CallClass,
    CallDiagnosis,
    Diagnosis,
    ItemDiagnosis,
    Need,
    NeedDiagnosis,
    NeedStatus,
    Score,
)
from ragbench.score import TrialContext

__all__ = ["diagnose_trial"]


def diagnose_trial(context: TrialContext, score: Score, probe: Probe | None) -> Diagnosis:
    """Diagnose a trajectory.

    Args:
        context: the trial.
        score: its score; tells which consumers were attempted when, and correctly.
        probe: the run's index; None leaves causes that need it ``undetermined``.
    """
    timeline = Timeline.of(context)
    consumers = _Consumers(context, score)
    deadlines = {need.id: consumers.deadline(need) for need in context.task.needs}
    items = tuple(_item(item, deadlines[item.need_id], timeline, probe) for item in context.items)
    needs = tuple(
        NeedDiagnosis(
            need_id=need.id,
            deadline=deadlines[need.id],
            status=_status([item for item in items if item.need_id == need.id]),
            consumers_correct=all(consumers.correct(name) for name in need.needed_by),
        )
        for need in context.task.needs
    )
    calls = classify_calls(timeline)
    found = Diagnosis(
        label=None,
        needs=needs,
        items=items,
        calls=calls,
        n_calls=len(timeline.calls),
        n_failed_calls=len(timeline.raised),
        sufficient_context=all(n.status is NeedStatus.MET for n in needs) if needs else None,
        document_recall=document_recall(timeline, deadlines),
        context_utilization=_utilization(needs),
    )
    found = found.model_copy(update=_set_level(timeline, items, calls, probe))
    found = found.model_copy(update=_call_level(timeline, calls))
    found = found.model_copy(update=_consumer_level(consumers, needs))
    label = label_of(context, found, score.success)
    unmet = any(need.status is not NeedStatus.MET for need in needs)
    return found.model_copy(
        update={
            "label": label,
            "lucky": bool(score.success) and unmet,
            "attribution": attribute_failure(context, score, needs),
        }
        | (_unseen(needs) if label == NOT_OBSERVED else {})
    )


def _unseen(needs: Sequence[NeedDiagnosis]) -> dict[str, object]:
    """What changes where searches cannot be seen: evidence that was not seen may have come."""
    unknown = {"status": NeedStatus.NOT_KNOWN}
    told = tuple(n if n.status is NeedStatus.MET else n.model_copy(update=unknown) for n in needs)
    return _UNSEEN | {"needs": told}


_UNSEEN: dict[str, object] = {
    "lucky": False, "sufficient_context": None, "evidence_recall": None, "under_retrieval": None,
    "late_recall": None, "document_recall": None, "under_search_rate": None,
    "n_consumers_attempted": 0, "n_consumers_uninformed": 0, "context_utilization": None,
    "evidence_precision": None, "over_retrieval": None, "over_retrieval_floor": None,
    "duplicate_ratio": None, "tokens_per_item": None, "excess_share": None,
    "misses_per_call": None, "over_search_rate": None, "is_flooded": False,
    "calls_to_sufficiency": None, "post_sufficiency_calls": None,
}  # fmt: skip
"""What nobody knows of a trial whose searches cannot be seen: undefined, and never 0."""


class _Consumers:
    """When each consumer of a need was attempted, and whether it was right."""

    def __init__(self, context: TrialContext, score: Score) -> None:
        self._end = context.end_step
        self._steps: dict[str, int | None] = {c.action_id: c.step for c in score.actions}
        self._correct = {check.action_id: check.correct for check in score.actions}
        for said in score.communicate:
            name = f"communicate:{said.index}"
            self._steps[name] = self._end if said.step is None else said.step
            self._correct[name] = said.correct
        self._needed_by = {need.id: need.needed_by for need in context.task.needs}

    def deadline(self, need: Need) -> int:
        steps = [self._steps[name] for name in need.needed_by]
        return min((step for step in steps if step is not None), default=self._end)

    def correct(self, name: str) -> bool:
        return self._correct[name]

    def attempted(self) -> list[str]:
        names = dict.fromkeys(name for names in self._needed_by.values() for name in names)
        return [name for name in names if self._steps[name] is not None]

    def uninformed(self, unmet: set[str]) -> list[str]:
        names = {name for need_id in unmet for name in self._needed_by[need_id]}
        return [name for name in self.attempted() if name in names]


def _item(
    item: LocatedItem, deadline: int, timeline: Timeline, probe: Probe | None
) -> ItemDiagnosis:
    covered_at = timeline.covered_at(item)
    in_time = covered_at is not None and covered_at <= deadline
    cause, depth = None, None
    if not in_time:
        needs = {need.id: need for need in timeline.context.task.needs}
        cause, depth = cause_of(item, needs[item.need_id], deadline, timeline, probe)
    return ItemDiagnosis(
        need_id=item.need_id,
        index=item.index,
        covered_at=covered_at,
        in_time=in_time,
        cause=cause,
        cut_off_depth=depth,
    )


def _status(items: Sequence[ItemDiagnosis]) -> NeedStatus:
    if all(item.in_time for item in items):
        return NeedStatus.MET
    if all(item.covered_at is not None for item in items):
        return NeedStatus.LATE
    return NeedStatus.UNMET


def _utilization(needs: Sequence[NeedDiagnosis]) -> float | None:
    met = [need for need in needs if need.status is NeedStatus.MET]
    return sum(need.consumers_correct for need in met) / len(met) if met else None


def _set_level(
    timeline: Timeline,
    items: Sequence[ItemDiagnosis],
    calls: Sequence[CallDiagnosis],
    probe: Probe | None,
) -> dict[str, float | int | None]:
    delivered = delivery(timeline, calls)
    n_found = sum(bool(item.covered_at) for item in items)  # 0 was in the prompt
    n_late = sum(item.covered_at is not None and not item.in_time for item in items)
    recall = sum(item.in_time for item in items) / len(items) if items else None
    precision = delivered.evidence_precision
    return {
        "evidence_recall": recall,
        "under_retrieval": None if recall is None else 1 - recall,
        "late_recall": n_late / len(items) if items else None,
        "evidence_precision": precision,
        "over_retrieval": None if precision is None else 1 - precision,
        "over_retrieval_floor": _floor(timeline, probe, precision),
        "duplicate_ratio": delivered.duplicate_ratio,
        "tokens_per_item": delivered.retrieved_tokens / n_found if n_found else None,
        "excess_tokens": delivered.excess_tokens,
        "excess_share": delivered.excess_share,
        "retrieved_tokens": delivered.retrieved_tokens,
        "avoidable_tokens": delivered.avoidable_tokens,
        "is_flooded": delivered.is_flooded,
    }


def _floor(timeline: Timeline, probe: Probe | None, precision: float | None) -> float | None:
    """The floor of `over_retrieval`, where that has a value to stand beside."""
    return None if probe is None or precision is None else chunking_floor(timeline, probe)


def _call_level(
    timeline: Timeline, calls: Sequence[CallDiagnosis]
) -> dict[str, float | int | None]:
    counts = {kind: sum(call.call_class is kind for call in calls) for kind in CallClass}
    excess = counts[CallClass.UNNEEDED] + counts[CallClass.REDUNDANT]
    n_calls = len(timeline.calls)
    sufficiency = timeline.calls_to_sufficiency()
    return {
        "n_useful": counts[CallClass.USEFUL],
        "n_unneeded": counts[CallClass.UNNEEDED],
        "n_redundant": counts[CallClass.REDUNDANT],
        "n_missed": counts[CallClass.MISSED],
        "n_stale": sum(call.stale for call in calls),
        "over_search_rate": excess / n_calls if n_calls else None,
        "misses_per_call": counts[CallClass.MISSED] / n_calls if n_calls else None,
        "calls_to_sufficiency": sufficiency,
        "post_sufficiency_calls": None if sufficiency is None else n_calls - sufficiency,
    }


def _consumer_level(
    consumers: _Consumers, needs: Sequence[NeedDiagnosis]
) -> dict[str, float | int | None]:
    attempted = consumers.attempted()
    unmet = {need.need_id for need in needs if need.status is not NeedStatus.MET}
    uninformed = consumers.uninformed(unmet)
    return {
        "n_consumers_attempted": len(attempted),
        "n_consumers_uninformed": len(uninformed),
        "under_search_rate": len(uninformed) / len(attempted) if attempted else None,
    }
