"""Counting word pieces fast enough that chunking is not what an ingest waits for.

BERT's tokenization is local to a word: it first splits at white space and punctuation, then each
word on its own. So a text is split here into *units* at characters where BERT always splits, white
space and ASCII punctuation, and the count of a unit is looked up in a table that the tokenizer
fills, all new units of a text in one call. The sum over units equals the count of the whole text
(tested against the tokenizer), at several times the speed of encoding it.

A unit is a word with the white space behind it. It may hold several BERT words (``word—word``, a
line of Chinese); a long one is taken apart, first at those words, and where one word is over the
limit inside it. Only boundaries of the last kind change the count of what they separate.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from ragbench.ingest.minilm import model_folder

__all__ = ["Units", "count_tokens", "split_units"]

_SPACE = " \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What BERT takes for white space. Other characters that Python calls space, such as a form feed,
it deletes, which joins the words around them."""
_PUNCTUATION = r"!-/:-@\[-`{-~"
_UNIT = re.compile(
    rf"(?:\[(?:CLS|SEP|PAD|UNK|MASK)\]|[^{_SPACE}{_PUNCTUATION}]+|[{_PUNCTUATION}])[{_SPACE}]*"
    rf"|[{_SPACE}]+"
)
_LONG_CHARS = 32
"""Units over this length are taken apart at BERT's words, so that text without spaces has units."""
_WORD_CHARS = 64
"""A single word over this length is cut inside. BERT makes one unknown token of a word over 100
characters, so that without a cut a line of base64 would be one enormous chunk of one token."""
_TABLE_SIZE = 1_000_000


@dataclass(frozen=True, slots=True)
class Units:
    """A text as units: where each starts, and how many tokens stand before it.

    Attributes:
        starts: n + 1 character offsets, the last one the length of the text.
        before: tokens before each unit, and the total: n + 1 numbers.
        inner: ascending indices of units that begin inside a word.
    """

    starts: list[int]
    before: list[int]
    inner: list[int]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def cuts_word(self, first: int, last: int) -> bool:
        """Whether the range holds parts of a cut word, so that its tokens must be counted anew."""
        i = bisect_left(self.inner, first)
        return i < len(self.inner) and self.inner[i] <= last


def count_tokens(text: str) -> int:
    """Number of MiniLM word pieces of the text, without special tokens.

    >>> count_tokens("Wire transfers cost $25.")
    6
    """
    return sum(_table().counts(_UNIT.findall(text)))


def split_units(text: str, max_tokens: int) -> Units:
    """The units of a text, none of more than ``max_tokens`` tokens."""
    pieces: list[str] = _UNIT.findall(text)
    table = _table()
    counts = table.counts(pieces)
    lengths = list(map(len, pieces))
    long = [
        i
        for i, length in enumerate(lengths)
        if (length > _LONG_CHARS or counts[i] > max_tokens) and not pieces[i].isspace()
    ]
    inner: list[int] = []
    if long:
        pieces, lengths, counts, inner = _take_apart(pieces, lengths, counts, long, max_tokens)
    starts = list(accumulate(lengths, initial=0))
    before = list(accumulate(counts, initial=0))
    return Units(starts, before, inner)


def _take_apart(
    pieces: list[str], lengths: list[int], counts: list[int], long: list[int], max_tokens: int
) -> tuple[list[str], list[int], list[int], list[int]]:
    table = _table()
    new_pieces: list[str] = []
    new_counts: list[int] = []
    inner: list[int] = []
    done = 0
    for i in long:
        new_pieces += pieces[done:i]
        new_counts += counts[done:i]
        for word in table.words(pieces[i]):
            parts = table.cut(word, max_tokens)
            inner += range(len(new_pieces) + 1, len(new_pieces) + len(parts))
            new_pieces += [part for part, _ in parts]
            new_counts += [count for _, count in parts]
        done = i + 1
    new_pieces += pieces[done:]
    new_counts += counts[done:]
    return new_pieces, list(map(len, new_pieces)), new_counts, inner


class _CountTable(dict[str, int]):
    """Token counts of units, filled by the tokenizer when a new unit is met."""

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401  (tokenizers ships no types)
        super().__init__()
        self._tokenizer = tokenizer

    def counts(self, pieces: list[str]) -> list[int]:
        if len(self) > _TABLE_SIZE:
            self.clear()
        new = [piece for piece in set(pieces) if piece not in self]
        if new:
            encodings = self._tokenizer.encode_batch_fast(new, add_special_tokens=False)
            self.update(zip(new, map(len, encodings), strict=True))
        return [self[piece] for piece in pieces]

    def words(self, piece: str) -> list[str]:
        """The BERT words of a unit, each with whatever stands before the next one."""
        encoding = self._tokenizer.encode(piece, add_special_tokens=False)
        starts: list[int] = []
        previous = None
        for word, (start, _) in zip(encoding.word_ids, encoding.offsets, strict=True):
            if word != previous and (not starts or start > starts[-1]):
                starts.append(start)
            previous = word
        starts = [0, *starts[1:], len(piece)]
        return [piece[a:b] for a, b in pairwise(starts)]

    def cut(self, word: str, max_tokens: int) -> list[tuple[str, int]]:
        """A word as parts within the limits, each with its own count."""
        bare = word.rstrip()
        parts = [bare[i : i + _WORD_CHARS] for i in range(0, len(bare), _WORD_CHARS)] or [""]
        parts[-1] += word[len(bare) :]
        found: list[tuple[str, int]] = []
        for part, count in zip(parts, self.counts(parts), strict=True):
            size = len(part.rstrip())
            if count <= max_tokens or size < 2:
                found.append((part, count))
            else:
                found += self.cut(part[: size // 2], max_tokens)
                found += self.cut(part[size // 2 :], max_tokens)
        return found


@cache
def _table() -> _CountTable:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return _CountTable(tokenizer)
