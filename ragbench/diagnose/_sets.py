"""Set-level measures: delivered spans against evidence spans, floods, duplicates, documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragbench.diagnose._causes import Probe
from ragbench.diagnose._timeline import Timeline, characters, spans_by_document
from ragbench.evidence import LocatedItem, Span, intersect, n_characters, union
from ragbench.records import CallClass, CallDiagnosis, HitRecord, RetrievalEvent

__all__ = ["FLOOD_HITS", "Delivery", "chunking_floor", "delivery", "document_recall"]

FLOOD_HITS = 10
"""A search may bring so many hits without evidence, by their tokens; what is beyond is a flood.

It is twice an ordinary search (k = 5), all of whose hits may be without evidence when it misses.
The share of tokens in hits without evidence therefore has the bound `FLOOD_HITS` / (mean hits per
search): never reached below eleven hits, 20 % at k = 50.
"""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the calls delivered, against the evidence.

    Attributes:
        evidence_precision: |delivered ∩ evidence| / |delivered| in characters, [0, 1]; the evidence
            is the union of all passages, alternatives included, so without needs it is 0. None when
            nothing was delivered, or when an item is a whole document.
        duplicate_ratio: 1 - |union of the hits| / sum over hits, [0, 1); None when nothing was
            delivered.
        excess_tokens: tokens of hits that touch no evidence.
        retrieved_tokens: tokens of all hits delivered.
        avoidable_tokens: tokens of unneeded and redundant calls, and of the others what lies in
            hits without evidence beyond `FLOOD_HITS` hits of the call's mean length.
        is_flooded: whether the share of excess tokens lies above its bound, `FLOOD_HITS` / (mean
            hits per call).
    """

    evidence_precision: float | None
    duplicate_ratio: float | None
    excess_tokens: int
    retrieved_tokens: int
    avoidable_tokens: int
    is_flooded: bool

    @property
    def excess_share(self) -> float | None:
        """Excess tokens / delivered tokens, in [0, 1]; None when nothing was delivered.

        It is `over_retrieval` with its floor taken out: 0 when exactly the chunks with evidence
        came, however little of them the evidence is.
        """
        return self.excess_tokens / self.retrieved_tokens if self.retrieved_tokens else None


def delivery(timeline: Timeline, calls: Sequence[CallDiagnosis]) -> Delivery:
    """Measure the delivered hits of a trial; what is inlined is not delivered by a call.

    Args:
        timeline: the trial.
        calls: the classes of its calls.
    """
    hits = [hit for event in timeline.calls for hit in event.delivered]
    evidence = _evidence(timeline.context.items, timeline.texts)
    spans = spans_by_document(hits)
    total = characters(spans, timeline.texts)
    gained = {doc_id: intersect(found, evidence.get(doc_id, [])) for doc_id, found in spans.items()}
    single = sum(n_characters(timeline.texts[hit.doc_id], [(hit.start, hit.end)]) for hit in hits)
    retrieved, excess = _n_tokens(hits), _n_tokens(_without_evidence(hits, evidence))
    return Delivery(
        evidence_precision=None
        if _has_whole_documents(timeline) or not total
        else characters(gained, timeline.texts) / total,
        duplicate_ratio=1 - total / single if single else None,
        excess_tokens=excess,
        retrieved_tokens=retrieved,
        avoidable_tokens=_avoidable(timeline.calls, calls, evidence),
        # excess / retrieved > FLOOD_HITS / (hits / calls), in whole numbers
        is_flooded=excess * len(hits) > FLOOD_HITS * len(timeline.calls) * retrieved,
    )


def _avoidable(
    events: Sequence[RetrievalEvent],
    calls: Sequence[CallDiagnosis],
    evidence: dict[str, list[Span]],
) -> int:
    wasted = {
        call.call_id
        for call in calls
        if call.call_class in (CallClass.UNNEEDED, CallClass.REDUNDANT)
    }
    total = 0
    for event in events:
        hits = event.delivered
        tokens, excess = _n_tokens(hits), _n_tokens(_without_evidence(hits, evidence))
        if event.call_id in wasted:
            total += tokens
        elif hits:
            total += max(0, round(excess - FLOOD_HITS * tokens / len(hits)))
    return total


def chunking_floor(timeline: Timeline, probe: Probe) -> float | None:
    """1 - precision-omega: what `over_retrieval` is when exactly the chunks with evidence come.

    |C without E| / |C ∪ E|, in [0, 1), for the evidence E and the union C of all chunks of the
    index that hold any of it. None without evidence that was found, or with whole documents in it.
    Source: precision-omega of Smith & Troynikov 2024, section 3.
    """
    evidence = _evidence(timeline.context.items, timeline.texts)
    if not evidence or _has_whole_documents(timeline):
        return None
    held = {
        doc_id: union(chunk for chunk in probe.chunk_spans(doc_id) if intersect([chunk], spans))
        for doc_id, spans in evidence.items()
    }
    inside = {doc_id: intersect(found, evidence[doc_id]) for doc_id, found in held.items()}
    both = {doc_id: union([*found, *evidence[doc_id]]) for doc_id, found in held.items()}
    n_all = characters(both, timeline.texts)
    return 1 - characters(inside, timeline.texts) / n_all if n_all else None


def document_recall(timeline: Timeline, deadlines: dict[str, int]) -> float | None:
    """Items of which a document was seen by their need's deadline / items; None without items.

    Source: as document recall in tau-Knowledge (arXiv 2603.04370), with our deadlines.
    """
    items = timeline.context.items
    if not items:
        return None
    found = 0
    for item in items:
        seen = timeline.seen_before(deadlines[item.need_id])
        found += any(doc_id in seen.spans for doc_id in item.doc_ids)
    return found / len(items)


def _evidence(items: Iterable[LocatedItem], texts: dict[str, str]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {}
    for item in items:
        for passage in item.any_of:
            span = passage.span or (0, len(texts[passage.doc_id]))
            spans.setdefault(passage.doc_id, []).append(span)
    return {doc_id: union(found) for doc_id, found in spans.items()}


def _has_whole_documents(timeline: Timeline) -> bool:
    passages = (passage for item in timeline.context.items for passage in item.any_of)
    return any(passage.span is None for passage in passages)


def _without_evidence(
    hits: Iterable[HitRecord], evidence: dict[str, list[Span]]
) -> list[HitRecord]:
    return [
        hit for hit in hits if not intersect([(hit.start, hit.end)], evidence.get(hit.doc_id, []))
    ]


def _n_tokens(hits: Iterable[HitRecord]) -> int:
    return sum(hit.n_tokens for hit in hits)
