"""Chunks of whole sections, from the headings that a loader found: ``heading``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ragbench.ingest.chunk._base import CHUNKERS, Context
from ragbench.ingest.chunk._cut import Cutter, Size
from ragbench.ingest.chunk._rulers import tokenizer
from ragbench.ingest.chunk._units import TokenizerName
from ragbench.records import Chunk, Document, Place

__all__ = ["Heading"]


@dataclass(frozen=True, slots=True)
class _Section:
    """From one heading to the next; without a heading the path is empty."""

    start: int
    end: int
    path: tuple[str, ...]
    n_tokens: int
    is_bare: bool


@CHUNKERS.register("heading")
@dataclass(frozen=True)
class Heading:
    """Makes each section one chunk; small neighbours are merged, a long one is cut further.

    A section reaches from one heading to the next, of any level. Neighbours are merged, up to the
    size, when either has fewer than ``merge_tokens`` and both stand under one heading, or the
    second under that of the first. A section that is its heading alone always goes with what stands
    directly below it. One over the size is cut as ``recursive`` does, and so is a document without
    headings.

    Args:
        size_tokens: most tokens of a chunk, at least 8.
        merge_tokens: sections below this are merged with a neighbour; 0 merges none.
        overlap_tokens: most tokens that the parts of one section repeat.
        tokenizer: what sizes count.
        context: what a chunk is embedded with.
    """

    size_tokens: int = 256
    merge_tokens: int = 64
    overlap_tokens: int = 0
    tokenizer: TokenizerName = "wordpiece"
    context: Context = None

    def __post_init__(self) -> None:
        self._size()
        if self.merge_tokens < 0:
            raise ValueError(f"merge_tokens is {self.merge_tokens}; it must be at least 0")

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised."""
        cutter = Cutter(document, self._size())
        counted = tokenizer(self.tokenizer)
        chunks: list[Chunk] = []
        for group in self._groups(list(self._sections(document))):
            start, end = group[0].start, group[-1].end
            fits = sum(section.n_tokens for section in group) <= self.size_tokens
            if fits and not counted.additive:
                fits = counted.count(document.text[start:end].strip()) <= self.size_tokens
            chunks += cutter.whole_chunk(start, end) if fits else cutter.chunks(start, end)
        return chunks

    def _size(self) -> Size:
        return Size(self.size_tokens, self.overlap_tokens, self.tokenizer)

    def _groups(self, sections: list[_Section]) -> Iterator[list[_Section]]:
        group: list[_Section] = []
        for section in sections:
            if group and not self._joins(group, section):
                yield group
                group = []
            group.append(section)
        if group:
            yield group

    def _joins(self, group: list[_Section], section: _Section) -> bool:
        last, above = group[-1], section.path[:-1]
        if last.is_bare and above == last.path:
            return True
        near = (group[0].path[:-1], last.path[:-1], last.path)
        if section.is_bare or above not in near:
            return False
        n_tokens = sum(member.n_tokens for member in group)
        smaller = min(n_tokens, section.n_tokens)
        return smaller < self.merge_tokens and n_tokens + section.n_tokens <= self.size_tokens

    def _sections(self, document: Document) -> Iterator[_Section]:
        stretches = [
            (start, end, heading, piece)
            for start, end, heading in _stretches(document)
            if (piece := document.text[start:end].strip())
        ]
        counts = tokenizer(self.tokenizer).count_all([piece for *_, piece in stretches])
        for (start, end, heading, piece), count in zip(stretches, counts, strict=True):
            path = tuple(heading.split(" > ")) if heading else ()
            is_bare = bool(heading) and _is_bare(piece)
            yield _Section(start, end, path, self._size().measure(count, len(piece)), is_bare)


def _is_bare(piece: str) -> bool:
    lines = piece.splitlines()
    return len(lines) == 1 or (len(lines) == 2 and not lines[1].strip("=- \t"))


def _stretches(document: Document) -> Iterator[tuple[int, int, str]]:
    """The text from one beginning or end of a heading's place to the next, with the heading."""
    places = [place for place in document.places if place.heading is not None]
    edges = sorted({0, len(document.text), *(at for p in places for at in (p.start, p.end))})
    waiting = iter([*places, None])
    following = next(waiting)
    open_: list[Place] = []
    for start, end in pairwise(edges):
        while following is not None and following.start <= start:
            open_.append(following)
            following = next(waiting)
        while open_ and open_[-1].end <= start:
            open_.pop()
        yield start, end, (open_[-1].heading or "") if open_ else ""
