"""Counting word pieces fast enough that chunking is not what an ingest waits for.

BERT's tokenization is local to a word: it first splits at white space and punctuation, then each
word on its own. So a text is split here into *units* at characters where BERT always splits, white
space and punctuation, and the count of a unit is looked up in a table that the tokenizer fills, all
new units of a text in one call. The sum over units equals the count of the whole text (tested
against the tokenizer), at several times the speed of encoding it. Where only a count is wanted and
no offset, the text is split at white space alone, and a table of such *words* is filled from that
of the units.

A unit is a word with the punctuation that ends it and the white space behind it. It may hold
several BERT words (``word—word``, a line of Chinese); a long one is taken apart, first at those
words, and where one word is over the limit inside it. Only boundaries of the last kind change the
count of what they separate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from ragbench.ingest.chunk._clusters import clusters, inside_clusters
from ragbench.ingest.chunk._units import Units, join_clusters
from ragbench.ingest.minilm import model_folder

__all__ = ["WordPieces", "count_tokens", "word_pieces"]

_SPACE = " \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What BERT takes for white space. Other characters that Python calls space, such as a form feed,
it deletes, which joins the words around them."""
_PUNCTUATION = r"!-/:-@\[-`{-~。！？、，；："
_UNIT = re.compile(
    rf"[^{_SPACE}{_PUNCTUATION}]+[,.;:!?)%。！？、，；：]{{0,2}}[{_SPACE}]*"
    rf"|(?:\[(?:CLS|SEP|PAD|UNK|MASK)\]|[{_PUNCTUATION}])[{_SPACE}]*"
    rf"|[{_SPACE}]+"
)
_LONG_CHARS = 32
"""Units over this length are taken apart at BERT's words, so that text without spaces has units."""
_WORD_CHARS = 64
"""A single word over this length is cut inside. BERT makes one unknown token of a word over 100
characters, so that without a cut a line of base64 would be one enormous chunk of one token."""
_TABLE_SIZE = 200_000
_BLOCK = 1 << 18
"""Characters that are counted at a time, so that memory does not grow with the text."""
_BLANK = re.compile(r"[ \n]")


