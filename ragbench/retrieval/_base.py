"""The retriever's role, its registry, what a hit is, and the one rule by which hits are ranked.

A retriever's name alone, or a whole stack (``hybrid+rerank+rewrite``), is opened by
`ragbench.retrieval.open_retriever`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from ragbench.errors import UsageError
from ragbench.ingest.index import Index
from ragbench.records import Chunk
from ragbench.registry import Registry

__all__ = [
    "RETRIEVERS",
    "Hit",
    "Queries",
    "Retriever",
    "RetrieverSpec",
    "Scalar",
    "check_query",
    "rank_hits",
    "rounded",
]

Scalar = str | int | float | bool

Queries = Literal["words", "pattern"]
"""What a retriever is asked: words of a language, or a regular expression."""

_DECIMALS = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. ``rank`` counts from 1; a higher score is better."""

    chunk: Chunk
    score: float
    rank: int


class Retriever(Protocol):
    """Finds the chunks of one index that fit a query best."""

    @property
    def identity(self) -> str:
        """What its results depend on besides the index: specs, and hashes of files and weights."""
        ...

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        ...

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """At most n hits, best first; fewer when it finds no more.

        The first hits of a larger n are those of a smaller one.

        Scores are rounded to 5 decimals, then ranked, the highest first. Equal scores stand in the
        order of the text: by document id, then by where the chunk begins and ends, ascending.

        Args:
            query: what to look for.
            n: how many hits, at least 1.
            where: metadata that a hit's document must have, compared by equality.

        Raises:
            UsageError: the query is empty or no text, is no pattern where one is expected, or n is
                below 1.
        """
        ...


class RetrieverSpec(Protocol):
    """A registered spec: what makes the retriever of an index.

    Attributes:
        needs_vectors: whether the index must have been made with an embedder.
        queries: what it is asked.
    """

    needs_vectors: ClassVar[bool]
    queries: ClassVar[Queries]

    def open(self, index: Index) -> Retriever:
        """The retriever over this index.

        Raises:
            StoreError: the index lacks what the retriever needs.
        """
        ...


RETRIEVERS: Registry[RetrieverSpec] = Registry("retriever", see="ragbench list retrievers")


def check_query(query: str, n: int) -> None:
    """Raise UsageError when there is nothing to look for or nothing to return."""
    if not query.strip():
        raise UsageError(f"The query {query!r} is empty. Say what to look for.")
    try:
        query.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The query {query!r} is no text: {query[error.start]!r} is half of a character."
        ) from error
    if n < 1:
        raise UsageError(f"The number of hits is {n}; it must be at least 1.")


def rounded(score: float, decimals: int = _DECIMALS) -> float:
    """The score as it is ranked and shown, so that the order of summation cannot decide a rank."""
    return round(float(score), decimals) + 0.0  # never -0.0


def rank_hits(
    scored: Iterable[tuple[Chunk, float]], n: int, decimals: int = _DECIMALS
) -> list[Hit]:
    """The first n by rounded score, descending; equal ones by document and position, ascending."""
    ordered = sorted(
        ((rounded(score, decimals), chunk) for chunk, score in scored),
        key=lambda item: (-item[0], item[1].doc_id, item[1].start, item[1].end),
    )
    return [Hit(chunk, score, rank) for rank, (score, chunk) in enumerate(ordered[:n], start=1)]
