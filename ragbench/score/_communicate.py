"""Whether an agent's message says a fact: quantities and dates as values, other text as words.

A number agrees with its unit (any unit when the expected one has none); only ISO dates and dates
with a month's name are dates; other text is compared folded (case, white space, width, emphasis
marks, typographic hyphens and quotes), on word boundaries, its numbers and dates written one way.
So ``$1,234`` says ``1234``, and ``1234`` does not say ``23``. A number below a hundred may be a
word where a unit goes with it: ``ten working days`` says ``10 working days``.

Not quantities are the parts of ``10:30``, ``24/7``, ``3/4/2026``, ``1.2.3``, ``LF-4``, of a date
and of ordinals, and numbers with a leading zero such as ``0042``: they are compared as text.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from ragbench.score._spoken import in_figures

__all__ = ["Facts", "facts_in", "says"]

_CURRENCIES = {
    "$": "usd", "us$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd",
    "us dollar": "usd", "us dollars": "usd", "u.s. dollars": "usd",
    "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur",
    "£": "gbp", "gbp": "gbp", "pound": "gbp", "pounds": "gbp", "pounds sterling": "gbp",
    "¥": "jpy", "jpy": "jpy", "yen": "jpy", "chf": "chf", "franc": "chf", "francs": "chf",
    "cad": "cad", "aud": "aud",
}  # fmt: skip
_MULTIPLES = {"thousand": 3, "million": 6, "billion": 9, "k": 3, "m": 6, "mn": 6, "bn": 9}
"""Powers of ten; the abbreviations count behind an amount of money only."""
_ABBREVIATED = {"k", "m", "mn", "bn"}
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
         "august aug", "september sept sep", "october oct", "november nov", "december dec"), 1
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_DATES = [
    re.compile(r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\d-])"),
    re.compile(rf"(?<![\w.,$€£¥]){_DAY}[\s-]+(?:of\s+)?{_MONTH},?[\s-]+{_YEAR}(?!\w)"),
    re.compile(rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY},?\s+{_YEAR}(?!\w)"),
]
_DAYS_OF_MONTH = [
    re.compile(rf"(?<![\w.,$€£¥]){_DAY}\s+(?:of\s+)?{_MONTH}(?!\w)"),
    re.compile(rf"(?<!\w){_MONTH}\s+(?:the\s+)?{_DAY}(?!\w)(?!\s?[%$€£¥]|[.,:/]\d)"),
]
"""Dates without a year: no dates to compare, but their days are no quantities either."""
_SYMBOL = r"us\$|[$€£¥]"
_NUMBER = re.compile(
    rf"(?<![\w.,])(?<![^\W\d_]-)(?<!\d[/:])"
    rf"(?P<before>{_SYMBOL}|(?:usd|eur|gbp|jpy|chf|cad|aud)\s?)?"
    rf"(?P<sign>[-+](?=[\d$€£¥.]))?(?P<inner>{_SYMBOL})?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?!0\d)\d+(?:\.\d+)?|\.\d+)"
    r"(?!\d)(?!,\d{3})(?!\.\d)(?![/:]\d)(?!(?:st|nd|rd|th)\b)"
)
_UNIT = re.compile(
    r"\)?\s*(?:"
    rf"(?P<percent>%|per\s?cent\b)|(?P<symbol>(?:{_SYMBOL})(?!\d))"
    r"|[\s-]*(?P<words>u\.s\. dollars|[^\W\d_]+(?:[ -][^\W\d_]+){0,2}))"
)


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A number in a text.

    ``unit`` is a currency code, ``%``, or the words that follow (up to three); ``end`` is where the
    number and its currency or percent sign end.
    """

    value: Decimal
    unit: str
    is_words: bool
    start: int
    end: int


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
    quantities: tuple[tuple[Decimal, str, tuple[int, int]], ...]
    dates: tuple[tuple[dt.date, tuple[int, int]], ...]


def facts_in(text: str) -> Facts:
    """Every quantity and date of a text, read as `says` reads them.

    >>> facts_in("It is $35 until 3 March 2026").quantities
    ((Decimal('35'), 'usd', (6, 9)),)
    """
    folded = _folded(text)
    found = ((q.value, q.unit, (q.start, q.end)) for q in _quantities(folded))
    return Facts(folded, tuple(found), tuple(_dates(folded)))


