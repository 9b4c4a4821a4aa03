"""Reciprocal rank of documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, DocumentMeasure

__all__ = ["ReciprocalRank"]


@MEASURES.register("RR")
@dataclass(frozen=True)
class ReciprocalRank(DocumentMeasure):
    """1 / rank of the first relevant document, 0 when none was found.

    Source: Voorhees 1999, TREC-8 question answering; as trec_eval's ``recip_rank``.
    """

    cutoff = "optional"
    cuts_itself = False
