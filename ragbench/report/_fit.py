"""Tables that fit the terminal: no word of a cell is broken, and columns go before words do.

Cells of text wrap at spaces, heads also after an underscore, figures never. Where the columns do
not fit even so, the ones that can be spared most are left out and named below the table. A terminal
that is narrower than what has to stay gets lines longer than itself. Rich does the drawing.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Column", "fitted_table", "print_fitted", "terminal_width", "whole_text"]

_ROOMY, _TIGHT = 3, 1
"""Characters between columns: where all is shown whole, and where room is short."""
_COMPLETE_WIDTH = 100_000


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        cells: one per row.
        spared: 0 for a column that always stays; the highest number is left out first.
        is_text: whether it stands at the left and may wrap.
    """

    head: str
    cells: Sequence[str]
    spared: int = 0
    is_text: bool = False

    @property
    def widest(self) -> int:
        """Its width when nothing is wrapped."""
        return max(map(len, (self.head, *self.cells)))

    @property
    def narrowest(self) -> int:
        """Its width when everything that may be wrapped is.

        >>> Column("over_retrieval", ["97.0 %"]).narrowest, Column("a", ["x yy"], 0, True).narrowest
        (9, 2)
        """
        cells = self.cells
        if self.is_text:
            cells = [word for cell in self.cells for word in cell.split()]
        return max(map(len, (*_pieces(self.head), *cells)), default=0)


def terminal_width() -> int | None:
    """Columns of the terminal, or of ``COLUMNS``; None where the output goes elsewhere."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return shutil.get_terminal_size((100, 24)).columns
    return None


def print_fitted(columns: Sequence[Column], wide: bool, elsewhere: str) -> None:
    """Print a table as wide as the terminal, or whole, and what was left out.

    Args:
        columns: in order.
        wide: show all of them, whatever the width.
        elsewhere: where the others can be read.
    """
    from rich.console import Console

    width = None if wide else terminal_width()
    table, left_out = fitted_table(columns, width)
    console = Console(width=_COMPLETE_WIDTH, no_color=True if not sys.stdout.isatty() else None)
    with console.capture() as captured:
        console.print(table)
    sys.stdout.write(_stripped(captured.get()))
    if left_out:
        note = f"Left out here: {', '.join(left_out)}; {elsewhere} have them, and --wide."
        sys.stdout.write("\n".join(textwrap.wrap(note, width or 100)) + "\n")


def fitted_table(
    columns: Sequence[Column], width: int | None, styles: Sequence[str] = ()
) -> tuple[Table, list[str]]:
    """The table in a width, and the heads of the columns that are left out.

    Args:
        columns: in order.
        width: of the terminal; None is any.
        styles: of the rows.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    is_whole = width is None or _total([column.widest for column in columns], _ROOMY) <= width
    kept = _kept(columns, None if is_whole else width)
    widths = _widths(kept, None if is_whole else width)
    padding = (0, 1) if is_whole else (0, 0)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=padding)
    wrapped = []
    for column, room in zip(kept, widths, strict=True):
        justify = "left" if column.is_text else "right"
        table.add_column(_head(column.head, room), justify=justify, no_wrap=True)  # type: ignore[arg-type]
        wrapped.append([_cell(cell, room) for cell in column.cells])
    rows = zip(*wrapped, strict=True)
    for number, cells in enumerate(rows):
        table.add_row(*map(Text, cells), style=styles[number] if styles else "")
    gone = sorted((one for one in columns if one not in kept), key=lambda one: -one.spared)
    return table, [column.head for column in gone]


def whole_text(columns: Sequence[Column]) -> str:
    """The table without colour, every cell whole, whatever the width."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=_COMPLETE_WIDTH, color_system=None, force_terminal=False)
    console.print(fitted_table(columns, None)[0])
    return _stripped(out.getvalue())


def _stripped(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def _kept(columns: Sequence[Column], width: int | None) -> list[Column]:
    kept = list(columns)
    while width is not None and _total([column.narrowest for column in kept]) > width:
        dearest = max(kept, key=lambda column: column.spared)
        if dearest.spared == 0:
            break
        kept.remove(dearest)
    return kept


def _widths(columns: Sequence[Column], width: int | None) -> list[int]:
    """The width of every column: what it needs, and of what is left as much as it can use."""
    if width is None:
        return [column.widest for column in columns]
    widths = [column.narrowest for column in columns]
    left = width - _total(widths)
    for number, column in enumerate(columns):
        more = max(0, min(left, column.widest - widths[number]))
        widths[number] += more
        left -= more
    return widths


def _total(widths: Sequence[int], gap: int = _TIGHT) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _pieces(head: str) -> list[str]:
    return re.findall(r"[^\s_]+_*|_+", head)


def _head(head: str, width: int) -> str:
    r"""The head in lines of at most this width, broken at spaces and after underscores.

    >>> _head("over_search_rate", 12)
    'over_search_\nrate'
    """
    lines = [""]
    for piece in re.findall(r"\s*(?:[^\s_]+_*|_+)", head):
        if len(lines[-1] + piece) > width and lines[-1]:
            lines.append(piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)


def _cell(cell: str, width: int) -> str:
    if len(cell) <= width:
        return cell
    return "\n".join(
        textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False) or [cell]
    )
