"""Recall of documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, DocumentMeasure

__all__ = ["Recall"]


@MEASURES.register("R")
@dataclass(frozen=True)
class Recall(DocumentMeasure):
    """Relevant documents among the first k / all relevant documents.

    A document of grade 1 or more is relevant. When more than k documents are, 1 is out of reach.
    Source: Cleverdon 1967; as trec_eval's ``recall``.
    """

    cutoff = "required"
