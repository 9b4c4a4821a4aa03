"""One search from the outside: a store, a query, hits with their documents."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.config import MAX_K, SearchConfig
from ragbench.errors import StoreError, UsageError
from ragbench.ingest.index import collections_in, last_collection, open_index, store_name
from ragbench.records import Document
from ragbench.retrieval._base import Hit, check_query
from ragbench.retrieval._stack import open_retriever, retrieve_and_tell
from ragbench.retrieval._where import resolve_where

__all__ = ["Found", "search"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and in which collection.

    Attributes:
        chosen: the collection was not named, so the one ingested last was taken.
        rewritten: what was searched for instead of the query, None without a rewriter.
        documents: the documents of the hits, by id.
    """

    collection: str
    chosen: bool
    n_chunks: int
    hits: tuple[Hit, ...]
    documents: dict[str, Document]
    rewritten: str | None = None


def search(config: SearchConfig) -> Found:
    """Search one collection.

    Raises:
        UsageError: the query is empty, k is out of range, the collection must be named, or no
            document has the metadata of the filter.
        StoreError: there is no such collection, or it is damaged.
        LLMError: a chat model behind the retriever failed.
    """
    check_query(config.query, config.k)
    if config.k > MAX_K:
        raise UsageError(f"k is {config.k}; it must be from 1 to {MAX_K}.")
    name = config.collection if config.collection is not None else _last(config)
    with open_index(config.store, name) as index:
        where = resolve_where(config.where, index.documents) if config.where else None
        retriever = open_retriever(config.retriever, index)
        hits, rewritten = retrieve_and_tell(retriever, config.query, config.k, where)
        documents = {hit.chunk.doc_id: index.document(hit.chunk.doc_id) for hit in hits}
        n_chunks = index.manifest.n_chunks
    chosen = config.collection is None
    return Found(name, chosen, n_chunks, tuple(hits), documents, rewritten)


def _last(config: SearchConfig) -> str:
    name = last_collection(config.store)
    if name is not None:
        return name
    known = collections_in(config.store)
    if known:
        raise UsageError(
            f"The store {store_name(config.store)!r} does not say which collection was ingested "
            f"last. Name one with --collection: {', '.join(known)}"
        )
    raise StoreError(
        f"There is no collection in the store {store_name(config.store)!r}. "
        "Make one: ragbench ingest PATH... (or name another store with --store DIR)"
    )
