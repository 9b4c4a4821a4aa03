"""How far a chunk reaches: in tokens, or in characters.

A ruler lies on one stretch of a text and answers in offsets where a cut may be. `TokenRuler` reads
the stretch in blocks, as it is asked, so that memory does not grow with the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Protocol

from ragbench.ingest.chunk._clusters import next_whole, whole
from ragbench.ingest.chunk._units import Tokenizer, TokenizerName, Units
from ragbench.ingest.chunk._wordpieces import word_pieces

__all__ = ["CharacterRuler", "Ruler", "TokenRuler", "tokenizer"]

_FILL = 4
"""A stronger separator is taken only when at least a quarter of the size stands before it: a
heading on its own would be a chunk that matches every query about it and answers none."""
_BLOCK = 64
"""Characters that are read at a time, for each token of the size: what stays in a core's cache."""


class Ruler(Protocol):
    """Measures from offsets that are the beginning of a chunk or the end of one."""

    def reach(self, first: int) -> int:
        """The last offset up to which a chunk from ``first`` may reach, behind ``first``."""
        ...

    def filled(self, first: int, reach: int) -> int:
        """The first offset with a quarter of the size before it, at most ``reach``."""
        ...

    def at_or_after(self, offset: int) -> int:
        """The next offset where a cut may be."""
        ...

    def back(self, first: int, end: int, overlap: int) -> int:
        """The first offset behind ``first`` with at most ``overlap`` from it to ``end``."""
        ...

    def before(self, offset: int, amount: int) -> int:
        """The last offset where a cut may be that leaves out ``amount`` or more."""
        ...

    def excess(self, first: int, end: int) -> int:
        """By how much the span is over the size when it is cut out."""
        ...

    def n_tokens(self, start: int, end: int) -> int | None:
        """Word pieces of the span from one cut to another; None when nobody counted them."""
        ...


def tokenizer(name: TokenizerName) -> Tokenizer:
    """The tokenizer of this name, loaded when it is first asked for."""
    if name == "wordpiece":
        return word_pieces()
    from ragbench.ingest.chunk._cl100k import cl100k

    return cl100k()


class TokenRuler:
    """Measures in tokens.

    Args:
        text: the whole text.
        start: where the stretch begins.
        end: where it ends.
        size: most tokens of a chunk.
        counted: what counts them.
    """

    def __init__(self, text: str, start: int, end: int, size: int, counted: Tokenizer) -> None:
        self._text, self._end, self._size, self._tokenizer = text, end, size, counted
        self._block = max(_BLOCK * size, 1)
        self._load(start)

    def reach(self, first: int) -> int:
        """See `Ruler`."""
        i = bisect_left(self._units.starts, first)
        if self._units.starts[i] != first:  # the last cut was inside a unit
            self._load(first)
            i = 0
        while True:
            before = self._units.before
            # bisect_right: a unit without tokens (control characters) goes with what is before it.
            j = bisect_right(before, before[i] + self._size) - 1
            if j < len(self._units) or self._units.starts[-1] == self._end:
                return self._units.starts[j]
            self._block *= 1 if i else 2
            self._load(first)
            i = 0

    def filled(self, first: int, reach: int) -> int:
        """See `Ruler`."""
        starts, before = self._units.starts, self._units.before
        i, j = bisect_left(starts, first), bisect_left(starts, reach)
        return starts[bisect_left(before, before[i] + self._size // _FILL, min(i + 1, j), j)]

    def at_or_after(self, offset: int) -> int:
        """See `Ruler`."""
        return self._units.starts[bisect_left(self._units.starts, offset)]

    def back(self, first: int, end: int, overlap: int) -> int:
        """See `Ruler`."""
        starts, before = self._units.starts, self._units.before
        i, j = bisect_left(starts, first), bisect_left(starts, end)
        if starts[j] != end:
            return end
        return starts[bisect_left(before, before[j] - overlap, min(i + 1, j), j)]

    def before(self, offset: int, amount: int) -> int:
        """See `Ruler`."""
        starts, before = self._units.starts, self._units.before
        j = bisect_left(starts, offset)
        return starts[max(0, min(bisect_right(before, before[j] - amount), j) - 1)]

    def excess(self, first: int, end: int) -> int:
        """See `Ruler`."""
        if self._tokenizer.additive and not self._units.cuts_word(first, end):
            return 0
        n_tokens = self._tokenizer.count(self._text[first:end].strip())
        return max(0, n_tokens - self._size)

    def n_tokens(self, start: int, end: int) -> int | None:
        """See `Ruler`."""
        starts, before = self._units.starts, self._units.before
        i, j = bisect_left(starts, start), bisect_left(starts, end)
        known = self._tokenizer.additive and not self._units.cuts_word(start, end)
        if known and starts[i] == start and starts[j] == end:
            return before[j] - before[i]
        return None

    def _load(self, start: int) -> None:
        stop = min(start + self._block, self._end)
        piece = self._text[start:stop]
        self._units: Units = self._tokenizer.units(piece, self._size, start)


class CharacterRuler:
    """Measures in characters.

    Args:
        text: the whole text.
        end: where the stretch ends.
        size: most characters of a chunk.
    """

    def __init__(self, text: str, end: int, size: int) -> None:
        self._text, self._end, self._size = text, end, size

    def reach(self, first: int) -> int:
        """See `Ruler`."""
        end = first + self._size
        if end < self._end and self._text[end].isspace():  # which is trimmed
            end = _BLANKS.match(self._text, end, self._end).end()  # type: ignore[union-attr]
        return self._end if end >= self._end else whole(self._text, first, end)

    def filled(self, first: int, reach: int) -> int:
        """See `Ruler`."""
        return min(first + self._size // _FILL, reach)

    def at_or_after(self, offset: int) -> int:
        """See `Ruler`."""
        return next_whole(self._text, offset)

    def back(self, first: int, end: int, overlap: int) -> int:
        """See `Ruler`."""
        low = max(end - overlap, first + 1)
        match = _WORD_START.search(self._text, low - 1, end)
        return self.at_or_after(match.end() if match else low)

    def before(self, offset: int, amount: int) -> int:
        """See `Ruler`."""
        return offset - amount

    def excess(self, first: int, end: int) -> int:
        """See `Ruler`."""
        return 0

    def n_tokens(self, start: int, end: int) -> int | None:
        """See `Ruler`."""
        return None


_BLANKS = re.compile(r"\s*")
_WORD_START = re.compile(r"\s(?=\S)")
