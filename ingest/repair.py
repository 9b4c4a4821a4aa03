"""Mending a collection: from what is sound in the store first, from the documents' files last.

In the order in which things rest on one another: a lost pointer names the newest finished
generation again; damaged documents are read again from the paths that the manifest names; damaged
chunks are cut again from the stored documents, and taken when their hash is the promised one;
tables and counted words are made again from documents and chunks;
vectors are built anew from the stored chunks and the embedding cache; what an ingest left
unfinished is removed. What is mended becomes a new generation, so that readers are not disturbed.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ragbench.config import IngestConfig
from ragbench.errors import RagbenchError, StoreError
from ragbench.ingest._plan import Components, Plan
from ragbench.ingest.index import Layout, Manifest
from ragbench.ingest.index._atomic import write_atomically
from ragbench.ingest.index._check import Checked, check_collection
from ragbench.ingest.index._layout import LEXICAL
from ragbench.ingest.index._manifest import MANIFEST, name_segments, read_manifest
from ragbench.ingest.index._records import (
    CHUNKS,
    RecordTable,
    chunk_line,
    read_documents,
    write_tables,
)
from ragbench.ingest.lexical import build_lexical
from ragbench.ingest.load import Source, Unread
from ragbench.ingest.pipeline import Run, ingest
from ragbench.ingest.progress import Progress, Silent

__all__ = ["Repaired", "repair"]

_ROUNDS = 6
"""More than there are parts: mending one can uncover what rested on it."""


@dataclass(slots=True)
class Repaired:
    """What mending came to.

    Attributes:
        done: what was done, in words.
        failed: what could not be done, and why.
        after: the collection as it is now; None when nothing was worth keeping.
    """

    done: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    after: Checked | None = None


def repair(store: Path, name: str, progress: Progress | None = None) -> Repaired:
    """Check a collection and mend what can be mended.

    Raises:
        StoreError: there is nothing of this name, an ingest of it is running, or the store cannot
            be written.
    """
    mender = _Mender(Layout(store, name), progress or Silent())
    for _ in range(_ROUNDS):
        if not mender.layout.folder.is_dir() and mender.result.done:
            mender.result.after = None
            break
        checked = mender.result.after = check_collection(store, name)
        parts = {finding.part for finding in checked.findings}
        step = next((step for part, step in mender.steps.items() if part in parts), None)
        if step is None or not step():
            break
    return mender.result


class _Mender:
    """The steps of mending one collection; each says whether it changed anything."""

    def __init__(self, layout: Layout, progress: Progress) -> None:
        self.layout, self.progress = layout, progress
        self.result = Repaired()
        self.steps: dict[str, Callable[[], bool]] = {
            "pointer": self._pointer,
            "manifest": self._manifest,
            "segments": self._segments,
            "documents": self._documents,
            "chunks": self._chunks,
            "tables": self._tables,
            "lexical": self._lexical,
            "vectors": self._vectors,
            "unfinished": self._unfinished,
        }

    def _done(self, what: str) -> bool:
        self.result.done.append(what)
        return True

    def _failed(self, what: str) -> bool:
        self.result.failed.append(what)
        return False

    def _pointer(self) -> bool:
        with self.layout.lock():
            finished = self._newest_finished()
            if finished is None:
                return self._failed(
                    "no finished generation is left. Ingest the documents again: "
                    f"ragbench ingest PATH... --collection {self.layout.collection} --replace"
                )
            self.layout.publish(finished.generation)
        return self._done(f"CURRENT names generation {finished.generation} again")

    def _newest_finished(self) -> Manifest | None:
        folders = sorted(self.layout.generations.glob(f"*/{MANIFEST}"), reverse=True)
        for path in folders:
            try:
                return read_manifest(path.parent)
            except StoreError:
                continue
        return None

    def _manifest(self) -> bool:
        """The generation before knows what the collection is made of."""
        finished = self._newest_finished()
        if finished is None:
            return self._failed(
                "no manifest is left that says what the collection was made of. Ingest it again: "
                f"ragbench ingest PATH... --collection {self.layout.collection} --replace"
            )
        return self._ingest_again(finished)

    def _segments(self) -> bool:
        manifest = self._current()
        with self.layout.lock():
            name_segments(self.layout.generations / manifest.generation, manifest.segments)
        return self._done("the vectors of the generation named again")

    def _documents(self) -> bool:
        return self._ingest_again(self._current())

    def _ingest_again(self, manifest: Manifest) -> bool:
        roots = ", ".join(manifest.roots)
        try:
            report = ingest(_config(self.layout, manifest, anew=True), self.progress)
        except RagbenchError as error:
            return self._failed(f"the documents cannot be read again from {roots}: {error}")
        lost = sorted({entry.name for entry in report.unread} & manifest.sources.keys())
        if lost:
            self._failed(f"these could be read before, but not now: {', '.join(lost)}")
        return self._done(f"ingested again from {roots}: {report.n_documents:,} documents")

    def _chunks(self) -> bool:
        manifest = self._current()
        folder = self.layout.generations / manifest.generation
        with self.layout.lock():
            chunker = Components.of(_config(self.layout, manifest)).chunker
            lines = [
                chunk_line(chunk)
                for document in read_documents(folder)
                for chunk in chunker.chunk(document)
            ]
            text = "".join(lines)
            same = hashlib.sha256(text.encode()).hexdigest() == manifest.chunks_sha256
            if same:
                write_atomically(folder / CHUNKS, text)
                write_tables(folder)
        if same:
            return self._done(f"{len(lines):,} chunks cut again from the stored documents")
        return self._ingest_again(manifest)  # the chunker is no longer the one that made them

    def _tables(self) -> bool:
        manifest = self._current()
        with self.layout.lock():
            write_tables(self.layout.generations / manifest.generation)
        return self._done("the tables of documents and chunks made again from the records")

    def _lexical(self) -> bool:
        """What searches share of their words is made of the chunks, and is put aside whole."""
        manifest = self._current()
        folder = self.layout.generations / manifest.generation
        with self.layout.lock():
            shutil.rmtree(folder / LEXICAL, ignore_errors=True)
            table = RecordTable(folder, manifest.n_documents, manifest.n_chunks)
            with contextlib.closing(table):
                build_lexical(folder, table, None)
        return self._done("the words of the chunks counted again")

    def _vectors(self) -> bool:
        manifest = self._current()
        config = _config(self.layout, manifest)
        with self.layout.lock():
            components = Components.of(config)
            sources = [Source(Path(doc_id), doc_id, Path()) for doc_id in manifest.sources]
            previous = (manifest, self.layout.generations / manifest.generation)
            plan = Plan(sources, previous, set(manifest.sources), vectors_anew=True)
            run = Run(config, self.layout, components, plan, self.progress)
            of_records = {entry for name in plan.unchanged for entry in plan.unread_records(name)}
            unread = [Unread(*entry) for entry in manifest.unread]
            report = run.build([entry for entry in unread if entry not in of_records])
        return self._done(
            f"{report.n_chunks:,} vectors built anew as generation {report.generation}: "
            f"{report.n_cached:,} from the cache, {report.n_embedded:,} embedded"
        )

    def _unfinished(self) -> bool:
        if self.layout.current() is None:
            self.layout.delete()
            return self._done("removed what a first ingest had left")
        with self.layout.lock():
            manifest = self._current()
            self.layout.clean({manifest.generation, manifest.previous or ""})
        return self._done("removed what an ingest had left unfinished")

    def _current(self) -> Manifest:
        manifest = self.layout.current_manifest()
        if manifest is None:
            raise StoreError(f"Collection {self.layout.collection!r} vanished while it was mended.")
        return manifest


def _config(layout: Layout, manifest: Manifest, *, anew: bool = False) -> IngestConfig:
    """The configuration that made the generation."""
    if not manifest.loader_spec:
        raise StoreError(
            f"The manifest of collection {layout.collection!r} does not say how its files were "
            "read: an older version wrote it. Ingest it again: ragbench ingest PATH... --replace"
        )
    return IngestConfig(
        paths=tuple(Path(root) for root in manifest.roots),
        store=layout.store,
        collection=layout.collection,
        chunker=manifest.chunker,
        embedder=manifest.embedder,
        replace=True,
        anew=anew,
        loader=manifest.loader_spec,
        exclude=manifest.exclude,
    )
