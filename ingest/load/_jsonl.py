"""JSON lines: one object a line, each a document; called by its id, else by its line's number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import TextIO

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._fields import Fields, record
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._records import Lines, Numbered, Rows
from ragbench.ingest.load._written import json_value

__all__ = ["reader"]


def reader(fields: Fields, suffix: str) -> Rows:
    """What reads the records of an open file; empty lines are no records."""
    del suffix  # only tables differ by it
    return partial(_rows, fields)


def _rows(fields: Fields, text: TextIO) -> Iterator[Numbered]:
    lines = Lines(text)
    while True:
        try:
            line = next(lines, None)
            if line is None:
                return
            if line.strip():
                yield lines.number, _record(line, lines.number, fields)
        except DocumentUnreadable as error:
            yield lines.number, error


def _record(line: str, number: int, fields: Fields) -> Parsed:
    where = f"Line {number}"
    try:
        value = json_value(line)
    except json.JSONDecodeError as error:
        raise DocumentUnreadable(
            "malformed", f"{where} is not JSON: {error.msg} at column {error.pos + 1}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise DocumentUnreadable("malformed", f"{where} cannot be read: {error}.") from error
    return record(value, where, fields, str(number))
