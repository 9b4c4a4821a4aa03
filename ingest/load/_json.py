"""JSON: an object with ``content`` or ``text``, or an array of such objects.

``title`` is the title, ``id`` an alias, every other scalar metadata. A record of an array is called
by its ``id``, else by its number from 1. Texts are read for Markdown headings, since exported
articles mostly are Markdown.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._headings import sections
from ragbench.ingest.load._markdown import headings_of
from ragbench.ingest.load._metadata import flatten, scalar, well_formed
from ragbench.ingest.load._parsed import Parsed

__all__ = ["TEXT_FIELDS", "parse", "record"]

TEXT_FIELDS = ("content", "text")
"""Fields that may hold the text; the first that a record has is taken."""


def parse(data: bytes) -> list[Parsed]:
    """One document per object.

    Raises:
        DocumentUnreadable: not JSON, or not of the form above.
    """
    text, _ = decode(data, ".json")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise DocumentUnreadable(
            "malformed", f"Not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits; deep nesting
        raise DocumentUnreadable("malformed", f"Not JSON that can be read: {error}.") from error
    if not isinstance(value, list):
        return [record(value, "The file")]
    if not value:
        raise DocumentUnreadable("empty", "The array holds no record.")
    records = [record(item, f"Record {i}", str(i)) for i, item in enumerate(value, start=1)]
    name, count = Counter(parsed.record for parsed in records).most_common(1)[0]
    if count > 1:
        raise DocumentUnreadable(
            "malformed", f"{count} records have the id {name!r}. Give each record its own id."
        )
    return records


def record(value: Any, where: str, number: str = "") -> Parsed:  # noqa: ANN401  (any JSON)
    """One record.

    Args:
        value: what stands in the file.
        where: how to call the record in messages.
        number: what the record is called when it has no id; empty when it is the whole file.
    """
    if not isinstance(value, dict):
        kind = "null" if value is None else type(value).__name__
        raise DocumentUnreadable("malformed", f"{where} is {kind}, not an object. {_form()}")
    name = next((key for key in TEXT_FIELDS if isinstance(value.get(key), str)), None)
    if name is None:
        found = ", ".join(well_formed(str(key)) for key in list(value)[:10]) or "none"
        raise DocumentUnreadable(
            "malformed", f"{where} has no text field. {_form()} Fields found: {found}."
        )
    text = well_formed(value[name]).replace("\0", "")
    if number and not text.strip():
        raise DocumentUnreadable("empty", f"{where} holds no text in its field {name!r}.")
    title = scalar(value.get("title"))
    alias = scalar(value.get("id"))
    return Parsed(
        text=text,
        title="" if title is None else str(title),
        metadata=flatten(value, leave=(name, "title", "id")),
        places=sections(headings_of(text), len(text)),
        aliases=() if alias is None else (str(alias),),
        record=number and (number if alias in (None, "") else str(alias)),
    )


def _form() -> str:
    return "A document is an object with its text in 'content' or 'text', optionally 'title', 'id'."
