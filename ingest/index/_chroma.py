"""ChromaDB's part: a collection of vectors, built once and then only read.

Chroma's own defaults are not reproducible between two builds; the parameters here were exact on the
corpora tried. Among near-duplicates even these can miss (recall 0.94 to 1.0 over builds of 300
notes that differ in a number), so that every build is measured against brute force
(`ragbench.ingest.index._recall`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragbench.ingest.index._client import OWNER, connect, disconnect, drop, reading, writing
from ragbench.ingest.index._manifest import damaged
from ragbench.ingest.index._place import VectorPlace
from ragbench.records import Chunk, Document

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "HNSW",
    "Stored",
    "VectorBuilder",
    "VectorReader",
    "batch_sizes",
    "vector_metadata",
]

HNSW = {"ef_construction": 400, "ef_search": 400, "max_neighbors": 32}
_PAGE = 500
_BATCH = 500
_SAVES = 8
_SAVE_ONCE = 4000
_REQUEST_BYTES = 8_000_000
"""Vectors of one request to a server, as it would be in decimal digits; a server takes 40 MB."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What Chroma holds of one chunk."""

    vector: np.ndarray
    text: str
    metadata: dict[str, Any]


class VectorBuilder:
    """Fills a new collection with vectors.

    Args:
        place: where; a folder must not exist, a collection of this store on a server is replaced.
        n_chunks: how many vectors will come, so that Chroma saves its graph after the last one.

    Raises:
        StoreError: the folder cannot be written; the server does not answer, or has a collection
            of this name that another store made.
    """

    def __init__(self, place: VectorPlace, n_chunks: int) -> None:
        self._place = place
        self._sizes, saved_after = batch_sizes(n_chunks)
        self._waiting: list[tuple[Document, Chunk, np.ndarray]] = []
        hnsw = {"space": "cosine", **HNSW, "sync_threshold": max(2, saved_after)}
        owner = {} if place.server is None else {OWNER: place.server.store_id}
        with writing(place):
            self._client = connect(place)
            if place.server is not None:
                drop(self._client, place)
            self._collection = self._client.create_collection(
                place.collection,
                embedding_function=None,
                configuration={"hnsw": hnsw},
                metadata=owner or None,
            )
            self._most: int = self._client.get_max_batch_size()

    def add(self, pairs: Sequence[tuple[Document, Chunk]], vectors: np.ndarray) -> None:
        """Store chunks with their vectors and metadata, any number of them."""
        for (document, chunk), vector in zip(pairs, vectors, strict=True):
            self._waiting.append((document, chunk, vector))
            if len(self._waiting) == self._sizes[0]:
                self._write(self._waiting)
                self._waiting = []
                self._sizes.pop(0)

    def _write(self, batch: Sequence[tuple[Document, Chunk, np.ndarray]]) -> None:
        most = self._most
        if self._place.server is not None:
            most = min(most, max(1, _REQUEST_BYTES // (20 * len(batch[0][2]))))
        for at in range(0, len(batch), most):
            documents, chunks, vectors = zip(*batch[at : at + most], strict=True)
            with writing(self._place):
                self._collection.upsert(
                    ids=[chunk.chunk_id for chunk in chunks],
                    embeddings=list(vectors),
                    documents=[chunk.text for chunk in chunks],
                    metadatas=list(map(vector_metadata, documents, chunks)),
                )

    def close(self) -> None:
        """Release the files."""
        disconnect(self._client, self._place)


def batch_sizes(n_chunks: int) -> tuple[list[int], int]:
    """How many vectors to add at a time, and after how many Chroma is to save its graph.

    Chroma keeps in memory what it has not saved, about 8 KB a chunk, and saves when that many have
    come since the last time; what comes after the last time a reader would have to add again. So
    the batches end where the last saving does.

    >>> batch_sizes(1013)
    ([507, 506], 1012)
    >>> sizes, saved_after = batch_sizes(6001)
    >>> sizes[:2], len(sizes), saved_after
    ([376, 375], 16, 750)
    """
    if n_chunks == 0:
        return [], 0
    n_saves = 1 if n_chunks <= _SAVE_ONCE else _SAVES
    per_save = max(1, round(n_chunks / n_saves / max(_BATCH, n_chunks // _BATCH)))
    size = n_chunks // (n_saves * per_save)
    sizes = [size] * (n_saves * per_save)
    sizes[0] += n_chunks - sum(sizes)
    return sizes, size * per_save


class VectorReader:
    """The vectors of a finished generation, opened for reading.

    Args:
        place: where they are.
        expected: how many vectors the manifest promises; None takes any number.

    Raises:
        StoreError: they are absent, damaged, or of another number; the server does not answer.
    """

    def __init__(self, place: VectorPlace, expected: int | None) -> None:
        if place.server is None and not (place.folder / "chroma.sqlite3").is_file():
            raise damaged(place.folder, "it holds no vectors")
        self._place = place
        with reading(place):
            self._client = connect(place)
            self._collection = self._client.get_collection(
                place.collection, embedding_function=None
            )
            found: int = self._collection.count()
        if expected is not None and found != expected:
            raise damaged(
                place.folder, f"it holds {found} vectors, the manifest promises {expected}"
            )
        self.count = found

    def nearest(self, vectors: np.ndarray, n: int) -> list[list[tuple[str, float]]]:
        """For each vector the n nearest chunk ids with their cosine, best first."""
        with reading(self._place):
            found = self._collection.query(
                query_embeddings=vectors, n_results=n, include=["distances"]
            )
        return [
            [(chunk_id, 1.0 - distance) for chunk_id, distance in zip(ids, distances, strict=True)]
            for ids, distances in zip(found["ids"], found["distances"], strict=True)
        ]

    def blocks(self, chunk_ids: Sequence[str]) -> Iterator[np.ndarray]:
        """The vectors of the chunks, in the order asked for, as blocks of float32 (n, dim)."""
        import numpy as np

        for at in range(0, len(chunk_ids), _PAGE):
            some = list(chunk_ids[at : at + _PAGE])
            with reading(self._place):
                page = self._collection.get(ids=some, include=["embeddings"])
            rows = dict(zip(page["ids"], page["embeddings"], strict=True))
            if rows.keys() != set(some):
                missing = len(set(some) - rows.keys())
                raise damaged(self._place.folder, f"it lacks {missing} vectors")
            yield np.asarray([rows[chunk_id] for chunk_id in some], dtype=np.float32)

    def ids(self) -> Iterator[str]:
        """The id of every vector, in no order that means anything."""
        for at in range(0, self.count, _PAGE):
            with reading(self._place):
                page = self._collection.get(limit=_PAGE, offset=at, include=[])
            yield from page["ids"]

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, Stored]:
        """What is held of those of the chunks that are there."""
        include = ["embeddings", "documents", "metadatas"]
        found: dict[str, Stored] = {}
        for at in range(0, len(chunk_ids), _PAGE):
            with reading(self._place):
                page = self._collection.get(ids=list(chunk_ids[at : at + _PAGE]), include=include)
            rows = zip(page["embeddings"], page["documents"], page["metadatas"], strict=True)
            found.update(zip(page["ids"], (Stored(*row) for row in rows), strict=True))
        return found

    def close(self) -> None:
        """Release the files."""
        disconnect(self._client, self._place)


def vector_metadata(document: Document, chunk: Chunk) -> dict[str, Any]:
    """What Chroma stores with a vector, for who opens the store with other tools."""
    own = {
        "doc_id": chunk.doc_id,
        "title": document.title,
        "start": chunk.start,
        "end": chunk.end,
        "n_tokens": chunk.n_tokens,
    }
    return {**document.metadata, **own}
