"""Building the vectors of a generation: one new segment, of what the kept ones do not hold."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.errors import ModelUnavailable
from ragbench.ingest.chunk import Context, embedded_text
from ragbench.ingest.embed import Embedder, EmbeddingCache, embed_cached
from ragbench.ingest.index._arrays import save_array, write_matrix_header
from ragbench.ingest.index._layout import Layout
from ragbench.ingest.index._manifest import Manifest, Recall
from ragbench.ingest.index._records import RecordTable
from ragbench.ingest.index._segments import (
    PLACES,
    Segment,
    SegmentPlan,
    load_places,
    plan_segments,
    read_segment,
    write_ids,
    write_segment,
)
from ragbench.ingest.index._vectors import MATRIX
from ragbench.ingest.progress import Progress
from ragbench.records import Chunk, Document

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.index._chroma import VectorBuilder

__all__ = ["Vectors", "build_vectors", "plan_vectors"]

_WINDOW = 2048
"""Chunks that are in memory, and sorted by length for embedding, at one time."""
_WINDOW_CHARS = 8_000_000
"""Characters of them and of their documents after which there is a new window."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """What building the vectors came to.

    Attributes:
        segments: names of the segments that the generation has.
    """

    n_embedded: int = 0
    n_truncated: int = 0
    worst_truncated: tuple[str, int] | None = None
    recall: Recall | None = None
    segments: tuple[str, ...] = ()


def plan_vectors(layout: Layout, previous: Manifest | None, origins: np.ndarray) -> SegmentPlan:
    """Which segments of the generation before stay; none without one.

    Args:
        layout: of the collection.
        previous: the generation before, if its vectors are of the same embedder and sound.
        origins: for each chunk its number there, -1 when it is new.

    Raises:
        StoreError: the generation before is damaged.
    """
    import numpy as np

    if previous is None or not (origins >= 0).any():
        nothing = np.full((len(origins), 2), -1, dtype=np.int32)
        return SegmentPlan((), nothing, np.arange(len(origins)))
    sizes = [(name, read_segment(layout.vectors / name).n) for name in previous.segments]
    return plan_segments(origins, sizes, load_places(layout, previous))


def build_vectors(
    layout: Layout,
    folder: Path,
    table: RecordTable,
    plan: SegmentPlan,
    embedder: Embedder,
    cache: EmbeddingCache,
    progress: Progress,
    context: Context = None,
) -> Vectors:
    """Embed the chunks that the kept segments do not hold, and store and measure their vectors.

    ``context`` is the chunker's: what is embedded, cached and counted is then more than the text.

    Raises:
        ModelUnavailable: the model does not load.
        StoreError: cache or index cannot be written.
    """
    n_embedded, segments = 0, plan.kept
    if len(plan.rows):
        segments = (*plan.kept, folder.name)
        work = _NewSegment(layout, folder.name, table, plan.rows, embedder, context)
        work.beside = {read_segment(layout.vectors / name).dim for name in plan.kept}
        n_embedded = work.build(cache, progress)
        plan.places[plan.rows, 0] = len(plan.kept)
        plan.places[plan.rows, 1] = range(len(plan.rows))
    save_array(folder / PLACES, plan.places)
    return _summed(layout, table, segments, plan.places, n_embedded)


class _NewSegment:
    """The segment that a generation adds, while it is built."""

    def __init__(
        self,
        layout: Layout,
        name: str,
        table: RecordTable,
        rows: np.ndarray,
        embedder: Embedder,
        context: Context,
    ) -> None:
        self._place, self._folder = layout.place(name), layout.new_segment(name)
        self._table, self._rows = table, rows
        self._embedder, self._context = embedder, context
        self._ids: list[str] = []
        self._truncated: list[tuple[int, int]] = []
        self._dim = 0
        self.beside: set[int] = set()
        """Components of the vectors in the segments that stay."""

    def build(self, cache: EmbeddingCache, progress: Progress) -> int:
        """Embed, store and measure; how many texts were embedded now."""
        from ragbench.ingest.index._chroma import VectorBuilder, VectorReader
        from ragbench.ingest.index._recall import measure_recall

        n = len(self._rows)
        progress.stage("Embedding", n)
        builder = VectorBuilder(self._place, n)
        try:
            n_embedded = self._fill(builder, cache, progress)
        finally:
            builder.close()
        write_ids(self._folder, self._ids)
        progress.stage("Checking the index", 1)
        reader = VectorReader(self._place, n)
        try:
            recall = measure_recall(reader, self._ids)
            progress.advance()
        finally:
            reader.close()
        truncated = tuple(self._truncated)
        write_segment(self._folder, Segment(n=n, dim=self._dim, recall=recall, truncated=truncated))
        return n_embedded

    def _fill(self, builder: VectorBuilder, cache: EmbeddingCache, progress: Progress) -> int:
        n_embedded = 0
        with contextlib.ExitStack() as stack:
            matrix = None
            if self._place.server is None:
                matrix = stack.enter_context((self._folder / MATRIX).open("wb"))
            for window in _windows(self._table, self._rows):
                texts = [embedded_text(one, chunk, self._context) for one, chunk in window]
                counts = self._embedder.token_counts(texts)
                lengths = counts if any(counts) else None  # some models cannot tell
                vectors, new = embed_cached(
                    self._embedder, cache, texts, "passage", progress.advance, lengths
                )
                self._check_size(vectors.shape[1])
                builder.add(window, vectors)
                if matrix is not None:
                    if not self._ids:
                        write_matrix_header(matrix, len(self._rows), vectors.shape[1])
                    matrix.write(vectors.astype("<f4").tobytes())
                self._dim = vectors.shape[1]
                progress.advance(len(window) - new)
                n_embedded += new
                self._note_truncated(texts, counts)
                self._ids += [chunk.chunk_id for _, chunk in window]
        return n_embedded

    def _check_size(self, dim: int) -> None:
        if self.beside - {dim}:
            raise ModelUnavailable(
                f"The model {self._embedder.identity!r} gives {dim} components now, the vectors of "
                f"what did not change have {max(self.beside - {dim})}: another model stands behind "
                "its name. Bring the former one back, or ingest into another --store."
            )

    def _note_truncated(self, texts: list[str], counts: list[int]) -> None:
        """Note the texts beyond the model's window, which it alone may be able to tell."""
        window = self._embedder.window
        if window is not None and max(counts) <= window:
            return
        n_over = self._embedder.count_truncated(texts)
        if not n_over:
            return
        over = [window is not None and count > window for count in counts]
        if sum(over) != n_over:
            over = [self._embedder.count_truncated([text]) > 0 for text in texts]
        at = len(self._ids)
        self._truncated += [(at + i, counts[i]) for i, is_over in enumerate(over) if is_over]


