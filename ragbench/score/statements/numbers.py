"""Numbers with what they count: amounts of money, shares in percent, days, visits.

Not quantities are the parts of ``10:30``, ``24/7``, ``3/4/2026``, ``1.2.3``, ``LF-4``, of a date,
of a time and of ordinals, and numbers with a leading zero such as ``0042``: they are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from ragbench.score.statements.amounts import (
    AFTER,
    BEFORE,
    EXTENDED,
    currency,
    hundredths,
    value_of,
)

__all__ = ["Quantity", "agrees", "find_quantities", "same_kind", "whole_quantity"]

_MULTIPLES = {"thousand": 3, "million": 6, "billion": 9, "k": 3, "m": 6, "mn": 6, "bn": 9}
"""Powers of ten; the abbreviations count behind an amount of money only."""
_ABBREVIATED = {"k", "m", "mn", "bn"}
_FILLERS = {"full", "whole", "complete", "entire", "consecutive", "more", "further", "additional"}
_PLAIN = (
    r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?|\d{1,3}(?:[,']\d{3})+(?:\.\d+)?"
    r"|(?!0\d)\d+(?:\.\d+)?|\.\d+"
)
_NO_MORE = r"(?!\d)(?![,']\d{3})(?!\.\d)(?![/:]\d)(?!(?:st|nd|rd|th)\b)"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?<![^\W\d_]-)(?<!\d[/:])"
    rf"(?P<sign>-(?=[\d.a-z$€£¥₹₩])|\+(?=[\d.$€£¥])|minus\s(?=\s*[\d$€£¥]))?"
    rf"(?:(?P<before>{BEFORE})\s?(?P<inner>-)?\$?(?P<money>{EXTENDED}|{_PLAIN}){_NO_MORE}"
    rf"|(?P<ahead>{EXTENDED}|{_PLAIN}){_NO_MORE}(?=\s?(?:{AFTER}))"
    rf"|(?P<number>{_PLAIN}|\d+,\d{{1,2}}(?=\s?%)){_NO_MORE})"
)
_UNIT = re.compile(
    rf"\)?\s*(?:(?P<percent>%|per\s?cent\b|pct\b|pc\b)|(?P<symbol>{AFTER})"
    r"|(?P<minor>¢|cents?\b|pence\b|p\b)"
    r"|[\s-]*(?P<words>u\.s\. dollars|[^\W\d_]+(?:[ -][^\W\d_]+){0,3}))"
)
_LABEL = re.compile(r"([^\W\d_]+(?: [^\W\d_]+){0,2})\s*(?:[:|=]|\bis\b|\bare\b)\s*$")
_MONEY_BEFORE = re.compile(rf"(?:\d|{BEFORE})\s*$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        unit: a currency code, ``%``, or the words that follow (up to four).
        is_words: whether the unit is words.
        label: the words right before, where the number ends a line such as ``Working days: 16``.
        end: where the number and its currency or percent sign end.
    """

    value: Decimal
    unit: str
    is_words: bool
    start: int
    end: int
    label: str = ""


def find_quantities(text: str, taken: Iterable[tuple[int, int]] = ()) -> list[Quantity]:
    """Every number of a folded text with its unit, in order.

    Args:
        text: the text.
        taken: spans that are something else: dates and times.
    """
    for start, end in taken:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    found: list[Quantity] = []
    for match in _NUMBER.finditer(text):
        if not found or match.start() >= found[-1].end:
            found.append(_quantity(match, text))
    return found


def whole_quantity(text: str) -> Quantity | None:
    """The quantity that the whole text is, None when the text is something else."""
    found = find_quantities(text)
    if len(found) != 1 or found[0].start != 0:
        return None
    rest = text[found[0].end :].strip(" -)")
    return found[0] if rest == (found[0].unit if found[0].is_words else "") else None


def agrees(expected: Quantity, found: Quantity) -> bool:
    """Whether the number found is the one expected, with its unit if one is expected."""
    return expected.value == found.value and same_kind(expected, found)


def same_kind(expected: Quantity, found: Quantity) -> bool:
    """Whether both count the same; whatever is counted when the expected number has no unit."""
    if not expected.is_words:
        return expected.unit == found.unit
    wanted = _stems(expected.unit)
    if not wanted:
        return True
    if not found.is_words:
        return False
    return _stems(found.unit)[: len(wanted)] == wanted or _stems(found.label)[-len(wanted) :] == (
        wanted if not found.unit else None
    )


def _quantity(match: re.Match[str], text: str) -> Quantity:
    start, end = match.span()
    before = currency(match["before"]) if match["before"] else None
    written = match["money"] or match["ahead"] or match["number"]
    value = value_of(written, before or _code(match, text) or "usd")
    if match["inner"] or (match["sign"] or "").startswith(("-", "minus")):
        if match["sign"] != "minus " or not _MONEY_BEFORE.search(text, 0, start):
            value = -value
    unit = _UNIT.match(text, end)
    words = (unit["words"] or "") if unit else ""
    first, _, rest = words.partition(" ")
    if first in _MULTIPLES and (before or match["ahead"] or first not in _ABBREVIATED):
        value, words = value.scaleb(_MULTIPLES[first]), rest
        end = unit.start("words") + len(first) if unit else end
        unit = _UNIT.match(text, end)
    if before:
        return _with_hundredths(value, before, start, end, text, named=False)
    return _with_unit(value, unit, words, start, end, text)


def _with_unit(
    value: Decimal, unit: re.Match[str] | None, words: str, start: int, end: int, text: str
) -> Quantity:
    if unit and unit["percent"]:
        return Quantity(value, "%", False, start, unit.end())
    if unit and unit["minor"]:
        code = "gbp" if unit["minor"] in ("p", "pence") else "usd"
        return Quantity(value / 100, code, False, start, unit.end())
    if unit and unit["symbol"]:
        code = currency(unit["symbol"]) or unit["symbol"]
        return _with_hundredths(value, code, start, unit.end(), text, named=True)
    parts = words.split(" ")
    for n in (2, 1):
        named = " ".join(parts[:n])
        worded = currency(named)
        if unit and worded is not None and len(parts) >= n:
            end = unit.start("words") + len(named)
            return _with_hundredths(value, worded, start, end, text, named=True)
    label = ""
    if not words:
        found = _LABEL.search(text, max(0, start - 40), start)
        label = found[1] if found else ""
    return Quantity(value, words, True, start, end, label)


def _code(match: re.Match[str], text: str) -> str | None:
    if not match["ahead"]:
        return None
    unit = _UNIT.match(text, match.end())
    return currency(unit["symbol"]) if unit and unit["symbol"] else None


def _with_hundredths(
    value: Decimal, code: str, start: int, end: int, text: str, *, named: bool
) -> Quantity:
    found = hundredths(text, end, named=named) if value == value.to_integral_value() else None
    if found is not None:
        value, end = value + found[0] if value >= 0 else value - found[0], found[1]
    return Quantity(value, code, False, start, end)


def _stems(words: str) -> list[str]:
    """Words with a plural ``s`` removed, so that a ``30-day`` period says ``30 days``."""
    parts = words.replace("-", " ").split()
    while parts and parts[0] in _FILLERS:
        parts = parts[1:]
    return [part[:-1] if len(part) > 3 and part.endswith("s") else part for part in parts]
