"""Amounts of money: currencies, the ways to write their numbers, and their hundredths."""

from __future__ import annotations

import re
from decimal import Decimal

__all__ = ["AFTER", "BEFORE", "EXTENDED", "currency", "hundredths", "value_of"]

_NAMES = {
    "usd": "$ us$ usd dollar dollars us-dollar us-dollars u.s.-dollars buck bucks",
    "eur": "€ eur euro euros",
    "gbp": "£ gbp pound pounds pounds-sterling pound-sterling sterling quid",
    "jpy": "¥ jpy yen",
    "chf": "chf fr. franc francs swiss-francs",
    "cad": "cad c$ ca$ canadian-dollars",
    "aud": "aud a$ au$ australian-dollars",
    "nzd": "nzd nz$",
    "inr": "inr ₹ rs rs. rupee rupees",
    "cny": "cny rmb yuan",
    "sek": "sek kronor",
    "nok": "nok",
    "dkk": "dkk",
    "pln": "pln zł zloty",
    "krw": "krw ₩",
}
_CURRENCIES = {
    name.replace("-", " "): code for code, names in _NAMES.items() for name in names.split()
}
_SYMBOL = r"us\s?\$|(?:ca|au|nz|c|a)?\$|[€£¥₹₩]"
_CODE = "|".join(_NAMES)
BEFORE = rf"(?:{_SYMBOL}|(?:{_CODE}|rmb|rs\.?|fr\.)(?![a-z]))"
"""What stands before a number of money; white space may follow."""
AFTER = rf"(?:us\$|zł|[$€£¥₹₩])(?!\d)|(?:{_CODE})\b"
"""What stands right behind one, beside the currencies' names."""
EXTENDED = (
    r"\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?(?!\d)"
    r"|\d+,\d{1,2}(?!\d)"
)
"""Numbers that are read so only beside a currency: 3 550.00, 1.250,00, 12,50."""
_DECIMAL_DOTS = {"usd", "gbp", "inr"}
_HUNDREDTHS = re.compile(
    r"(?:,?\s*(?:and|&)\s*|,?\s+)(?P<n>\d{1,2})\s?(?:cents?\b|¢|c\b|pence\b|penny\b|p\b)"
)
_BARE_HUNDREDTHS = re.compile(r"\s(?P<n>\d{2})(?=\s*(?:$|[.,;:!?)]\s|[.,;:!?)]$|\n))")


def currency(name: str) -> str | None:
    """The code of a currency that is written as a symbol, a code or a word.

    >>> currency("us $"), currency("pounds sterling"), currency("days")
    ('usd', 'gbp', None)
    """
    name = name.strip()
    return _CURRENCIES.get(name) or _CURRENCIES.get(re.sub(r"\s(?=\$)", "", name))


def value_of(number: str, unit: str) -> Decimal:
    """A number of money, in whatever way it is written.

    >>> [str(value_of(n, "eur")) for n in ("1.250,00", "1 250", "12,50", "1,250.5", "1'250")]
    ['1250.00', '1250', '12.50', '1250.5', '1250']
    """
    text = number.replace(" ", "").replace("'", "")
    if re.fullmatch(r"\d+,\d{1,2}|\d{1,3}(\.\d{3})+,\d{1,2}", text):
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d{1,3}(\.\d{3})+", text) and (
        unit not in _DECIMAL_DOTS or text.count(".") > 1
    ):
        text = text.replace(".", "")
    return Decimal(text.replace(",", ""))


def hundredths(text: str, end: int, *, named: bool) -> tuple[Decimal, int] | None:
    """The cents or pence behind an amount, and where they end.

    Args:
        text: a folded text.
        end: where the amount ends.
        named: whether its currency stands there as a word: ``twelve pounds fifty``.
    """
    match = _HUNDREDTHS.match(text, end) or (_BARE_HUNDREDTHS.match(text, end) if named else None)
    return None if match is None else (Decimal(match["n"]) / 100, match.end())
