"""Building one generation: records of all sources, then their vectors, then the manifest."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import IO

from ragbench.config import IngestConfig
from ragbench.errors import RagbenchError, StoreError
from ragbench.ingest._plan import Components, Plan, roots_of, source_metadata_sha256
from ragbench.ingest.chunk import Chunker, Context, embedded_text
from ragbench.ingest.embed import Embedder, EmbeddingCache, embed_cached
from ragbench.ingest.index._atomic import write_atomically
from ragbench.ingest.index._manifest import MANIFEST, Manifest, Recall, SourceEntry, damaged
from ragbench.ingest.index._place import VectorPlace
from ragbench.ingest.index._records import (
    CHUNKS,
    DOCUMENTS,
    chunk_line,
    document_line,
    raw_lines,
    read_pairs,
)
from ragbench.ingest.load import Loaded, Source, Unread
from ragbench.ingest.progress import Progress
from ragbench.records import Chunk, Document

__all__ = ["Result", "Vectors", "build_vectors", "make_manifest", "write_records"]

_WINDOW = 2048
"""Chunks that are in memory, and sorted by length for embedding, at one time."""
_WINDOW_CHARS = 8_000_000
"""Characters of them and of their documents after which there is a new window."""

Result = tuple[Source, Loaded | Unread]


@dataclass(slots=True)
class Written:
    """The records of a generation, as they were written; hashes are of documents and chunks."""

    sources: dict[str, SourceEntry] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)
    sha256s: tuple[str, str] = ("", "")
    n_tokens: int = 0

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return sum(entry.n_documents for entry in self.sources.values())

    @property
    def n_chunks(self) -> int:
        """Number of chunks."""
        return sum(entry.n_chunks for entry in self.sources.values())


@dataclass(frozen=True, slots=True)
class Vectors:
    """What building the vectors came to."""

    n_embedded: int = 0
    n_truncated: int = 0
    worst_truncated: tuple[str, int] | None = None
    recall: Recall | None = None


def write_records(folder: Path, plan: Plan, results: Iterator[Result], chunker: Chunker) -> Written:
    """Write documents and chunks of all sources, in order of the sources, one record at a time.

    Raises:
        RagbenchError: two documents have the same id.
    """
    written = Written()
    earlier = _earlier_records(plan)
    with (
        (folder / DOCUMENTS).open("w", encoding="utf-8", newline="\n") as documents,
        (folder / CHUNKS).open("w", encoding="utf-8", newline="\n") as chunks,
    ):
        records = _Records(documents, chunks)
        for source in plan.sources:
            if source.doc_id in plan.unchanged:
                entry, document_lines, chunk_lines = _skip_to(source.doc_id, earlier, folder)
                records.copy(source, document_lines, chunk_lines)
                written.unread += plan.unread_records(source.doc_id)
            else:
                _, result = next(results)
                if isinstance(result, Unread):
                    written.unread.append(result)
                    continue
                entry = records.cut(source, result, chunker)
                written.unread += getattr(result, "unread", [])
            written.sources[source.doc_id] = entry
    written.sha256s, written.n_tokens = records.sha256s, records.n_tokens
    return written


class _Records:
    """The two files of a generation's records, while they are written."""

    def __init__(self, documents: IO[str], chunks: IO[str]) -> None:
        self._files = (documents, chunks)
        self._digests = (hashlib.sha256(), hashlib.sha256())
        self._seen: dict[str, str] = {}
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
                self._chunk(chunk.n_tokens, chunk_line(chunk))
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

    def copy(self, source: Source, documents: Iterable[str], chunks: Iterable[str]) -> None:
        """Write records as they stand."""
        for line in documents:
            self._document(source, json.loads(line)["doc_id"], line)
        for line in chunks:
            self._chunk(json.loads(line)["n_tokens"], line)

    def _document(self, source: Source, doc_id: str, line: str) -> None:
        if doc_id in self._seen:
            raise RagbenchError(
                f"Two documents have the id {doc_id!r}: one from {self._seen[doc_id]!r}, one from "
                f"{source.doc_id!r}. Give their records different ids, or rename a file."
            )
        self._seen[doc_id] = source.doc_id
        self._write(0, line)

    def _chunk(self, n_tokens: int, line: str) -> None:
        self.n_tokens += n_tokens
        self._write(1, line)

    def _write(self, which: int, line: str) -> None:
        self._files[which].write(line)
        self._digests[which].update(line.encode())


_Earlier = tuple[SourceEntry, Iterator[str], Iterator[str]]


def _earlier_records(plan: Plan) -> Iterator[tuple[str, _Earlier]]:
    if plan.known is None:
        return
    manifest, folder = plan.known
    documents, chunks = raw_lines(folder / DOCUMENTS), raw_lines(folder / CHUNKS)
    for doc_id, entry in manifest.sources.items():
        missing = damaged(folder, f"records of {doc_id!r} are missing")
        document_lines = _exactly(documents, entry.n_documents, missing)
        chunk_lines = _exactly(chunks, entry.n_chunks, missing)
        yield doc_id, (entry, document_lines, chunk_lines)
        for _ in chain(document_lines, chunk_lines):
            pass  # those that nobody took


