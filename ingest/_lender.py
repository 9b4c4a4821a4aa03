"""Records that one collection lends another: documents that were parsed, chunks that were cut.

A grid of setups makes many collections of the same files. Those with the same loader need not parse
them again, and those with the same chunker need not cut them again. What is lent is copied, under
the same condition as from an earlier generation: equal bytes, equal metadata, equal loader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ragbench.ingest.index import Index, Manifest
from ragbench.ingest.index._records import read_documents
from ragbench.ingest.load import Loaded, Source, Unread
from ragbench.records import Document

__all__ = ["Lender", "lend_documents", "lender_of"]

_MOST_DOCUMENTS = 10_000
"""A file of more records is read again, one at a time, rather than held in memory."""

Lender = tuple[Manifest, Path]
"""A generation's manifest and folder; who lends keeps it open (`ragbench.ingest.index.Index`)."""

Result = tuple[Source, Loaded | Unread]


def lender_of(index: Index) -> Lender:
    """What an opened index can lend; keep it open as long as it lends."""
    return index.manifest, index._folder


def lend_documents(
    sources: Sequence[Source],
    lender: Lender | None,
    is_known: Callable[[Source, Manifest], bool],
    load: Callable[[Sequence[Source]], Iterator[Result]],
) -> Iterator[Result]:
    """Every source with its documents, lent where they can be, else loaded; in the given order.

    Args:
        sources: in order of their ids.
        lender: made by the same loader; None lends nothing.
        is_known: whether a source is what the manifest says of it.
        load: loads the others, lazily.
    """
    if lender is None:
        yield from load(sources)
        return
    manifest, folder = lender
    lent = {source.doc_id for source in sources if _lends(source, manifest, is_known)}
    others = load([source for source in sources if source.doc_id not in lent])
    documents = _by_source(manifest, read_documents(folder), lent)
    for source in sources:
        if source.doc_id in lent:
            yield source, _next_of(source.doc_id, documents)
        else:
            yield next(others)


def _lends(
    source: Source, manifest: Manifest, is_known: Callable[[Source, Manifest], bool]
) -> bool:
    entry = manifest.sources.get(source.doc_id)
    if entry is None or entry.n_documents > _MOST_DOCUMENTS:
        return False
    partial = any(name.startswith(f"{source.doc_id}::") for name, _, _ in manifest.unread)
    return not partial and is_known(source, manifest)


def _by_source(
    manifest: Manifest, documents: Iterator[Document], wanted: set[str]
) -> Iterator[tuple[str, list[Document]]]:
    for doc_id, entry in manifest.sources.items():
        found = islice(documents, entry.n_documents)
        if doc_id in wanted:
            yield doc_id, list(found)
        else:
            for _ in found:
                pass


def _next_of(doc_id: str, documents: Iterator[tuple[str, list[Document]]]) -> list[Document]:
    for name, found in documents:
        if name == doc_id:
            return found
    raise AssertionError(f"{doc_id!r} is not where the manifest has it")
