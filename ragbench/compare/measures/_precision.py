"""Precision of documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, DocumentMeasure

__all__ = ["Precision"]


@MEASURES.register("P")
@dataclass(frozen=True)
class Precision(DocumentMeasure):
    """Relevant documents among the first k / k.

    The denominator is k however little was found, as in trec_eval: five chunks of one relevant
    document give P@5 = 1/5, and so does one chunk alone. Source: Cleverdon 1967.
    """

    cutoff = "required"
