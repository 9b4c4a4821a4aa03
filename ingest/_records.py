"""Writing the records of a generation: of new files as they come, of the others as they stand."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO

from ragbench.errors import RagbenchError
from ragbench.ingest._plan import Plan, source_metadata_sha256
from ragbench.ingest.chunk import Chunker
from ragbench.ingest.index._manifest import SourceEntry, damaged
from ragbench.ingest.index._records import (
    CHUNKS,
    DOCUMENTS,
    Tables,
    chunk_line,
    doc_id_of,
    document_line,
    raw_lines,
)
from ragbench.ingest.load import Loaded, Source, Unread

__all__ = ["Result", "Written", "write_records"]

Result = tuple[Source, Loaded | Unread]


@dataclass(slots=True)
class Written:
    """The records of a generation, as they were written.

    Attributes:
        sha256s: of documents and of chunks.
        origins: for each chunk its number in the generation that it was copied from, else -1.
    """

    sources: dict[str, SourceEntry] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)
    sha256s: tuple[str, str] = ("", "")
    n_tokens: int = 0
    origins: array[int] = field(default_factory=lambda: array("q"))

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return sum(entry.n_documents for entry in self.sources.values())

    @property
    def n_chunks(self) -> int:
        """Number of chunks."""
        return sum(entry.n_chunks for entry in self.sources.values())


def write_records(folder: Path, plan: Plan, results: Iterator[Result], chunker: Chunker) -> Written:
    """Write documents and chunks of all sources, in order of the sources, one record at a time.

    Raises:
        RagbenchError: two documents have the same id.
    """
    written = Written()
    earlier = _earlier_records(plan)
    with (
        (folder / DOCUMENTS).open("wb") as documents,
        (folder / CHUNKS).open("wb") as chunks,
    ):
        records = _Records(documents, chunks)
        for source in plan.sources:
            if source.doc_id in plan.unchanged:
                entry, row, document_lines, chunk_lines = _skip_to(source.doc_id, earlier, folder)
                records.copy(source, document_lines, chunk_lines)
                written.origins.extend(range(row, row + entry.n_chunks))
                written.unread += plan.unread_records(source.doc_id)
            else:
                _, result = next(results)
                if isinstance(result, Unread):
                    written.unread.append(result)
                    continue
                entry = records.cut(source, result, chunker)
                written.origins.extend([-1] * entry.n_chunks)
                written.unread += getattr(result, "unread", [])
            written.sources[source.doc_id] = entry
    records.tables.save(folder)
    written.sha256s, written.n_tokens = records.sha256s, records.n_tokens
    return written


class _Records:
    """The two files of a generation's records, while they are written."""

    def __init__(self, documents: IO[bytes], chunks: IO[bytes]) -> None:
        self._files = (documents, chunks)
        self._digests = (hashlib.sha256(), hashlib.sha256())
        self._seen: dict[str, str] = {}
        self.tables = Tables()
        self.n_tokens = 0

    @property
    def sha256s(self) -> tuple[str, str]:
        """Hashes of both files."""
        return self._digests[0].hexdigest(), self._digests[1].hexdigest()

    def cut(self, source: Source, documents: Loaded, chunker: Chunker) -> SourceEntry:
        """Write the documents of a file and their chunks as they come."""
        sha256, encoding, n_documents, n_chunks = "", "", 0, 0
        left_out: Counter[str] = Counter()
        reader = ""
        for document in documents:
            self._document(source, document.doc_id, document_line(document))
            for chunk in chunker.chunk(document):
                self._chunk(chunk.start, chunk.end, chunk.n_tokens, chunk_line(chunk))
                n_chunks += 1
            sha256 = document.sha256
            encoding = str(document.metadata.get("encoding", ""))
            left_out.update(document.left_out)
            reader = str(document.metadata.get("reader", ""))
            n_documents += 1
        return SourceEntry(
            sha256=sha256,
            metadata_sha256=source_metadata_sha256(source),
            n_documents=n_documents,
            n_chunks=n_chunks,
            encoding="" if encoding.startswith("utf-8") else encoding,
            left_out=dict(sorted(left_out.items())),
            reader=reader,
        )

    def copy(self, source: Source, documents: Iterable[str], chunks: Iterator[str]) -> None:
        """Write records as they stand.

        Raises:
            StoreError: chunks and documents do not fit together.
        """
        line = next(chunks, "")
        for document in documents:
            doc_id = doc_id_of(document, Path(DOCUMENTS))
            self._document(source, doc_id, document)
            while line and (values := json.loads(line))["doc_id"] == doc_id:
                self._chunk(values["start"], values["end"], values["n_tokens"], line)
                line = next(chunks, "")
        if line:
            raise damaged(Path(CHUNKS), f"a chunk of {source.doc_id!r} is of none of its documents")

    def _document(self, source: Source, doc_id: str, line: str) -> None:
        if doc_id in self._seen:
            raise RagbenchError(
                f"Two documents have the id {doc_id!r}: one from {self._seen[doc_id]!r}, one from "
                f"{source.doc_id!r}. Give their records different ids, or rename a file."
            )
        self._seen[doc_id] = source.doc_id
        self.tables.document(self._write(0, line))

    def _chunk(self, start: int, end: int, n_tokens: int, line: str) -> None:
        self.n_tokens += n_tokens
        self.tables.chunk(start, end, n_tokens)
        self._write(1, line)

    def _write(self, which: int, line: str) -> int:
        data = line.encode()
        self._files[which].write(data)
        self._digests[which].update(data)
        return len(data)


_Earlier = tuple[SourceEntry, int, Iterator[str], Iterator[str]]
"""What a generation says of a source, number of its first chunk, and the lines of its records."""


def _earlier_records(plan: Plan) -> Iterator[tuple[str, _Earlier]]:
    if plan.known is None:
        return
    manifest, folder = plan.known
    documents, chunks = raw_lines(folder / DOCUMENTS), raw_lines(folder / CHUNKS)
    row = 0
    for doc_id, entry in manifest.sources.items():
        document_lines = _exactly(documents, entry.n_documents, folder, doc_id)
        chunk_lines = _exactly(chunks, entry.n_chunks, folder, doc_id)
        yield doc_id, (entry, row, document_lines, chunk_lines)
        row += entry.n_chunks
        for _ in chain(document_lines, chunk_lines):
            pass  # those that nobody took


def _exactly(lines: Iterator[str], count: int, folder: Path, doc_id: str) -> Iterator[str]:
    for _ in range(count):
        line = next(lines, None)
        if line is None:
            raise damaged(folder, f"records of {doc_id!r} are missing")
        yield line


def _skip_to(doc_id: str, earlier: Iterator[tuple[str, _Earlier]], folder: Path) -> _Earlier:
    for name, records in earlier:
        if name == doc_id:
            return records
    raise damaged(folder, f"records of {doc_id!r} are not where they should be")
