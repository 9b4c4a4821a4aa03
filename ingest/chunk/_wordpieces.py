"""Counting word pieces fast enough that chunking is not what an ingest waits for.

BERT's tokenization is local to a word: it first splits at white space and punctuation, then each
word on its own. So a text is split at white space, and the tokens of each word are looked up in a
table. What is not in it yet is counted from the vocabulary where the word is plain ASCII; of any
other the *pieces* (BERT's words, nearly) are looked up in a second table, which the tokenizer
fills, many new pieces in one call. The sum equals the count of the whole text (tested against the
tokenizer), at several times the speed of encoding it.

A *unit* is a word with the white space behind it. One that is long, as every line of Chinese is, is
taken apart, first at BERT's words, and where one of those is over the limit inside it. Only
boundaries of the last kind change the count of what they separate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, islice, pairwise
from typing import Any

from ragbench.ingest.chunk._clusters import clusters, inside_clusters
from ragbench.ingest.chunk._longest_match import LongestMatch, is_plain
from ragbench.ingest.chunk._spaces import SPACE, blocks_of, word_starts, words_of
from ragbench.ingest.chunk._table import Table
from ragbench.ingest.chunk._units import Units, join_clusters
from ragbench.ingest.minilm import model_folder

__all__ = ["WordPieces", "count_tokens", "word_pieces"]

_PUNCTUATION = r"!-/:-@\[-`{-~。！？、，；："
_PIECE = re.compile(
    rf"[^{SPACE}{_PUNCTUATION}]+[{SPACE}]*"
    rf"|(?:\[(?:CLS|SEP|PAD|UNK|MASK)\]|[{_PUNCTUATION}])[{SPACE}]*"
    rf"|[{SPACE}]+"
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]|[^\u3400-\u4dbf\u4e00-\u9fff]+")
"""Each of these characters is a word to BERT."""
_LONG_CHARS = 32
"""Units over this length are taken apart at BERT's words, so that text without spaces has units."""
_LONG_TOKENS = 16
"""So are those of more tokens."""
_WORD_CHARS = 64
"""A single word over this length is cut inside. BERT makes one unknown token of a word over 100
characters, so that without a cut a line of base64 would be one enormous chunk of one token."""
_UNKNOWN_CHARS = 100
"""BERT makes one token, the unknown one, of a longer word."""
_NOT_PLAIN = -1
_TOGETHER = 32
"""Texts whose words are looked up together."""
_LONG_TEXT = 100_000
"""Characters of a text over which its words are looked up in blocks."""