class WordPieces:
    """MiniLM's word pieces, without special tokens; each count is asked of the tokenizer once."""

    additive = True

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401  (tokenizers ships no types)
        self._tokenizer = tokenizer
        self._units: dict[str, int] = {}
        self._words: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Number of word pieces of the text."""
        return self._count(text) if len(text) <= _BLOCK else sum(map(self._count, _blocks(text)))

    def _count(self, text: str) -> int:
        if _holds_deleted(text):
            return sum(self._counts(_UNIT.findall(text)))
        words = text.split()
        try:
            return sum(map(self._words.__getitem__, words))
        except KeyError:
            return sum(self._learn_words(words))

    def units(self, text: str, max_tokens: int, base: int = 0) -> Units:
        """The units of the text; see `ragbench.ingest.chunk._units.Tokenizer`."""
        pieces: list[str] = _UNIT.findall(text)
        counts = self._counts(pieces)
        lengths = list(map(len, pieces))
        inner: list[int] = []
        if pieces and (max(lengths) > _LONG_CHARS or max(counts) > max_tokens):
            long = [
                i
                for i, length in enumerate(lengths)
                if (length > _LONG_CHARS or counts[i] > max_tokens) and not pieces[i].isspace()
            ]
            pieces, counts, inner = self._take_apart(pieces, counts, long, max_tokens)
            lengths = list(map(len, pieces))
        starts = list(accumulate(lengths, initial=base))
        before = list(accumulate(counts, initial=0))
        units = Units(starts, before, [starts[i] for i in inner])
        return join_clusters(units, inside_clusters(text), max_tokens, base)

    def _counts(self, pieces: list[str]) -> list[int]:
        table = self._units
        if len(table) > _TABLE_SIZE:
            table.clear()
        try:
            return list(map(table.__getitem__, pieces))
        except KeyError:
            new = [piece for piece in set(pieces) if piece not in table]
        encodings = self._tokenizer.encode_batch_fast(new, add_special_tokens=False)
        known = dict(zip(new, map(len, encodings), strict=True))
        table.update((piece, n) for piece, n in known.items() if len(piece) <= _WORD_CHARS)
        return [table[piece] if piece in table else known[piece] for piece in pieces]

    def _learn_words(self, words: list[str]) -> list[int]:
        table = self._words
        if len(table) > _TABLE_SIZE:
            table.clear()
        new = [word for word in set(words) if word not in table]
        parts = [_UNIT.findall(word) for word in new]
        counts = iter(self._counts([part for of_word in parts for part in of_word]))
        known = {
            word: sum(next(counts) for _ in of_word)
            for word, of_word in zip(new, parts, strict=True)
        }
        table.update((word, n) for word, n in known.items() if len(word) <= _WORD_CHARS)
        return [table[word] if word in table else known[word] for word in words]

    def _take_apart(
        self, pieces: list[str], counts: list[int], long: list[int], max_tokens: int
    ) -> tuple[list[str], list[int], list[int]]:
        """Pieces and counts with the long ones in parts, and which parts begin inside a word."""
        new_pieces: list[str] = []
        new_counts: list[int] = []
        inner: list[int] = []
        done = 0
        for i in long:
            new_pieces += pieces[done:i]
            new_counts += counts[done:i]
            words = self._bert_words(pieces[i])
            for word, count in zip(words, self._counts(words), strict=True):
                parts = self._cut(word, count, max_tokens)
                inner += range(len(new_pieces) + 1, len(new_pieces) + len(parts))
                new_pieces += [part for part, _ in parts]
                new_counts += [n for _, n in parts]
            done = i + 1
        return new_pieces + pieces[done:], new_counts + counts[done:], inner

    def _bert_words(self, piece: str) -> list[str]:
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

    def _cut(self, word: str, count: int, max_tokens: int) -> list[tuple[str, int]]:
        """A word as parts within the limits, each with its own count."""
        bare = word.rstrip()
        if not bare or (len(word) <= _WORD_CHARS and count <= max_tokens):
            return [(word, count)]
        parts = _grouped(clusters(bare))
        found: list[tuple[str, int]] = []
        for part, n in zip(parts, self._counts(["".join(part) for part in parts]), strict=True):
            found += self._halve(part, n, max_tokens)
        return [*found[:-1], (found[-1][0] + word[len(bare) :], found[-1][1])]

    def _halve(self, part: list[str], count: int, max_tokens: int) -> list[tuple[str, int]]:
        """A list of clusters in halves until each is within the limit."""
        if count <= max_tokens or len("".join(part)) == 1:
            return [("".join(part), count)]
        part = part if len(part) > 1 else list(part[0])
        found: list[tuple[str, int]] = []
        for half in (part[: len(part) // 2], part[len(part) // 2 :]):
            found += self._halve(half, self._counts(["".join(half)])[0], max_tokens)
        return found


def _grouped(parts: list[str]) -> list[list[str]]:
    """Neighbouring parts together, up to the length of a word."""
    groups: list[list[str]] = []
    length = _WORD_CHARS
    for part in parts:
        if length + len(part) > _WORD_CHARS:
            groups.append([])
            length = 0
        groups[-1].append(part)
        length += len(part)
    return groups


def _holds_deleted(text: str) -> bool:
    """Whether `str.split` would split where BERT does not; written out, as it is asked often."""
    return (
        "\x0c" in text
        or "\x0b" in text
        or "\x1c" in text
        or "\x1d" in text
        or "\x1e" in text
        or "\x1f" in text
        or "\x85" in text
    )


def _blocks(text: str) -> Iterator[str]:
    """The text in blocks that end before white space."""
    start = 0
    while start < len(text):
        match = _BLANK.search(text, start + _BLOCK)
        end = match.start() if match else len(text)
        yield text[start:end]
        start = end


def count_tokens(text: str) -> int:
    """Number of MiniLM word pieces of the text, without special tokens.

    >>> count_tokens("Wire transfers cost $25.")
    6
    """
    return word_pieces().count(text)


@cache
def word_pieces() -> WordPieces:
    """The tokenizer of the default model, loaded once."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return WordPieces(tokenizer)
