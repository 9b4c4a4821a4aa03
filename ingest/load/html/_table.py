"""A table of data as rows of cells: heads first, feet last, what is hidden left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from ragbench.ingest.load._blocks import Blocks, fold
from ragbench.ingest.load._tables import Cell, add_rows
from ragbench.ingest.load.html._shown import has_text, left_out_as

if TYPE_CHECKING:
    from bs4.element import Tag

__all__ = ["add_table"]

_PARTS = ("thead", "tbody", "tfoot")
_SPAN = re.compile(r"\s*(\d{1,6})")
_MOST_ROWS = 65_534


def add_table(table: Tag, blocks: Blocks) -> None:
    """Add caption and rows of the table to the blocks."""
    caption = table.find("caption", recursive=False)
    if caption is not None and _is_shown(caption, blocks):
        blocks.add(_text(caption, blocks))
    parts = list(_parts(table, blocks))
    rows = (row for part in parts for row in _rows(part, blocks))
    add_rows(blocks, rows, _n_heads(parts))


def _n_heads(parts: list[list[Tag]]) -> int:
    """Number of rows that are the head: those of ``thead``, else the first of ``th`` alone."""
    if not parts:
        return 0
    shown = [row for row in parts[0] if left_out_as(row) is None]
    if shown and shown[0].parent is not None and shown[0].parent.name == "thead":
        return len(shown)
    heads = takewhile(lambda row: row.find("td", recursive=False) is None, shown)
    return sum(row.find("th", recursive=False) is not None for row in heads)


def _parts(table: Tag, blocks: Blocks) -> Iterator[list[Tag]]:
    """The rows of each part, in the order in which a reader sees the parts."""
    parts: dict[str, list[list[Tag]]] = {"thead": [], "tbody": [], "tfoot": []}
    loose: list[Tag] = []
    for child in table.find_all(("tr", *_PARTS), recursive=False):
        if not _is_shown(child, blocks):
            continue
        if child.name == "tr":
            loose.append(child)
            continue
        if loose:
            parts["tbody"].append(loose)
            loose = []
        parts[child.name].append(child.find_all("tr", recursive=False))
    if loose:
        parts["tbody"].append(loose)
    for name in _PARTS:
        yield from parts[name]


def _rows(rows: list[Tag], blocks: Blocks) -> Iterator[list[Cell]]:
    """The cells of each row; none reaches beyond its part of the table."""
    shown = [row for row in rows if _is_shown(row, blocks)]
    for number, row in enumerate(shown):
        left = len(shown) - number
        yield [
            Cell(
                _text(cell, blocks),
                max(1, _span(cell, "colspan")),
                min(_span(cell, "rowspan") or _MOST_ROWS, left),  # 0 is the rest of the part
            )
            for cell in row.find_all(("td", "th"), recursive=False)
            if _is_shown(cell, blocks)
        ]


def _span(cell: Tag, name: str) -> int:
    found = _SPAN.match(str(cell.get(name, "1")))
    return 1 if found is None else int(found.group(1))


def _is_shown(tag: Tag, blocks: Blocks) -> bool:
    kind = left_out_as(tag)
    if kind and has_text(tag):
        blocks.left_out[kind] += 1
    return kind is None


def _text(cell: Tag, blocks: Blocks) -> str:
    from ragbench.ingest.load.html._walk import walk

    inner = Blocks(blocks.left_out)
    walk(cell, inner)
    if cell.find("table") is None:
        return fold(inner.text)
    lines = filter(None, inner.text.split("\n"))  # a table in a cell: its bars would be columns
    return fold("; ".join(line.replace(" | ", ", ") for line in lines))
