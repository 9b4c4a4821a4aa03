"""English number words: ``ten working days`` states what ``10 working days`` states."""

from __future__ import annotations

import re

__all__ = ["in_figures"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NAMED = {name: number for number, name in enumerate(_ONES)} | {
    name: 10 * number for number, name in enumerate(_TENS, 2)
}
_SPOKEN = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})[- ](?P<ones>{'|'.join(_ONES[1:10])})"
    rf"|(?P<name>{'|'.join(_NAMED)}))\b",
    re.IGNORECASE,
)


def in_figures(text: str) -> str:
    """The text with every number word below a hundred in figures.

    >>> in_figures("Twenty-one days, or just one more")
    '21 days, or just 1 more'
    """
    return _SPOKEN.sub(_figures, text)


def _figures(match: re.Match[str]) -> str:
    if match["name"]:
        return str(_NAMED[match["name"].lower()])
    return str(_NAMED[match["tens"].lower()] + _NAMED[match["ones"].lower()])
