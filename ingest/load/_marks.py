"""Raised and lowered text set apart, so that no number and no word runs into it.

Rules fixed here, for every format: what is raised stands in square brackets (``$35[1]``,
``10[6]``), and so does what is lowered (``log[2]8``, ``x[i]``). As they stand remain the ending of
an ordinal number (``1st``), signs without letter or digit (``35*``, ``Visa®``), what stands in
brackets already, and a digit below the symbols of a formula (``H2O``, ``CO2``, ``O2``, but
``T[1]``), since in none of these is a number changed.

While a text is collected, the marks of its beginning and end stand in it as noncharacters, which no
text holds; `set_apart` resolves them when the neighbours are known.
"""

from __future__ import annotations

import re

__all__ = ["lowered", "raised", "set_apart"]

_RAISE, _LOWER, _END = "\ufdd0", "\ufdd1", "\ufdd2"
_MARKED = re.compile(f"([{_RAISE}{_LOWER}])([^{_RAISE}{_LOWER}{_END}]*){_END}")
_SPLIT = re.compile(f"{_END}([{_RAISE}{_LOWER}])")
_ANY = re.compile(f"[{_RAISE}{_LOWER}{_END}]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|re|ère|ème|[ºª])", re.I)
_BRACKETED = re.compile(r"\[.*\]|\(.*\)")
_SYMBOL = re.compile(r"[A-Z][a-z]?")
_MOLECULES = frozenset("H2 N2 O2 O3 F2 Cl2 Br2 I2 P4 S8".split())
_ON = ("(", "[", _RAISE, _LOWER)
_FORMULA = re.compile(r"(?:[A-Z][a-z]?|[()\[\]])+\Z")


def raised(text: str) -> str:
    """The text marked as superscript, for `set_apart`."""
    return f"{_RAISE}{text}{_END}" if text else ""


def lowered(text: str) -> str:
    """The text marked as subscript, for `set_apart`."""
    return f"{_LOWER}{text}{_END}" if text else ""


def set_apart(text: str, *, runs: bool = False) -> str:
    """The text with its marks resolved.

    Args:
        text: with marks of `raised` and `lowered`, which may nest.
        runs: neighbours of one kind are one mark that the format has cut into runs.

    >>> set_apart("$35" + raised("1") + " on the 1" + raised("st"))
    '$35[1] on the 1st'
    >>> set_apart("H" + lowered("2") + "O, log" + lowered("2") + "8")
    'H2O, log[2]8'
    """
    if not _ANY.search(text):
        return text
    if runs:
        text = _joined(text)
    while (match := _MARKED.search(text)) is not None:
        before, after = text[: match.start()], text[match.end() :]
        inner = match.group(2).strip()
        written = (_raised if match.group(1) == _RAISE else _lowered)(before, inner, after)
        text = before + written + after
    return _ANY.sub("", text)


def _joined(text: str) -> str:
    """The text with neighbouring marks of one kind as one."""
    pieces: list[str] = []
    last, position = "", 0
    for match in _ANY.finditer(text):
        pieces.append(text[position : match.start()])
        mark = match.group()
        if mark == last and pieces[-1] == "" and pieces[-2:-1] == [_END]:
            pieces[-2:] = []
        else:
            pieces.append(mark)
        last, position = (last if mark == _END else mark), match.end()
    return "".join([*pieces, text[position:]])


def _raised(before: str, inner: str, after: str) -> str:
    del after
    is_ordinal = before[-1:].isdigit() and _ORDINAL.fullmatch(inner)
    if is_ordinal or _BRACKETED.fullmatch(inner) or not any(map(str.isalnum, inner)):
        return inner
    return f"[{inner}]"


def _lowered(before: str, inner: str, after: str) -> str:
    if _BRACKETED.fullmatch(inner) or not any(map(str.isalnum, inner)):
        return inner
    word = re.split(r"[^\w()\[\]]", before[-40:])[-1]
    symbols = re.split(r"\d", word)[-1]
    if (
        word == symbols
        and _SYMBOL.fullmatch(word)
        and not (after[:1].isalpha() or after[:1] in _ON)
    ):
        return inner if word + inner in _MOLECULES else f"[{inner}]"  # else an index, as in T[1]
    fits = inner.isdigit() and _FORMULA.match(symbols) and not after[:1].isdigit()
    return inner if fits else f"[{inner}]"
