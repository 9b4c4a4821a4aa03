"""The tokens that BM25 counts.

==================  ==============================================================================
words               compatibility forms and case folded (``ＦＥＥ`` is ``fee``), without stop words,
                    stemmed; at an apostrophe a clitic is dropped (``customer's`` is ``custom``)
                    and the rest is two words (``o'brien``)
numbers             without thousands separators and without zeros at the end of a fraction:
                    ``$1,250.00``, ``1,250`` and ``1250`` are one token, as are ``2.50`` and
                    ``2.5``; a comma separates thousands, a point the fraction
codes               a word with ``_``, or with a digit and ``_`` or ``-`` between its parts, whole
                    and then in parts: ``open_account_4821`` is that, ``open``, ``account``,
                    ``4821``; a word with digits (``w2``, ``3rd``) is whole and not stemmed
unspaced scripts    Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese: pairs of neighbouring
                    characters, and a character that stands alone
==================  ==============================================================================
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache
from importlib.metadata import version
from typing import Any

from ragbench.ingest.chunk import folded

__all__ = ["STOP_LISTS", "Tokenizer", "check_language", "stop_digest", "tokenizer"]

STOP_LISTS = {
    "chinese": "STOPWORDS_CHINESE",
    "danish": "STOPWORDS_DANISH",
    "dutch": "STOPWORDS_DUTCH",
    "english": "STOPWORDS_EN_PLUS",
    "english_short": "STOPWORDS_EN",
    "french": "STOPWORDS_FRENCH",
    "german": "STOPWORDS_GERMAN",
    "italian": "STOPWORDS_ITALIAN",
    "korean": "STOPWORDS_KOREAN",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "russian": "STOPWORDS_RUSSIAN",
    "spanish": "STOPWORDS_SPANISH",
    "swedish": "STOPWORDS_SWEDISH",
    "turkish": "STOPWORDS_TURKISH",
}
"""Languages with a list of stop words, and its name in bm25s.

``english`` has 174 words, ``i``, ``you``, ``do`` and ``how`` among them; ``english_short`` Lucene's
33. The longer one finds at least as much on every question set tried, and far more where the
question is long (docs/components.md has the figures).
"""
_NAMES = frozenset({"d", "m", "ma", "o", "y"})
"""Rests of clitics on bm25s's longer English list (``you'd``, ``y'all``) that are words here: the
tokenizer drops a clitic itself, and these name something: ``Schedule D``, ``O'Brien``."""

_UNSPACED = (
    "\u0e01-\u0e3e\u0e40-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17d3"  # Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3105-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\uac00-\ud7a3"  # Korean
)
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_JOINT = re.compile(r"[-_]+")
_LONGEST_CLITIC = 2
_PUNCTUATION = {
    **dict.fromkeys(map(ord, "‘’"), "'"),
    **dict.fromkeys(map(ord, "–—“”•…"), " "),
}
"""Typographic marks as plain ones, which also leaves most texts plain."""
TOKENS_VERSION = 1
"""Counts up whenever a text gives other tokens; tokens that were stored are then made anew."""
_PROBE = (
    *("wirings", "customer's", "o'brien", "accounts", "$1,250.00", "2.50", "3rd", "w2"),
    *(
        "open_account_4821",
        "ISO-9001",
        "ＦＥＥ",
        "ﬁne",
        "co\u00adop",
        "Straße",
        "l’été",
        "振込手数料",
    ),
    *("ธนาคาร", "5–7", "x²", "naïve", "NOT", "the"),
)
"""Words of each kind; should somebody forget to count up, most changes still show in these."""
_MOST_WORDS = 500_000
"""Words that a tokenizer remembers."""
_LAST_SPACED = 0x1FFFF
"""Beyond stand Chinese characters, and nothing else that words are made of."""


