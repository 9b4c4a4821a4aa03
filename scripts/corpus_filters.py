"""How a fact is written in a document: filters for amounts, rates, dates and counts.

Numbers of the fact base are `Decimal`, as they are typed: `2.10` stays `2.10`. Results of
arithmetic are rounded with `pence`, half up (2.345 becomes 2.35), before they are shown. Nothing
here rounds silently: an amount with more than two decimals is an error.
"""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

__all__ = ["FILTERS", "FUNCTIONS"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()


def pence(amount: Decimal) -> Decimal:
    """Round to the penny, half up.

    >>> pence(Decimal("2.345")), pence(Decimal("-2.345")), pence(Decimal(9))
    (Decimal('2.35'), Decimal('-2.35'), Decimal('9.00'))
    """
    return _number(amount).quantize(Decimal("0.01"), ROUND_HALF_UP)


def pounds_down(amount: Decimal, step: int = 1) -> Decimal:
    """Round down to a multiple of `step` pounds.

    >>> pounds_down(Decimal("1284.99")), pounds_down(Decimal(1284), 50)
    (Decimal('1284'), Decimal('1250'))
    """
    return (_number(amount) / step).to_integral_value(ROUND_DOWN) * step


def gbp(amount: Decimal, places: int | None = None) -> str:
    """Write an amount in pounds, with the decimals it was typed with, or with `places`.

    Tenths of a pound are shown as pence.

    >>> gbp(Decimal(1500)), gbp(Decimal("8.5")), gbp(Decimal(8), 2), gbp(Decimal("8.00"), 0)
    ('£1,500', '£8.50', '£8.00', '£8')
    """
    shown = _shown(_number(amount), places)
    return f"£{shown:,.2f}" if shown.as_tuple().exponent == -1 else f"£{shown:,}"


def eur(amount: Decimal, places: int | None = None) -> str:
    """Write an amount in euro: `EUR 1,500`."""
    return f"EUR {_shown(_number(amount), places):,}"


def percent(rate: Decimal, places: int | None = None) -> str:
    """Write a rate as it was typed, or with `places` decimals: 2.10 gives `2.10%`.

    >>> percent(Decimal("2.10")), percent(Decimal(1)), percent(Decimal(4), 2)
    ('2.10%', '1%', '4.00%')
    """
    return f"{_shown(_number(rate), places)}%"


def number(value: Decimal) -> str:
    """Write a number with thousands separated: 12000 gives `12,000`."""
    return f"{_number(value):,}"


def words(value: Decimal) -> str:
    """Write a whole number from 0 to 99 in words.

    >>> words(Decimal(3)), words(Decimal(45)), words(Decimal(60))
    ('three', 'forty-five', 'sixty')
    """
    whole = int(_number(value))
    if whole != value or not 0 <= whole < 100:
        raise ValueError(f"{value} cannot be written in words; use it as a number")
    if whole < 20:
        return _ONES[whole]
    ones = f"-{_ONES[whole % 10]}" if whole % 10 else ""
    return _TENS[whole // 10] + ones


def ordinal(value: Decimal) -> str:
    """Write the place of a whole number in words: 5 gives `fifth`.

    >>> [ordinal(Decimal(n)) for n in (1, 5, 8, 10, 12, 20, 21)]
    ['first', 'fifth', 'eighth', 'tenth', 'twelfth', 'twentieth', 'twenty-first']
    """
    tens, dash, last = words(value).rpartition("-")
    if last.endswith("y"):
        return f"{tens}{dash}{last[:-1]}ieth"
    return f"{tens}{dash}{_ORDINALS.get(last, f'{last}th')}"


def in_days(value: Decimal) -> str:
    """Write a duration: 45 gives `45 days`, 1 gives `1 day`."""
    return unit(value, "day")


def unit(value: Decimal, noun: str) -> str:
    """Write a number and its noun, with s for several: 6 and month give `6 months`."""
    return f"{_number(value):,} {noun}{'' if value == 1 else 's'}"


def date(day: dt.date, form: str = "long") -> str:
    """Write a date; forms: long, short, weekday, month, iso.

    >>> day = dt.date(2026, 3, 2)
    >>> [date(day, form) for form in ("long", "short", "weekday", "month", "iso")]
    ['2 March 2026', '2 March', 'Monday, 2 March 2026', 'March 2026', '2026-03-02']
    """
    forms = {
        "long": f"{day.day} {day:%B} {day.year}",
        "short": f"{day.day} {day:%B}",
        "weekday": f"{day:%A}, {day.day} {day:%B} {day.year}",
        "month": f"{day:%B} {day.year}",
        "iso": f"{day:%Y-%m-%d}",
    }
    if form not in forms:
        raise ValueError(f"no form {form!r} of a date; forms: {', '.join(forms)}")
    return forms[form]


def add_days(day: dt.date, count: Decimal) -> dt.date:
    """The day `count` calendar days later (earlier, when negative)."""
    return day + dt.timedelta(days=int(count))


def add_months(day: dt.date, count: Decimal) -> dt.date:
    """The same day `count` months later; the last of the month when that day does not exist.

    >>> add_months(dt.date(2026, 1, 31), Decimal(1))
    datetime.date(2026, 2, 28)
    """
    months = day.year * 12 + day.month - 1 + int(count)
    year, month = divmod(months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return dt.date(year, month + 1, min(day.day, last))


def add_working_days(day: dt.date, count: Decimal, holidays: list[dt.date]) -> dt.date:
    """The day `count` working days later; Saturdays, Sundays and `holidays` do not count.

    >>> add_working_days(dt.date(2026, 3, 13), Decimal(2), [])
    datetime.date(2026, 3, 17)
    """
    left, step = abs(int(count)), 1 if count > 0 else -1
    while left:
        day += dt.timedelta(days=step)
        left -= day.weekday() < 5 and day not in holidays
    return day


def days_between(first: dt.date, last: dt.date) -> Decimal:
    """How many days lie between two dates; the first does not count, the last does."""
    return Decimal((last - first).days)


def _number(value: Decimal) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, Decimal | int):
        raise TypeError(
            f"{value!r} is no exact number. Numbers come from facts or database rows, or are "
            "whole: write 3 / 4 instead of 0.75, or make it a fact."
        )
    return Decimal(value)


def _shown(value: Decimal, places: int | None) -> Decimal:
    shown = value if places is None else value.quantize(Decimal(1).scaleb(-places))
    exponent = shown.as_tuple().exponent
    if shown != value or not isinstance(exponent, int) or exponent < -2:
        raise ValueError(f"{value} has more decimals than are shown; round it with | pence first")
    return shown


FILTERS: dict[str, Callable[..., object]] = {
    "pence": pence, "pounds_down": pounds_down, "gbp": gbp, "eur": eur, "percent": percent,
    "number": number, "words": words, "ordinal": ordinal, "days": in_days, "unit": unit,
    "date": date,
}  # fmt: skip
"""What may follow a value: `{{ quay_plus.monthly_fee | gbp }}`."""

FUNCTIONS: dict[str, Callable[..., object]] = {
    "add_days": add_days, "add_months": add_months, "add_working_days": add_working_days,
    "days_between": days_between, "min": min, "max": max, "sum": sum,
}  # fmt: skip
"""What may be called in an expression."""
