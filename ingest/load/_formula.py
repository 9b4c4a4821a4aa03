"""Formulas in one line: what HTML's MathML and Word's equations share.

Fractions are ``a / b``, powers ``a^b``, indices ``a_b``, roots ``√(a)`` and
``a^(1/3)``; a part that is more than one word or number stands in brackets where it would be read
otherwise.
"""

from __future__ import annotations

import re

__all__ = ["fraction", "joined", "power", "root"]

_SIMPLE = re.compile(r"[^\s+\-−–*/×·÷^_=<>±]*(?: ?[%‰°€$£])?")
_WHOLE = re.compile(r"\([^()]*\)")
_SPACED = re.compile(r"\s*([×÷=≤≥≠≈±→])\s*")


def joined(pieces: list[str]) -> str:
    """Pieces side by side, signs of operations with space around them.

    >>> joined(["balance", "×", "7.25 % / 360"])
    'balance × 7.25 % / 360'
    >>> joined(["1 / 2", "10^2"])
    '(1 / 2) 10^2'
    """
    text = ""
    for number, piece in enumerate(pieces):
        following = "".join(pieces[number + 1 : number + 2])
        if " / " in piece and (text[-1:].isalnum() or following[:1].isalnum()):
            piece = _part(piece)
        apart = (
            (text[-1:].isalnum() or text.endswith(")"))
            and piece[:1].isdigit()
            and not _is_digit(pieces, number)
        )
        text += f" {piece}" if apart else piece
    return " ".join(_SPACED.sub(r" \1 ", text).split())


def _is_digit(pieces: list[str], number: int) -> bool:
    """Whether a run of digits goes on, which word processors cut into runs."""
    return pieces[number].isdigit() and pieces[number - 1].isdigit()


def _part(text: str) -> str:
    text = text.strip()
    simple = _SIMPLE.fullmatch(text) or _WHOLE.fullmatch(text)
    return text if simple else f"({text})"


def fraction(above: str, below: str) -> str:
    """A fraction.

    >>> fraction("a + b", "360")
    '(a + b) / 360'
    """
    return f"{_part(above)} / {_part(below)}"


def power(base: str, below: str = "", above: str = "") -> str:
    """A base with what stands below and above at its right.

    >>> power("x", "i", "n+1")
    'x_i^(n+1)'
    """
    index = f"_{_part(below)}" if below.strip() else ""
    exponent = f"^{_part(above)}" if above.strip() else ""
    return f"{base}{index}{exponent}"


def root(inner: str, degree: str = "") -> str:
    """A root.

    >>> root("x + 1"), root("x", "3")
    ('√(x + 1)', 'x^(1/3)')
    """
    if not degree.strip():
        return f"√({inner.strip()})"
    return f"{_part(inner)}^(1/{_part(degree)})"
