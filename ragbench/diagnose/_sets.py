"""Set-level measures: delivered spans against evidence spans, duplicates, documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragbench.diagnose._timeline import Timeline, characters, spans_by_document
from ragbench.evidence import LocatedItem, intersect, n_characters, union
from ragbench.records import HitRecord

__all__ = ["Delivery", "delivery", "document_recall"]


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
    """

    evidence_precision: float | None
    duplicate_ratio: float | None
    excess_tokens: int
    retrieved_tokens: int


def delivery(timeline: Timeline) -> Delivery:
    """Measure the delivered hits of a trial; what is inlined is not delivered by a call."""
    hits = [hit for event in timeline.calls for hit in event.delivered]
    evidence = _evidence(timeline.context.items, timeline.texts)
    spans = spans_by_document(hits)
    total = characters(spans, timeline.texts)
    gained = {doc_id: intersect(found, evidence.get(doc_id, [])) for doc_id, found in spans.items()}
    single = sum(n_characters(timeline.texts[hit.doc_id], [(hit.start, hit.end)]) for hit in hits)
    whole = any(passage.span is None for item in timeline.context.items for passage in item.any_of)
    return Delivery(
        evidence_precision=None
        if whole or not total
        else characters(gained, timeline.texts) / total,
        duplicate_ratio=1 - total / single if single else None,
        excess_tokens=sum(hit.n_tokens for hit in hits if not _touches(hit, evidence)),
        retrieved_tokens=sum(hit.n_tokens for hit in hits),
    )


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


def _evidence(
    items: Iterable[LocatedItem], texts: dict[str, str]
) -> dict[str, list[tuple[int, int]]]:
    spans: dict[str, list[tuple[int, int]]] = {}
    for item in items:
        for passage in item.any_of:
            span = passage.span or (0, len(texts[passage.doc_id]))
            spans.setdefault(passage.doc_id, []).append(span)
    return {doc_id: union(found) for doc_id, found in spans.items()}


def _touches(hit: HitRecord, evidence: dict[str, list[tuple[int, int]]]) -> bool:
    return bool(intersect([(hit.start, hit.end)], evidence.get(hit.doc_id, [])))
