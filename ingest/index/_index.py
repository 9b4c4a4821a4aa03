"""An opened index: one finished generation of a collection."""

from __future__ import annotations

import fcntl
import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.errors import StoreError
from ragbench.ingest.index._layout import Layout, collections_in
from ragbench.ingest.index._manifest import (
    MANIFEST,
    Manifest,
    damaged,
    outdated,
    read_manifest,
)
from ragbench.ingest.index._records import CHUNKS, RecordTable, read_documents, read_pairs
from ragbench.ingest.index._store import store_name
from ragbench.records import Chunk, Document

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.embed import Embedder, EmbeddingCache
    from ragbench.ingest.index._vectors import Vectors
    from ragbench.ingest.lexical import Postings, Words

__all__ = ["Index", "absent", "open_index"]

_ROOM_BYTES = 1 << 20
Scalar = str | int | float | bool


class Index:
    """Documents, chunks and vectors of one generation; made by `open_index`.

    Nothing is read before it is asked for. The generation stays on disk as long as this object
    lives, whatever is ingested meanwhile.

    Attributes:
        manifest: what the index was made of.
    """

    def __init__(self, layout: Layout, folder: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self._layout, self._folder = layout, folder
        hold = os.open(folder / MANIFEST, os.O_RDONLY)
        fcntl.flock(hold, fcntl.LOCK_SH)  # waits for who removes it, if anybody does
        self._release = weakref.finalize(self, os.close, hold)
        if not os.fstat(hold).st_nlink:
            self._release()
            raise FileNotFoundError(folder / MANIFEST)

    @property
    def index_id(self) -> str:
        """Hash of documents, chunks, and identities of loader, chunker and embedder."""
        return self.manifest.index_id

    @property
    def collection(self) -> str:
        """Name of the collection."""
        return self.manifest.collection

    @property
    def n_bytes(self) -> int:
        """What the generation takes on this machine's disk, vectors that it shares included."""
        segments = [self._layout.vectors / name for name in self.manifest.segments]
        files = (path for folder in (self._folder, *segments) for path in folder.rglob("*"))
        return sum(path.stat().st_size for path in files if path.is_file())

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """Every document by its id, in order of ids of their files."""
        found = {document.doc_id: document for document in read_documents(self._folder)}
        if len(found) != self.manifest.n_documents:
            promised = self.manifest.n_documents
            raise damaged(self._folder, f"{len(found)} documents, the manifest promises {promised}")
        return found

    @cached_property
    def chunks(self) -> Sequence[Chunk]:
        """Every chunk, by document and start."""
        found = tuple(chunk for _, chunk in read_pairs(self._folder))
        if len(found) != self.manifest.n_chunks:
            promised = self.manifest.n_chunks
            path = self._folder / CHUNKS
            raise damaged(path, f"{len(found)} chunks, the manifest promises {promised}")
        return found

    @cached_property
    def chunks_by_document(self) -> Mapping[str, Sequence[Chunk]]:
        """The chunks of every document that has any, by document id."""
        found: dict[str, list[Chunk]] = {}
        for chunk in self.chunks:
            found.setdefault(chunk.doc_id, []).append(chunk)
        return found

    def chunk(self, row: int) -> Chunk:
        """One chunk by its number, without reading the others."""
        if "chunks" in self.__dict__:
            return self.chunks[row]
        return self._table.pair(row)[1]

    def document(self, doc_id: str) -> Document:
        """One document; that of a chunk that was just asked for is not read again."""
        if "documents" not in self.__dict__ and "_table" in self.__dict__:
            known = self._table.read_before(doc_id)
            if known is not None:
                return known
        return self.documents[doc_id]

    def postings(self, words: Words) -> Postings:
        """Which chunks hold which token; made now when the index does not have them yet."""
        from ragbench.ingest.lexical import find_postings

        return find_postings(self._folder, self._table, words)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder that made the vectors.

        Raises:
            StoreError: the index has no vectors, or the model is not the one that made them.
        """
        from ragbench.ingest.embed import EMBEDDERS

        if self.manifest.embedder is None:
            raise StoreError(
                f"Collection {self.collection!r} was ingested without an embedder and has no "
                "vectors. Use the bm25 retriever, or ingest it with --embedder minilm --replace."
            )
        embedder = EMBEDDERS.create(self.manifest.embedder)
        if embedder.identity != self.manifest.embedder_identity:
            raise StoreError(
                f"Collection {self.collection!r} was embedded by "
                f"{self.manifest.embedder_identity!r}; {self.manifest.embedder!r} is now "
                f"{embedder.identity!r}. Ingest it again with --replace."
            )
        return embedder

    def embed_query(self, text: str) -> np.ndarray:
        """The query's vector, float32 of shape (dim,), from the cache when it was asked before."""
        from ragbench.ingest.chunk import folded
        from ragbench.ingest.embed import embed_cached

        vectors, _ = embed_cached(self.embedder, self._cache, [folded(text)], "query")
        vector: np.ndarray = vectors[0]
        return vector

    def nearest(
        self, vector: np.ndarray, n: int, where: Mapping[str, Scalar] | None = None
    ) -> list[tuple[Chunk, float]]:
        """The n nearest chunks with their cosine, best first; all when there are fewer.

        Args:
            vector: a unit vector of the embedder's dimension.
            n: how many.
            where: metadata that a chunk's document must have, compared by equality. A filtered
                search is brute force, so that a filter cannot make a graph miss.
        """
        self._check_size(vector)
        if where:
            return self._brute_force(vector, n, where)
        return [(self.chunk(row), cosine) for row, cosine in self._vectors.nearest(vector, n)]

    def _check_size(self, vector: np.ndarray) -> None:
        sizes = {one.segment.dim for one in self._vectors.segments if one.segment.n}
        if sizes and vector.shape[-1] not in sizes:
            (size,) = sizes
            raise StoreError(
                f"The model {self.manifest.embedder!r} gives {vector.shape[-1]} components now, "
                f"the index of collection {self.collection!r} has {size}: another model stands "
                "behind its name. Bring the former one back, or ingest into another --store."
            )

    def vectors(self, batch: int) -> Iterator[tuple[list[str], np.ndarray]]:
        """Ids and vectors of all chunks, so many at a time: float32 of shape (n, dim).

        Raises:
            StoreError: the index has no vectors, or they are damaged.
        """
        import numpy as np

        _ = self.embedder
        for start in range(0, self.manifest.n_chunks, batch):
            rows = np.arange(start, min(start + batch, self.manifest.n_chunks))
            chunk_ids = [self.chunks[row].chunk_id for row in rows.tolist()]
            yield chunk_ids, self._vectors.of(rows).astype(np.float32)

    def matching(self, where: Mapping[str, Scalar] | None) -> list[int]:
        """Numbers in `chunks` of those whose document has all of the metadata."""
        if not where:
            return list(range(self.manifest.n_chunks))
        documents = {
            doc_id
            for doc_id, document in self.documents.items()
            if all(document.metadata.get(key) == value for key, value in where.items())
        }
        return [i for i, chunk in enumerate(self.chunks) if chunk.doc_id in documents]

    def ensure_readable(self, *, vectors: bool) -> None:
        """Open everything now, so that damage shows before work rests on it.

        Args:
            vectors: whether they will be needed.

        Raises:
            StoreError: something is damaged; the message has the command that mends it.
        """
        _ = self.documents, self.chunks, self._table
        if vectors and self.manifest.embedder is not None:
            self._vectors.open()

    def close(self) -> None:
        """Release the files and let the generation go; a second call does nothing."""
        for name in ("_vectors", "_cache", "_table"):
            if name in self.__dict__:
                self.__dict__.pop(name).close()
        self._release()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _brute_force(
        self, vector: np.ndarray, n: int, where: Mapping[str, Scalar] | None
    ) -> list[tuple[Chunk, float]]:
        import numpy as np

        rows = np.array(self.matching(where), dtype=np.int64) if where else None
        found = self._vectors.compared(vector, n, rows)
        return [(self.chunk(row), cosine) for row, cosine in found]

    @cached_property
    def _vectors(self) -> Vectors:
        from ragbench.ingest.index._vectors import Vectors

        return Vectors(self._layout, self.manifest)

    @cached_property
    def _table(self) -> RecordTable:
        return RecordTable(self._folder, self.manifest.n_documents, self.manifest.n_chunks)

    @cached_property
    def _cache(self) -> EmbeddingCache:
        from ragbench.ingest.embed import EmbeddingCache

        return EmbeddingCache(self._layout.cache if _has_room(self._layout.cache.parent) else None)


def _has_room(folder: Path) -> bool:
    """Whether a query's vector can be kept there; on a full disk a search still has to answer."""
    disk = os.statvfs(folder)
    return os.access(folder, os.W_OK) and disk.f_bavail * disk.f_frsize >= _ROOM_BYTES


def open_index(
    store: Path, collection: str, *, chunker: str | None = None, embedder: str | None = None
) -> Index:
    """Open the current generation of a collection.

    Args:
        store: folder of the store, or the URL of a Chroma server.
        collection: name in the store.
        chunker: spec that the index must have been made with; None takes any.
        embedder: the same for the embedder.

    Raises:
        StoreError: store or collection are absent or damaged, or made with other components.
    """
    layout = Layout(store, collection)
    for _ in range(3):  # an ingest may remove a generation between the pointer and the folder
        name = layout.current()
        if name is None:
            raise absent(store, collection)
        folder = layout.generations / name
        try:
            manifest = read_manifest(folder)
            if manifest.is_old:
                raise outdated(manifest)
            index = Index(layout, folder, manifest)
        except (StoreError, FileNotFoundError):
            if layout.current() == name:
                raise
            continue
        _check_components(manifest, chunker, embedder)
        return index
    raise StoreError(
        f"Collection {collection!r} changed three times while it was opened. Try again."
    )


def absent(store: Path, collection: str) -> StoreError:
    """The error for a collection that a store does not have."""
    known = collections_in(store)
    if not known:
        return StoreError(
            f"There is no collection in the store {store_name(store)!r}. "
            "Make one: ragbench ingest PATH... (or name another store with --store DIR)"
        )
    return StoreError(
        f"The store {store_name(store)!r} has no collection {collection!r}. "
        f"It has: {', '.join(known)}. Name one with --collection, or make it: "
        f"ragbench ingest PATH... --collection {collection}"
    )


def _check_components(manifest: Manifest, chunker: str | None, embedder: str | None) -> None:
    from ragbench.ingest.chunk import CHUNKERS
    from ragbench.ingest.embed import EMBEDDERS
    from ragbench.registry import spec_of

    wanted = {
        "chunker": chunker and str(spec_of(CHUNKERS.create(chunker))),
        "embedder": embedder and str(spec_of(EMBEDDERS.create(embedder))),
    }
    for kind, spec in wanted.items():
        found = getattr(manifest, kind)
        if spec is not None and spec != found:
            raise StoreError(
                f"Collection {manifest.collection!r} was made with the {kind} {found!r}, not with "
                f"{spec!r}. Name another collection, or make it anew with --replace."
            )
