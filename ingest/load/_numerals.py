"""Numbers as lists and clauses write them: digits, letters, Roman numerals."""

from __future__ import annotations

__all__ = ["alphabetic", "numeral", "repeated", "roman"]

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST_ROMAN = 3999
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
_LATIN = "abcdefghijklmnopqrstuvwxyz"


def roman(number: int) -> str:
    """Small Roman numerals; digits beyond 1 to 3999.

    >>> roman(4), roman(1994), roman(0)
    ('iv', 'mcmxciv', '0')
    """
    if not 0 < number <= _MOST_ROMAN:
        return str(number)
    written = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        written += letters * count
    return written


def alphabetic(number: int, letters: str = _LATIN) -> str:
    """Letters as pages of the web count: a to z, then aa, ab; digits below 1.

    >>> alphabetic(2), alphabetic(27), alphabetic(28)
    ('b', 'aa', 'ab')
    """
    if number < 1:
        return str(number)
    written = ""
    while number:
        number, place = divmod(number - 1, len(letters))
        written = letters[place] + written
    return written


def repeated(number: int) -> str:
    """Letters as word processors count: a to z, then aa, bb; digits below 1.

    >>> repeated(2), repeated(27), repeated(28)
    ('b', 'aa', 'bb')
    """
    if number < 1:
        return str(number)
    times, place = divmod(number - 1, len(_LATIN))
    return _LATIN[place] * (times + 1)


def numeral(number: int, style: str) -> str:
    """A number in a style of CSS lists; digits in one that is not known.

    >>> numeral(3, "upper-roman"), numeral(3, "decimal-leading-zero"), numeral(3, "armenian")
    ('III', '03', '3')
    """
    if style in ("lower-roman", "upper-roman"):
        written = roman(number)
    elif style in ("lower-alpha", "lower-latin", "upper-alpha", "upper-latin"):
        written = alphabetic(number)
    elif style == "lower-greek":
        written = alphabetic(number, _GREEK)
    elif style == "decimal-leading-zero":
        written = f"{number:02d}" if number >= 0 else str(number)
    else:
        written = str(number)
    return written.upper() if style.startswith("upper-") else written
