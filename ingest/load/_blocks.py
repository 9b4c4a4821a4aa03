"""Blocks of text to one text: what HTML and DOCX share.

A text is built of blocks separated by an empty line, or by a line break within lists and tables.
White space inside a block is folded unless the block is preformatted.
"""

from __future__ import annotations

from collections import Counter

from ragbench.ingest.load._headings import Heading, sections
from ragbench.ingest.load._metadata import well_formed
from ragbench.records import Place

__all__ = ["Blocks", "fold", "table_row"]

_CELL_JOINT = " | "


def fold(text: str) -> str:
    """Any run of white space as one space, none at the ends."""
    return " ".join(text.split())


def table_row(cells: list[str]) -> str:
    """One row as a line, its cells joined by `` | ``; empty when all cells are.

    >>> table_row(["Fee", "", "35 USD"])
    'Fee |  | 35 USD'
    """
    return _CELL_JOINT.join(cells) if any(cells) else ""


class Blocks:
    """Collects blocks and headings; offsets are known as soon as a block is added.

    Attributes:
        left_out: what the document holds and the text does not, counted by kind.
    """

    def __init__(self, left_out: Counter[str] | None = None) -> None:
        self.left_out: Counter[str] = Counter() if left_out is None else left_out
        self._first_heading = ""
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []

    def add(
        self, text: str, *, tight: bool = False, level: int | None = None, label: str = ""
    ) -> bool:
        """Append a block that is not empty; whether it was none.

        Args:
            text: the block, white space already folded.
            tight: follow the block before on the next line, without an empty one between.
            level: the block is a heading of this level.
            label: the block's number in a list or among clauses, set before it.
        """
        text = well_formed(text)
        if not text.strip():
            return False
        if level is not None and not self._first_heading:
            self._first_heading = fold(text)
        text = f"{label} {text}" if label else text
        if self._parts:
            joint = "\n" if tight else "\n\n"
            self._parts.append(joint)
            self._length += len(joint)
        if level is not None:
            self._headings.append(Heading(self._length, level, fold(text)))
        self._parts.append(text)
        self._length += len(text)
        return True

    @property
    def text(self) -> str:
        """All blocks."""
        return "".join(self._parts)

    @property
    def places(self) -> tuple[Place, ...]:
        """A place per heading."""
        return sections(self._headings, self._length)

    @property
    def first_heading(self) -> str:
        """Text of the first heading without its number, empty without any."""
        return self._first_heading
