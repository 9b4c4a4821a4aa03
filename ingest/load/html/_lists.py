"""The numbers of ordered lists: ``start``, ``reversed``, ``type``, and each item's ``value``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbench.ingest.load._numerals import numeral
from ragbench.ingest.load.html._shown import left_out_as, style_of

if TYPE_CHECKING:
    from bs4.element import Tag

__all__ = ["Numbers"]

_TYPES = {
    "1": "decimal",
    "a": "lower-alpha",
    "A": "upper-alpha",
    "i": "lower-roman",
    "I": "upper-roman",
}
_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([^;]*)")
_UNNUMBERED = frozenset(("none", "disc", "circle", "square"))
_INTEGER = re.compile(r"\s*([+-]?\d{1,9})")


class Numbers:
    """Counts the items of the lists that a walk is in."""

    def __init__(self) -> None:
        self._next: list[tuple[Tag, int]] = []  # open ordered lists, the next number of each
        self._pending: list[tuple[Tag, str]] = []  # numbers of items that have no text yet

    def enter(self, tag: Tag) -> None:
        """A block element begins."""
        if tag.name == "ol":
            self._next.append((tag, _first(tag)))
        elif tag.name == "li" and self._next and _list_of(tag) is self._next[-1][0]:
            ordered, number = self._next[-1]
            number = _integer(tag.get("value"), number)
            self._next[-1] = (ordered, number + (-1 if ordered.has_attr("reversed") else 1))
            style = _style(tag) or _style(ordered) or "decimal"
            if style not in _UNNUMBERED:
                self._pending.append((tag, f"{numeral(number, style)}."))

    def leave(self, tag: Tag) -> None:
        """A block element ends."""
        if self._next and self._next[-1][0] is tag:
            self._next.pop()
        if self._pending and self._pending[-1][0] is tag:
            self._pending.pop()

    def label(self) -> str:
        """The number of the item whose first text comes now, empty when it is not the first."""
        label = " ".join(written for _, written in self._pending)
        self._pending.clear()
        return label


def _list_of(item: Tag) -> Tag | None:
    return item.find_parent(("ol", "ul", "menu", "dir"))


def _first(ordered: Tag) -> int:
    if not ordered.has_attr("reversed"):
        return _integer(ordered.get("start"), 1)
    items = ordered.find_all("li", recursive=False)
    return _integer(ordered.get("start"), sum(left_out_as(item) is None for item in items))


def _integer(value: object, default: int) -> int:
    found = _INTEGER.match(str(value)) if value is not None else None
    return default if found is None else int(found.group(1))


def _style(tag: Tag) -> str:
    """Style of the numbers that the element itself names, empty when it names none."""
    found = _STYLE.search(style_of(tag))
    if found is not None:
        words = found.group(1).split()
        return next((word for word in words if word not in ("inside", "outside")), "")
    return _TYPES.get(str(tag.get("type", "")), "")
