"""Normalised discounted cumulative gain of documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare.measures._base import MEASURES, DocumentMeasure

__all__ = ["Ndcg"]


@MEASURES.register("nDCG")
@dataclass(frozen=True)
class Ndcg(DocumentMeasure):
    """DCG / DCG of the best ranking, where DCG = sum over ranks i of grade(i) / log2(i + 1).

    Both sums end at k. The gain is the grade itself, as in trec_eval's ``ndcg_cut``. Source:
    Järvelin & Kekäläinen 2002, ACM TOIS 20(4).
    """

    cutoff = "optional"
