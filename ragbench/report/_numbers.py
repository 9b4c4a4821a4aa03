"""How figures are written: percents with one decimal, `-` for undefined, never 0 for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "UNDEFINED",
    "count",
    "counts",
    "estimate",
    "percent",
    "plural",
    "reward",
    "seconds",
    "usd",
    "whole",
    "whole_percents",
]

UNDEFINED = "-"


def percent(share: float | None) -> str:
    """A share of 1 as percent.

    >>> percent(0.125), percent(None)
    ('12.5 %', '-')
    """
    return UNDEFINED if share is None else f"{100 * share:.1f} %"


def reward(value: float | None) -> str:
    """A reward in [0, 1].

    >>> reward(1.0), reward(0.25), reward(None)
    ('1.0', '0.250', '-')
    """
    if value is None:
        return UNDEFINED
    return f"{value:.1f}" if value in (0.0, 1.0) else f"{value:.3f}"


def count(value: float | None) -> str:
    """A number of things, whole where it is whole.

    >>> count(12345), count(2.5), count(None)
    ('12,345', '2.5', '-')
    """
    if value is None:
        return UNDEFINED
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def whole(value: float | None) -> str:
    """A number rounded to a whole one.

    >>> whole(1234.5), whole(None)
    ('1,234', '-')
    """
    return UNDEFINED if value is None else f"{round(value):,}"


def estimate(figure: Mapping[str, Any]) -> str:
    """A mean over tasks with its interval, as stored in ``summary.json``.

    >>> estimate({"mean": 0.5, "low": 0.25, "high": 0.75, "n": 8})
    '50.0 % [25.0 %, 75.0 %]'
    >>> estimate({"mean": None, "low": None, "high": None, "n": 0})
    '-'
    """
    if figure["mean"] is None:
        return UNDEFINED
    if figure["low"] is None:
        return percent(figure["mean"])
    return f"{percent(figure['mean'])} [{percent(figure['low'])}, {percent(figure['high'])}]"


def counts(found: Mapping[str, int]) -> str:
    """Names with how often they occur, the once left out.

    >>> counts({"ranking": 2, "split": 1}), counts({})
    ('ranking x2, split', '-')
    """
    parts = [name if n == 1 else f"{name} x{n}" for name, n in found.items()]
    return ", ".join(parts) or UNDEFINED


def plural(n: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "task"), plural(3, "task")
    ('1 task', '3 tasks')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def usd(known: float | None, n_unpriced: int) -> str:
    """A cost in US dollars; what has no known price is said, and never taken for 0.

    >>> usd(1.5, 0), usd(0.00123, 0), usd(None, 4), usd(0.5, 1)
    ('$1.50', '$0.0012', 'unknown (4 calls unpriced)', '>= $0.50 (1 call unpriced)')
    """
    amount = None if known is None else f"${known:,.2f}" if known >= 0.1 else f"${known:.4f}"
    if not n_unpriced:
        return "$0.0000" if amount is None else amount
    said = f"({plural(n_unpriced, 'call')} unpriced)"
    return f"unknown {said}" if amount is None else f">= {amount} {said}"


def seconds(milliseconds: float | None) -> str:
    """A latency in seconds.

    >>> seconds(1234.5), seconds(3.0), seconds(None)
    ('1.23 s', '0.003 s', '-')
    """
    if milliseconds is None:
        return UNDEFINED
    return f"{milliseconds / 1000:.2f} s" if milliseconds >= 100 else f"{milliseconds / 1000:.3f} s"


def whole_percents(text: str) -> str:
    """The text with no break between a number and its ``%``, for what is wrapped afterwards.

    >>> whole_percents("12.5 %").isascii()
    False
    """
    return text.replace(" %", "\N{NO-BREAK SPACE}%")
