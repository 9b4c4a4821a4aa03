"""Cells that reach over columns and rows, as rows of text: each value under its own column.

Rules fixed here, for every format: a cell stands in each column and row that it reaches over; a
cell that fills a whole row alone stands once, since there is nothing to keep apart; a row without
text is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragbench.ingest.load._blocks import Blocks, table_row

__all__ = ["Cell", "add_rows", "spread"]

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


def add_rows(blocks: Blocks, rows: Iterable[Iterable[Cell]]) -> None:
    """Add a table to the blocks, a line a row."""
    tight = False
    for cells in spread(rows):
        line = table_row(cells)
        blocks.add(line, tight=tight)
        tight = tight or bool(line)
