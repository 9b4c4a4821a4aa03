"""The chunkers that measure in tokens: ``recursive``, ``fixed`` and ``document``.

All three count the units of the text once and then only choose where to cut.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ragbench.ingest.chunk._base import CHUNKERS
from ragbench.ingest.chunk._wordpieces import Units, count_tokens, split_units
from ragbench.records import Chunk, Document

__all__ = ["Fixed", "Recursive", "WholeDocument"]

_MIN_SIZE = 8
"""No single character has more word pieces than this, so that every text can be cut to size."""
_FILL = 4
"""A stronger separator is taken only when at least a quarter of the size stands before it: a
heading on its own would be a chunk that matches every query about it and answers none."""

_SEPARATORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*",  # paragraph
        r"(?:\r\n?|[\n\u2028\u2029])\s*",  # line
        r"[.!?…][\"'”’)\]]*\s+|[。！？][”’」』）]*\s*",  # sentence
    )
)

_Cut = Callable[[int, int, int], int]
"""From a chunk's first unit, the end of the chunk before and the first unit that does not fit
(all as unit numbers), where the chunk ends."""


@CHUNKERS.register("recursive")
@dataclass(frozen=True)
class Recursive:
    """Ends a chunk at the last paragraph that fits, else line, sentence, word, character.

    A chunk never ends behind a Markdown heading when another end of its kind is there.

    Args:
        size_tokens: most tokens of a chunk, at least 8.
        overlap_tokens: most tokens that a chunk repeats from the one before, below the size.
        tokenizer: what ``size_tokens`` counts.
    """

    size_tokens: int = 256
    overlap_tokens: int = 0
    tokenizer: Literal["wordpiece"] = "wordpiece"

    def __post_init__(self) -> None:
        _check_sizes(self.size_tokens, self.overlap_tokens)

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised."""
        text = document.text
        units = split_units(text, self.size_tokens)
        starts, before = units.starts, units.before

        def cut(first: int, done: int, reach: int) -> int:
            filled = bisect_left(before, before[first] + self.size_tokens // _FILL, done + 1, reach)
            low, high = starts[filled - 1], starts[reach]
            for separator in _SEPARATORS:
                for match in reversed(list(separator.finditer(text, low, high))):
                    unit = bisect_left(starts, match.end(), filled, reach)
                    if starts[unit] >= match.end() and not _ends_with_heading(text, match.start()):
                        return unit
            return reach

        return _chunks(document, units, self.size_tokens, self.overlap_tokens, cut)


@CHUNKERS.register("fixed")
@dataclass(frozen=True)
class Fixed:
    """Fills every chunk with as many whole words as fit.

    Args:
        size_tokens: most tokens of a chunk, at least 8.
        overlap_tokens: most tokens that a chunk repeats from the one before, below the size.
    """

    size_tokens: int = 256
    overlap_tokens: int = 0

    def __post_init__(self) -> None:
        _check_sizes(self.size_tokens, self.overlap_tokens)

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut the document; see `ragbench.ingest.chunk` for what is promised."""
        units = split_units(document.text, self.size_tokens)
        return _chunks(document, units, self.size_tokens, self.overlap_tokens, _fill)


def _fill(first: int, done: int, reach: int) -> int:
    return reach


@CHUNKERS.register("document")
@dataclass(frozen=True)
class WholeDocument:
    """Makes the whole document one chunk."""

    def chunk(self, document: Document) -> list[Chunk]:
        """One chunk without the white space around the text, or none when there is nothing else."""
        start, end = _trim(document.text, 0, len(document.text))
        if start == end:
            return []
        text = document.text[start:end]
        return [Chunk(document.doc_id, start, end, text, count_tokens(text))]


def _ends_with_heading(text: str, end: int) -> bool:
    return text.startswith("#", text.rfind("\n", 0, end) + 1)


def _check_sizes(size_tokens: int, overlap_tokens: int) -> None:
    if size_tokens < _MIN_SIZE:
        raise ValueError(f"size_tokens is {size_tokens}; it must be at least {_MIN_SIZE}")
    if not 0 <= overlap_tokens < size_tokens:
        raise ValueError(
            f"overlap_tokens is {overlap_tokens}; it must be from 0 to below size_tokens "
            f"({size_tokens})"
        )


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    stripped = piece.lstrip()
    start += len(piece) - len(stripped)
    return start, start + len(stripped.rstrip())


def _chunks(document: Document, units: Units, size: int, overlap: int, cut: _Cut) -> list[Chunk]:
    starts, before = units.starts, units.before
    found: list[Chunk] = []
    for first, last in _ranges(document.text, units, size, overlap, cut):
        start, end = _trim(document.text, starts[first], starts[last])
        if start >= end or (found and end <= found[-1].end):
            continue
        text = document.text[start:end]
        n_tokens = before[last] - before[first]
        if units.cuts_word(first, last):
            n_tokens = count_tokens(text)
        found.append(Chunk(document.doc_id, start, end, text, n_tokens))
    return found


def _ranges(
    text: str, units: Units, size: int, overlap: int, cut: _Cut
) -> Iterator[tuple[int, int]]:
    """Ranges of units within the size, in order; each may begin up to ``overlap`` tokens back."""
    starts, before = units.starts, units.before
    n = len(units)
    first, done = 0, 0
    while done < n:
        while before[done + 1] - before[first] > size and first < done:
            first += 1
        # bisect_right: a unit without tokens (control characters) goes with what is before it.
        reach = bisect_right(before, before[first] + size) - 1
        last = n if reach >= n else max(cut(first, done, reach), done + 1)
        while last > done + 1 and units.cuts_word(first, last):
            if count_tokens(text[starts[first] : starts[last]]) <= size:
                break
            last -= 1
        yield first, last
        done = last
        first = (
            last if not overlap else bisect_left(before, before[last] - overlap, first + 1, last)
        )
