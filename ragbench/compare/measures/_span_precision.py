"""Precision of retrieved text."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, Overlap, SpanMeasure

__all__ = ["SpanPrecision"]


@MEASURES.register("span_precision")
@dataclass(frozen=True)
class SpanPrecision(SpanMeasure):
    """|A ∩ C| / |C|: how much of the chunks C is evidence A, alternatives included.

    Nothing retrieved is 0 / 0, and 0 here: the question was asked and has an answer, and left out
    of the mean it would reward the setup that returns nothing. (In a trajectory it is None, since
    an agent may rightly not search.) Source: Smith & Troynikov 2024, section 3 (``published``:
    N / sum of |c|, so that overlapping chunks count twice).
    """

    cutoff = "required"

    def of(self, overlap: Overlap) -> float:
        """See the class."""
        return overlap.relevant / overlap.retrieved if overlap.retrieved else 0.0
