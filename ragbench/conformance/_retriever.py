"""What a retriever of the user's own is held to, over an index of the sample domain's documents."""

from __future__ import annotations

from collections.abc import Iterator

from ragbench.conformance._findings import Finding, tried
from ragbench.ingest.index import Index
from ragbench.retrieval import Retriever, RetrieverSpec, open_retriever

__all__ = ["QUERIES", "check_retriever", "check_store"]

QUERIES = (
    "What does a late tool cost a day?",
    "late fee",
    "sander",
    "逾期费用是多少",
    "fee 😀 {json} 'quote' \"double\" \\ % & ?",
    "zyxwv qqqq",
    "late fee " * 400,
)


def check_retriever(spec: RetrieverSpec, index: Index) -> list[Finding]:
    """Hits with spans, no more than asked, repeatable, the first of many the same as few."""
    made: list[Retriever] = []

    def opened() -> Iterator[str]:
        made.append(spec.open(index))
        yield from ()

    findings = tried("Opens over an index", opened)
    if not made:
        return findings
    retriever = made[0]
    return [
        *findings,
        *tried("Answers every query with hits in the documents", lambda: _answers(retriever)),
        *tried("Gives the same hits again", lambda: _again(retriever)),
        *tried("Gives the first hits of many when asked for few", lambda: _prefix(retriever)),
        *tried("Finds something", lambda: _finds(retriever)),
    ]


def check_store(spec: RetrieverSpec, index: Index) -> list[Finding]:
    """How many of the exact neighbours a vector store finds."""
    what = "Finds the exact neighbours"

    def compared() -> Iterator[Finding]:
        own, exact = spec.open(index), open_retriever("dense", index)
        wanted = [(query, one) for query in QUERIES for one in _ids(exact, query, 5)]
        found = sum(one in _ids(own, query, 5) for query, one in wanted)
        if found < len(wanted):
            yield Finding(what, "note", f"{found} of {len(wanted)} of the first five of `dense`.")

    return tried(what, compared)


def _answers(retriever: Retriever) -> Iterator[str]:
    for query in QUERIES:
        retriever.retrieve(query, 3)
    yield from ()


def _again(retriever: Retriever) -> Iterator[str]:
    for query in QUERIES[:3]:
        if _ids(retriever, query, 5) != _ids(retriever, query, 5):
            yield f"The query {query!r} had other hits the second time."


def _prefix(retriever: Retriever) -> Iterator[str]:
    for query in QUERIES[:3]:
        many, few = _ids(retriever, query, 10), _ids(retriever, query, 3)
        if many[:3] != few:
            yield (
                f"The query {query!r}: {few} with k=3, but {many[:3]} at the head of k=10. Causes "
                "such as cut_off rest on a deeper search beginning alike."
            )


def _finds(retriever: Retriever) -> Iterator[str]:
    if not any(_ids(retriever, query, 5) for query in QUERIES[:3]):
        yield f"No hit for any of {QUERIES[:3]!r} over the documents of the domain mock."


def _ids(retriever: Retriever, query: str, n: int) -> list[str]:
    return [hit.chunk.chunk_id for hit in retriever.retrieve(query, n)]
