"""Vector stores of the user's own: filled with an index's vectors, and searched by their means.

A store is a class with ``add(ids, vectors)`` and ``query(vector, k)``. It is made anew and filled
whenever it is opened; ids are those of the chunks, vectors have length 1. ``query`` returns
``(id, score)`` pairs, best first, where a higher score is nearer. How near what it finds comes to
what is exact shows beside ``dense``.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

from ragbench.ingest.index import Index
from ragbench.own import Part
from ragbench.records import Chunk
from ragbench.retrieval._base import Hit, Scalar, check_query, rank_hits

__all__ = ["FILTER_DEPTH", "OwnStoreRetriever"]

FILTER_DEPTH = 10
"""Hits asked for, per hit wanted, where the code cannot filter and the tool filters afterwards."""
_BATCH = 1000


class OwnStoreRetriever:
    """Dense retrieval in a vector store of the user's own."""

    waits = True
    """Searches run in threads, one at a time."""

    def __init__(self, index: Index, part: Part) -> None:
        self._index, self._part = index, part
        _ = index.embedder  # fails now rather than at the first query
        self._store = part.make()
        self._turn = threading.Lock()
        for chunk_ids, vectors in index.vectors(_BATCH):
            with part.guard("add"):
                self._store.add(chunk_ids, vectors)

    @property
    def identity(self) -> str:
        """Spec and hash of the file; the embedder is the index's."""
        return str(self._part.spec)

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self._index.manifest.n_chunks

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`.

        Raises:
            OwnPartError: the code raised, or returned what are no neighbours.
        """
        check_query(query, n)
        vector = self._index.embed_query(query)
        depth = min(self.n_chunks, n * FILTER_DEPTH if where else n)
        with self._turn, self._part.guard("query"):
            given = list(self._store.query(vector, depth))
        hits = [self._hit(one, query) for one in given]
        if len({chunk.chunk_id for chunk, _ in hits}) < len(hits):
            self._refuse(f"returned a chunk twice for the query {query!r}.")
        if where:
            allowed = set(self._index.matching(where))
            hits = [hit for hit in hits if self._rows[hit[0].chunk_id] in allowed]
        return rank_hits(hits, n)

    def _hit(self, given: Any, query: str) -> tuple[Chunk, float]:  # noqa: ANN401
        pair = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
        if len(pair) != 2 or pair[0] not in self._rows:
            self._refuse(
                f"returned {given!r:.120} for the query {query!r}; it must be a pair of an id that "
                "was added, and a score."
            )
        score = float(pair[1])
        if not math.isfinite(score):
            self._refuse(f"returned the score {score} for {pair[0]!r}.")
        return self._index.chunk(self._rows[pair[0]]), score

    @cached_property
    def _rows(self) -> dict[str, int]:
        """The number of each chunk by its id."""
        return {chunk.chunk_id: row for row, chunk in enumerate(self._index.chunks)}

    def _refuse(self, problem: str) -> NoReturn:
        self._part.refuse(getattr(self._part.code.target, "query", None), problem)
