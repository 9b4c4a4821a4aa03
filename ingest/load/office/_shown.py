"""A value of a spreadsheet as its number format shows it.

Read are the usual formats: decimals, thousands, per cent, currencies and other words around the
number, leading zeros, sections for negative values, dates and times. A number in another format
(fractions, exponents, lookups by condition) is written plainly, with all its digits.
"""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ragbench.ingest.load._blocks import fold
from ragbench.ingest.load._metadata import well_formed

__all__ = ["formatted", "shown"]

_MOST = 15
_QUOTED = re.compile(r'"([^"]*)"|\\(.)|_.|\*.')
_BRACKET = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]")
_DIGITS = re.compile(r"[#0?](?:[#0?,]*[#0?])?(?:\.([#0?]*))?(,*)")


def shown(cell: Any) -> str:  # noqa: ANN401  (a cell of openpyxl)
    """The text of a cell."""
    value = cell.value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return formatted(value, str(cell.number_format or "General"))
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time() and not re.search(
            "[hs]", _QUOTED.sub("", str(cell.number_format)), re.I
        )
        return value.date().isoformat() if is_day else value.isoformat(" ", "seconds")
    if isinstance(value, datetime.timedelta):
        return str(value)
    return well_formed(fold(str(value)))


def formatted(value: float, code: str) -> str:
    """The number as the format code shows it.

    >>> formatted(35, '"$"#,##0.00'), formatted(0.12, "0 %"), formatted(1234.5, "#,##0.00")
    ('$35.00', '12 %', '1,234.50')
    >>> formatted(42, "00000"), formatted(-5, "0.0;(0.0)"), formatted(0.1 + 0.2, "General")
    ('00042', '(5.0)', '0.3')
    """
    sections = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', code)
    section, number = _section(value, sections)
    words: list[str] = []

    def keep(text: str) -> str:
        words.append(text)
        return chr(0xE000 + len(words) - 1)

    section = _BRACKET.sub(lambda m: keep(m.group(1)) if m.group(1) else "", section)
    section = _QUOTED.sub(lambda m: keep(m.group(1) or m.group(2) or ""), section)
    match = _DIGITS.search(section)
    is_odd = code in ("General", "@") or re.search(r"[E/@]|General|[<>]=?\d", section)
    if is_odd:
        return _plain(value)
    if match is None:  # words in place of the number, or nothing at all
        return fold(_with_words(section.lstrip("-"), words)).strip()
    number *= 100 ** section.count("%")
    number /= 1000 ** len(match.group(2))
    text = section[: match.start()] + _digits(number, match) + section[match.end() :]
    return fold(_with_words(text, words))


def _with_words(text: str, words: list[str]) -> str:
    for at, word in enumerate(words):
        text = text.replace(chr(0xE000 + at), word)
    return text


def _section(value: float, sections: list[str]) -> tuple[str, Decimal]:
    number = Decimal(_plain(value))
    if number < 0 and len(sections) > 1:
        return sections[1], -number
    if number == 0 and len(sections) > 2:
        return sections[2], number
    return ("-" if number < 0 else "") + sections[0], abs(number)


def _digits(number: Decimal, match: re.Match[str]) -> str:
    places = match.group(1) or ""
    rounded = number.quantize(Decimal(1).scaleb(-len(places)), rounding=ROUND_HALF_UP)
    whole, _, part = f"{rounded:f}".partition(".")
    pattern = match.group().split(".")[0].rstrip(",")
    whole = whole.zfill(pattern.count("0"))
    if "," in pattern:
        whole = f"{int(whole):,}".rjust(len(whole), "0")
    least = places.rfind("0") + 1
    part = part[:least] + part[least:].rstrip("0")
    return f"{whole}.{part}" if part else whole


def _plain(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{Decimal(f'{value:.{_MOST}g}'):f}"
