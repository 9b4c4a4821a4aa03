"""The documents as passages: sentences and table rows, indexed by their words and their values.

Every question asked here is answered from an index that is built once per domain, so that its cost
grows with the text and with the number of questions, not with their product.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import ceil

from ragbench.records import Document
from ragbench.retrieval import Tokenizer
from ragbench.score import Facts, facts_in
from ragbench.validate._values import Value, places_of

__all__ = ["ALIKE", "Corpus", "Segment", "content_words", "likeness", "segments_of"]

ALIKE = 0.8
"""From which likeness on two passages are alike: Dice coefficient of their words, in [0, 1]."""
_AROUND = 150
"""Characters on either side of a value that count as near it."""
_BLOCK = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?])[\"”’')\]]*\s+(?=[\"“‘(]?[A-Z0-9£$€])")
_FULL_LINE = 0.75
"""A line that is shorter than this share of the document's usual longest lines ends a passage."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, a row of a table, or a short line.

    Attributes:
        words: its content words, stemmed; without figures.
        numbers: its quantities, with their unit when that is a currency or ``%``.
        dates: its dates.
        codes: words with digits in them, such as ``fx-07``.
    """

    doc_id: str
    text: str
    words: frozenset[str]
    numbers: frozenset[tuple[Decimal, str]]
    dates: frozenset[dt.date]
    codes: frozenset[str]

    @property
    def tokens(self) -> frozenset[str]:
        """Words, figures and codes together."""
        return self.words | self.codes | {str(number) for number, _ in self.numbers}


_FILLER = frozenset(
    """
    about after again also am any because been before being between both can cannot could did do
    does doing done each either from get gets give given gives go goes had has have having he her
    here him his how i its itself just may me might more most must my neither nor of off on once
    only other our out over own per same shall she should since so some still than them themselves
    too under until up upon us very was we were what when where whether which while who whom whose
    why will within would yet you your
    """.split()
)
"""Words that say nothing about what a passage is about, beyond the stop words of retrieval."""


class Corpus:
    """The documents of a domain, ready to be asked.

    Args:
        documents: loaded documents by id.
    """

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents = documents
        self._facts: dict[str, Facts] = {}
        self._segments: list[Segment] | None = None
        self._by_word: dict[str, list[int]] = {}
        self._by_number: dict[Decimal, dict[str, None]] | None = None
        self._found: dict[Value, list[tuple[str, str]]] = {}

    def facts(self, doc_id: str) -> Facts:
        """What the document states."""
        if doc_id not in self._facts:
            self._facts[doc_id] = facts_in(self.documents[doc_id].text)
        return self._facts[doc_id]

    @property
    def segments(self) -> list[Segment]:
        """Every passage of every document, in order."""
        if self._segments is None:
            self._segments = [
                segment
                for doc_id, document in self.documents.items()
                for segment in segments_of(document.text, doc_id)
            ]
            index: dict[str, list[int]] = defaultdict(list)
            for number, segment in enumerate(self._segments):
                for token in segment.tokens:
                    index[token].append(number)
            self._by_word = dict(index)
        return self._segments

    def near(self, value: Value) -> list[tuple[str, str]]:
        """Every document that states the value, with the text around it, one entry per place."""
        if value not in self._found:
            found = []
            for doc_id in self._candidates(value):
                facts = self.facts(doc_id)
                for start, end in places_of(facts, value):
                    found.append((doc_id, facts.text[max(0, start - _AROUND) : end + _AROUND]))
            self._found[value] = found
        return self._found[value]

    def _candidates(self, value: Value) -> list[str]:
        if value.number is None:
            return list(self.documents)
        if self._by_number is None:
            index: dict[Decimal, dict[str, None]] = defaultdict(dict)
            for doc_id in self.documents:
                for number, unit, _ in self.facts(doc_id).quantities:
                    index[number][doc_id] = None
                    if unit == "%":
                        index[number / 100][doc_id] = None
            self._by_number = dict(index)
        return list(self._by_number.get(value.number, ()))

    def alike(self, segment: Segment) -> Iterator[Segment]:
        """The passages whose likeness to this one is at least `ALIKE`.

        A passage as like as that shares at least two thirds of the tokens, so that it holds one of
        the rarest third of them: only those are looked up.
        """
        passages, tokens = self.segments, segment.tokens
        shared = ceil(len(tokens) * ALIKE / (2 - ALIKE))
        rarest = sorted(tokens, key=lambda token: (len(self._by_word.get(token, ())), token))
        numbers: dict[int, None] = {}
        for token in rarest[: len(tokens) - shared + 1]:
            numbers.update(dict.fromkeys(self._by_word.get(token, ())))
        for number in numbers:
            if likeness(tokens, passages[number].tokens) >= ALIKE:
                yield passages[number]


def likeness(left: frozenset[str], right: frozenset[str]) -> float:
    """2 |left ∩ right| / (|left| + |right|), in [0, 1]; 0 when both are empty."""
    size = len(left) + len(right)
    return 2 * len(left & right) / size if size else 0.0


def content_words(text: str) -> frozenset[str]:
    """The stems of a text without stop words and without figures.

    >>> sorted(content_words("Does the fee of $35 count for gardens?"))
    ['count', 'fee', 'garden']
    """
    return frozenset(filter(_is_content, _tokenizer().tokens(text)))


def segments_of(text: str, doc_id: str = "") -> Iterator[Segment]:
    """The passages of a text: sentences, rows of tables, short lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    usual = sorted(len(line) for line in lines)[int(len(lines) * 0.9)] if lines else 0
    for block in _BLOCK.split(text):
        for joined in _joined(block.splitlines(), _FULL_LINE * usual):
            for sentence in _SENTENCE.split(joined):
                if sentence.strip():
                    yield _segment(" ".join(sentence.split()), doc_id)


def _joined(lines: list[str], full: float) -> Iterator[str]:
    """Lines put together where one was only broken; rows and short lines stand alone."""
    held: list[str] = []
    for line in lines:
        if " | " in line:
            yield from (" ".join(held), line) if held else (line,)
            held = []
            continue
        held.append(line)
        if len(line) < full or line.rstrip().endswith((".", "!", "?", ":")):
            yield " ".join(held)
            held = []
    if held:
        yield " ".join(held)


def _segment(text: str, doc_id: str) -> Segment:
    facts = facts_in(text)
    tokens = _tokenizer().tokens(text)
    return Segment(
        doc_id=doc_id,
        text=text,
        words=frozenset(filter(_is_content, tokens)),
        numbers=frozenset(
            (number, unit if unit == "%" or _is_currency(unit) else "")
            for number, unit, _ in facts.quantities
        ),
        dates=frozenset(date for date, _ in facts.dates),
        codes=frozenset(t for t in tokens if _has_digit(t) and not t.replace(".", "").isdigit()),
    )


def _is_currency(unit: str) -> bool:
    return unit in {"usd", "eur", "gbp", "jpy", "chf", "cad", "aud"}


def _is_content(token: str) -> bool:
    return not _has_digit(token) and token not in _filler()


@cache
def _filler() -> frozenset[str]:
    """The filler as it stands among tokens: stemmed."""
    return frozenset(_tokenizer().tokens(" ".join(_FILLER)))


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


@cache
def _tokenizer() -> Tokenizer:
    return Tokenizer("english", "english")
