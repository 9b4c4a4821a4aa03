"""A text read once: its folded form, its dates, times and quantities, its sentences."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ragbench.score.statements._conventions import NO_CONVENTIONS, Conventions
from ragbench.score.statements._fold import fold
from ragbench.score.statements._spoken import figured
from ragbench.score.statements.dates import FoundDate, find_dates
from ragbench.score.statements.numbers import Quantity, find_quantities
from ragbench.score.statements.times import FoundTime, find_times

__all__ = ["Facts", "Reading", "facts_in", "sentence_ends"]

Span = tuple[int, int]

_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\b[ap]\.m)(?<!\bno)(?<!\brs)(?<!\bfr)(?<!\bapprox)(?<!\bm[rs])"
    r"(?<!\bmrs)(?<!\bdr)(?<!\bst)(?:[.!?]+|…)[\"')\]]*(?=\s|$)"
    r"|(?<=\b[ap]\.m)\.(?=\s(?:it|the|you|i|we|please|that|this|there|if|no|not|sorry|actually)\b)"
    r"|;|\n"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a text states, read once.

    Attributes:
        text: the text folded: case, width, white space, emphasis and typographic marks.
        quantities: value, unit (a currency code, ``%`` or the words that follow), and where the
            quantity stands in ``text``.
        dates: dates with a year, and where they stand.
    """

    text: str
    quantities: tuple[tuple[Decimal, str, Span], ...]
    dates: tuple[tuple[dt.date, Span], ...]


class Reading:
    """A text with what stands in it; everything is read when it is first asked for.

    Args:
        text: the text as it was said.
        conventions: how its values are to be read.

    Attributes:
        text: the text folded, synonyms unified, number words in figures.
        spoken: positions of numbers that were words.
    """

    def __init__(self, text: str, conventions: Conventions = NO_CONVENTIONS) -> None:
        self._conventions = conventions
        self.text, spoken = figured(conventions.unified(fold(text)))
        self.spoken = frozenset(spoken)

    @cached_property
    def dates(self) -> list[FoundDate]:
        """Its dates."""
        return find_dates(self.text, self._conventions)

    @cached_property
    def times(self) -> list[FoundTime]:
        """Its times of day."""
        return find_times(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its numbers; a bare ``one`` is a pronoun more often than a number."""
        taken = [(date.start, date.end) for date in self.dates]
        taken += [(time.start, time.end) for time in self.times if time.certain]
        return [
            one
            for one in find_quantities(self.text, taken)
            if one.unit or one.label or one.start not in self.spoken
        ]

    @cached_property
    def sentence_ends(self) -> list[int]:
        """Where its sentences end; lines and what stands between semicolons are sentences too."""
        return sentence_ends(self.text)

    @cached_property
    def one_way(self) -> str:
        """The text with every date as ISO, every number as value and currency code or ``%``."""
        found: list[tuple[Span, str]] = []
        for date in self.dates:
            year = max(date.years, default=0)  # of two, the one to come
            found.append(((date.start, date.end), f"{year:04}-{date.month:02}-{date.day:02}"))
        for one in self.quantities:
            value = f"{one.value.normalize():f}"
            written = value if one.is_words else f"{value} {one.unit}"
            found.append(((one.start, one.end), written))
        text = self.text
        for (start, end), written in sorted(found, reverse=True):
            text = f"{text[:start]}{written}{text[end:]}"
        return text


def sentence_ends(text: str) -> list[int]:
    """Where the sentences of a folded text end.

    >>> sentence_ends("it is $1.50. no; yes")
    [12, 16, 20]
    """
    ends = [match.end() for match in _END.finditer(text)]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


def facts_in(text: str) -> Facts:
    """Every quantity and date of a text, numbers in figures alone.

    >>> facts_in("It is $35 until 3 March 2026").quantities
    ((Decimal('35'), 'usd', (6, 9)),)
    """
    folded = fold(text).replace("\n", " ")
    dates = find_dates(folded, NO_CONVENTIONS)
    taken = [(date.start, date.end) for date in dates]
    taken += [(time.start, time.end) for time in find_times(folded) if time.certain]
    quantities = find_quantities(folded, taken)
    return Facts(
        folded,
        tuple((one.value, one.unit, (one.start, one.end)) for one in quantities),
        tuple((one.date, (one.start, one.end)) for one in dates if one.date is not None),
    )
