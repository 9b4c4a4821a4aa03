"""Intersection over union of retrieved text and evidence, and the ceiling that chunks set it."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, Overlap, SpanMeasure, SpanView

__all__ = ["PrecisionOmega", "SpanIou"]


@MEASURES.register("IoU")
@dataclass(frozen=True)
class SpanIou(SpanMeasure):
    """|A ∩ C| / (|C| + |E without C|): the intersection over the union.

    Without alternatives A is E and the denominator is |E ∪ C|; see `SpanRecall` and `SpanPrecision`
    for the letters. Nothing retrieved is 0. Source: Smith & Troynikov 2024, section 3
    (``published``: N / (sum of |c| + reference characters not retrieved)).
    """

    cutoff = "required"

    def of(self, overlap: Overlap) -> float:
        """See the class."""
        return overlap.relevant / (overlap.retrieved + overlap.missed)


@MEASURES.register("precision_omega")
@dataclass(frozen=True)
class PrecisionOmega(SpanMeasure):
    """IoU of a perfect retriever: of all chunks that hold evidence, as a union.

    It depends on the chunks alone. 0 when no chunk holds any of the evidence. Source: Smith &
    Troynikov 2024, section 3 (``published``: chunks that only touch a reference count as well, so
    that the figure is lower wherever a reference begins or ends with a chunk).
    """

    cutoff = "none"

    def score(self, view: SpanView) -> float | None:
        """The value for one question; None when its evidence is whole documents."""
        overlap = view.ceiling(self.unit, self.variant)
        return None if overlap is None else self.of(overlap)

    def of(self, overlap: Overlap) -> float:
        """See the class."""
        return overlap.relevant / (overlap.retrieved + overlap.missed)
