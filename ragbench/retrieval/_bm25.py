"""Lexical retrieval: BM25 over the chunks' texts (Robertson & Zaragoza 2009, Lucene's variant).

With N chunks, df(t) of them holding t, tf(t) occurrences in a chunk of length l (tokens) and mean
length L::

    score(q, c) = sum over tokens t of q:
        ln(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * l / L))

A token that the query repeats counts again. A filter chooses among the chunks; N, df and L stay
those of the whole index. Tokens and their counts are the index's (`ragbench.ingest.lexical`); the
score of each token in each chunk is in float32, and they are summed in the order of the query, as
bm25s does, so that both give the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ragbench.ingest.chunk import Context
from ragbench.ingest.index import Index
from ragbench.ingest.lexical import Words, check_language, stop_digest, tokenizer
from ragbench.registry import spec_of
from ragbench.retrieval._base import RETRIEVERS, Hit, Queries, Scalar, check_query, rank_hits

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Bm25", "Bm25Retriever"]

_ROUNDING = 1e-5
"""Scores farther apart than this do not round to one."""


class Bm25Retriever:
    """BM25 over the chunks of an index; a chunk that shares no token with the query is no hit."""

    def __init__(self, index: Index, spec: Bm25) -> None:
        self._index, self._spec = index, spec
        self._tokenizer = tokenizer(spec.stem, spec.stop)
        self._postings = index.postings(Words(spec.stem, spec.stop, spec.context))
        self._known: dict[str, tuple[np.ndarray, np.ndarray] | None] = {}

    @property
    def identity(self) -> str:
        """The spec, and which words its stop list has."""
        return f"{spec_of(self._spec)} stop_words={stop_digest(self._spec.stop)}"

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self._index.manifest.n_chunks

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`; a query of unknown tokens finds nothing."""
        check_query(query, n)
        scores = self._scores(query)
        if scores is None:
            return []
        rows = self._index.matching(where) if where else None
        best = _best(scores if rows is None else scores[rows], n)
        return rank_hits(
            ((self._index.chunk(i if rows is None else rows[i]), score) for i, score in best), n
        )

    def _scores(self, query: str) -> np.ndarray | None:
        """The score of every chunk, None when no chunk holds a token of the query."""
        import numpy as np

        parts = [self._scored(token) for token in self._tokenizer.tokens(query)]
        found = [part for part in parts if part is not None]
        if not found:
            return None
        scores = np.zeros(len(self._postings.lengths), dtype=np.float32)
        for rows, values in found:
            scores[rows] += values  # a token names a chunk once
        return scores

    def _scored(self, token: str) -> tuple[np.ndarray, np.ndarray] | None:
        """The chunks that hold a token, and what it adds to the score of each."""
        if token not in self._known:
            number = self._postings.find(token)
            self._known[token] = None if number is None else self._score(number)
        return self._known[token]

    def _score(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        import numpy as np

        rows, counts = self._postings.of(number)
        n, df, k1, b = len(self._postings.lengths), len(rows), self._spec.k1, self._spec.b
        idf = np.float32(math.log(1 + (n - df + 0.5) / (df + 0.5)))
        lengths = self._postings.lengths[rows]
        tf = counts.astype(np.float32)
        mean = self._postings.mean_length
        return rows, (idf * (tf / (k1 * ((1 - b) + b * lengths / mean) + tf))).astype(np.float32)


def _best(scores: np.ndarray, n: int) -> list[tuple[int, float]]:
    """Positive scores with their places: all that may be among the first n once rounded."""
    import numpy as np

    if len(scores) > n:
        kth = float(np.partition(scores, len(scores) - n)[len(scores) - n])
        found = np.flatnonzero((scores > 0) & (scores >= kth - _ROUNDING))
    else:
        found = np.flatnonzero(scores > 0)
    return list(zip(found.tolist(), scores[found].tolist(), strict=True))


@RETRIEVERS.register("bm25")
@dataclass(frozen=True)
class Bm25:
    """Shared words, numbers and codes, weighted by how rare they are.

    Args:
        k1: how much a repeated token adds, at least 0; 0 counts presence only.
        b: how much a long chunk is held against it, from 0 to 1.
        stem: language of the stemmer, none to compare words as they stand.
        stop: language of the words that do not count, none to count all.
        context: what is indexed with a chunk: its document's ``title``, the ``headings`` above it,
            or none.
    """

    k1: float = 1.5
    b: float = 0.75
    stem: str | None = "english"
    stop: str | None = "english"
    context: Context = None

    needs_vectors: ClassVar[bool] = False
    queries: ClassVar[Queries] = "words"

    def __post_init__(self) -> None:
        if not 0 <= self.k1 < float("inf"):
            raise ValueError(f"k1 is {self.k1}; it must be at least 0")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b is {self.b}; it must be from 0 to 1")
        check_language(self.stem, self.stop)

    def open(self, index: Index) -> Bm25Retriever:
        """The lexical retriever over the index."""
        return Bm25Retriever(index, self)
