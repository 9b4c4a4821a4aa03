"""JSON: an object, which is one document, or an array of objects, which are one each.

A record of an array is called by its id, else by its number from 1; one that gives no document does
not cost the others. What the fields of an object mean stands in `_fields`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._fields import Fields, record
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._written import json_value

__all__ = ["array_records", "parse"]


def parse(data: bytes, fields: Fields) -> Parsed | list[Any]:
    """The document, or the items of an array, for `array_records`.

    Raises:
        DocumentUnreadable: not JSON, or neither an array nor an object with a text.
    """
    text, _ = decode(data, ".json")
    try:
        value = json_value(text)
    except json.JSONDecodeError as error:
        raise DocumentUnreadable(
            "malformed", f"Not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits; deep nesting
        raise DocumentUnreadable("malformed", f"Not JSON that can be read: {error}.") from error
    return value if isinstance(value, list) else record(value, "The file", fields)


def array_records(
    items: list[Any], fields: Fields
) -> Iterator[tuple[int, Parsed | DocumentUnreadable]]:
    """The number of each item, with its document or what is wrong with it."""
    for number, item in enumerate(items, start=1):
        try:
            yield number, record(item, f"Record {number}", fields, str(number))
        except DocumentUnreadable as error:
            yield number, error
