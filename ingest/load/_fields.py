"""One record, an object of named fields, to a document: which field is text, title, id.

Shared by JSON, JSON lines and tables. ``title`` is the title, ``id`` an alias and the record's
name, every other scalar metadata. Texts of several fields are joined by an empty line where ``+``
stands between their names, as in ``title+text``; those that a record leaves empty are none. Texts
are read for Markdown headings, since exported articles mostly are Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._headings import sections
from ragbench.ingest.load._markdown import headings_of
from ragbench.ingest.load._metadata import flatten, scalar, well_formed
from ragbench.ingest.load._parsed import Parsed

__all__ = ["Fields", "record"]

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of the fields that may hold something; the first that a record fills is taken."""

    text: tuple[str, ...] = ("content", "text")
    title: tuple[str, ...] = ("title",)
    id: tuple[str, ...] = ("id",)

    @property
    def form(self) -> str:
        """What a record has to look like, for messages."""
        text = " or ".join(map(repr, self.text))
        optional = ", ".join(map(repr, (*self.title, *self.id)))
        return f"A document is an object with its text in {text}" + (
            f", optionally {optional}." if optional else "."
        )


def record(value: Any, where: str, fields: Fields, number: str = "") -> Parsed:  # noqa: ANN401
    """One record.

    Args:
        value: what stands in the file.
        where: how to call the record in messages.
        fields: which fields are what.
        number: what the record is called when it has no id; empty when it is the whole file.

    Raises:
        DocumentUnreadable: it is no object, or has no text.
    """
    if not isinstance(value, dict):
        kind = "null" if value is None else type(value).__name__
        raise DocumentUnreadable("malformed", f"{where} is {kind}, not an object. {fields.form}")
    name, text = _text(value, fields)
    if name is None:
        raise DocumentUnreadable(
            "malformed",
            f"{where} has no text field. {fields.form} Fields found: {shown_names(value)}. "
            "Name the field in the loader, as in --loader 'files(text_fields=body)'.",
        )
    text = well_formed(text).replace("\0", "")
    if number and not text.strip():
        raise DocumentUnreadable("empty", f"{where} holds no text in its field {name!r}.")
    title, alias = _first(value, fields.title), _first(value, fields.id)
    return Parsed(
        text=text,
        title=title,
        metadata=flatten(value, leave=(*_parts(name), *fields.title, *fields.id)),
        places=sections(headings_of(text), len(text)),
        aliases=(alias,) if alias else (),
        record=number and (alias or number),
    )


def shown_names(names: Mapping[Any, Any]) -> str:
    """The first names of fields, for a message."""
    shown = [well_formed(str(name)) for name in list(names)[:_SHOWN]]
    return ", ".join(shown + ["..."] * (len(names) > _SHOWN)) or "none"


def _text(value: Mapping[Any, Any], fields: Fields) -> tuple[str | None, str]:
    """The field, or fields, that hold the text, with it: the first that is filled, else the first.

    >>> _text({"title": "Fees", "text": "", "body": "x"}, Fields(text=("title+text", "body")))
    ('title+text', 'Fees')
    """
    found: list[tuple[str, str]] = []
    for name in fields.text:
        texts = [one for part in _parts(name) if isinstance(one := value.get(part), str)]
        if texts:
            found.append((name, "\n\n".join(filter(str.strip, texts))))
    filled = (one for one in found if one[1].strip())
    return next(filled, found[0] if found else (None, ""))


def _parts(name: str) -> list[str]:
    """The fields that a name with ``+`` joins."""
    return [part.strip() for part in name.split("+")]


def _first(value: Mapping[Any, Any], names: tuple[str, ...]) -> str:
    found = (scalar(value.get(name)) for name in names)
    return next((str(one) for one in found if one not in (None, "")), "")
