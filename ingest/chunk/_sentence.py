"""Chunks of whole sentences: ``sentence``, and ``semantic``, for which a model parts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from ragbench.ingest.chunk._base import CHUNKERS, Chunker, Context
from ragbench.ingest.chunk._cut import Cutter, Size
from ragbench.ingest.chunk._sentences import Packer, Segment, segments
from ragbench.ingest.chunk._units import TokenizerName
from ragbench.records import Chunk, Document
from ragbench.registry import spec_of

if TYPE_CHECKING:
    import numpy as np

    from ragbench.ingest.embed import EmbeddingCache

__all__ = ["Semantic", "Sentence", "embeds", "with_cache"]

_BATCH = 1024
"""Texts that are embedded at a time, so that memory does not grow with the document."""

_Embed = Callable[[Sequence[str]], "np.ndarray"]


@CHUNKERS.register("sentence")
@dataclass(frozen=True)
class Sentence:
    """Fills every chunk with as many whole sentences as fit.

    A row of a table, a heading and an item of a list count as sentences; no chunk ends behind a
    heading when it may end elsewhere. A sentence over the size is cut as ``recursive`` does.

    Args:
        size_tokens: most tokens of a chunk, at least 8.
        overlap_tokens: whole sentences of up to so many tokens are repeated, below the size.
        tokenizer: what sizes count.
        context: what a chunk is embedded with.
    """

    size_tokens: int = 256
    overlap_tokens: int = 0
    tokenizer: TokenizerName = "wordpiece"
    context: Context = None

    def __post_init__(self) -> None:
        self._size()

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised."""
        cutter = Cutter(document, self._size())
        return Packer(cutter, self._size()).chunks(segments(document, cutter.boundaries))

    def _size(self) -> Size:
        return Size(self.size_tokens, self.overlap_tokens, self.tokenizer)


@CHUNKERS.register("semantic")
@dataclass(frozen=True)
class Semantic:
    """Parts neighbouring sentences where an embedder finds that their subject changes.

    Each sentence is embedded together with its neighbours; where the cosine distance between one
    such window and the next is above the percentile of all distances of the document, the text is
    parted, unless behind a heading. What is then over the size is filled as ``sentence`` does.
    Distances are rounded to 5 decimals. (Kamradt, Five levels of text splitting, 2024, level 4.)

    Args:
        size_tokens: most tokens of a chunk, at least 8.
        percentile: from 0 to 100; the higher, the fewer and longer the chunks.
        window_sentences: sentences on either side that are embedded with each, 0 or more.
        embedder: spec of the embedder.
        tokenizer: what sizes count.
        context: what a chunk is embedded with.
    """

    size_tokens: int = 256
    percentile: float = 95.0
    window_sentences: int = 1
    embedder: str = "minilm"
    tokenizer: TokenizerName = "wordpiece"
    context: Context = None

    def __post_init__(self) -> None:
        from ragbench.ingest.embed import EMBEDDERS

        Size(self.size_tokens, 0, self.tokenizer)
        if not 0 <= self.percentile <= 100:
            raise ValueError(f"percentile is {self.percentile}; it must be from 0 to 100")
        if self.window_sentences < 0:
            raise ValueError(f"window_sentences is {self.window_sentences}; it must be at least 0")
        object.__setattr__(self, "embedder", str(spec_of(EMBEDDERS.create(self.embedder))))

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised.

        Raises:
            ModelUnavailable: the embedder does not load.
        """
        from ragbench.ingest.embed import EMBEDDERS

        embedder = EMBEDDERS.create(self.embedder)
        return self.chunk_with(document, lambda texts: embedder.embed(texts, "passage"))

    def chunk_with(self, document: Document, embed: _Embed) -> list[Chunk]:
        """Cut the document with vectors from ``embed``, one of length 1 for each text."""
        size = Size(self.size_tokens, 0, self.tokenizer)
        cutter = Cutter(document, size)
        found = segments(document, cutter.boundaries)
        packer = Packer(cutter, size)
        distances = self._distances(document.text, found, embed)
        chunks: list[Chunk] = []
        start = 0
        for stop in [*self._breaks(found, distances), len(found)]:
            chunks += packer.chunks(found[start:stop])
            start = stop
        return chunks

    def _distances(self, text: str, found: list[Segment], embed: _Embed) -> list[float]:
        """Cosine distance between the windows of each sentence and of the next."""
        import numpy as np

        distances: list[float] = []
        last = None
        for batch in _batches(self._windows(text, found)):
            vectors = embed(batch)
            joined = vectors if last is None else np.concatenate([last, vectors])
            cosines = np.sum(joined[1:] * joined[:-1], axis=1, dtype=np.float64)
            distances += np.round(1.0 - cosines, 5).tolist()
            last = vectors[-1:]
        return distances

    def _windows(self, text: str, found: list[Segment]) -> Iterator[str]:
        if len(found) < 2:
            return
        for i in range(len(found)):
            first = found[max(0, i - self.window_sentences)]
            last = found[min(len(found) - 1, i + self.window_sentences)]
            yield text[first.start : last.end].strip()

    def _breaks(self, found: list[Segment], distances: list[float]) -> list[int]:
        """Numbers of the sentences that begin a group, but for the first."""
        import numpy as np

        if not distances:
            return []
        limit = np.percentile(distances, self.percentile)
        breaks = set()
        for i, distance in enumerate(distances, start=1):
            if distance > limit:
                while i and found[i - 1].is_heading:
                    i -= 1
                breaks.add(i)
        return sorted(breaks - {0})


def embeds(chunker: Chunker) -> bool:
    """Whether the chunker asks an embedder where to cut."""
    return isinstance(chunker, Semantic)


def with_cache(chunker: Chunker, cache: EmbeddingCache) -> Chunker:
    """The chunker, which looks up in the cache what it embeds; any other as it is."""
    return _Cached(chunker, cache) if isinstance(chunker, Semantic) else chunker


@dataclass(frozen=True)
class _Cached:
    chunker: Semantic
    cache: EmbeddingCache

    @property
    def context(self) -> Context:
        return self.chunker.context

    def chunk(self, document: Document) -> list[Chunk]:
        from ragbench.ingest.embed import EMBEDDERS, embed_cached

        embedder = EMBEDDERS.create(self.chunker.embedder)
        return self.chunker.chunk_with(
            document, lambda texts: embed_cached(embedder, self.cache, texts, "passage")[0]
        )


def _batches(texts: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(texts, _BATCH)):
        yield batch
