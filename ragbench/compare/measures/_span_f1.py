"""F1 of retrieved text."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, Overlap, SpanMeasure

__all__ = ["SpanF1"]


@MEASURES.register("F1")
@dataclass(frozen=True)
class SpanF1(SpanMeasure):
    """2 P R / (P + R) of span precision and span recall; 0 when both are 0.

    The harmonic mean's limit at 0, 0 is 0, so that nothing found is no undefined case. Source: van
    Rijsbergen 1979 over the two measures of Smith & Troynikov 2024, who do not report it.
    """

    cutoff = "required"

    def of(self, overlap: Overlap) -> float:
        """See the class."""
        precision = overlap.relevant / overlap.retrieved if overlap.retrieved else 0.0
        recall = overlap.found / overlap.required
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
