"""The one module that touches ChromaDB: a folder of vectors, built once and then only read.

Chroma's own defaults are not reproducible between two builds; the parameters here were exact on the
corpora tried. Among near-duplicates even these can miss (recall 0.94 to 1.0 over builds of 300
notes that differ in a number), so that every build is measured against brute force.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbench.errors import StoreError
from ragbench.ingest.index._manifest import Recall, damaged
from ragbench.records import Chunk

if TYPE_CHECKING:
    import numpy as np

__all__ = ["HNSW", "VectorBuilder", "VectorFolder", "measure_recall"]

HNSW = {"ef_construction": 400, "ef_search": 400, "max_neighbors": 32}
_COLLECTION = "chunks"
_PAGE = 2000
_TIE = 1e-6
"""Cosines nearer than this count as equal when recall is measured: float32 has seven digits."""


class VectorBuilder:
    """Fills a new folder with vectors.

    Args:
        folder: where Chroma keeps its files; must not exist.
        n_chunks: how many vectors will come, so that Chroma writes its graph after the last one.

    Raises:
        StoreError: the folder cannot be written.
    """

    def __init__(self, folder: Path, n_chunks: int) -> None:
        self._folder = folder
        hnsw = {"space": "cosine", **HNSW, "sync_threshold": max(2, n_chunks)}
        with _writing(folder):
            self._client = _client(folder)
            self._collection = self._client.create_collection(
                _COLLECTION, embedding_function=None, configuration={"hnsw": hnsw}
            )
            self._most = self._client.get_max_batch_size()

    def add(
        self,
        chunks: Sequence[Chunk],
        vectors: np.ndarray,
        metadata: Sequence[dict[str, Any]],
    ) -> None:
        """Store chunks with their vectors and metadata, any number of them."""
        for at in range(0, len(chunks), self._most):
            some = chunks[at : at + self._most]
            with _writing(self._folder):
                self._collection.upsert(
                    ids=[chunk.chunk_id for chunk in some],
                    embeddings=vectors[at : at + self._most],
                    documents=[chunk.text for chunk in some],
                    metadatas=list(metadata[at : at + self._most]),
                )

    def close(self) -> None:
        """Release the files."""
        self._client.close()


class VectorFolder:
    """The vectors of a finished generation, opened for reading.

    Args:
        folder: Chroma's folder.
        expected: how many vectors the manifest promises.

    Raises:
        StoreError: the folder is absent, damaged, or holds another number of vectors.
    """

    def __init__(self, folder: Path, expected: int) -> None:
        if not (folder / "chroma.sqlite3").is_file():
            raise damaged(folder, "it holds no vectors")
        from chromadb.errors import ChromaError

        self._folder, self._errors = folder, (ChromaError, ValueError)
        try:
            self._client = _client(folder)
            self._collection = self._client.get_collection(_COLLECTION, embedding_function=None)
            found = self._collection.count()
        except self._errors as error:
            raise damaged(folder, error) from error
        if found != expected:
            raise damaged(folder, f"it holds {found} vectors, the manifest promises {expected}")

    def nearest(self, vectors: np.ndarray, n: int) -> list[list[tuple[str, float]]]:
        """For each vector the n nearest chunk ids with their cosine, best first."""
        try:
            found = self._collection.query(
                query_embeddings=vectors, n_results=n, include=["distances"]
            )
        except self._errors as error:
            raise damaged(self._folder, error) from error
        return [
            [(chunk_id, 1.0 - distance) for chunk_id, distance in zip(ids, distances, strict=True)]
            for ids, distances in zip(found["ids"], found["distances"], strict=True)
        ]

    def matrix(self, chunk_ids: Sequence[str]) -> np.ndarray:
        """The vectors of the chunks, float32 of shape (n, dim), in the order asked for."""
        import numpy as np

        rows: dict[str, Any] = {}
        for at in range(0, len(chunk_ids), _PAGE):
            try:
                page = self._collection.get(
                    ids=list(chunk_ids[at : at + _PAGE]), include=["embeddings"]
                )
            except self._errors as error:
                raise damaged(self._folder, error) from error
            rows.update(zip(page["ids"], page["embeddings"], strict=True))
        if rows.keys() != set(chunk_ids):
            raise damaged(self._folder, f"it lacks {len(set(chunk_ids) - rows.keys())} vectors")
        return np.asarray([rows[chunk_id] for chunk_id in chunk_ids], dtype=np.float32)

    def close(self) -> None:
        """Release the files."""
        self._client.close()


def measure_recall(
    vectors: VectorFolder, chunk_ids: Sequence[str], k: int = 10, limit: int = 5000
) -> Recall:
    """Ask the index for the neighbours of its own vectors and compare with brute force.

    recall = mean over queries of |returned with a true cosine not below the k-th best| / k, in
    [0, 1]. With more than ``limit`` chunks, that many evenly spread ones are asked.
    """
    import numpy as np

    matrix = vectors.matrix(chunk_ids)
    n = len(chunk_ids)
    k_here = min(k, n)
    number = {chunk_id: i for i, chunk_id in enumerate(chunk_ids)}
    asked = np.unique(np.linspace(0, n - 1, min(limit, n)).astype(int))
    found = 0
    for at in range(0, len(asked), 100):
        block = matrix[asked[at : at + 100]]
        cosines = block @ matrix.T
        kth = np.partition(cosines, n - k_here, axis=1)[:, n - k_here]
        for row, hits in enumerate(vectors.nearest(block, k_here)):
            columns = [number[chunk_id] for chunk_id, _ in hits]
            found += int((cosines[row, columns] >= kth[row] - _TIE).sum())
    return Recall(k=k_here, queries=len(asked), recall=found / (len(asked) * k_here))


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    from chromadb.errors import ChromaError

    try:
        yield
    except ChromaError as error:
        raise StoreError(
            f"The vectors cannot be written to {str(folder)!r}: {error}. Is the disk full?"
        ) from error


def _client(folder: Path) -> Any:  # noqa: ANN401  (chromadb's own type would need the import)
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(
        path=str(folder), settings=Settings(anonymized_telemetry=False)
    )