class Tokenizer:
    """Text to tokens; equal for passages and queries.

    Args:
        stem: a language that Snowball stems, None to leave words as they are.
        stop: a language of `STOP_LISTS`, None to keep all words.

    >>> text = "Wiring $1,250.00 costs the customer's bank 25.5, see open_account_4821"
    >>> Tokenizer("english", "english").tokens(text)
    ['wire', '1250', 'cost', 'custom', 'bank', '25.5', 'see',
     'open_account_4821', 'open', 'account', '4821']
    """

    def __init__(self, stem: str | None, stop: str | None) -> None:
        self._stop = _stop_words(stop) if stop is not None else frozenset()
        self._stemmer = _stemmer(stem) if stem is not None else None
        self._known: dict[str, tuple[str, ...]] = {}

    @property
    def identity(self) -> str:
        """Hash of what the tokens of a text depend on."""
        parts = [
            *(str(TOKENS_VERSION), version("PyStemmer"), unicodedata.unidata_version),
            *([] if self._stemmer is None else self._stemmer.stemWords(list(_PROBE))),
            *sorted(self._stop),
            *self.tokens(" ".join(_PROBE)),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def tokens(self, text: str) -> list[str]:
        """The tokens in the order of the text."""
        known = self._known
        found: list[str] = []
        plain = folded(text).casefold()
        if not plain.isascii():
            plain = plain.translate(_PUNCTUATION)
        # The same pattern with fewer letters takes a sixth of the time.
        pattern = _pattern("a-z0-9_" if plain.isascii() else _letters())
        for piece in pattern.findall(plain):
            tokens = known.get(piece)
            if tokens is None:
                if len(known) > _MOST_WORDS:
                    known.clear()
                tokens = known[piece] = self._tokens_of(piece)
            found += tokens
        return found

    def _tokens_of(self, piece: str) -> tuple[str, ...]:
        if _NUMBER.fullmatch(piece):
            return (_plain_number(piece),)
        if _UNSPACED_RUN.fullmatch(piece):
            return tuple(piece[i : i + 2] for i in range(max(1, len(piece) - 1)))
        parts = [part for part in _JOINT.split(piece) if part]
        tokens = [token for part in parts for token in self._words(part)]
        if len(parts) > 1 and ("_" in piece or any(map(str.isdigit, piece))):
            tokens.insert(0, piece.strip("-_"))
        return tuple(tokens)

    def _words(self, part: str) -> list[str]:
        """Words of a piece without joints; one with a digit is not stemmed."""
        if any(map(str.isdigit, part)):
            return [part]
        first, *rest = part.split("'")
        words = [first, *(word for word in rest if len(word) > _LONGEST_CLITIC)]
        return [self._stemmed(word) for word in words if word and word not in self._stop]

    def _stemmed(self, word: str) -> str:
        if self._stemmer is None:
            return word
        stemmed: str = self._stemmer.stemWord(word)
        return stemmed


@cache
def tokenizer(stem: str | None, stop: str | None) -> Tokenizer:
    """The tokenizer of these languages, made once: it remembers the tokens of each word."""
    return Tokenizer(stem, stop)


def check_language(stem: str | None, stop: str | None) -> None:
    """Raise ValueError when there is no stemmer, or no list of stop words, of the language."""
    import Stemmer

    if stem is not None and stem not in Stemmer.algorithms():
        raise ValueError(
            f"no stemmer is called {stem!r}; known: {', '.join(Stemmer.algorithms())}, none"
        )
    if stop is not None and stop not in STOP_LISTS:
        raise ValueError(
            f"there are no stop words of {stop!r}; known: {', '.join(STOP_LISTS)}, none"
        )


def _plain_number(piece: str) -> str:
    plain = piece.replace(",", "")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


@cache
def _pattern(letters: str) -> re.Pattern[str]:
    """A number, a run of an unspaced script, or a word with its joints and apostrophes."""
    letter = f"[{letters}]"
    return re.compile(
        rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?!{letter})|\d+\.\d+(?!{letter})"
        rf"|\d+(?!{letter}|[-_]{letter})"
        rf"|{letter}+(?:['-]{letter}+)*"
        rf"|[{_UNSPACED}]+"
    )


@cache
def _letters() -> str:
    r"""What words are made of, as ranges: letters, digits, ``_`` and combining marks.

    A class of ranges is several times as fast as an alternation with the marks, which ``\w`` lacks.
    """
    unspaced, ranges, start = _UNSPACED_RUN, [], None
    for code in range(_LAST_SPACED + 2):
        character = chr(code)
        inside = code <= _LAST_SPACED and (
            character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
        )
        inside = inside and not unspaced.match(character)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f"{chr(start)}-{chr(code - 1)}")
            start = None
    return "".join(ranges)


@cache
def _stop_words(language: str) -> frozenset[str]:
    from bm25s import stopwords

    words: tuple[str, ...] = getattr(stopwords, STOP_LISTS[language])
    plain = frozenset(folded(word).casefold() for word in words)
    return plain - _NAMES if language == "english" else plain


def stop_digest(language: str | None) -> str:
    """Eight hexadecimal digits of the language's stop words, ``none`` without any.

    >>> stop_digest(None)
    'none'
    """
    if language is None:
        return "none"
    words = "\n".join(sorted(_stop_words(language)))
    return hashlib.sha256(words.encode()).hexdigest()[:8]


def _stemmer(language: str) -> Any:  # noqa: ANN401  (PyStemmer ships no types)
    import Stemmer

    return Stemmer.Stemmer(language)
