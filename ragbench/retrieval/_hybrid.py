"""Hybrid retrieval: the lists of ``dense`` and ``bm25`` fused into one.

Each list is cut at ``depth`` hits, whatever number is asked for, so that the first hits of a longer
answer are those of a shorter one. A chunk that stands in one list only gets nothing from the other.

``rrf``, reciprocal rank fusion (Cormack, Clarke & Buettcher 2009, eq. 1); ranks count from 1::

    score(c) = sum over the lists that hold c of 1 / (rrf_k + rank(c))

``weighted``, a convex combination of scores that min-max scaling has made comparable::

    scaled(c) = (s(c) - min) / (max - min) over the list, 1 for all when max = min
    score(c) = weight * scaled_dense(c) + (1 - weight) * scaled_bm25(c)

Scores of the two retrievers are never added as they are: a cosine and a BM25 score share no scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from ragbench.ingest.index import Index
from ragbench.ingest.lexical import stop_digest
from ragbench.records import Chunk
from ragbench.registry import spec_of
from ragbench.retrieval._base import (
    RETRIEVERS,
    Hit,
    Queries,
    Retriever,
    Scalar,
    check_query,
    rank_hits,
)
from ragbench.retrieval._bm25 import Bm25
from ragbench.retrieval._dense import Dense

__all__ = ["Hybrid", "HybridRetriever", "fuse_ranks", "fuse_scores"]

_RRF_K, _WEIGHT = 60, 0.5
_DECIMALS = 8
"""Of fused ranks: 1/(60 + 300) and 1/(60 + 301) are the same number in five decimals."""


class HybridRetriever:
    """Fuses two retrievers of one index."""

    def __init__(self, dense: Retriever, bm25: Retriever, spec: Hybrid) -> None:
        self._dense, self._bm25, self._spec = dense, bm25, spec

    @property
    def identity(self) -> str:
        """The spec, and which words the stop list has."""
        return f"{spec_of(self._spec)} stop_words={stop_digest(self._spec.stop)}"

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self._dense.n_chunks

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`; at most twice ``depth`` hits."""
        check_query(query, n)
        spec = self._spec
        lists = [one.retrieve(query, spec.depth, where) for one in (self._dense, self._bm25)]
        if spec.fusion == "rrf":
            return rank_hits(fuse_ranks(lists, spec.rrf_k), n, _DECIMALS)
        return rank_hits(fuse_scores(lists, [spec.weight, 1 - spec.weight]), n)


def fuse_ranks(lists: Sequence[Sequence[Hit]], rrf_k: int) -> list[tuple[Chunk, float]]:
    """Every chunk of the lists with its reciprocal rank fusion score, in (0, len(lists) / rrf_k].

    >>> chunk = Chunk("a", 0, 1, "x", 1)
    >>> fuse_ranks([[Hit(chunk, 0.9, 1)], [Hit(chunk, 7.1, 2)]], 60)[0][1] == 1 / 61 + 1 / 62
    True
    """
    return _summed([[(hit, 1 / (rrf_k + hit.rank)) for hit in hits] for hits in lists])


def fuse_scores(
    lists: Sequence[Sequence[Hit]], weights: Sequence[float]
) -> list[tuple[Chunk, float]]:
    """Every chunk of the lists with the weighted sum of its scaled scores, in [0, sum(weights)]."""
    scaled = []
    for hits, weight in zip(lists, weights, strict=True):
        scores = [hit.score for hit in hits]
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        scaled.append([
            (hit, weight * ((hit.score - low) / (high - low) if high > low else 1.0))
            for hit in hits
        ])  # fmt: skip
    return _summed(scaled)


def _summed(lists: Sequence[Sequence[tuple[Hit, float]]]) -> list[tuple[Chunk, float]]:
    chunks: dict[str, Chunk] = {}
    scores: dict[str, float] = {}
    for parts in lists:
        for hit, part in parts:
            chunk_id = hit.chunk.chunk_id
            chunks[chunk_id] = hit.chunk
            scores[chunk_id] = scores.get(chunk_id, 0.0) + part
    return [(chunks[chunk_id], score) for chunk_id, score in scores.items()]


@RETRIEVERS.register("hybrid")
@dataclass(frozen=True)
class Hybrid:
    """Both dense and bm25, fused by rank or by weighted scores.

    Args:
        fusion: ``rrf`` adds reciprocal ranks, ``weighted`` adds scaled scores.
        rrf_k: with ``rrf``, how little the first ranks stand out, at least 1.
        weight: with ``weighted``, the share of dense, from 0 to 1; bm25 has the rest.
        depth: how many hits of each retriever are fused, at least 1.
        k1: as of ``bm25``.
        b: as of ``bm25``.
        stem: as of ``bm25``.
        stop: as of ``bm25``.
    """

    fusion: Literal["rrf", "weighted"] = "rrf"
    rrf_k: int = _RRF_K
    weight: float = _WEIGHT
    depth: int = 100
    k1: float = 1.5
    b: float = 0.75
    stem: str | None = "english"
    stop: str | None = "english"

    needs_vectors: ClassVar[bool] = True
    queries: ClassVar[Queries] = "words"

    def __post_init__(self) -> None:
        if self.rrf_k < 1:
            raise ValueError(f"rrf_k is {self.rrf_k}; it must be at least 1")
        if not 0 <= self.weight <= 1:
            raise ValueError(f"weight is {self.weight}; it must be from 0 to 1")
        if self.depth < 1:
            raise ValueError(f"depth is {self.depth}; it must be at least 1")
        if self.fusion == "rrf" and self.weight != _WEIGHT:
            raise ValueError("weight is for fusion=weighted; rrf counts ranks")
        if self.fusion == "weighted" and self.rrf_k != _RRF_K:
            raise ValueError("rrf_k is for fusion=rrf")
        self._lexical()

    def open(self, index: Index) -> HybridRetriever:
        """The retriever over the index, which must have vectors."""
        return HybridRetriever(Dense().open(index), self._lexical().open(index), self)

    def _lexical(self) -> Bm25:
        return Bm25(self.k1, self.b, self.stem, self.stop)
