"""Cells that reach over columns and rows, as rows of text: each value under its own column.

Rules fixed here, for every format: a cell stands in each column and row that it reaches over; a
cell that fills a whole row alone stands once, since there is nothing to keep apart; a row without
text is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

from ragbench.ingest.load._blocks import Blocks, table_row

__all__ = ["Cell", "add_rows", "one_head", "spread"]

_MOST_COLUMNS = 1000


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a cell and how far it reaches."""

    text: str
    n_columns: int = 1
    n_rows: int = 1


def spread(rows: Iterable[Iterable[Cell]]) -> Iterator[list[str]]:
    """Each row with the text of every column.

    >>> list(spread([[Cell("Heron", n_rows=2), Cell("Low")], [Cell("High")]]))
    [['Heron', 'Low'], ['Heron', 'High']]
    >>> list(spread([[Cell("All", n_columns=2), Cell("1")], [Cell("Notes", n_columns=3)]]))
    [['All', 'All', '1'], ['Notes']]
    """
    hanging: dict[int, tuple[str, int]] = {}  # column: text, rows that it still reaches over
    for row in rows:
        line: dict[int, str] = {}
        for column, (text, left) in list(hanging.items()):
            line[column] = text
            hanging[column] = (text, left - 1)
            if left == 1:
                del hanging[column]
        n_hanging, cells, column = len(line), list(row), 0
        for cell in cells:
            while column in line:
                column += 1
            for _ in range(max(1, min(cell.n_columns, _MOST_COLUMNS))):
                if column in line:
                    break  # cells of two rows overlap: the one above keeps its place
                line[column] = cell.text
                if cell.n_rows > 1:
                    hanging[column] = (cell.text, cell.n_rows - 1)
                column += 1
        if len(cells) == 1 and not n_hanging:
            yield [cells[0].text]
        else:
            yield [line.get(at, "") for at in range(max(line, default=-1) + 1)]


def one_head(rows: Iterator[list[str]], n_heads: int) -> Iterator[list[str]]:
    """The rows, the first ``n_heads`` of them as one: a column's names joined, each once.

    A cell that is a whole row names no column and stays a row.

    >>> heads = [["Fee", "Abroad", "Abroad"], ["Fee", "Min", "Max"], ["Wire", "5", "9"]]
    >>> list(one_head(iter(heads), 2))
    [['Fee', 'Abroad > Min', 'Abroad > Max'], ['Wire', '5', '9']]
    """
    heads: list[list[str]] = []
    for row in islice(rows, n_heads):
        if len(row) > 1:
            heads.append(row)
        else:
            yield row
    if heads:
        columns = zip_longest(*heads, fillvalue="")
        yield [" > ".join(dict.fromkeys(filter(None, column))) for column in columns]
    yield from rows


def add_rows(blocks: Blocks, rows: Iterable[Iterable[Cell]], n_heads: int = 0) -> None:
    """Add a table to the blocks, a line a row, its rows of heads as one."""
    tight = False
    for cells in one_head(spread(rows), n_heads):
        line = table_row(cells)
        blocks.add(line, tight=tight)
        tight = tight or bool(line)
