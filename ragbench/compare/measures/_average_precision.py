"""Average precision of documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, DocumentMeasure

__all__ = ["AveragePrecision"]


@MEASURES.register("AP")
@dataclass(frozen=True)
class AveragePrecision(DocumentMeasure):
    """Sum of P@i over the ranks i of relevant documents / all relevant documents.

    Relevant documents that were not found add 0. Source: Harman 1992; as trec_eval's ``map`` for
    one query.
    """

    cutoff = "optional"
    cuts_itself = False
