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
from ragbench.ingest.index._segments import load_places
from ragbench.records import Chunk, Document

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.chunk import Context
    from ragbench.ingest.index._chroma import Stored
    from ragbench.ingest.index._layout import Layout
    from ragbench.ingest.index._vectors import SegmentVectors

__all__ = ["wrong_vectors"]

_Placed = tuple[int, tuple[Document, Chunk]]
"""Position in a segment, document and chunk."""

_PAGE = 500
_NEAR = 1e-4
"""Largest difference between a component in the index and in the cache; Chroma stores float32."""


def wrong_vectors(layout: Layout, manifest: Manifest) -> list[str]:
    """One sentence for each thing that is wrong with a generation's vectors; empty for nothing.

    Raises:
        StoreError: records or vectors cannot be read.
    """
    from ragbench.ingest.chunk import CHUNKERS
    from ragbench.ingest.index._vectors import SegmentVectors

    wrong = _Wrong(manifest.n_chunks)
    context = CHUNKERS.create(manifest.chunker).context
    places = load_places(layout, manifest)
    pairs = list(enumerate(read_pairs(layout.generations / manifest.generation)))
    with contextlib.ExitStack() as stack:
        cache = _cached(layout.cache)
        if cache is not None:
            stack.callback(cache.close)
        for number, name in enumerate(manifest.segments):
            one = SegmentVectors(layout, name)
            stack.callback(one.close)
            mine = ((int(places[row, 1]), pair) for row, pair in pairs if places[row, 0] == number)
            for page in _pages(mine):
                known: list[np.ndarray | None] = [None] * len(page)
                if cache is not None and manifest.embedder_identity is not None:
                    hashes = _hashes([pair for _, pair in page], context)
                    known = cache.get(manifest.embedder_identity, hashes)
                _compare(wrong, one, page, known)
            for chunk_id in one.any_reader.ids():
                if chunk_id not in one.positions:
                    wrong.add("belong to no chunk", chunk_id)
    return wrong.details()


def _compare(
    wrong: _Wrong, one: SegmentVectors, page: list[_Placed], known: list[np.ndarray | None]
) -> None:
    """Compare some chunks of one segment with what Chroma and the segment's own matrix hold."""
    stored = one.any_reader.stored([chunk.chunk_id for _, (_, chunk) in page])
    for (position, (document, chunk)), vector in zip(page, known, strict=True):
        found = stored.get(chunk.chunk_id)
        if one.ids[position] != chunk.chunk_id:
            wrong.add("stand at the place of another chunk", chunk.chunk_id)
        elif not wrong.look(document, chunk, found, vector) or found is None:
            continue
        elif not one.holds(position, found.vector):
            wrong.add("differ from those of the segment's own file", chunk.chunk_id)


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
    ) -> bool:
        """Compare one chunk with what Chroma holds of it and with the cached vector."""
        import numpy as np

        from ragbench.ingest.index._chroma import vector_metadata

        if stored is None:
            self.add("are missing", chunk.chunk_id)
            return False
        vector = np.asarray(stored.vector, dtype=np.float32)
        self._dim = self._dim or len(vector)
        before = sum(self._count.values())
        if stored.text != chunk.text or stored.metadata != vector_metadata(document, chunk):
            self.add("stand beside another text or other metadata", chunk.chunk_id)
        if len(vector) != self._dim or (known is not None and len(known) != len(vector)):
            self.add("have another dimension", chunk.chunk_id)
        elif known is not None and not np.allclose(vector, known, atol=_NEAR):
            self.add("differ from the embedding cache", chunk.chunk_id)
        return sum(self._count.values()) == before

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


def _pages(pairs: Iterable[_Placed]) -> Iterator[list[_Placed]]:
    rest = iter(pairs)
    while page := list(islice(rest, _PAGE)):
        yield page
