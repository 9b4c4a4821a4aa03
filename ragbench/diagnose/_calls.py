"""Call level: what each retrieval call was good for.

In order, the first that holds: *useful* (covers an open item, or adds at least 1 - theta of one of
its passages), *unneeded* (no item is open), *redundant* (same tool, parameters and query as an
earlier call), *missed* (the rest; *stale* when at least 90 % of what it returned had been seen). An
item is open while earlier results do not cover it, deadline or not.
"""

from __future__ import annotations

from ragbench.diagnose._timeline import Timeline, characters, spans_by_document
from ragbench.evidence import THETA, LocatedItem, Seen, intersect
from ragbench.records import CallClass, CallDiagnosis, RetrievalEvent
from ragbench.retrieval import REWRITTEN
from ragbench.toolkit import canonical_json, folded_query

__all__ = ["classify_calls"]

_STALE = 0.9
_TOLERANCE = 1e-9
"""A gain of exactly a tenth counts, though 36/70 - 29/70 falls below it in floating point."""


def classify_calls(timeline: Timeline) -> tuple[CallDiagnosis, ...]:
    """A diagnosis per call, in order; one that raised has no class."""
    items = timeline.context.items
    found, earlier = [], set()
    for index, event in enumerate(timeline.calls):
        opened = [item for item in items if not timeline.is_covered(item, index)]
        # What the query was rewritten to follows from it, spelling and all.
        parameters = {
            name: event.parameters[name] for name in event.parameters.keys() - {REWRITTEN}
        }
        key = canonical_json([event.tool, parameters, folded_query(event.query)])
        if any(_gains(item, index, timeline) for item in opened):
            kind = CallClass.USEFUL
        elif not opened:
            kind = CallClass.UNNEEDED
        else:
            kind = CallClass.REDUNDANT if key in earlier else CallClass.MISSED
        earlier.add(key)
        covered = sum(timeline.is_covered(item, index + 1) for item in items)
        found.append(
            CallDiagnosis(
                call_id=event.call_id,
                step=event.step,
                position=event.position,
                query=event.query,
                call_class=kind,
                stale=kind is CallClass.MISSED and _is_stale(event, timeline.seen[index], timeline),
                evidence_recall=covered / len(items) if items else None,
                n_tokens=sum(hit.n_tokens for hit in event.delivered),
            )
        )
    raised = [
        CallDiagnosis(
            call_id=event.call_id,
            step=event.step,
            position=event.position,
            query=event.query,
            call_class=None,
        )
        for event in timeline.raised
    ]
    return tuple(sorted([*found, *raised], key=lambda call: (call.step, call.position)))


def _gains(item: LocatedItem, index: int, timeline: Timeline) -> bool:
    """Whether the index-th call covers the item, or adds a tenth of one of its passages."""
    if timeline.is_covered(item, index + 1):
        return True
    before, after = timeline.seen[index], timeline.seen[index + 1]
    documents = {hit.doc_id for hit in timeline.calls[index].delivered}
    return any(
        after.share(passage) - before.share(passage) >= 1 - THETA - _TOLERANCE
        for passage in item.any_of
        if passage.doc_id in documents
    )


def _is_stale(event: RetrievalEvent, before: Seen, timeline: Timeline) -> bool:
    spans = spans_by_document(event.delivered)
    total = characters(spans, timeline.texts)
    known = {
        doc_id: intersect(found, before.spans.get(doc_id, [])) for doc_id, found in spans.items()
    }
    return total > 0 and characters(known, timeline.texts) / total >= _STALE
