"""Tables (CSV, TSV): a header row of names, then a document a row; quoting as spreadsheets write.

A row is called by its id, else by the number of the line that it begins in. In ``.csv`` the comma
separates, or, where the header names a text column only so, the semicolon or the tab. Values stay
text, empty ones are left out of the metadata. Fields that a short row lacks are empty, and counted;
a row with more fields than the header is refused, since nothing says which of them a separator has
torn; empty fields past the end are none. A column without a name is ``column 3``, the second of a
name ``note (2)``, unless two could be the text, title or id.
A table without a column of text, such as one of prices, has rows of ``column: value`` lines. A line
``sep=;`` before the header says what separates.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from typing import TextIO

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._blocks import fold
from ragbench.ingest.load._fields import Fields, record, shown_names
from ragbench.ingest.load._metadata import unused
from ragbench.ingest.load._records import MAX_RECORD_CHARS, Lines, Numbered, Rows

__all__ = ["reader"]

_SEP = re.compile(r"sep=(.)", re.I)
_MOST_HEADER_LINES = 50
_SHORT = 200
"""Characters of a field up to which a row without a column of text is rendered."""
_DELIMITERS = {".csv": ",;\t", ".tsv": "\t"}


def reader(fields: Fields, suffix: str) -> Rows:
    """What reads the records of an open file."""
    return partial(_rows, fields, _DELIMITERS[suffix])


def _rows(fields: Fields, delimiters: str, text: TextIO) -> Iterator[Numbered]:
    csv.field_size_limit(MAX_RECORD_CHARS)  # the library's own would refuse long articles
    lines = Lines(text)
    header, delimiter = _header(lines, fields, delimiters)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = lines.number + 1
        try:
            row = next(rows, None)
            if row is None:
                return
            if any(map(str.strip, row)):
                value = _named(row, header, start, fields)
                if not set(header) & set(fields.text_parts):
                    value = _rendered(value, start, fields)
                found = record(value, f"Line {start}", fields, str(start))
                if len(row) < len(header):
                    found.left_out["missing field of a short row"] = len(header) - len(row)
                yield start, found
        except DocumentUnreadable as error:
            yield start, error
        except csv.Error as error:
            yield start, _malformed(error, start, lines.number)


def _header(lines: Lines, fields: Fields, delimiters: str) -> tuple[list[str], str]:
    """Names of the columns, and what separates them.

    Raises:
        DocumentUnreadable: no column has a text field's name, or two have the same name.
    """
    first = _first_record(lines)
    stated = _SEP.fullmatch(first.rstrip("\r\n"))
    if stated is not None:  # a line by which spreadsheets say what separates
        delimiters, first = stated.group(1), _first_record(lines)
    splits: dict[str, list[str]] = {}
    for delimiter in delimiters:
        try:
            reader = csv.reader(first.splitlines(keepends=True), delimiter=delimiter, strict=True)
            row = next(reader, [])
        except csv.Error:
            row = []  # a quote before another separator
        splits[delimiter] = [fold(name) for name in row]
    found = next((d for d in delimiters if set(splits[d]) & set(fields.text_parts)), None)
    best = max(delimiters, key=lambda delimiter: len(splits[delimiter]))
    if found is None and fields.text == Fields().text and sum(map(bool, splits[best])) > 1:
        found = best  # no column of text: each row is rendered, as long as its fields are short
    if found is None:
        wanted = " or ".join(map(repr, fields.text))
        raise DocumentUnreadable(
            "malformed",
            f"The first line names no column {wanted}. Columns found: "
            f"{shown_names(dict.fromkeys(splits[best]))}. Name the text's column in the loader, as "
            "in --loader 'files(text_fields=body)', or give the table a header.",
        )
    return _names(splits[found], fields), found


def _names(header: list[str], fields: Fields) -> list[str]:
    """A name of its own for each column.

    Raises:
        DocumentUnreadable: two columns have a name that says what they are.
    """
    bearing = {*fields.text_parts, *fields.title, *fields.id}
    names: list[str] = []
    for position, name in enumerate(header, start=1):
        if name in names and name in bearing:
            raise DocumentUnreadable(
                "malformed", f"Two columns are called {name!r}. Give each column its own name."
            )
        taken = names if name and name not in names else (*names, *header)
        names.append(unused(name or f"column {position}", taken))
    return names


def _first_record(lines: Lines) -> str:
    """The next line with something in it, with those that a quoted line break joins to it."""
    record = next((line for line in lines if line.strip()), "")
    for _ in range(_MOST_HEADER_LINES):
        if record.count('"') % 2 == 0:
            break
        record += next(lines, "")
    return record


def _named(row: list[str], header: list[str], line: int, fields: Fields) -> dict[str, str]:
    extra = row[len(header) :]
    if any(extra):
        raise DocumentUnreadable(
            "malformed",
            f"Line {line} has {len(row)} fields where the header has {len(header)}. Quote fields "
            "that hold the separator.",
        )
    pairs = zip_longest(header, row[: len(header)], fillvalue="")
    return {name: value for name, value in pairs if value or name in fields.text_parts}


def _rendered(value: dict[str, str], line: int, fields: Fields) -> dict[str, str]:
    """The row with a text of its own: a line ``column: value`` for each field."""
    long = next((name for name, field in value.items() if len(field) > _SHORT), None)
    if long is not None:
        raise DocumentUnreadable(
            "malformed",
            f"No column is called {' or '.join(map(repr, fields.text))}, and line {line} has "
            f"{len(value[long]):,} characters in {long!r}. Name the text's column in the loader, "
            f"as in --loader 'files(text_fields={long})'.",
        )
    lines = (f"{name}: {fold(field)}" for name, field in value.items())
    return {fields.text[0]: "\n".join(lines), **value}


def _malformed(error: csv.Error, start: int, end: int) -> DocumentUnreadable:
    where = f"Line {start}" if end <= start else f"Lines {start} to {end}"
    said = str(error)
    if "unexpected end" in said or "field limit" in said:
        detail = f"{where}: a quoted field opens in line {start} and is not closed."
    else:
        detail = f"{where} cannot be read: {said}."
    return DocumentUnreadable("malformed", f"{detail} Double the quotes within a field.")
