"""A wanted value, and every place of a text at which it, or another of its kind, stands."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ragbench.score.statements import codes, dates, numbers, times
from ragbench.score.statements._conventions import Conventions
from ragbench.score.statements._reading import Reading
from ragbench.score.statements.texts import find_text

__all__ = ["Mention", "Wanted", "mentions", "wanted"]

_NO_UNITS = frozenset(("", *"to or and through until till is are was were on at in for of".split()))
"""Words behind a number that are not what it counts."""

Kind = Literal["date", "time", "code", "quantity", "text"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value that an agent is to state, as it is looked for."""

    kind: Kind
    text: str
    date: dates.FoundDate | None = None
    time: times.FoundTime | None = None
    quantity: numbers.Quantity | None = None
    one_way: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place at which the wanted value or another of its kind stands.

    Attributes:
        value: how the value is told from others.
        agrees: whether it is the wanted one.
        loose: a number without unit, which is of the kind only beside another: ``10`` in
            ``10-20 days``.
    """

    start: int
    end: int
    value: object
    agrees: bool
    loose: bool = False


@functools.lru_cache(maxsize=4096)
def wanted(info: str, conventions: Conventions) -> Wanted:
    """Read a value: a date, a time, a code, a quantity, or else a text."""
    reading = Reading(info.rstrip(" ."), conventions)
    text, whole = reading.text, (0, len(reading.text))
    found = reading.dates
    if len(found) == 1 and (found[0].start, found[0].end) == whole:
        return Wanted("date", text, date=found[0])
    clock = reading.times
    if len(clock) == 1 and (clock[0].start, clock[0].end) == whole and clock[0].certain:
        return Wanted("time", text, time=_on_the_clock(clock[0]))
    if codes.is_code(text):
        return Wanted("code", text)
    quantity = numbers.whole_quantity(text)
    if quantity is not None:
        return Wanted("quantity", text, quantity=quantity)
    return Wanted("text", text, one_way=reading.one_way)


def _on_the_clock(time: times.FoundTime) -> times.FoundTime:
    """A wanted time has one reading: without half of the day, that of 24 hours."""
    return replace(time, minutes=frozenset({min(time.minutes)}))


def mentions(want: Wanted, reading: Reading) -> tuple[str, list[Mention]]:
    """The text to look at, and in it every place of the value and of others of its kind."""
    if want.kind == "text":
        spans = find_text(want.text, reading.text)
        text = reading.text
        if not spans and want.one_way != want.text:
            text = reading.one_way
            spans = find_text(want.one_way, text)
        return text, [Mention(*span, want.text, True) for span in spans]
    return reading.text, sorted(_valued(want, reading), key=lambda one: one.start)


def _valued(want: Wanted, reading: Reading) -> Iterator[Mention]:
    if want.date is not None:
        for date in reading.dates:
            key = (date.years, date.month, date.day)
            yield Mention(date.start, date.end, key, dates.agrees(want.date, date))
    elif want.time is not None:
        for time in reading.times:
            same = times.agrees(want.time, time)
            yield Mention(time.start, time.end, min(time.minutes), same)
    elif want.quantity is not None:
        yield from _counted(want.quantity, reading)
    else:
        for code in codes.find_codes(reading.text, want.text):
            yield Mention(code.start, code.end, code.code, code.code == _plain(want.text))


def _counted(quantity: numbers.Quantity, reading: Reading) -> Iterator[Mention]:
    for found in reading.quantities:
        bare = found.is_words and found.unit.partition(" ")[0] in _NO_UNITS
        same = quantity.value == found.value
        if not quantity.unit and found.start not in reading.spoken:
            loose = not (same or bare)
            yield Mention(found.start, found.end, found.value, same, loose=loose)
        elif quantity.unit and numbers.same_kind(quantity, found):
            yield Mention(found.start, found.end, found.value, same)
        elif bare:
            yield Mention(found.start, found.end, found.value, False, loose=True)


def _plain(code: str) -> str:
    return code.replace("-", "").replace(" ", "")