class WordPieces:
    """MiniLM's word pieces, without special tokens; each count is asked of the tokenizer once."""

    additive = True

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401  (tokenizers ships no types)
        self._tokenizer = tokenizer
        self._words = Table(self._count_new)
        self._pieces = Table(self._encode)
        self._plain = LongestMatch(tokenizer.get_vocab(with_added_tokens=False))

    def count(self, text: str) -> int:
        """Number of word pieces of the text."""
        return sum(self._words.sums([words_of(block)])[0] for block in blocks_of(text))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """Number of word pieces of each text."""
        found: list[int] = []
        for at in range(0, len(texts), _TOGETHER):
            some = texts[at : at + _TOGETHER]
            if max(map(len, some)) > _LONG_TEXT:
                found += map(self.count, some)
            else:
                found += self._words.sums(list(map(words_of, some)))
        return found

    def forget(self) -> None:
        """Empty the tables, as when the process began."""
        self._words.clear()
        self._pieces.clear()
        self._plain.clear()

    def units(self, text: str, max_tokens: int, base: int = 0) -> Units:
        """The units of the text; see `ragbench.ingest.chunk._units.Tokenizer`."""
        import numpy as np

        words = words_of(text)
        if not words:
            return Units([base, base + len(text)] if text else [base], [0] * (1 + bool(text)), [])
        starts = word_starts(text)
        offsets: list[int] = starts.tolist()
        counts = [0] * (len(offsets) - 1 - len(words)) + self._words.counts(words)
        long = set(np.flatnonzero(np.diff(starts) > _LONG_CHARS).tolist())
        most = min(_LONG_TOKENS, max_tokens)
        if max(counts) > most:
            long.update(i for i, count in enumerate(counts) if count > most)
        inner: list[int] = []
        if long:
            offsets, counts, inner = self._take_apart(
                text, offsets, counts, sorted(long), max_tokens
            )
        before = list(accumulate(counts, initial=0))
        if base:
            offsets = [base + offset for offset in offsets]
        units = Units(offsets, before, [base + offset for offset in inner])
        return join_clusters(units, inside_clusters(text), max_tokens, base)

    def _count_new(self, words: list[str]) -> list[int]:
        plain = self._plain.count
        counts = [plain(word) if is_plain(word) else _NOT_PLAIN for word in words]
        if _NOT_PLAIN in counts:
            others = [at for at, count in enumerate(counts) if count == _NOT_PLAIN]
            found = self._count_others([words[at] for at in others])
            for at, count in zip(others, found, strict=True):
                counts[at] = count
        return counts

    def _count_others(self, words: list[str]) -> list[int]:
        """Number of word pieces of words that only the tokenizer knows to normalise."""
        parts = [_PIECE.findall(word) for word in words]
        flat = [part for of_word in parts for part in of_word]
        counts = iter(self._pieces.counts(flat))
        return [sum(islice(counts, len(of_word))) for of_word in parts]

    def _encode(self, pieces: list[str]) -> list[int]:
        if max(map(len, pieces), default=0) > _UNKNOWN_CHARS:  # not to encode megabytes
            pieces = ["?" if _is_unknown(piece) else piece for piece in pieces]
        return list(map(len, self._tokenizer.encode_batch_fast(pieces, add_special_tokens=False)))

    def _take_apart(
        self, text: str, starts: list[int], counted: list[int], long: list[int], max_tokens: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Offsets and counts with long units in parts, and which offsets are inside a word."""
        offsets: list[int] = []
        counts: list[int] = []
        inner: list[int] = []
        done = 0
        for i in long:
            offsets += starts[done:i]
            counts += counted[done:i]
            at = starts[i]
            words = self._bert_words(text[at : starts[i + 1]])
            for word, count in zip(words, self._words.counts(words), strict=True):
                if len(word) <= _WORD_CHARS and count <= max_tokens:
                    offsets.append(at)
                    counts.append(count)
                    at += len(word)
                    continue
                for n, (part, n_tokens) in enumerate(self._cut(word, count, max_tokens)):
                    offsets.append(at)
                    counts.append(n_tokens)
                    inner += [at] if n else []
                    at += len(part)
            done = i + 1
        return offsets + starts[done:], counts + counted[done:], inner

    def _bert_words(self, unit: str) -> list[str]:
        """The BERT words of a unit, each with whatever stands before the next one."""
        if unit.isascii():
            return _PIECE.findall(unit)
        found: list[str] = []
        for part in _HAN.findall(unit):
            found += [part] if len(part) == 1 else self._asked_words(part)
        return found

    def _asked_words(self, unit: str) -> list[str]:
        """The BERT words as the tokenizer finds them."""
        encoding = self._tokenizer.encode(unit, add_special_tokens=False)
        starts: list[int] = []
        previous = None
        for word, (start, _) in zip(encoding.word_ids, encoding.offsets, strict=True):
            if word != previous and (not starts or start > starts[-1]):
                starts.append(start)
            previous = word
        starts = [0, *starts[1:], len(unit)]
        return [unit[a:b] for a, b in pairwise(starts)]

    def _cut(self, word: str, count: int, max_tokens: int) -> list[tuple[str, int]]:
        """A word as parts within the limits, each with its own count."""
        bare = word.rstrip()
        if not bare or (len(word) <= _WORD_CHARS and count <= max_tokens):
            return [(word, count)]
        parts = _grouped(bare)
        found: list[tuple[str, int]] = []
        for part, n_tokens in zip(parts, self._words.counts(parts), strict=True):
            found += self._halved(part, n_tokens, max_tokens)
        return [*found[:-1], (found[-1][0] + word[len(bare) :], found[-1][1])]

    def _halved(self, part: str, count: int, max_tokens: int) -> list[tuple[str, int]]:
        """A part in halves until each is within the limit."""
        if count <= max_tokens or len(part) == 1:
            return [(part, count)]
        pieces = clusters(part)
        pieces = pieces if len(pieces) > 1 else list(part)
        middle = len(pieces) // 2
        halves = ["".join(pieces[:middle]), "".join(pieces[middle:])]
        counts = self._words.counts(halves)
        found = [self._halved(half, n, max_tokens) for half, n in zip(halves, counts, strict=True)]
        return found[0] + found[1]


def _grouped(word: str) -> list[str]:
    """A word in parts of up to `_WORD_CHARS`, cut between clusters."""
    if word.isascii():
        return [word[i : i + _WORD_CHARS] for i in range(0, len(word), _WORD_CHARS)]
    groups: list[list[str]] = []
    length = _WORD_CHARS
    for cluster in clusters(word):
        if length + len(cluster) > _WORD_CHARS:
            groups.append([])
            length = 0
        groups[-1].append(cluster)
        length += len(cluster)
    return ["".join(group) for group in groups]


def _is_unknown(piece: str) -> bool:
    """Whether it is surely one token, the unknown one."""
    return len(piece) > _UNKNOWN_CHARS and piece.isascii() and piece.isalnum()


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
