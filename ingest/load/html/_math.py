"""MathML as one line of text; annotations, which say the same once more, are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbench.ingest.load._blocks import fold
from ragbench.ingest.load._formula import fraction, joined, power, root

if TYPE_CHECKING:
    from bs4.element import Tag

__all__ = ["linear"]

_MOST_DEPTH = 100
_LIMITED = ("munderover", "msubsup", "munder", "msub")
_SUMS = frozenset("∑∏∐∫∬∭∮⋃⋂")
_SILENT = ("annotation", "annotation-xml", "mphantom", "maligngroup", "none", "mprescripts")


def linear(tag: Tag, depth: int = 0) -> str:
    """The formula as text."""
    if depth > _MOST_DEPTH:
        return fold(tag.get_text(" "))
    children = [child for child in tag.find_all(True, recursive=False) if child.name != "br"]
    parts = [linear(child, depth + 1) for child in children if child.name not in _SILENT]
    if not children:
        return fold(tag.get_text())
    written = _written(str(tag.name), parts, str(tag.get("open", "(")), str(tag.get("close", ")")))
    is_sum = tag.name in _LIMITED and parts and parts[0] in _SUMS
    return f"{written} " if is_sum else written  # apart from what is summed


def _written(name: str, parts: list[str], begin: str, end: str) -> str:
    if name == "mfrac" and len(parts) == 2:
        return fraction(*parts)
    if name in ("msup", "mover") and len(parts) == 2:
        return power(parts[0], above=parts[1])
    if name in ("msub", "munder") and len(parts) == 2:
        return power(parts[0], below=parts[1])
    if name in ("msubsup", "munderover") and len(parts) == 3:
        return power(*parts)
    if name == "msqrt":
        return root(joined(parts))
    if name == "mroot" and len(parts) == 2:
        return root(*parts)
    if name == "mfenced":
        return f"{begin}{', '.join(parts)}{end}"
    if name == "mtable":
        return "; ".join(parts)
    if name in ("mtr", "mlabeledtr"):
        return ", ".join(parts)
    return joined(parts)
