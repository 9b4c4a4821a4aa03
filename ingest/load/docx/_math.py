"""Equations of Word (OMML) as one line of text."""

from __future__ import annotations

from typing import Any

from ragbench.ingest.load._formula import fraction, joined, power, root
from ragbench.ingest.load.docx._package import W

__all__ = ["M", "equation"]

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MOST_DEPTH = 100
_LEFT_OUT = (W + "del", W + "moveFrom")


def equation(element: Any, depth: int = 0) -> str:  # noqa: ANN401  (lxml element)
    """The equation, or a part of one."""
    if depth > _MOST_DEPTH or not isinstance(element.tag, str):
        return ""
    name = element.tag.removeprefix(M)
    if element.tag in (M + "t", W + "t"):
        return element.text or ""
    if element.tag in _LEFT_OUT or name.endswith("Pr"):
        return ""

    return _written(element, name, depth)


def _written(element: Any, name: str, depth: int) -> str:  # noqa: ANN401  (lxml element)
    def part(child: str) -> str:
        found = element.find(M + child)
        return "" if found is None else equation(found, depth + 1)

    if name == "f":
        return fraction(part("num"), part("den"))
    if name in ("sSup", "sSub", "sSubSup", "limLow", "limUpp"):
        below = part("lim") if name == "limLow" else part("sub")
        return power(part("e"), below, part("lim") if name == "limUpp" else part("sup"))
    if name == "rad":
        return root(part("e"), part("deg"))
    if name == "nary":
        return f"{power(_sign(element, 'chr', '∫'), part('sub'), part('sup'))} {part('e')}"
    if name == "func":
        return f"{part('fName')} {part('e')}"
    return _row(element, name, [equation(child, depth + 1) for child in element])


def _row(element: Any, name: str, pieces: list[str]) -> str:  # noqa: ANN401  (lxml element)
    pieces = [piece for piece in pieces if piece]
    if name == "d":
        inner = _sign(element, "sepChr", "|").join(pieces)
        return _sign(element, "begChr", "(") + inner + _sign(element, "endChr", ")")
    if name in ("m", "eqArr"):
        return "; ".join(pieces)
    return ", ".join(pieces) if name == "mr" else joined(pieces)


def _sign(element: Any, name: str, default: str) -> str:  # noqa: ANN401  (lxml element)
    found = element.find(f"{M}{element.tag.removeprefix(M)}Pr/{M}{name}")
    return default if found is None else found.get(M + "val") or ""
