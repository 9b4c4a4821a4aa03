"""The text of an element as a reader of the page sees it, in blocks.

The page is cut at the borders of block elements. Items of ordered lists carry their numbers, quotes
their marks, pictures their alternative text, ruby its reading in brackets; formulas are one line
(`_math`), what is raised or lowered is set apart (`_marks`). A walk keeps its own stack, so that no
depth of nesting ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._marks import lowered, raised, set_apart
from ragbench.ingest.load.html._lists import Numbers
from ragbench.ingest.load.html._math import linear
from ragbench.ingest.load.html._shown import has_text, left_out_as, style_of

if TYPE_CHECKING:
    from bs4.element import PageElement, Tag

__all__ = ["HEADINGS", "walk"]

HEADINGS = {f"h{level}": level for level in range(1, 7)}
_TIGHT = frozenset(("li", "dt", "dd"))
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form header hgroup hr html legend li main menu ol p pre search "
    "section summary table tbody td tfoot th thead tr ul xmp listing".split()
) | frozenset(HEADINGS)
_PREFORMATTED = ("pre", "xmp", "listing")
_BLOCK_STYLE = re.compile(r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table|list-item)")
_RAISED_STYLE = re.compile(r"vertical-align\s*:\s*(super|sub)\b")
_BREAK = "\v"  # a line break in running text
_AROUND = {"q": ("“", "”"), "rt": ("(", ")"), "button": (" ", " "), "option": (" ", " ")}


def walk(root: Tag, blocks: Blocks) -> None:
    """Add the text of an element to the blocks."""
    _Walk(root, blocks).run()


class _Walk:
    """One walk.

    Args:
        root: where it begins.
        blocks: what it adds to.
    """

    def __init__(self, root: Tag, blocks: Blocks) -> None:
        self._root, self._blocks = root, blocks
        self._inline: list[str] = []
        self._block = root  # the block element that goes on
        self._last = ""  # the one that gave the last block
        self._numbers = Numbers()

    def run(self) -> None:
        from bs4.element import CData, NavigableString, RubyTextString, Tag

        stack: list[tuple[Tag, Iterator[PageElement], int]] = []
        self._enter(self._root, stack)
        while stack:
            parent, children, begun = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._leave(parent, begun, stack)
            elif isinstance(child, Tag):
                self._tag(child, stack)
            elif type(child) in (NavigableString, CData, RubyTextString):
                text = str(child)
                self._inline.append(text if self._preformatted else text.replace(_BREAK, " "))
        self._flush()

    @property
    def _preformatted(self) -> bool:
        return self._block.name in _PREFORMATTED

    def _tag(self, tag: Tag, stack: list[tuple[Tag, Iterator[PageElement], int]]) -> None:
        kind = left_out_as(tag)
        if kind is not None:
            if kind and has_text(tag):
                self._blocks.left_out[kind] += 1
        elif tag.name == "br":
            self._inline.append("\n" if self._preformatted else _BREAK)
        elif tag.name == "img":
            self._inline.append(str(tag.get("alt", "")))
        elif tag.name == "input":
            self._input(tag)
        elif tag.name == "math":
            self._inline.append(f" {linear(tag)} ")
        elif tag.name == "table" and _is_data(tag):
            self._table(tag)
        else:
            self._enter(tag, stack)

    def _input(self, tag: Tag) -> None:
        kind = str(tag.get("type", "text")).lower()
        if kind in ("checkbox", "radio"):
            self._inline.append(" ☒ " if tag.has_attr("checked") else " ☐ ")
        elif kind not in ("hidden", "submit", "button", "reset", "image") and tag.get("value"):
            self._blocks.left_out["form field"] += 1

    def _table(self, tag: Tag) -> None:
        from ragbench.ingest.load.html._table import add_table

        self._flush()
        self._last = "table"
        add_table(tag, self._blocks)

    def _enter(self, tag: Tag, stack: list[tuple[Tag, Iterator[PageElement], int]]) -> None:
        if _is_block(tag) or tag is self._root:
            self._flush()
            self._block = tag
            self._numbers.enter(tag)
        stack.append((tag, iter(tag.children), len(self._inline)))

    def _leave(
        self, tag: Tag, begun: int, stack: list[tuple[Tag, Iterator[PageElement], int]]
    ) -> None:
        if _is_block(tag):
            self._flush()
            self._numbers.leave(tag)
            around = (entry[0] for entry in reversed(stack))
            self._block = next((outer for outer in around if _is_block(outer)), self._root)
            return
        around_text = _AROUND.get(tag.name)
        mark = _mark_of(tag)
        if (around_text or mark) and begun <= len(self._inline):
            text = "".join(self._inline[begun:])
            if mark == "sup":
                text = raised(text)
            elif mark == "sub":
                text = lowered(text)
            elif around_text and text.strip():
                text = text.join(around_text)
            self._inline[begun:] = [text]

    def _flush(self) -> None:
        name = self._block.name
        text = self._text()
        self._inline.clear()
        if not text.strip():
            return
        tight = name in _TIGHT and self._last in _TIGHT
        level = HEADINGS.get(name)
        if level is None and self._block.get("role") == "heading":
            stated = str(self._block.get("aria-level", "2"))
            level = int(stated) if stated.isdigit() and 0 < int(stated) < 10 else 2
        self._blocks.add(text, tight=tight, level=level, label=self._numbers.label())
        self._last = name

    def _text(self) -> str:
        text = set_apart("".join(self._inline))
        if self._preformatted:
            return text.strip("\n") if text.strip() else ""
        lines = filter(None, map(fold, text.split(_BREAK)))
        return (" " if self._block.name in HEADINGS else "\n").join(lines)


def _is_block(tag: Tag) -> bool:
    return tag.name in _BLOCKS or bool(tag.attrs and _BLOCK_STYLE.search(style_of(tag)))


def _mark_of(tag: Tag) -> str:
    """``sup`` or ``sub`` for an element that raises or lowers its text."""
    if tag.name in ("sup", "sub"):
        return str(tag.name)
    found = _RAISED_STYLE.search(style_of(tag)) if tag.attrs else None
    return "" if found is None else {"super": "sup", "sub": "sub"}[found.group(1)]


def _is_data(table: Tag) -> bool:
    """Whether a table holds data; one that holds tables and no header of its own is layout."""
    if table.get("role") in ("presentation", "none"):
        return False
    if table.find("table") is None:
        return True
    heads = table.find_all(("th", "caption", "thead"))
    return any(head.find_parent("table") is table for head in heads)
