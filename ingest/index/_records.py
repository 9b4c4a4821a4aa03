"""Documents and chunks as JSON lines, in the order of their sources.

A chunk's text is a span of its document's and is not stored again. Beside the lines stand two
tables, which hold nothing that the lines do not: where each line begins, and the numbers of each
chunk. With them a search reads the lines of its hits alone (`RecordTable`).
"""

from __future__ import annotations

import dataclasses
import json
import os
import weakref
from array import array
from collections.abc import Iterable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]  # the json module's own
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ragbench.ingest.index._arrays import load_array, save_array
from ragbench.ingest.index._manifest import damaged
from ragbench.records import Chunk, Document, Place

if TYPE_CHECKING:
    pass

__all__ = [
    "CHUNKS",
    "CHUNK_TABLE",
    "DOCUMENTS",
    "DOCUMENT_TABLE",
    "RecordTable",
    "Tables",
    "chunk_line",
    "chunk_tokens",
    "doc_id_of",
    "document_line",
    "raw_lines",
    "read_documents",
    "read_pairs",
    "write_tables",
]

DOCUMENTS = "documents.jsonl"
CHUNKS = "chunks.jsonl"
DOCUMENT_TABLE = "documents.npy"
"""int64 (documents + 1): where each line begins in the file, and where the last one ends."""
CHUNK_TABLE = "chunks.npy"
"""int64 (chunks, 4): number of the document, start, end, tokens."""

_DOC_ID = '{"doc_id": "'
_MOST_DOCUMENTS = 1000
"""Documents that a table remembers once they were read."""


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
        yield _document(line, path)


def _document(line: str | bytes, path: Path) -> Document:
    try:
        values: dict[str, Any] = json.loads(line)
        values["places"] = tuple(Place(*place) for place in values["places"])
        values["aliases"] = tuple(values["aliases"])
        return Document(**values)
    except (ValueError, TypeError, KeyError) as error:
        raise damaged(path, error) from error


def doc_id_of(line: str, path: Path) -> str:
    """The id in a line of either file, which begins with it.

    Raises:
        StoreError: the line does not.
    """
    try:
        if line.startswith(_DOC_ID):
            doc_id: str = scanstring(line, len(_DOC_ID))[0]
            return doc_id
    except ValueError as error:
        raise damaged(path, error) from error
    raise damaged(path, "a line does not begin with its document's id")


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


class Tables:
    """The two tables, while records are written or read through."""

    def __init__(self) -> None:
        self._starts = array("q", [0])
        self._chunks = array("q")

    def document(self, n_bytes: int) -> None:
        """Note the line of the next document."""
        self._starts.append(self._starts[-1] + n_bytes)

    def chunk(self, start: int, end: int, n_tokens: int) -> None:
        """Note a chunk of the last document."""
        self._chunks.extend((len(self._starts) - 2, start, end, n_tokens))

    def save(self, folder: Path) -> None:
        """Write them beside the records."""
        import numpy as np

        save_array(folder / DOCUMENT_TABLE, np.array(self._starts, dtype=np.int64))
        save_array(folder / CHUNK_TABLE, np.array(self._chunks, dtype=np.int64).reshape(-1, 4))


def write_tables(folder: Path) -> None:
    """Make the tables of a generation from its records.

    Raises:
        StoreError: the records are absent or damaged.
    """
    tables, chunks = Tables(), _lines(folder / CHUNKS)
    path, line = next(chunks, (folder, ""))
    for document in raw_lines(folder / DOCUMENTS):
        tables.document(len(document.encode()))
        doc_id = doc_id_of(document, folder / DOCUMENTS)
        while line and doc_id_of(line, path) == doc_id:
            values = json.loads(line)
            tables.chunk(values["start"], values["end"], values["n_tokens"])
            _, line = next(chunks, (path, ""))
    if line:
        raise damaged(path, f"it names a document {doc_id_of(line, path)!r} without text")
    tables.save(folder)


class RecordTable:
    """Documents and chunks of a finished generation by their numbers, read when asked for.

    Raises:
        StoreError: a file is absent, or not of the promised number of records.
    """

    def __init__(self, folder: Path, n_documents: int, n_chunks: int) -> None:
        self._path = folder / DOCUMENTS
        self._starts = load_array(folder / DOCUMENT_TABLE, (n_documents + 1,))
        self.chunks = load_array(folder / CHUNK_TABLE, (n_chunks, 4))
        try:
            number = os.open(self._path, os.O_RDONLY)
        except OSError as error:
            raise damaged(self._path, error.strerror) from error
        self._file, self._release = number, weakref.finalize(self, os.close, number)
        self._known: dict[int, Document] = {}
        self._numbers: dict[str, int] = {}

    def document(self, number: int) -> Document:
        """One document."""
        known = self._known.get(number)
        if known is not None:
            return known
        start, end = int(self._starts[number]), int(self._starts[number + 1])
        found = _document(os.pread(self._file, end - start, start), self._path)
        if len(self._known) >= _MOST_DOCUMENTS:
            self._known.clear()
            self._numbers.clear()
        self._known[number] = found
        self._numbers[found.doc_id] = number
        return found

    def read_before(self, doc_id: str) -> Document | None:
        """The document of this id if it was read lately; ids are in the lines alone."""
        number = self._numbers.get(doc_id)
        return None if number is None else self._known[number]

    def pair(self, row: int) -> tuple[Document, Chunk]:
        """One chunk with its document."""
        number, start, end, n_tokens = map(int, self.chunks[row])
        document = self.document(number)
        return document, Chunk(document.doc_id, start, end, document.text[start:end], n_tokens)

    def pairs(self, rows: Iterable[int]) -> Iterator[tuple[Document, Chunk]]:
        """Some chunks with their documents, in the order asked for."""
        return map(self.pair, rows)

    def close(self) -> None:
        """Release the file."""
        self._release()
