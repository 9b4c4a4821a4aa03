"""Documents and chunks as JSON lines, in the order of their sources.

A chunk's text is a span of its document's and is not stored again.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ragbench.ingest.index._manifest import damaged
from ragbench.records import Chunk, Document, Place

__all__ = [
    "CHUNKS",
    "DOCUMENTS",
    "chunk_line",
    "chunk_tokens",
    "document_line",
    "raw_lines",
    "read_documents",
    "read_pairs",
]

DOCUMENTS = "documents.jsonl"
CHUNKS = "chunks.jsonl"


def document_line(document: Document) -> str:
    """The document as one line; equal documents give equal bytes.

    What its loader left out is no part of it; the manifest counts that per source.
    """
    values = {field.name: getattr(document, field.name) for field in dataclasses.fields(document)}
    del values["left_out"]
    values["places"] = [[p.start, p.end, p.page, p.heading] for p in document.places]
    values["metadata"] = dict(sorted(document.metadata.items()))
    return json.dumps(values, ensure_ascii=False) + "\n"


def chunk_line(chunk: Chunk) -> str:
    """The chunk as one line, without its text."""
    values = {
        "doc_id": chunk.doc_id,
        "start": chunk.start,
        "end": chunk.end,
        "n_tokens": chunk.n_tokens,
    }
    return json.dumps(values, ensure_ascii=False) + "\n"


def read_documents(folder: Path) -> Iterator[Document]:
    """The documents of a generation, in order.

    Raises:
        StoreError: the file is absent or damaged.
    """
    for path, line in _lines(folder / DOCUMENTS):
        try:
            values: dict[str, Any] = json.loads(line)
            values["places"] = tuple(Place(*place) for place in values["places"])
            values["aliases"] = tuple(values["aliases"])
            yield Document(**values)
        except (ValueError, TypeError, KeyError) as error:
            raise damaged(path, error) from error


def read_pairs(folder: Path) -> Iterator[tuple[Document, Chunk]]:
    """The chunks of a generation, each with its document, in order.

    Raises:
        StoreError: a file is absent or damaged, or the two do not fit together.
    """
    documents = read_documents(folder)
    document: Document | None = None
    for path, line in _lines(folder / CHUNKS):
        try:
            values: dict[str, Any] = json.loads(line)
            while document is None or document.doc_id != values["doc_id"]:
                document = next(documents)
            text = document.text[values["start"] : values["end"]]
            yield document, Chunk(text=text, tokens=values.pop("n_tokens"), **values)
        except StopIteration:
            raise damaged(path, f"it names a document {values['doc_id']!r} without text") from None
        except (ValueError, TypeError, KeyError) as error:
            raise damaged(path, error) from error


def chunk_tokens(folder: Path) -> Iterator[int]:
    """The tokens of each chunk of a generation.

    Raises:
        StoreError: the file is absent or damaged.
    """
    for path, line in _lines(folder / CHUNKS):
        try:
            yield json.loads(line)["n_tokens"]
        except (ValueError, TypeError, KeyError) as error:
            raise damaged(path, error) from error


def raw_lines(path: Path) -> Iterator[str]:
    """The lines of a records file as they stand.

    Raises:
        StoreError: the file is absent or no UTF-8.
    """
    return (line for _, line in _lines(path))


def _lines(path: Path) -> Iterator[tuple[Path, str]]:
    try:
        file: IO[str] = path.open(encoding="utf-8", newline="\n")
    except OSError as error:
        raise damaged(path, error.strerror) from error
    with file:
        try:
            for line in file:
                yield path, line
        except UnicodeDecodeError as error:
            raise damaged(path, error) from error
