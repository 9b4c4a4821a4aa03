"""The vectors of one generation: those of its segments, searched as if they were one.

A cosine is the product of two unit vectors, summed in float64 in the order of the components. So it
does not depend on where a vector stands, and a search finds the same to the last digit however the
segments came about. Up to a size, all vectors in the store's folder are compared: that takes less
time than opening a graph. Beyond it, and on a server, the graph of each segment is asked, unless it
was not exact when it was built.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from ragbench.ingest.index._arrays import load_array
from ragbench.ingest.index._layout import Layout
from ragbench.ingest.index._manifest import Manifest, damaged
from ragbench.ingest.index._segments import Segment, load_places, read_ids, read_segment

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.index._chroma import VectorReader

__all__ = ["MATRIX", "SegmentVectors", "Vectors"]

MATRIX = "vectors.npy"
_HNSW_MOST = 100
"""Deeper searches are brute force: the graph's recall is measured at 10, and its candidate list
(``ef_search``) should stay several times as long as the answer."""
_PRODUCT_MOST = 1 << 26
"""Components that are multiplied rather than looked for in a graph; about 25 ms."""
_NEAR = 2e-6
"""More than a product in float32 can be wrong by."""
_SAME = 1e-4
"""Largest difference between a component here and in Chroma, which stores float32."""

Found = list[tuple[int, float]]


class SegmentVectors:
    """The vectors of one segment, opened for reading; nothing is read before it is asked for.

    Raises:
        StoreError: the segment is absent or damaged.
    """

    def __init__(self, layout: Layout, name: str) -> None:
        self.place = layout.place(name)
        self.segment: Segment = read_segment(self.place.folder.parent)

    @cached_property
    def ids(self) -> list[str]:
        """The chunk at each position."""
        return read_ids(self.place.folder.parent, self.segment.n)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each chunk."""
        return {chunk_id: position for position, chunk_id in enumerate(self.ids)}

    @cached_property
    def matrix(self) -> np.ndarray:
        """All of them, float32 (n, dim): mapped from the folder, or fetched from the server."""
        import numpy as np

        if self.place.server is None:
            shape = (self.segment.n, self.segment.dim)
            return load_array(self.place.folder.parent / MATRIX, shape)
        return np.concatenate(list(self.reader.blocks(self.ids)))

    @cached_property
    def reader(self) -> VectorReader:
        """They in ChromaDB."""
        from ragbench.ingest.index._chroma import VectorReader

        return VectorReader(self.place, self.segment.n)

    @cached_property
    def any_reader(self) -> VectorReader:
        """The same whatever number of them is there, for who wants to know which are too many."""
        from ragbench.ingest.index._chroma import VectorReader

        return VectorReader(self.place, None)

    def holds(self, position: int, vector: np.ndarray) -> bool:
        """Whether the matrix has that vector there; true on a server, which has no matrix."""
        import numpy as np

        if self.place.server is not None:
            return True
        mine = self.matrix[position]
        return mine.shape == np.shape(vector) and bool(np.allclose(mine, vector, atol=_SAME))

    def close(self) -> None:
        """Release the files."""
        for name in ("reader", "any_reader"):
            if name in self.__dict__:
                self.__dict__.pop(name).close()
        self.__dict__.pop("matrix", None)


class Vectors:
    """All vectors of a generation.

    Raises:
        StoreError: a segment is absent or damaged.
    """

    def __init__(self, layout: Layout, manifest: Manifest) -> None:
        self._exact = manifest.search == "exact"
        self._on_server = layout.server is not None
        self._places = load_places(layout, manifest)
        self.segments = [SegmentVectors(layout, name) for name in manifest.segments]
        if len(self._places) and len({one.segment.dim for one in self.segments}) != 1:
            raise damaged(layout.vectors, "its segments have different dimensions")

    def open(self) -> None:
        """Open what a search needs, so that its absence shows now."""
        for one in self.segments:
            _ = one.reader if self._on_server else one.matrix

    def nearest(self, vector: np.ndarray, n: int) -> Found:
        """The n nearest chunks by number with their cosine, best first."""
        n_components = sum(one.segment.n * one.segment.dim for one in self.segments)
        by_product = not self._on_server and n_components <= _PRODUCT_MOST
        if by_product or self._exact or n > _HNSW_MOST:
            return self.compared(vector, n)
        return self._asked(vector, n)

    def compared(self, vector: np.ndarray, n: int, rows: np.ndarray | None = None) -> Found:
        """The same by comparing all vectors, or those of some chunks."""
        import numpy as np

        places = self._places if rows is None else self._places[rows]
        if not len(places):
            return []
        cosines = np.empty(len(places), dtype=np.float32)
        for number, one in enumerate(self.segments):
            mine = places[:, 0] == number
            cosines[mine] = (one.matrix @ vector)[places[mine, 1]]
        if len(cosines) > n:
            kth = np.partition(cosines, len(cosines) - n)[len(cosines) - n]
            found = np.flatnonzero(cosines >= kth - _NEAR)
        else:
            found = np.arange(len(cosines))
        return self._ranked(found if rows is None else rows[found], vector, n)

    def _asked(self, vector: np.ndarray, n: int) -> Found:
        """The same from the graphs."""
        found: dict[int, float] = {}
        for number, one in enumerate(self.segments):
            row_at = self._rows_at[number]
            found |= _live(one, lambda position, at=row_at: int(at[position]), vector, n)  # type: ignore[misc]
        if self._on_server:
            return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:n]
        import numpy as np

        return self._ranked(np.array(sorted(found), dtype=np.int64), vector, n)

    def of(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of some chunks, float64 of shape (n, dim), in the order of their numbers."""
        import numpy as np

        places = self._places[rows]
        dim = self.segments[0].segment.dim if self.segments else 0
        vectors = np.empty((len(rows), dim), dtype=np.float64)
        for number, one in enumerate(self.segments):
            mine = places[:, 0] == number
            vectors[mine] = one.matrix[places[mine, 1]]
        return vectors

    def _ranked(self, rows: np.ndarray, vector: np.ndarray, n: int) -> Found:
        import numpy as np

        products = self.of(rows)
        products *= vector
        cosines = np.add.reduce(products, axis=1)
        best = np.lexsort((rows, -cosines))[:n]
        return list(zip(rows[best].tolist(), cosines[best].tolist(), strict=True))

    @cached_property
    def _rows_at(self) -> list[np.ndarray]:
        """For each segment the chunk at each position, -1 where it is dead."""
        import numpy as np

        found = [np.full(one.segment.n, -1, dtype=np.int64) for one in self.segments]
        for number, rows in enumerate(found):
            mine = np.flatnonzero(self._places[:, 0] == number)
            rows[self._places[mine, 1]] = mine
        return found

    def close(self) -> None:
        """Release the files."""
        for one in self.segments:
            one.close()


def _live(
    one: SegmentVectors, row_at: Callable[[int], int], vector: np.ndarray, n: int
) -> dict[int, float]:
    """The n nearest live vectors of a segment, deeper as long as dead ones are between."""
    depth = n
    while True:
        hits = one.reader.nearest(vector[None, :], min(depth, one.segment.n))[0]
        stray = [chunk_id for chunk_id, _ in hits if chunk_id not in one.positions]
        if stray:
            raise damaged(one.place.folder, f"it holds a vector of {stray[0]!r}, which is no chunk")
        found = {row_at(one.positions[chunk_id]): cosine for chunk_id, cosine in hits}
        found.pop(-1, None)
        if len(found) >= n or depth >= one.segment.n:
            return found
        depth *= 2
