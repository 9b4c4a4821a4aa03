"""Building one generation: records of all sources, then their vectors, then the manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from ragbench.config import IngestConfig
from ragbench.errors import RagbenchError
from ragbench.ingest._plan import Components, Plan, roots_of, source_metadata_sha256
from ragbench.ingest.chunk import Chunker
from ragbench.ingest.embed import Embedder, EmbeddingCache, embed_cached
from ragbench.ingest.index._manifest import MANIFEST, Manifest, Recall, SourceEntry, damaged
from ragbench.ingest.index._records import (
    CHUNKS,
    DOCUMENTS,
    chunk_line,
    document_line,
    raw_lines,
    read_pairs,
)
from ragbench.ingest.load import Source, Unread
from ragbench.ingest.progress import Progress
from ragbench.records import Chunk, Document

__all__ = ["Result", "Vectors", "build_vectors", "make_manifest", "write_records"]

_WINDOW = 2048
"""Chunks that are in memory, and sorted by length for embedding, at one time."""

Result = tuple[Source, list[Document] | Unread]


@dataclass(slots=True)
class Written:
    """The records of a generation, as they were written."""

    sources: dict[str, SourceEntry] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)
    digest: str = ""
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
    recall: Recall | None = None


def write_records(folder: Path, plan: Plan, results: Iterator[Result], chunker: Chunker) -> Written:
    """Write documents and chunks of all sources, in order of the sources.

    Raises:
        RagbenchError: two documents have the same id.
    """
    written = Written()
    digest = hashlib.sha256()
    seen: dict[str, str] = {}
    earlier = _earlier_records(plan)
    with (
        (folder / DOCUMENTS).open("w", encoding="utf-8", newline="\n") as documents,
        (folder / CHUNKS).open("w", encoding="utf-8", newline="\n") as chunks,
    ):
        for source in plan.sources:
            if source.doc_id in plan.unchanged:
                entry, document_lines, chunk_lines = _skip_to(source.doc_id, earlier, folder)
            else:
                _, result = next(results)
                if isinstance(result, Unread):
                    written.unread.append(result)
                    continue
                entry, document_lines, chunk_lines = _new_records(source, result, chunker)
            _check_ids(source, document_lines, seen)
            written.sources[source.doc_id] = entry
            written.n_tokens += sum(json.loads(line)["n_tokens"] for line in chunk_lines)
            for line in document_lines:
                documents.write(line)
                digest.update(line.encode())
            for line in chunk_lines:
                chunks.write(line)
                digest.update(line.encode())
    written.digest = digest.hexdigest()
    return written


_Records = tuple[SourceEntry, list[str], list[str]]


def _new_records(source: Source, documents: list[Document], chunker: Chunker) -> _Records:
    cut = [chunk for document in documents for chunk in chunker.chunk(document)]
    entry = SourceEntry(
        sha256=documents[0].sha256,
        metadata_sha256=source_metadata_sha256(source),
        n_documents=len(documents),
        n_chunks=len(cut),
    )
    return entry, [document_line(document) for document in documents], list(map(chunk_line, cut))


def _earlier_records(plan: Plan) -> Iterator[tuple[str, _Records]]:
    if plan.previous is None:
        return
    manifest, folder = plan.previous
    documents, chunks = raw_lines(folder / DOCUMENTS), raw_lines(folder / CHUNKS)
    for doc_id, entry in manifest.sources.items():
        document_lines = list(islice(documents, entry.n_documents))
        chunk_lines = list(islice(chunks, entry.n_chunks))
        if (len(document_lines), len(chunk_lines)) != (entry.n_documents, entry.n_chunks):
            raise damaged(folder, f"records of {doc_id!r} are missing")
        yield doc_id, (entry, document_lines, chunk_lines)


def _skip_to(doc_id: str, earlier: Iterator[tuple[str, _Records]], folder: Path) -> _Records:
    for name, records in earlier:
        if name == doc_id:
            return records
    raise damaged(folder, f"records of {doc_id!r} are not where they should be")


def _check_ids(source: Source, lines: list[str], seen: dict[str, str]) -> None:
    for line in lines:
        doc_id = json.loads(line)["doc_id"]
        if doc_id in seen:
            raise RagbenchError(
                f"Two documents have the id {doc_id!r}: one from {seen[doc_id]!r}, one from "
                f"{source.doc_id!r}. Give their records different ids, or rename a file."
            )
        seen[doc_id] = source.doc_id


def build_vectors(
    folder: Path, n_chunks: int, embedder: Embedder, cache: EmbeddingCache, progress: Progress
) -> Vectors:
    """Embed the chunks of a generation, store their vectors, and measure the search.

    Raises:
        ModelUnavailable: the model does not load.
        StoreError: cache or index cannot be written.
    """
    from ragbench.ingest.index._chroma import VectorBuilder, VectorFolder, measure_recall

    progress.stage("Embedding", n_chunks)
    builder = VectorBuilder(folder / "chroma", n_chunks)
    n_embedded = n_truncated = 0
    ids: list[str] = []
    try:
        for window in _windows(folder):
            texts = [chunk.text for _, chunk in window]
            vectors, new = embed_cached(embedder, cache, texts, "passage", progress.advance)
            builder.add(
                [chunk for _, chunk in window], vectors, [_metadata(*pair) for pair in window]
            )
            progress.advance(len(window) - new)
            n_embedded += new
            n_truncated += embedder.count_truncated(texts)
            ids += [chunk.chunk_id for _, chunk in window]
    finally:
        builder.close()
    progress.stage("Checking the index", 1)
    vectors_read = VectorFolder(folder / "chroma", n_chunks)
    try:
        recall = measure_recall(vectors_read, ids)
        progress.advance()
    finally:
        vectors_read.close()
    return Vectors(n_embedded, n_truncated, recall)


def _windows(folder: Path) -> Iterator[list[tuple[Document, Chunk]]]:
    pairs = read_pairs(folder)
    while window := list(islice(pairs, _WINDOW)):
        yield window


def _metadata(document: Document, chunk: Chunk) -> dict[str, Any]:
    """What Chroma stores with a vector, for who opens the folder with other tools."""
    own = {
        "doc_id": chunk.doc_id,
        "title": document.title,
        "start": chunk.start,
        "end": chunk.end,
        "n_tokens": chunk.n_tokens,
    }
    return {**document.metadata, **own}


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
    from ragbench.ingest.index._layout import write_atomically

    embedder = components.embedder
    identity = None if embedder is None else embedder.identity
    # The digest covers every document's and chunk's text; what parsed them makes no difference.
    parts = [written.digest, components.chunker_spec, identity]
    exact = vectors.recall is None or vectors.recall.recall >= 1.0
    manifest = Manifest(
        collection=collection,
        generation=folder.name,
        previous=previous,
        index_id=hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32],
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        roots=roots_of(config),
        loader=components.loader.identity,
        chunker=components.chunker_spec,
        embedder=components.embedder_spec,
        embedder_identity=identity,
        sources=written.sources,
        unread=tuple((u.name, u.reason, u.detail) for u in written.unread),
        n_documents=written.n_documents,
        n_chunks=written.n_chunks,
        n_tokens=written.n_tokens,
        n_truncated=vectors.n_truncated,
        hnsw={} if embedder is None else HNSW,
        search="hnsw" if exact else "exact",
        recall=vectors.recall,
        versions={name: version(name) for name in ("ragbench", "chromadb")},
    )
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
    return manifest
