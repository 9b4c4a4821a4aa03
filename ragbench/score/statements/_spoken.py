"""English number words: ``ten working days`` states what ``10 working days`` states."""

from __future__ import annotations

import re

__all__ = ["figured", "in_figures"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NAMED = {name: number for number, name in enumerate(_ONES)} | {
    name: 10 * number for number, name in enumerate(_TENS, 2)
}
_LARGE = {"hundred": 100, "thousand": 1000}
_SMALL = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[1:10])}))?|{'|'.join(_ONES[::-1])})"
_NO_MORE = r"(?![- ](?:hundred|thousand|million|billion)\b)"
_BELOW_THOUSAND = (
    rf"(?:(?:an?|{'|'.join(_ONES[:0:-1])})[- ]hundred"
    rf"(?:(?:[- ]and)?[- ]{_SMALL}\b{_NO_MORE})?|{_SMALL})"
)
_SPOKEN = re.compile(
    rf"\b(?:(?:a|{_BELOW_THOUSAND})[- ]thousand"
    rf"(?:,?(?:[- ]and)?[- ]{_BELOW_THOUSAND}\b{_NO_MORE})?|{_BELOW_THOUSAND})\b",
    re.IGNORECASE,
)
_QUICK = re.compile(rf"\b(?:{'|'.join([*_NAMED, *_LARGE])})\b", re.IGNORECASE)


def in_figures(text: str) -> str:
    """The text with every number word below a million in figures.

    >>> in_figures("Twenty-one days, or just one more")
    '21 days, or just 1 more'
    >>> in_figures("two hundred and fifty pounds, or a thousand")
    '250 pounds, or 1000'
    """
    return figured(text)[0]


def figured(text: str) -> tuple[str, tuple[int, ...]]:
    """As `in_figures`, with the positions in the new text at which a word stood."""
    if not _QUICK.search(text):
        return text, ()
    parts: list[str] = []
    starts: list[int] = []
    length = last = 0
    for match in _SPOKEN.finditer(text):
        parts += (text[last : match.start()], str(_value(match[0])))
        length += len(parts[-2])
        starts.append(length)
        length += len(parts[-1])
        last = match.end()
    return "".join([*parts, text[last:]]), tuple(starts)


def _value(words: str) -> int:
    total = part = 0
    for word in re.split(r"[^a-z]+", words.casefold()):
        if word in ("a", "an"):
            part = 1
        elif word == "thousand":
            total, part = (total + part) * 1000, 0
        elif word == "hundred":
            part *= 100
        elif word in _NAMED:
            part += _NAMED[word]
    return total + part
