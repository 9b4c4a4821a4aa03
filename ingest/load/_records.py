"""Files of many records: documents one after another, and the records that give none, by name.

Rules fixed here: a record that cannot be read costs itself alone and is listed as ``file::LINE``
(``file::NUMBER`` in a JSON array); so is the second record of an id. Past `MAX_LISTED` of them the
rest is one entry, ``file::...``, with a count. A file without a single good record is one failure
of the file. Records are read as they are taken, so that a file's size does not matter; its hash and
encoding are taken in a first pass over the same open file.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from typing import TextIO

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load._decode import stream_encoding
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._sources import Source, Unread
from ragbench.records import Document

__all__ = [
    "MAX_LISTED",
    "MAX_RECORD_CHARS",
    "Lines",
    "Numbered",
    "Records",
    "Rows",
    "named",
    "read_stream",
]

MAX_LISTED = 50
"""Bad records of one file that are listed each."""

MAX_RECORD_CHARS = 64 * 1024 * 1024
"""A longer line, or field of a table, is refused: it would have to be held whole."""

_BLOCK = 1 << 20

Numbered = tuple[int, Parsed | DocumentUnreadable]
"""The line or number of a record, with what it holds or what is wrong with it."""

Rows = Callable[[TextIO], Iterator[Numbered]]


class Records(Iterator[Document]):
    """The documents of one file, at least one; `unread` is complete when they have been taken.

    Args:
        doc_id: the file's.
        found: its documents and bad records in order.

    Attributes:
        unread: the records that gave no document.

    Raises:
        DocumentUnreadable: no record gives a document.
    """

    def __init__(self, doc_id: str, found: Iterable[Document | Unread]) -> None:
        self.doc_id = doc_id
        self.unread: list[Unread] = []
        self._found = iter(found)
        self._more: Counter[str] = Counter()
        self._first = self._next()
        if self._first is None:
            raise self._nothing()

    def __next__(self) -> Document:
        document = self._first if self._first is not None else self._next()
        self._first = None
        if document is None:
            raise StopIteration
        return document

    def _next(self) -> Document | None:
        for item in self._found:
            if isinstance(item, Document):
                return item
            if len(self.unread) < MAX_LISTED:
                self.unread.append(item)
            else:
                self._more[item.reason] += 1
        if self._more:
            reasons = ", ".join(f"{n:,} {reason}" for reason, n in self._more.most_common())
            detail = f"{self._more.total():,} more of its records could not be read: {reasons}."
            reason = self._more.most_common(1)[0][0]
            self.unread.append(Unread(f"{self.doc_id}::...", reason, detail))
            self._more.clear()
        return None

    def _nothing(self) -> DocumentUnreadable:
        if not self.unread:
            return DocumentUnreadable("empty", "The file holds no record.")
        first = self.unread[0]
        if len(self.unread) == 1:
            return DocumentUnreadable(first.reason, first.detail)
        count = "all" if len(self.unread) > MAX_LISTED else str(len(self.unread))
        detail = f"None of its records ({count}) could be read. The first: {first.detail}"
        return DocumentUnreadable(first.reason, detail)


def named(
    source: Source,
    sha256: str,
    records: Iterable[Numbered],
    document: Callable[[Parsed, Source, str], Document],
) -> Iterator[Document | Unread]:
    """Records to documents, each id once."""
    lines: dict[str, int] = {}
    for number, found in records:
        if isinstance(found, Parsed) and found.record in lines:
            detail = (
                f"Its id {found.record!r} is also that of "
                f"'{source.doc_id}::{lines[found.record]}'. Give each record its own id."
            )
            yield Unread(f"{source.doc_id}::{number}", "malformed", detail)
        elif isinstance(found, Parsed):
            lines[found.record] = number
            yield document(found, source, sha256)
        else:
            yield Unread(f"{source.doc_id}::{number}", found.reason, found.detail)


def read_stream(
    source: Source, rows: Rows, document: Callable[[Parsed, Source, str], Document]
) -> Records:
    """The records of a text file, read as they are taken.

    Raises:
        DocumentUnreadable: the file cannot be read, is no text, or holds no good record.
    """
    try:
        file = source.path.open("rb")
        try:
            sha256 = _sha256(file)
            only_utf8 = source.suffix == ".jsonl"  # RFC 8259; tables come from spreadsheets
            encoding = stream_encoding(file, source.suffix, only_utf8=only_utf8)
        except BaseException:
            file.close()
            raise
    except OSError as error:
        detail = f"The file cannot be read: {error.strerror}."
        raise DocumentUnreadable("unreadable", detail) from error
    return Records(source.doc_id, named(source, sha256, _records(file, encoding, rows), document))


def _sha256(file: BufferedReader) -> str:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    if file.tell() == 0:
        raise DocumentUnreadable("empty", "The file holds 0 bytes.")
    file.seek(0)
    return digest


def _records(file: BufferedReader, encoding: str, rows: Rows) -> Iterator[Numbered]:
    """The records; ``encoding`` in the metadata of each where it was not UTF-8."""
    number = 0
    with io.TextIOWrapper(file, encoding, errors="surrogateescape", newline="") as text:
        try:
            for number, found in rows(text):
                if isinstance(found, Parsed) and not encoding.startswith("utf-8"):
                    found.metadata["encoding"] = encoding
                yield number, found
        except OSError as error:
            why = error.strerror or os.strerror(error.errno or 0)
            yield number + 1, DocumentUnreadable("unreadable", f"Reading stopped here: {why}.")
        except UnicodeDecodeError as error:
            detail = f"From here on the bytes are not {encoding.upper()} ({error.reason})."
            yield number + 1, DocumentUnreadable("undecodable", detail)


class Lines(Iterator[str]):
    """The lines of a text with their ends; a line that is too long or no text raises once.

    Attributes:
        number: of the line given last, from 1.
    """

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.number = 0

    def __next__(self) -> str:
        """The next line.

        Raises:
            DocumentUnreadable: this line cannot be used; the next one may be.
        """
        line = self._text.readline(MAX_RECORD_CHARS)
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) == MAX_RECORD_CHARS and not line.endswith("\n"):
            self._skip_rest()
            detail = f"The line is longer than {MAX_RECORD_CHARS:,} characters. Split the record."
            raise DocumentUnreadable("memory", detail)
        if not line.isascii():
            _check_decoded(line)
        if "\0" in line:
            detail = f"There is a NUL byte after {line.index(chr(0)):,} characters of the line."
            raise DocumentUnreadable("undecodable", f"{detail} Remove it.")
        return line

    def _skip_rest(self) -> None:
        while (rest := self._text.readline(_BLOCK)) and not rest.endswith("\n"):
            pass


def _check_decoded(line: str) -> None:
    try:
        line.encode()
    except UnicodeEncodeError as error:
        byte = ord(line[error.start]) & 0xFF
        detail = (
            f"The byte 0x{byte:02x} after {error.start:,} characters of the line is no UTF-8. "
            "Repair it or save the file again as UTF-8."
        )
        raise DocumentUnreadable("undecodable", detail) from error