def says(message: str, info: str) -> bool:
    """Whether the message contains the fact.

    >>> says("The fee is $1,250.00.", "1250 USD"), says("It takes 1234 days", "23")
    (True, False)
    >>> says("Due on March 3rd, 2026", "2026-03-03"), says("25 % of it", "$25")
    (True, False)
    """
    text, wanted = _folded(message), _folded(info).rstrip(" .")
    dates = _dates(wanted)
    if len(dates) == 1 and dates[0][1] == (0, len(wanted)):
        return dates[0][0] in [date for date, _ in _dates(text)]
    expected = _whole_quantity(in_figures(wanted)) or _whole_quantity(wanted)
    if expected is not None:
        # A bare "one" is a pronoun more often than a number.
        found = _quantities(in_figures(text) if expected.unit else text)
        return any(_agrees(expected, quantity) for quantity in found + _quantities(text))
    return _stands_in(wanted, text) or _stands_in(_one_way(wanted), _one_way(text))


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    text = text.translate(str.maketrans("‐‑−’‘“”", "---''\"\""))
    text = re.sub(r"(?<!\d)[*`]+|[*`]+(?!\d)", "", text)  # emphasis, but not 5*3
    return " ".join(text.split())


def _stands_in(wanted: str, text: str) -> bool:
    pattern = r"(?<!\w)(?<!\d[.,])" + re.escape(wanted) + r"(?!\w)(?![.,]\d)"
    return bool(wanted) and re.search(pattern, text) is not None


def _one_way(text: str) -> str:
    """The text with every date as ISO, and every number as value and currency code or ``%``."""
    for date, (start, end) in sorted(_dates(text), key=lambda found: -found[1][0]):
        text = f"{text[:start]}{date.isoformat()}{text[end:]}"
    for found in reversed(_quantities(text)):
        value = f"{found.value.normalize():f}"
        written = value if found.is_words else f"{value} {found.unit}"
        text = f"{text[: found.start]}{written}{text[found.end :]}"
    return text


def _dates(text: str) -> list[tuple[dt.date, tuple[int, int]]]:
    found = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            month = match["month"]
            number = int(month) if month.isdigit() else _MONTHS[month]
            try:
                found.append((dt.date(int(match["year"]), number, int(match["day"])), match.span()))
            except ValueError:  # 31 February is no date; its numbers are compared as numbers
                continue
    return found


def _without_dates(text: str) -> str:
    """The text with its dates blanked, so that their numbers are not taken for quantities."""
    spans = [span for _, span in _dates(text)]
    spans += [match.span() for pattern in _DAYS_OF_MONTH for match in pattern.finditer(text)]
    for start, end in spans:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text


def _quantities(text: str) -> list[_Quantity]:
    """Every number with its unit, in order."""
    text = _without_dates(text)
    return [_quantity(match, text) for match in _NUMBER.finditer(text)]


def _quantity(match: re.Match[str], text: str) -> _Quantity:
    before = (match["before"] or match["inner"] or "").strip()
    value = Decimal(match["number"].replace(",", ""))
    value = -value if match["sign"] == "-" else value
    start, end = match.span()
    unit = _UNIT.match(text, end)
    words = (unit["words"] or "") if unit else ""
    first, _, rest = words.partition(" ")
    if first in _MULTIPLES and (before or first not in _ABBREVIATED):
        value, words = value.scaleb(_MULTIPLES[first]), rest
        end = unit.start("words") + len(first) if unit else end
        unit = _UNIT.match(text, end)
    if before:
        return _Quantity(value, _CURRENCIES[before], False, start, end)
    if unit and unit["percent"]:
        return _Quantity(value, "%", False, start, unit.end())
    if unit and unit["symbol"]:
        return _Quantity(value, _CURRENCIES[unit["symbol"]], False, start, unit.end())
    parts = words.split(" ")
    for n in (2, 1):
        named = " ".join(parts[:n])
        if unit and named in _CURRENCIES:
            end = unit.start("words") + len(named)
            return _Quantity(value, _CURRENCIES[named], False, start, end)
    return _Quantity(value, words, True, start, end)


def _whole_quantity(text: str) -> _Quantity | None:
    """The quantity that the whole text is, None when the text is something else."""
    found = _quantities(text)
    if len(found) != 1 or found[0].start != 0:
        return None
    rest = text[found[0].end :].strip(" -)")
    return found[0] if rest == (found[0].unit if found[0].is_words else "") else None


def _agrees(expected: _Quantity, found: _Quantity) -> bool:
    if expected.value != found.value:
        return False
    if not expected.is_words:
        return expected.unit == found.unit
    wanted = _stems(expected.unit)
    return not wanted or (found.is_words and _stems(found.unit)[: len(wanted)] == wanted)


def _stems(words: str) -> list[str]:
    """Words with a plural ``s`` removed, so that a ``30-day`` period says ``30 days``."""
    parts = words.replace("-", " ").split()
    return [part[:-1] if len(part) > 3 and part.endswith("s") else part for part in parts]