def _exactly(lines: Iterator[str], count: int, missing: StoreError) -> Iterator[str]:
    for _ in range(count):
        line = next(lines, None)
        if line is None:
            raise missing
        yield line


def _skip_to(doc_id: str, earlier: Iterator[tuple[str, _Earlier]], folder: Path) -> _Earlier:
    for name, records in earlier:
        if name == doc_id:
            return records
    raise damaged(folder, f"records of {doc_id!r} are not where they should be")


def build_vectors(
    folder: Path,
    place: VectorPlace,
    n_chunks: int,
    embedder: Embedder,
    cache: EmbeddingCache,
    progress: Progress,
    context: Context = None,
) -> Vectors:
    """Embed the chunks of a generation, store their vectors, and measure the search.

    ``context`` is the chunker's: what is embedded, cached and counted is then more than the text.

    Raises:
        ModelUnavailable: the model does not load.
        StoreError: cache or index cannot be written.
    """
    from ragbench.ingest.index._chroma import VectorBuilder, VectorReader
    from ragbench.ingest.index._recall import measure_recall

    progress.stage("Embedding", n_chunks)
    builder = VectorBuilder(place, n_chunks)
    n_embedded = n_truncated = 0
    worst: tuple[str, int] | None = None
    ids: list[str] = []
    try:
        for window in _windows(folder):
            texts = [embedded_text(document, chunk, context) for document, chunk in window]
            counts = embedder.token_counts(texts)
            lengths = counts if any(counts) else None  # some models cannot tell
            vectors, new = embed_cached(
                embedder, cache, texts, "passage", progress.advance, lengths
            )
            builder.add(window, vectors)
            progress.advance(len(window) - new)
            n_embedded += new
            may_be_cut = embedder.window is None or max(counts) > embedder.window
            if may_be_cut and (n_over := embedder.count_truncated(texts)):
                n_truncated += n_over
                worst = _worse(worst, window, counts)
            ids += [chunk.chunk_id for _, chunk in window]
    finally:
        builder.close()
    progress.stage("Checking the index", 1)
    vectors_read = VectorReader(place, n_chunks)
    try:
        recall = measure_recall(vectors_read, ids)
        progress.advance()
    finally:
        vectors_read.close()
    return Vectors(n_embedded, n_truncated, worst, recall)


def _worse(
    worst: tuple[str, int] | None, window: Sequence[tuple[Document, Chunk]], counts: list[int]
) -> tuple[str, int]:
    """The longest text so far: its chunk and its tokens as the model counts them."""
    longest = max(range(len(counts)), key=counts.__getitem__)
    found = (window[longest][1].chunk_id, counts[longest])
    return found if worst is None or found[1] > worst[1] else worst


def _windows(folder: Path) -> Iterator[list[tuple[Document, Chunk]]]:
    """The chunks with their documents, as many at a time as may be in memory."""
    window: list[tuple[Document, Chunk]] = []
    n_chars = 0
    for document, chunk in read_pairs(folder):
        new = not window or window[-1][0] is not document
        n_chars += len(chunk.text) + (len(document.text) if new else 0)
        window.append((document, chunk))
        if len(window) == _WINDOW or n_chars > _WINDOW_CHARS:
            yield window
            window, n_chars = [], 0
    if window:
        yield window


def make_manifest(
    folder: Path,
    config: IngestConfig,
    collection: str,
    components: Components,
    previous: str | None,
    written: Written,
    vectors: Vectors,
) -> Manifest:
    """Write the manifest, which makes the generation a finished one."""
    from ragbench.ingest.index._chroma import HNSW

    embedder = components.embedder
    identity = None if embedder is None else embedder.identity
    # The hashes cover every document's and chunk's text; what parsed them makes no difference.
    parts = [*written.sha256s, components.chunker_spec, identity]
    exact = vectors.recall is None or vectors.recall.recall >= 1.0
    manifest = Manifest(
        collection=collection,
        generation=folder.name,
        previous=previous,
        index_id=hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32],
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        roots=roots_of(config),
        loader=components.loader.identity,
        loader_spec=components.loader_spec,
        chunker=components.chunker_spec,
        embedder=components.embedder_spec,
        embedder_identity=identity,
        sources=written.sources,
        exclude=config.exclude,
        unread=tuple((u.name, u.reason, u.detail) for u in written.unread),
        documents_sha256=written.sha256s[0],
        chunks_sha256=written.sha256s[1],
        n_documents=written.n_documents,
        n_chunks=written.n_chunks,
        n_tokens=written.n_tokens,
        n_truncated=vectors.n_truncated,
        worst_truncated=vectors.worst_truncated,
        hnsw={} if embedder is None else HNSW,
        search="hnsw" if exact else "exact",
        recall=vectors.recall,
        versions={name: version(name) for name in ("ragbench", "chromadb")},
    )
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
    return manifest
