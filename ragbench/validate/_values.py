"""Values as the scorer compares them, and whether a text states one.

A value is a number (with a unit when it was written with one), a date, or words. Reading a text is
`ragbench.score.facts_in`'s; here is only what is asked of it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ragbench.score import Facts, facts_in, in_figures

__all__ = ["Value", "leaves", "number_value", "places_of", "spoken_facts", "states", "value_of"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Value:
    """One of ``number``, ``date`` and ``text`` is set; ``unit`` is empty where none was written."""

    number: Decimal | None = None
    unit: str = ""
    date: dt.date | None = None
    text: str = ""


def value_of(raw: Any) -> Value | None:  # noqa: ANN401  (any JSON scalar)
    """The value of an argument or a statement; None for what says nothing by itself.

    >>> value_of("£28.48").number, value_of("2026-03-03").date, value_of("FX-07").text
    (Decimal('28.48'), datetime.date(2026, 3, 3), 'fx-07')
    >>> value_of(True), value_of("")
    (None, None)
    """
    if raw is None or isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        return number_value(raw)
    facts = facts_in(str(raw))
    text = facts.text.rstrip(" .")
    if not text:
        return None
    if len(facts.dates) == 1 and facts.dates[0][1] == (0, len(text)):
        return Value(date=facts.dates[0][0])
    if len(facts.quantities) == 1:
        number, unit, (start, end) = facts.quantities[0]
        rest = text[end:].strip(" -)")
        if start == 0 and rest in ("", unit):
            return Value(number=number, unit=unit)
    return Value(text=text)


def number_value(raw: float) -> Value:
    """A number without unit."""
    return Value(number=Decimal(str(raw)))


def leaves(raw: Any) -> Iterator[Any]:  # noqa: ANN401  (any JSON value)
    """The scalars of a JSON value.

    >>> list(leaves({"a": [1, "x"], "b": None}))
    [1, 'x', None]
    """
    if isinstance(raw, dict):
        for inner in raw.values():
            yield from leaves(inner)
    elif isinstance(raw, list | tuple):
        for inner in raw:
            yield from leaves(inner)
    else:
        yield raw


def spoken_facts(text: str) -> Facts:
    """What a text states when numbers written as words count as numbers.

    >>> spoken_facts("just one more day").quantities[0][0]
    Decimal('1')
    """
    return facts_in(in_figures(text))


def states(facts: Facts, value: Value) -> bool:
    """Whether the text states the value.

    >>> states(facts_in("It costs £1,000."), Value(number=Decimal(1000), unit="gbp"))
    True
    >>> states(facts_in("after 1,000 days"), Value(number=Decimal(1000), unit="gbp"))
    False
    """
    return bool(places_of(facts, value))


def places_of(facts: Facts, value: Value) -> list[Span]:
    """Where the text (`Facts.text`) states the value, in order."""
    if value.date is not None:
        return [span for date, span in facts.dates if date == value.date]
    if value.number is not None:
        return [
            span
            for number, unit, span in facts.quantities
            if _equal(number, unit, value) and _agrees(unit, value.unit)
        ]
    pattern = r"(?<!\w)" + re.escape(value.text) + r"(?!\w)"
    return [match.span() for match in re.finditer(pattern, facts.text)]


def _equal(number: Decimal, unit: str, value: Value) -> bool:
    """Equal but for the sign: what a record books as -4.86 is a fee of 4.86. 5 % states 0.05."""
    wanted = abs(value.number or Decimal(0))
    return abs(number) == wanted or (unit == "%" and not value.unit and number == 100 * wanted)


def _agrees(found: str, wanted: str) -> bool:
    """A unit agrees with itself and with none; of words the first counts, plural or not."""
    if not wanted or not found:
        return True
    return _first(found) == _first(wanted)


def _first(unit: str) -> str:
    word = unit.split()[0]
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
