"""Recall of evidence text."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, Overlap, SpanMeasure

__all__ = ["SpanRecall"]


@MEASURES.register("span_recall")
@dataclass(frozen=True)
class SpanRecall(SpanMeasure):
    """|E ∩ C| / |E|: how much of the evidence E the chunks C hold.

    Where a fact stands in several places, E has the one of which most was found. Evidence that
    parsing lost is part of E and never found. Nothing retrieved is 0: the question was asked and
    has an answer. Source: Smith & Troynikov 2024, section 3 (``published``: N / sum of |e|).
    """

    cutoff = "required"

    def of(self, overlap: Overlap) -> float:
        """See the class."""
        return overlap.found / overlap.required
