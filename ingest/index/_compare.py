"""The vectors of a generation against its chunks and against the embedding cache."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.errors import StoreError
from ragbench.ingest.index._cached import CachedVectors
from ragbench.ingest.index._manifest import Manifest
from ragbench.ingest.index._records import read_pairs
from ragbench.records import Chunk, Document

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.chunk import Context
    from ragbench.ingest.index._chroma import Stored, VectorReader

__all__ = ["wrong_vectors"]

_PAGE = 500
_NEAR = 1e-4
"""Largest difference between a component in the index and in the cache; Chroma stores float32."""


def wrong_vectors(
    folder: Path, manifest: Manifest, reader: VectorReader, cache_path: Path
) -> list[str]:
    """One sentence for each thing that is wrong with a generation's vectors; empty for nothing.

    Raises:
        StoreError: records or vectors cannot be read.
    """
    from ragbench.ingest.chunk import CHUNKERS

    wrong, chunk_ids = _Wrong(manifest.n_chunks), set[str]()
    context = CHUNKERS.create(manifest.chunker).context
    with contextlib.ExitStack() as stack:
        cache = _cached(cache_path)
        if cache is not None:
            stack.callback(cache.close)
        for pairs in _pages(read_pairs(folder)):
            chunk_ids.update(chunk.chunk_id for _, chunk in pairs)
            stored = reader.stored([chunk.chunk_id for _, chunk in pairs])
            known: list[np.ndarray | None] = [None] * len(pairs)
            if cache is not None and manifest.embedder_identity is not None:
                known = cache.get(manifest.embedder_identity, _hashes(pairs, context))
            for (document, chunk), vector in zip(pairs, known, strict=True):
                wrong.look(document, chunk, stored.get(chunk.chunk_id), vector)
    for chunk_id in reader.ids():
        if chunk_id not in chunk_ids:
            wrong.add("belong to no chunk", chunk_id)
    return wrong.details()


class _Wrong:
    """The chunks that something is wrong with, by what it is."""

    def __init__(self, n_chunks: int) -> None:
        self.n_chunks = n_chunks
        self._dim: int | None = None
        self._first: dict[str, str] = {}
        self._count: dict[str, int] = {}

    def add(self, what: str, chunk_id: str) -> None:
        self._first.setdefault(what, chunk_id)
        self._count[what] = self._count.get(what, 0) + 1

    def look(
        self, document: Document, chunk: Chunk, stored: Stored | None, known: np.ndarray | None
    ) -> None:
        """Compare one chunk with what Chroma holds of it and with the cached vector."""
        import numpy as np

        from ragbench.ingest.index._chroma import vector_metadata

        if stored is None:
            self.add("are missing", chunk.chunk_id)
            return
        vector = np.asarray(stored.vector, dtype=np.float32)
        self._dim = self._dim or len(vector)
        if stored.text != chunk.text or stored.metadata != vector_metadata(document, chunk):
            self.add("stand beside another text or other metadata", chunk.chunk_id)
        if len(vector) != self._dim or (known is not None and len(known) != len(vector)):
            self.add("have another dimension", chunk.chunk_id)
        elif known is not None and not np.allclose(vector, known, atol=_NEAR):
            self.add("differ from the embedding cache", chunk.chunk_id)

    def details(self) -> list[str]:
        """One sentence for each thing that is wrong."""
        return [
            f"{count:,} vectors {what} (of {self.n_chunks:,} chunks), "
            f"the first of {self._first[what]!r}"
            for what, count in self._count.items()
        ]


def _cached(path: Path) -> CachedVectors | None:
    """The cache, None when there is none that can be read: the check of the cache says so."""
    try:
        return CachedVectors(path) if path.is_file() else None
    except StoreError:
        return None


def _hashes(pairs: list[tuple[Document, Chunk]], context: Context) -> list[bytes]:
    from ragbench.ingest.chunk import embedded_text

    texts = (embedded_text(document, chunk, context) for document, chunk in pairs)
    return [hashlib.sha256(text.encode()).digest() for text in texts]


def _pages(pairs: Iterable[tuple[Document, Chunk]]) -> Iterator[list[tuple[Document, Chunk]]]:
    rest = iter(pairs)
    while page := list(islice(rest, _PAGE)):
        yield page
