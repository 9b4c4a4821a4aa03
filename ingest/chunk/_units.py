"""A text as units that may be cut apart, with the tokens before each: what tokenizers give."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["Tokenizer", "TokenizerName", "Units", "join_clusters"]

TokenizerName = Literal["wordpiece", "cl100k"]
"""``wordpiece``: MiniLM's word pieces. ``cl100k``: the encoding of GPT-4 and its embedders."""


@dataclass(frozen=True, slots=True)
class Units:
    """A text as units: where each starts, and how many tokens stand before it.

    Attributes:
        starts: n + 1 ascending character offsets, the last one the end of the text.
        before: tokens before each unit, and the total: n + 1 numbers.
        inner: ascending offsets of units that begin inside a word, which count differently when
            they are put together again.
    """

    starts: list[int]
    before: list[int]
    inner: list[int]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def cuts_word(self, start: int, end: int) -> bool:
        """Whether the span holds parts of a cut word, so that its tokens must be counted anew."""
        i = bisect_left(self.inner, start)
        return i < len(self.inner) and self.inner[i] <= end


class Tokenizer(Protocol):
    """Counts tokens, and says where a text may be cut."""

    @property
    def additive(self) -> bool:
        """Whether the tokens of a span are the sum of those of its units, however it is trimmed."""
        ...

    def count(self, text: str) -> int:
        """Number of tokens, without special ones."""
        ...

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text."""
        ...

    def units(self, text: str, max_tokens: int, base: int = 0) -> Units:
        """The units of a text that starts at offset ``base``, none of more than ``max_tokens``.

        No unit begins inside a cluster of characters, unless that alone has more tokens.
        """
        ...


def join_clusters(units: Units, inside: set[int], max_tokens: int, base: int) -> Units:
    """The units without boundaries inside clusters, as far as the limit allows."""
    if not inside:
        return units
    kept = {units.starts[-1], *units.inner}  # parts of a word do not add up
    starts, before = units.starts[:1], units.before[:1]
    for i in range(1, len(units.starts)):
        at = units.starts[i]
        joins = at - base in inside and at not in kept
        if not joins or units.before[i + 1] - before[-1] > max_tokens:
            starts.append(at)
            before.append(units.before[i])
    return Units(starts, before, units.inner)
