"""Retrieved spans against evidence spans: the sizes from which span measures are computed.

Letters as in `ragbench.compare.measures`: C is what was retrieved, A all evidence with its
alternatives, E what is required: of each item the alternative of which most was retrieved (the
first of equals). Evidence of which one item is a whole document has no spans, and every span
measure of its question is None: undefined, not 0.

The ``published`` counting is that of Smith & Troynikov's code: all characters, white space too;
plain sums over references and over retrieved chunks; closed intervals, so that a chunk that ends
where a reference begins is a hit of no characters. That changes no sum but the ceiling's, to which
touching chunks add all their characters. It knows one place of a reference: of several alternatives
the first counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragbench.compare._rulers import Marks, Ruler, ruler
from ragbench.compare.measures import Overlap, Unit, Variant
from ragbench.evidence import Span, intersect, union

__all__ = ["Chunks", "Item", "Rulers", "SpanContext", "Spanned", "spans_of"]

Spans = Mapping[str, Sequence[Span]]
"""Spans by document."""


class Spanned(Protocol):
    """A retrieved chunk, such as a `ragbench.records.HitRecord` or a `Chunk`."""

    @property
    def doc_id(self) -> str:
        """The document that it stands in."""
        ...

    @property
    def start(self) -> int:
        """Its first character."""
        ...

    @property
    def end(self) -> int:
        """Behind its last character."""
        ...


@dataclass(frozen=True, slots=True)
class Item:
    """A fact that has to be found.

    Attributes:
        any_of: where it stands, each ``(doc_id, span)``; empty when parsing lost it.
        lost: the quote of an item that was lost, which says how much is missing.
    """

    any_of: tuple[tuple[str, Span], ...]
    lost: str = ""


class Rulers:
    """The rulers of some texts, made when first asked for; shared by all questions.

    Args:
        texts: loaded text by document id.
        marks: what earlier rulers of equal texts marked, in each unit; these add to it.
    """

    def __init__(
        self, texts: Mapping[str, str], marks: defaultdict[Unit, Marks] | None = None
    ) -> None:
        self._texts = texts
        self._marks: defaultdict[Unit, Marks] = defaultdict(dict) if marks is None else marks
        self._rulers: dict[Unit, Ruler] = {}

    def __getitem__(self, unit: Unit) -> Ruler:
        if unit not in self._rulers:
            self._rulers[unit] = ruler(self._texts, unit, self._marks[unit])
        return self._rulers[unit]


def spans_of(chunks: Iterable[Spanned]) -> dict[str, list[Span]]:
    """The chunks' spans by document, in their order, repeated where they repeat."""
    found: dict[str, list[Span]] = {}
    for chunk in chunks:
        found.setdefault(chunk.doc_id, []).append((chunk.start, chunk.end))
    return found


Chunks = Spans
"""All chunks of an index, by document: `spans_of` them."""


class SpanContext:
    """One question's evidence and results, which a `SpanMeasure` scores.

    Args:
        items: the evidence; None when an item is a whole document.
        hits: what was retrieved, best first.
        chunks: all chunks that could have been.
        rulers: of the documents that hold evidence or were retrieved.
    """

    def __init__(
        self,
        items: Sequence[Item] | None,
        hits: Sequence[Spanned],
        chunks: Chunks,
        rulers: Rulers,
    ) -> None:
        self._items, self._hits, self._chunks, self._rulers = items, hits, chunks, rulers
        self._overlaps: dict[tuple[int | None, Unit, Variant], Overlap | None] = {}

    def overlap(self, k: int | None, unit: Unit, variant: Variant) -> Overlap | None:
        """The first k results against the evidence; None when the evidence has no spans."""
        key = (k, unit, variant)
        if key not in self._overlaps:
            self._overlaps[key] = self._measure(spans_of(self._hits[:k]), unit, variant)
        return self._overlaps[key]

    def ceiling(self, unit: Unit, variant: Variant) -> Overlap | None:
        """All chunks that hold evidence, as a union; None when the evidence has no spans."""
        touching = variant == "published"
        if self._items is None:
            return None
        most = 1 if variant == "published" else None
        evidence = _by_document(place for item in self._items for place in item.any_of[:most])
        holding = {
            doc_id: union(
                chunk for chunk in self._chunks.get(doc_id, ()) if _holds(chunk, spans, touching)
            )
            for doc_id, spans in evidence.items()
        }
        return self._measure(holding, unit, variant, ceiling=True)

    def _measure(
        self, retrieved: Spans, unit: Unit, variant: Variant, ceiling: bool = False
    ) -> Overlap | None:
        if not self._items:
            return None
        if variant == "published":
            return _published(self._items, retrieved, ceiling)
        return _union(self._items, retrieved, self._rulers[unit])


def _union(items: Sequence[Item], retrieved: Spans, ruler: Ruler) -> Overlap:
    required = _by_document(_best(item.any_of, retrieved, ruler) for item in items if item.any_of)
    lost = sum(ruler.size_of_text(item.lost) for item in items if item.lost)
    size = lost + _size(required, ruler)
    found = relevant = _size(_common(required, retrieved), ruler)
    if any(len(item.any_of) > 1 for item in items):
        evidence = _by_document(place for item in items for place in item.any_of)
        relevant = _size(_common(evidence, retrieved), ruler)
    return Overlap(
        required=size,
        found=found,
        missed=size - found,
        relevant=relevant,
        retrieved=_size(retrieved, ruler),
    )


def _best(places: Sequence[tuple[str, Span]], retrieved: Spans, ruler: Ruler) -> tuple[str, Span]:
    if len(places) == 1:
        return places[0]

    def share(place: tuple[str, Span]) -> float:
        doc_id, span = place
        size = ruler.size(doc_id, [span])
        return (
            ruler.size(doc_id, intersect([span], retrieved.get(doc_id, ()))) / size if size else 0
        )

    return max(places, key=share)


def _published(items: Sequence[Item], retrieved: Spans, ceiling: bool) -> Overlap:
    references = _by_document(place for item in items for place in item.any_of[:1])
    found = sum(map(_length, _common(references, retrieved).values()))
    lost = sum(len(item.lost) for item in items)
    if ceiling:
        merged = {doc_id: union(spans) for doc_id, spans in references.items()}
        missed = sum(map(_length, merged.values())) - found
    else:
        missed = sum(
            _length([span]) - _length(intersect([span], retrieved.get(doc_id, ())))
            for doc_id, spans in references.items()
            for span in spans
        )
    return Overlap(
        required=lost + sum(map(_length, references.values())),
        found=found,
        missed=lost + missed,
        relevant=found,
        retrieved=sum(map(_length, retrieved.values())),
    )


def _by_document(places: Iterable[tuple[str, Span]]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for doc_id, span in places:
        found.setdefault(doc_id, []).append(span)
    return found


def _common(left: Spans, right: Spans) -> dict[str, list[Span]]:
    return {doc_id: intersect(spans, right.get(doc_id, ())) for doc_id, spans in left.items()}


def _size(spans: Spans, ruler: Ruler) -> int:
    return sum(ruler.size(doc_id, of_document) for doc_id, of_document in spans.items())


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def _holds(chunk: Span, spans: Iterable[Span], touching: bool) -> bool:
    if touching:
        return any(chunk[0] <= end and start <= chunk[1] for start, end in spans)
    return any(chunk[0] < end and start < chunk[1] for start, end in spans)
