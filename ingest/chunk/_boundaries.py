r"""Where a text may be cut: the separators in order of strength, rows of tables, headings.

Rules fixed here. A *row* is a line that holds ``|`` (a Markdown table, a table of HTML or DOCX as
loaded) or, in a document of pages, any line, since a PDF does not say which of its lines are rows.
A cut inside a row moves to its beginning, unless the chunk begins in it; in a line of a PDF a
sentence may end. A *heading* is a line that begins with ``#`` or at which a place with a heading
begins.
"""

from __future__ import annotations

import re

from ragbench.records import Document

__all__ = ["PART", "SENTENCE", "SEPARATORS", "WORD", "Boundaries", "trim"]

_CLOSING = "\"'”’»)\\]」』）】》"
SEPARATORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*",  # paragraph
        r"(?:\r\n?|[\n\u2028\u2029])\s*",  # line
        rf"[.!?…؟۔।॥။።][{_CLOSING}]*\s+|[。！？｡．][{_CLOSING}]*\s*",  # sentence
        r"[、，；：､]\s*",  # clause, in scripts without spaces
        r"\s+",  # word
        r"[!-/:-@\[-`{-~\u2010-\u205e\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]+",  # part of a word
    )
)
PARAGRAPH, LINE, SENTENCE, CLAUSE, WORD, PART = SEPARATORS


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its ends; empty when it is nothing else."""
    piece = text[start:end]
    stripped = piece.lstrip()
    start += len(piece) - len(stripped)
    return start, start + len(stripped.rstrip())


class Boundaries:
    """Rows and headings of one document."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.paged = any(place.page is not None for place in document.places)
        self._headings = {p.start for p in document.places if p.heading is not None}
        self._has_rows = self.paged or "|" in document.text

    def ends_with_heading(self, low: int, end: int) -> bool:
        """Whether the last line of ``low`` to ``end`` is a heading."""
        start = self.text.rfind("\n", low, end) + 1 or low
        return self.is_heading(start)

    def is_heading(self, start: int) -> bool:
        """Whether the line that starts here is a heading."""
        return start in self._headings or self.text.startswith("#", start)

    def row_start(self, low: int, offset: int, *, in_prose: bool = False) -> int:
        """Where the row that holds the offset starts; the offset itself when none does.

        Args:
            low: rows that start here or before are not looked for.
            offset: where a cut would be.
            in_prose: the cut is at the end of a sentence, which a line of a PDF may hold.
        """
        line = self._line_start(low, offset)
        if line is None or self._is_outside(line, offset):
            return offset
        is_row = (self.paged and not in_prose) or self._has_bar(line, offset)
        return line if is_row else offset

    def row_end(self, offset: int) -> int:
        """Where the row that holds the offset ends; the offset itself when none does."""
        low = max(0, offset - _FAR)
        line = self._line_start(low, offset)
        line = low if line is None else line
        if not self._has_rows or self._is_outside(line, offset):
            return offset
        if not self.paged and not self._has_bar(line, offset):
            return offset
        end = self.text.find("\n", offset)
        return end + 1 if end >= 0 else len(self.text)

    def _is_outside(self, line: int, offset: int) -> bool:
        """Whether the offset stands before or behind what its line holds."""
        return not self.text[line:offset].strip() or self.text[offset : offset + 1] in _BREAKS

    def _line_start(self, low: int, offset: int) -> int | None:
        """Start of the offset's line when it is behind ``low``."""
        if not self._has_rows:
            return None
        find = self.text.rfind
        return max(find("\n", low, offset), find("\r", low, offset)) + 1 or None

    def _has_bar(self, line: int, offset: int) -> bool:
        if self.text.find("|", line, offset) >= 0:
            return True
        end = self.text.find("\n", offset, offset + _FAR)
        return self.text.find("|", offset, end if end >= 0 else offset + _FAR) >= 0


_BREAKS = ("\n", "\r", "")
_FAR = 4096
"""Characters of a line that are looked at; a row this long is longer than any chunk."""
