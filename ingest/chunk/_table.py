"""A table of the tokens of each word, filled as words are met.

Text that is seen for the first time is the common case of an ingest, so that a miss must be cheap
too: words are looked up without asking first whether all are known, and all new words of one call
are counted together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from threading import Lock
from typing import cast

__all__ = ["Table"]

_SIZE = 200_000
_CHARS = 128
"""Longer words are not kept: they rarely come again."""


class _Known(dict[str, int]):
    """Numbers of words; one that is not known counts as 0 and is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.missed: list[str] = []

    def __missing__(self, word: str) -> int:
        self.missed.append(word)
        return 0


class Table:
    """Remembers what was counted.

    Args:
        count: the number of each of several distinct words.
    """

    def __init__(self, count: Callable[[list[str]], list[int]]) -> None:
        self._count = count
        self._known = _Known()
        self._lock = Lock()  # what was missed is of one caller

    def counts(self, words: Sequence[str]) -> list[int]:
        """The number of each word."""
        with self._lock:
            found: list[int | None] = list(map(self._known.get, words))
            holes = list(_holes(found))
            if holes:
                learned = self._learn([words[at] for at in holes])
                for at in holes:
                    found[at] = learned[words[at]]
        return cast("list[int]", found)

    def sums(self, groups: Sequence[Sequence[str]]) -> list[int]:
        """The sum of the numbers of each group of words."""
        with self._lock:
            of = self._known.__getitem__
            missed = self._known.missed = []
            sums, ends = [], [0]
            for words in groups:
                sums.append(sum(map(of, words)))
                ends.append(len(missed))
            if missed:
                learned = self._learn(missed)
                for i, (start, end) in enumerate(pairwise(ends)):
                    sums[i] += sum(learned[word] for word in missed[start:end])
        return sums

    def clear(self) -> None:
        """Forget every word."""
        self._known.clear()

    def _learn(self, words: list[str]) -> dict[str, int]:
        if len(self._known) > _SIZE:
            self._known.clear()
        new = list(dict.fromkeys(words))
        learned = dict(zip(new, self._count(new), strict=True))
        if max(map(len, new)) <= _CHARS:
            self._known.update(learned)
        else:
            self._known.update(item for item in learned.items() if len(item[0]) <= _CHARS)
        return learned


def _holes(found: list[int | None]) -> Iterator[int]:
    """Where nothing was found."""
    at = -1
    try:
        while True:
            at = found.index(None, at + 1)
            yield at
    except ValueError:
        return
