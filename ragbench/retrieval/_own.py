"""Retrievers of the user's own: what they return becomes hits with spans, never by guessing.

A retriever is a class with ``retrieve(query, k)``, made once with the opened `Knowledge` unless its
constructor takes nothing. It returns hits, best first; each is a mapping with ``doc_id``, ``start``
and ``end``; or with ``text``, and ``doc_id`` where it is known, which is found in the documents; or
such a text alone. ``score`` may stand beside; without scores the order counts. `Knowledge` holds
documents and chunks, and opens built-in retrievers to build upon.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NoReturn

from ragbench.ingest.chunk import count_tokens
from ragbench.ingest.index import Index
from ragbench.own import Part
from ragbench.records import Chunk, Document
from ragbench.retrieval._base import (
    RETRIEVERS,
    Hit,
    Queries,
    Retriever,
    Scalar,
    check_query,
    rank_hits,
)
from ragbench.retrieval._own_store import FILTER_DEPTH, OwnStoreRetriever
from ragbench.retrieval._reported import SpanFinder

__all__ = ["Knowledge", "OwnRetriever", "OwnRetrieverSpec"]

_PROTOCOL = (
    "A retriever is a class with a method retrieve(query, k) that returns hits, best first: "
    "{'doc_id': ..., 'start': ..., 'end': ...} or {'text': ...}, with a 'score' or without; see "
    "docs/own-parts.md."
)


class Knowledge:
    """What a retriever of the user's own may look at: documents, chunks, other retrievers."""

    def __init__(self, index: Index) -> None:
        self._index = index

    @property
    def documents(self) -> Mapping[str, Document]:
        """Every document by its id."""
        return self._index.documents

    @property
    def chunks(self) -> Sequence[Chunk]:
        """Every chunk, by document and start."""
        return self._index.chunks

    def retriever(self, spec: str) -> Retriever:
        """A retriever over the same index, such as ``bm25``, to build upon.

        Raises:
            UnknownName, SpecError: the spec names none.
            StoreError: it needs vectors, and the index has none (declare ``needs_vectors = True``).
        """
        from ragbench.retrieval._stack import open_retriever

        return open_retriever(spec, self._index)


class OwnRetriever:
    """A retriever of the user's own, over one index."""

    waits = True
    """Searches run in threads: whatever it waits for holds up nothing else."""

    def __init__(self, index: Index, part: Part) -> None:
        self._index, self._part = index, part
        self._retrieve: Callable[..., Any] = part.method("retrieve", Knowledge(index))
        self._filters = "where" in inspect.signature(self._retrieve).parameters
        # One query at a time, unless the code says that it can do several.
        parallel = bool(part.attribute("parallel", False))
        self._turn = threading.Semaphore(64 if parallel else 1)

    @property
    def identity(self) -> str:
        """Spec and hash of the file."""
        return str(self._part.spec)

    @property
    def n_chunks(self) -> int:
        """How many chunks the index has."""
        return self._index.manifest.n_chunks

    def retrieve(self, query: str, n: int, where: Mapping[str, Scalar] | None = None) -> list[Hit]:
        """See `Retriever.retrieve`; without scores the order of the hits counts.

        Raises:
            OwnPartError: the code raised, or returned what are no hits in the documents.
        """
        check_query(query, n)
        depth = n if self._filters or not where else n * FILTER_DEPTH
        extra = {"where": dict(where)} if where and self._filters else {}
        with self._turn, self._part.guard("retrieve"):
            given = list(self._retrieve(query, depth, **extra))
        hits = [self._hit(one, number, query) for number, one in enumerate(given)]
        if where:
            hits = [hit for hit in hits if self._matches(hit[0], where)]
        return self._ranked(hits, query)[:n]

    def _ranked(self, hits: list[tuple[Chunk, float | None]], query: str) -> list[Hit]:
        spans = [chunk.chunk_id for chunk, _ in hits]
        twice = next((one for i, one in enumerate(spans) if one in spans[:i]), None)
        if twice is not None:
            self._refuse(f"returned {twice!r} twice for the query {query!r}.")
        scores = [score for _, score in hits]
        if None in scores and set(scores) != {None}:
            self._refuse(f"gave some hits of the query {query!r} a score and others none.")
        if None in scores:
            ordered = [(chunk, float(len(hits) - rank)) for rank, (chunk, _) in enumerate(hits)]
        else:
            ordered = [(chunk, score) for chunk, score in hits if score is not None]
        return rank_hits(ordered, len(ordered) or 1)

    def _hit(self, given: Any, number: int, query: str) -> tuple[Chunk, float | None]:  # noqa: ANN401
        found = self._finder.find(given)
        if isinstance(found, str):
            self._refuse(f"returned as hit {number} of the query {query!r} {found}")
        doc_id, start, end, score = found
        text = self._index.documents[doc_id].text[start:end]
        return Chunk(doc_id, start, end, text, count_tokens), score

    def _matches(self, chunk: Chunk, where: Mapping[str, Scalar]) -> bool:
        metadata = self._index.documents[chunk.doc_id].metadata
        return all(metadata.get(key) == value for key, value in where.items())

    @cached_property
    def _finder(self) -> SpanFinder:
        return SpanFinder(self._index)

    def _refuse(self, problem: str) -> NoReturn:
        self._part.refuse(getattr(self._part.code.target, "retrieve", None), problem)


@RETRIEVERS.adapter
@dataclass(frozen=True)
class OwnRetrieverSpec:
    """A retriever of the user's own, or a vector store of the user's own that is searched.

    Attributes that a retriever's class may have: ``needs_vectors``, whether the index must have
    been made with an embedder; ``parallel``, whether it takes several queries at a time.

    Raises:
        OwnPartError: the code is no retriever.
    """

    part: Part

    queries: ClassVar[Queries] = "words"

    def __post_init__(self) -> None:
        if not self._is_store:
            self.part.require(("retrieve",), _PROTOCOL)

    @property
    def needs_vectors(self) -> bool:
        """Whether the index must have been made with an embedder."""
        return self._is_store or bool(self.part.attribute("needs_vectors", False))

    def open(self, index: Index) -> Retriever:
        """The retriever over the index; that of a vector store is filled with its vectors."""
        if self._is_store:
            return OwnStoreRetriever(index, self.part)
        return OwnRetriever(index, self.part)

    @property
    def _is_store(self) -> bool:
        offers = self.part.offers
        return not offers("retrieve") and offers("add") and offers("query")
