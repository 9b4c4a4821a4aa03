"""WordPiece itself, for plain words: the longest known beginning, then the longest continuation.

Asking the tokenizer for a word costs microseconds, most of them for what plain words do not need:
normalisation, offsets, an object per word. A word of printable ASCII is to BERT its runs of letters
and digits and, each on its own, its other characters; it is normalised but for case. So its pieces
follow from the vocabulary (Wu et al. 2016, section 4.1; the tests compare with the tokenizer).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["LongestMatch", "is_plain"]

_CONTINUES = "##"
_MOST_CHARS = 100
"""A longer run is one token, the unknown one."""
_SIZE = 200_000
_PLAIN = re.compile(r"[!-Z\\-~]+")
_RUNS = re.compile(r"[0-9A-Za-z]+")


class LongestMatch(dict[str, int]):
    """Number of word pieces of runs of ASCII letters and digits, each counted once.

    Args:
        vocabulary: the pieces, in small letters; those that continue a word begin with ``##``.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        super().__init__()
        begins, continues = set(), set()
        for piece in vocabulary:
            if piece.startswith(_CONTINUES):
                continues.add(piece[len(_CONTINUES) :])
            else:
                begins.add(piece)
        self._begins, self._continues = frozenset(begins), frozenset(continues)

    def count(self, word: str) -> int:
        """Number of word pieces of a word for which `is_plain` holds."""
        if word.isalnum():
            return self[word]
        runs = _RUNS.findall(word)
        return len(word) - len("".join(runs)) + sum(map(self.__getitem__, runs))

    def __missing__(self, run: str) -> int:
        if len(run) > _MOST_CHARS:
            return 1
        if len(self) > _SIZE:
            self.clear()
        self[run] = n_pieces = self._pieces_of(run.lower())
        return n_pieces

    def _pieces_of(self, run: str) -> int:
        known, start, n_pieces = self._begins, 0, 0
        while start < len(run):
            end = len(run)
            while run[start:end] not in known:
                end -= 1
                if end == start:
                    return 1  # the whole run is unknown then
            known, start, n_pieces = self._continues, end, n_pieces + 1
        return n_pieces


def is_plain(word: str) -> bool:
    """Whether the word is printable ASCII, and surely holds no special token such as ``[SEP]``."""
    return _PLAIN.fullmatch(word) is not None
