"""How exact a vector index is: its own vectors as queries, compared with brute force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbench.ingest.index._chroma import VectorReader
from ragbench.ingest.index._manifest import Recall

if TYPE_CHECKING:
    import numpy as np

__all__ = ["measure_recall"]

_TIE = 1e-6
"""Cosines nearer than this count as equal: float32 has seven digits."""
_QUERIES = 250
"""Queries compared at one time with one block of vectors."""


def measure_recall(
    vectors: VectorReader, chunk_ids: Sequence[str], k: int = 10, limit: int = 5000
) -> Recall:
    """Ask the index for the neighbours of its own vectors and compare with brute force.

    recall = mean over queries of |returned with a true cosine not below the k-th best| / k, in
    [0, 1]. With more than ``limit`` chunks, that many evenly spread ones are asked. Vectors pass
    through in blocks: what is held grows with ``limit``, not with the number of chunks.
    """
    import numpy as np

    n, k = len(chunk_ids), min(k, len(chunk_ids))
    if n == 0:
        return Recall(k=0, queries=0, recall=1.0)
    asked = np.unique(np.linspace(0, n - 1, min(limit, n)).astype(np.int64))
    queries = _together(vectors, [chunk_ids[i] for i in asked])
    found = _answers(vectors, queries, chunk_ids, k)
    best = np.full((len(asked), k), -np.inf, dtype=np.float32)
    cosines_found = np.full((len(asked), k), -np.inf, dtype=np.float32)
    start = 0
    for block in vectors.blocks(chunk_ids):
        for at in range(0, len(asked), _QUERIES):
            rows = slice(at, at + _QUERIES)
            cosines = queries[rows] @ block.T
            here = (found[rows] >= start) & (found[rows] < start + len(block))
            row, column = np.nonzero(here)
            cosines_found[rows][row, column] = cosines[row, found[rows][row, column] - start]
            together = np.concatenate([best[rows], cosines], axis=1)
            best[rows] = np.partition(together, -k, axis=1)[:, -k:]
        start += len(block)
    right = cosines_found >= best.min(axis=1, keepdims=True) - _TIE
    return Recall(k=k, queries=len(asked), recall=float(right.mean()))


def _together(vectors: VectorReader, chunk_ids: Sequence[str]) -> np.ndarray:
    """The vectors as one matrix, which is filled block by block."""
    import numpy as np

    whole, start = np.empty((0, 0), dtype=np.float32), 0
    for block in vectors.blocks(chunk_ids):
        if not start:
            whole = np.empty((len(chunk_ids), block.shape[1]), dtype=np.float32)
        whole[start : start + len(block)] = block
        start += len(block)
    return whole


def _answers(
    vectors: VectorReader, queries: np.ndarray, chunk_ids: Sequence[str], k: int
) -> np.ndarray:
    """The numbers of the chunks that the index returns for each query, -1 where it returns none."""
    import numpy as np

    number = {chunk_id: i for i, chunk_id in enumerate(chunk_ids)}
    found = np.full((len(queries), k), -1, dtype=np.int64)
    for at in range(0, len(queries), 100):
        for row, hits in enumerate(vectors.nearest(queries[at : at + 100], k), start=at):
            found[row, : len(hits)] = [number[chunk_id] for chunk_id, _ in hits]
    return found
