"""Dates: ISO, with a month's name, numeric.

A date without year is the nearest such day to the clock, or the next to come: in March, a deadline
of 2 November is the coming one, though the last one is nearer. A numeric date counts when only one
reading is possible, or the domain declares ``day_first``.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragbench.score.statements._conventions import Conventions

__all__ = ["FoundDate", "agrees", "find_dates"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
         "august aug", "september sept sep", "october oct", "november nov", "december dec"), 1
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_TH = r"(?:st|nd|rd|th)?"
_DAY = rf"(?P<day>\d{{1,2}}){_TH}"
_YEAR = r"(?:,?[\s-]+(?P<year>\d{4}|'\d{2})(?!\w)(?!\s?[%$€£¥])(?![.,:]\d))?"
_ISO = re.compile(r"(?<![\d-])(?P<year>\d{4})[-/](?P<month>\d{2})[-/](?P<day>\d{2})(?![\d/-])")
_DAY_MONTH = re.compile(rf"(?<![\w.,$€£¥]){_DAY}[\s-]+(?:of\s+)?{_MONTH}{_YEAR}(?!\w)")
_MONTH_DAY = re.compile(rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY}(?!\w)(?!\s?[%$€£¥]|[.,:/]\d){_YEAR}")
_NUMERIC = re.compile(
    r"(?<![\w./:,-])(?P<a>\d{1,2})(?P<sep>[./-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d{2})"
    r"(?![\d/-])(?!\.\d)"
)
_SHORT = re.compile(r"(?<![\w./:,$€£¥-])(?P<a>\d{2})/(?P<b>\d{2})(?![\d/%])(?![.,]\d)")
_LINK = r"\s*(?:,\s*(?:and|or)?|and|or|&|/|-|to|until|through)\s*(?:the\s+)?"
_EARLIER = re.compile(rf"(?<![\w.,$€£¥:/])(?:\d{{1,2}}{_TH}{_LINK})+$")
_EARLIER_DAY = re.compile(rf"(\d{{1,2}}){_TH}(?=\s|,|/|-|&)")
_LATER = re.compile(rf"\s*(?:-|/|to|or|and)\s*(\d{{1,2}}){_TH}(?!\w)(?![.,:/]\d)(?!\s*[%$€£¥])")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A day in a text.

    Attributes:
        years: that it can be in; none when no year was written and no clock tells it.
    """

    years: frozenset[int]
    month: int
    day: int
    start: int
    end: int

    @property
    def date(self) -> dt.date | None:
        """The day with its year, None where that is not one."""
        if len(self.years) != 1:
            return None
        return dt.date(next(iter(self.years)), self.month, self.day)


def agrees(expected: FoundDate, found: FoundDate) -> bool:
    """Whether both are one day; an unknown year agrees with any."""
    same = (expected.month, expected.day) == (found.month, found.day)
    return same and (bool(expected.years & found.years) or not (expected.years and found.years))


def find_dates(text: str, conventions: Conventions) -> list[FoundDate]:
    """Every date of a folded text, in order; ``27, 28 or 29 May`` are three."""
    found: list[FoundDate] = []
    taken: list[Span] = []
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY, _NUMERIC, _SHORT):
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            for made in _read(match, pattern, text, conventions):
                found.append(made)
                taken.append((made.start, made.end))
    return sorted(found, key=lambda one: one.start)


def _read(
    match: re.Match[str], pattern: re.Pattern[str], text: str, conventions: Conventions
) -> Iterator[FoundDate]:
    if pattern in (_NUMERIC, _SHORT):
        day_month = _numeric(int(match["a"]), int(match["b"]), conventions)
        if day_month is None or (pattern is _SHORT and conventions.today is None):
            return
        year = match["year"] if pattern is _NUMERIC else None
        yield from _made(year, day_month[1], day_month[0], match.span(), conventions)
        return
    name, year, day = match["month"], match["year"], int(match["day"])
    month = int(name) if name.isdigit() else _MONTHS[name]
    yield from _made(year, month, day, match.span(), conventions)
    if pattern is _DAY_MONTH:
        before = _EARLIER.search(text, max(0, match.start() - 60), match.start())
        for part in _EARLIER_DAY.finditer(before[0]) if before else ():
            start = before.start() + part.start() if before else 0
            span = (start, start + len(part[0]))
            yield from _made(year, month, int(part[1]), span, conventions)
    elif pattern is _MONTH_DAY and year is None:
        after = _LATER.match(text, match.end())
        if after and _ends(text, after.end()):
            yield from _made(year, month, int(after[1]), after.span(1), conventions)


def _ends(text: str, end: int) -> bool:
    """Whether no unit follows, so that the number is a day."""
    return re.match(r"\s*(?:$|[.,;:!?)]|\n|or\b|and\b|\(|is\b|in\b|at\b)", text[end:]) is not None


def _numeric(a: int, b: int, conventions: Conventions) -> tuple[int, int] | None:
    """Day and month of a numeric date; None when both orders are possible and none is declared."""
    if conventions.day_first:
        return (a, b) if b <= 12 else None
    if a == b or (a > 12 >= b):
        return a, b
    return (b, a) if b > 12 >= a else None


def _made(
    year: str | None, month: int, day: int, span: Span, conventions: Conventions
) -> Iterator[FoundDate]:
    """The date, unless there is no such day: 31 February is none, and its numbers are numbers."""
    if year is not None:
        written = int(year) if len(year) == 4 else 2000 + int(year.lstrip("'"))
        years = {written} if _day(written, month, day) else set()
    elif conventions.today is not None:
        years = _near(month, day, conventions.today)
    else:
        years = set()
    # A leap year: 29 February of an unknown year is a day.
    if years or (year is None and conventions.today is None and _day(2024, month, day)):
        yield FoundDate(frozenset(years), month, day, *span)


def _day(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def _near(month: int, day: int, today: dt.date) -> set[int]:
    """The years of the nearest such day and of the next to come; none when there is no such day."""
    around = [_day(today.year + n, month, day) for n in (-1, 0, 1)]
    days = [date for date in around if date is not None]
    if not days:
        return {today.year} if _day(2024, month, day) else set()
    nearest = min(days, key=lambda date: abs(date - today))
    coming = [date for date in days if date >= today]
    return {nearest.year, *(date.year for date in coming[:1])}
