"""Sources and documents as JSON frames between the pool and its workers.

A frame is the length of its JSON in eight bytes, then the JSON in UTF-8. Nothing here is stored.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from pathlib import Path
from typing import Any

from ragbench.ingest.load._sources import Source
from ragbench.records import Document, Place

__all__ = ["HEADER", "document_from", "frame", "source_from", "to_json"]

HEADER = struct.Struct(">Q")


def frame(message: dict[str, Any]) -> bytes:
    """The message as bytes, its length first."""
    body = json.dumps(message, ensure_ascii=False).encode()
    return HEADER.pack(len(body)) + body


def to_json(value: Source | Document) -> dict[str, Any]:
    """All fields as JSON values."""
    if isinstance(value, Source):
        return dataclasses.asdict(value) | {"path": str(value.path), "root": str(value.root)}
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    places = [(place.start, place.end, place.page, place.heading) for place in value.places]
    return fields | {"places": places}


def source_from(fields: dict[str, Any]) -> Source:
    """The source that `to_json` wrote."""
    return Source(**(fields | {"path": Path(fields["path"]), "root": Path(fields["root"])}))


def document_from(fields: dict[str, Any]) -> Document:
    """The document that `to_json` wrote."""
    places = tuple(Place(*place) for place in fields["places"])
    return Document(**(fields | {"places": places, "aliases": tuple(fields["aliases"])}))
