"""One record, an object of named fields, to a document: which field is text, title, id.

Shared by JSON, JSON lines and tables. ``title`` is the title, ``id`` an alias and the record's
name, every other scalar metadata. Texts of several fields are joined by an empty line where ``+``
stands between their names, as in ``title+text``; those that a record leaves empty are none. A path
such as ``body.text`` names a nested field, in each item where it leads through an array. A text
that is an array of texts is their paragraphs, one that is nested a line ``path: value`` for each
value. Texts are read for Markdown headings, since exported articles mostly are Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._headings import sections
from ragbench.ingest.load._markdown import headings_of
from ragbench.ingest.load._metadata import flatten, leaves, said, scalar, well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._written import Written, doubled_key

__all__ = ["Fields", "record"]

_SHOWN = 10
_MOST = 500
"""Metadata of one record; every chunk carries them. What is above is left out and counted."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of the fields that may hold something; the first that a record fills is taken."""

    text: tuple[str, ...] = ("content", "text")
    title: tuple[str, ...] = ("title",)
    id: tuple[str, ...] = ("id",)

    @property
    def text_parts(self) -> tuple[str, ...]:
        """Every field that may be a part of the text."""
        return tuple(part for name in self.text for part in _parts(name))

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
    try:
        return _record(value, where, fields, number)
    except RecursionError as error:
        raise DocumentUnreadable("malformed", f"{where} is nested too deeply.") from error


def _record(value: dict[str, Any], where: str, fields: Fields, number: str) -> Parsed:
    doubled = doubled_key(value)
    if doubled is not None:
        raise DocumentUnreadable(
            "malformed",
            f"{where} has the key {well_formed(doubled)!r} twice, with two values. Nothing says "
            "which of them counts; remove one or rename it.",
        )
    name, text = _text(value, fields)
    if name is None:
        raise DocumentUnreadable(
            "malformed",
            f"{where} has no text field. {fields.form} Fields found: {_found(value)}. "
            "Name the field in the loader, as in --loader 'files(text_fields=body)'.",
        )
    text = well_formed(text).replace("\0", "")
    if number and not text.strip():
        raise DocumentUnreadable("empty", f"{where} holds no text in its field {name!r}.")
    title_name, title = _first(value, fields.title)
    id_name, alias = _first(value, fields.id)
    metadata = flatten(value, (*_parts(name), title_name, id_name))
    left_out = {} if len(metadata) <= _MOST else {"metadata field": len(metadata) - _MOST}
    return Parsed(
        text=text,
        title=title,
        metadata=dict(islice(metadata.items(), _MOST)),
        places=sections(headings_of(text), len(text)),
        aliases=(alias,) if alias else (),
        record=number and (alias or number),
        left_out=left_out,
    )


def shown_names(names: Mapping[Any, Any]) -> str:
    """The first names of fields, for a message."""
    shown = [well_formed(str(name)) for name in list(names)[:_SHOWN]]
    return ", ".join(shown + ["..."] * (len(names) > _SHOWN)) or "none"


def _found(value: dict[str, Any]) -> str:
    """The names of the fields, and the paths of nested ones."""
    bare = (re.sub(r"\[\d+\]", "", path) for path, _ in leaves(value))
    return shown_names(dict.fromkeys((*value, *bare)))


def _text(value: Mapping[Any, Any], fields: Fields) -> tuple[str | None, str]:
    """The field, or fields, that hold the text, with it: the first that is filled, else the first.

    >>> _text({"title": "Fees", "text": "", "body": "x"}, Fields(text=("title+text", "body")))
    ('title+text', 'Fees')
    """
    found: list[tuple[str, str]] = []
    for name in fields.text:
        texts = [text for part in _parts(name) for text in _texts(value, part)]
        if texts:
            found.append((name, "\n\n".join(filter(str.strip, texts))))
    filled = (one for one in found if one[1].strip())
    return next(filled, found[0] if found else (None, ""))


def _texts(value: Mapping[Any, Any], path: str) -> list[str]:
    """The texts at a path; a field that is a number or null is none."""
    texts: list[str] = []
    for one in _at(value, path):
        if isinstance(one, str):
            texts += [] if isinstance(one, Written) else [one]
        elif isinstance(one, list) and all(isinstance(item, str) for item in one):
            texts += one
        elif isinstance(one, list | dict):
            lines = (f"{name}: {said(leaf)}" for name, leaf in leaves(one))
            texts.append("\n".join(lines))
    return texts


def _at(value: object, path: str) -> list[Any]:
    """What stands at a path: a field of that very name, else a nested one, in each item of arrays.

    >>> _at({"body": [{"text": "a"}, {"text": "b"}]}, "body.text")
    ['a', 'b']
    """
    if isinstance(value, list):
        return [found for item in value for found in _at(item, path)]
    if not isinstance(value, Mapping):
        return []
    if path in value:
        return [value[path]]
    cuts = (cut for cut in range(len(path)) if path[cut] == "." and path[:cut] in value)
    return [found for cut in cuts for found in _at(value[path[:cut]], path[cut + 1 :])]


def _parts(name: str) -> list[str]:
    """The fields that a name with ``+`` joins."""
    return [part.strip() for part in name.split("+")]


def _first(value: Mapping[Any, Any], names: tuple[str, ...]) -> tuple[str, str]:
    """The first of the names that is filled, with what it holds."""
    found = ((name, scalar(one)) for name in names for one in _at(value, name))
    return next(((name, said(one)) for name, one in found if one not in (None, "")), ("", ""))
