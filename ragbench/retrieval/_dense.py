"""Dense retrieval: cosine between the query's vector and the chunks' vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ragbench.ingest.index import Index
from ragbench.retrieval._base import (
    RETRIEVERS,
    Hit,
    Queries,
    Scalar,
    check_query,
    rank_hits,
    rounded,
)

__all__ = ["Dense", "DenseRetriever"]

_MARGIN = 10


class DenseRetriever:
    """Nearest neighbours in the index's vectors; the score is the cosine, from -1 to 1.

    Raises:
        StoreError: the index has no vectors, or its model is not the one that made them.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        _ = index.embedder  # fails now rather than at the first query

    @property
    def identity(self) -> str:
        """The spec; the embedder is the index's."""
        return "dense"

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self._index.manifest.n_chunks

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`."""
        check_query(query, n)
        vector = self._index.embed_query(query)
        depth = n + _MARGIN
        while True:
            found = self._index.nearest(vector, depth, where)
            # All that tie with the n-th must be here, so that the rule picks among them.
            if len(found) < depth or rounded(found[-1][1]) < rounded(found[n - 1][1]):
                return rank_hits(found, n)
            depth *= 2


@RETRIEVERS.register("dense")
@dataclass(frozen=True)
class Dense:
    """Cosine of embedding vectors."""

    needs_vectors: ClassVar[bool] = True
    queries: ClassVar[Queries] = "words"

    def open(self, index: Index) -> DenseRetriever:
        """The dense retriever over the index."""
        return DenseRetriever(index)