def _summed(
    layout: Layout, table: RecordTable, segments: tuple[str, ...], places: np.ndarray, n: int
) -> Vectors:
    """What the live vectors of all segments come to."""
    import numpy as np

    found = [read_segment(layout.vectors / name) for name in segments]
    over: dict[int, int] = {}
    for number, segment in enumerate(found):
        if segment.truncated:
            row_at = np.full(segment.n, -1, dtype=np.int64)
            mine = np.flatnonzero(places[:, 0] == number)
            row_at[places[mine, 1]] = mine
            over |= {int(row_at[at]): tokens for at, tokens in segment.truncated}
    over.pop(-1, None)
    worst = None
    if over:
        row = min(over, key=lambda row: (-over[row], row))
        worst = (table.pair(row)[1].chunk_id, over[row])
    return Vectors(n, len(over), worst, _overall([segment.recall for segment in found]), segments)


def _overall(recalls: Sequence[Recall]) -> Recall:
    """The recall of all queries that were asked of any segment; 1 if and only if each was exact."""
    queries = sum(recall.queries for recall in recalls)
    if not queries:
        return Recall(k=0, queries=0, recall=1.0)
    if all(recall.recall >= 1.0 for recall in recalls):
        share = 1.0
    else:
        share = sum(recall.recall * recall.queries for recall in recalls) / queries
    return Recall(k=max(recall.k for recall in recalls), queries=queries, recall=share)


def _windows(table: RecordTable, rows: np.ndarray) -> Iterator[list[tuple[Document, Chunk]]]:
    """The chunks with their documents, as many at a time as may be in memory."""
    window: list[tuple[Document, Chunk]] = []
    n_chars = 0
    for document, chunk in table.pairs(rows.tolist()):
        new = not window or window[-1][0] is not document
        n_chars += len(chunk.text) + (len(document.text) if new else 0)
        window.append((document, chunk))
        if len(window) == _WINDOW or n_chars > _WINDOW_CHARS:
            yield window
            window, n_chars = [], 0
    if window:
        yield window
