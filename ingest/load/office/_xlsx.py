"""Spreadsheets, by openpyxl: each sheet a heading, its rows as lines, values as they are shown.

Rules fixed here: sheets, rows and columns that are hidden are left out and counted; merged cells
repeat; a formula is the value that the file keeps of it, and one without is counted and named;
comments follow their sheet. Sheets are read row by row. How a value is shown stands in `_shown`.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import Blocks, fold, table_row
from ragbench.ingest.load._metadata import Scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._sniff import mislabelled
from ragbench.ingest.load.office._archive import library, malformed, open_archive, xml
from ragbench.ingest.load.office._shown import shown

__all__ = ["parse"]

_SUFFIX = ".xlsx"
_NAMED = 5
"""Formulas without a value that are named, a sheet."""


@dataclass(slots=True)
class _Layout:
    """What openpyxl does not say of a sheet that it reads row by row."""

    rows: set[int] = field(default_factory=set)
    columns: list[tuple[int, int]] = field(default_factory=list)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def hides(self, column: int) -> bool:
        return any(first <= column <= last for first, last in self.columns)


def parse(data: bytes) -> Parsed:
    """One document; the title is that of the file, else the first sheet's name.

    Raises:
        DocumentUnreadable: no workbook, damaged, encrypted, without text, or openpyxl is absent.
    """
    openpyxl = library("openpyxl", _SUFFIX)
    blocks = Blocks()
    with open_archive(data, _SUFFIX) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            raise mislabelled(data, _SUFFIX)
        try:
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            for sheet in book.worksheets:
                if sheet.sheet_state != "visible":
                    blocks.left_out["hidden sheet"] += 1
                else:
                    _add_sheet(sheet, archive, book.epoch.year == 1904, blocks)
            title = fold(book.properties.title or "")
        except DocumentUnreadable:
            raise
        except (KeyError, ValueError, AttributeError, TypeError, SyntaxError, OSError) as error:
            raise malformed(error, _SUFFIX) from error
    if not blocks.text:
        raise DocumentUnreadable("no-text", "No sheet that is shown holds a value.")
    metadata: dict[str, Scalar] = {}
    title = well_formed(title) or blocks.first_heading
    return Parsed(blocks.text, title, metadata, blocks.places, left_out=blocks.left_out)


def _add_sheet(sheet: Any, archive: zipfile.ZipFile, from_1904: bool, blocks: Blocks) -> None:  # noqa: ANN401
    path = sheet._worksheet_path.lstrip("/")
    layout = _layout(archive, path)
    lines = _lines(sheet, layout, blocks)
    comments = list(_comments(archive, path))
    first = next(lines, None)
    if first is not None or comments:
        blocks.add(fold(sheet.title), level=1)
        tight = first is not None and blocks.add(first)
        for line in lines:
            tight = blocks.add(line, tight=tight) or tight
        for comment in comments:
            blocks.add(comment)
    if layout.unknown:
        names = ", ".join(layout.unknown[:_NAMED])
        kind = f"formula without a value ({fold(sheet.title)}: {names}"
        kind += ", ...)" if len(layout.unknown) > _NAMED else ")"
        blocks.left_out[kind] += len(layout.unknown)


def _lines(sheet: Any, layout: _Layout, blocks: Blocks) -> Iterator[str]:  # noqa: ANN401
    """The rows that are shown and not empty."""
    sheet.reset_dimensions()
    hanging: dict[tuple[int, int], str] = {}
    columns: set[int] = set()
    for number, row in enumerate(sheet.iter_rows(), start=1):
        found = {at: shown(cell) for at, cell in enumerate(row, start=1) if cell.value is not None}
        _spread(found, number, layout, hanging)
        if number in layout.rows:
            blocks.left_out["hidden row"] += bool(found)
            continue
        hidden = {at for at in found if layout.hides(at)}
        blocks.left_out["hidden column"] += len(hidden - columns)
        columns |= hidden
        kept = [
            found.get(at, "") for at in range(1, max(found, default=0) + 1) if not layout.hides(at)
        ]
        if any(kept):
            yield table_row(kept)


def _spread(
    found: dict[int, str], number: int, layout: _Layout, hanging: dict[tuple[int, int], str]
) -> None:
    """Repeat the value of a merged cell in each column and row that it reaches over."""
    for left, top, right, bottom in layout.merged:
        if not top <= number <= bottom:
            continue
        if number == top:
            hanging[left, top] = found.get(left, "")
        text = hanging.get((left, top), "")
        alone = top == bottom and not any(at < left or at > right for at in found)
        if text and not alone:
            found.update(dict.fromkeys(range(left, right + 1), text))


def _layout(archive: zipfile.ZipFile, path: str) -> _Layout:
    from lxml import etree
    from openpyxl.utils import range_boundaries

    layout = _Layout()
    with archive.open(path) as file:
        tags = ("{*}row", "{*}col", "{*}mergeCell", "{*}c")
        for _, node in etree.iterparse(file, tag=tags, resolve_entities=False, no_network=True):
            kind = node.tag.rsplit("}", 1)[-1]
            hidden = node.get("hidden") in ("1", "true")
            if kind == "c":
                is_text = node.get("t") == "str"  # which may be empty
                if node.find("{*}f") is not None and not node.findtext("{*}v") and not is_text:
                    layout.unknown.append(str(node.get("r")))
            elif kind == "row" and hidden:
                layout.rows.add(int(node.get("r")))
            elif kind == "col" and hidden:
                layout.columns.append((int(node.get("min")), int(node.get("max"))))
            elif kind == "mergeCell":
                layout.merged.append(range_boundaries(node.get("ref")))
            if kind != "c":
                node.clear()
    return layout


def _comments(archive: zipfile.ZipFile, path: str) -> Iterator[str]:
    folder, name = posixpath.split(path)
    relations = xml(archive, f"{folder}/_rels/{name}.rels", _SUFFIX)
    for relation in () if relations is None else relations:
        if not str(relation.get("Type")).endswith("/comments"):
            continue
        target = str(relation.get("Target"))
        part = target[1:] if target[0] == "/" else posixpath.normpath(f"{folder}/{target}")
        root = xml(archive, part, _SUFFIX)
        for comment in () if root is None else root.iter("{*}comment"):
            text = fold("".join(t.text or "" for t in comment.iter("{*}t")))
            if text:
                yield well_formed(f"[Comment on {comment.get('ref')}] {text}")
