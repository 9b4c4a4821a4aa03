"""What is wrong with a collection, found by reading all of it; nothing is changed here.

The order is that in which one thing rests on another: the pointer, the manifest, documents, chunks,
vectors. What cannot be looked at because of something that it rests on is not reported again.
"""

from __future__ import annotations

import contextlib
import hashlib
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragbench.errors import StoreError
from ragbench.ingest.index._cached import CachedVectors, mend_cache
from ragbench.ingest.index._compare import wrong_vectors
from ragbench.ingest.index._index import Index, absent
from ragbench.ingest.index._layout import CACHE, Layout, collection_folders
from ragbench.ingest.index._manifest import (
    MANIFEST,
    Manifest,
    mending_command,
    outdated,
    problem_of,
    read_manifest,
    segments_of,
)
from ragbench.ingest.index._records import (
    CHUNKS,
    DOCUMENTS,
    RecordTable,
    read_documents,
    read_pairs,
)
from ragbench.ingest.index._store import store_folder, store_name

__all__ = [
    "Checked",
    "Finding",
    "check_cache",
    "check_collection",
    "check_names",
    "repair_cache",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong.

    Attributes:
        part: ``pointer``, ``manifest``, ``segments`` (which vectors it has), ``documents``,
            ``chunks``, ``tables`` (where records stand), ``lexical`` (their words), ``vectors``,
            ``unfinished`` (an ingest that did not end) or ``cache``.
        detail: a sentence: what was expected and what was found.
        remedy: a command, or what else to do.
    """

    part: str
    detail: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What was looked at.

    Attributes:
        collection: its name, None for the embedding cache.
        held: what it holds, in words.
        findings: empty when it is sound.
    """

    collection: str | None
    held: str
    findings: tuple[Finding, ...]


def check_collection(store: Path, name: str) -> Checked:
    """Read a whole collection and compare its parts with each other and with their hashes.

    Raises:
        StoreError: there is nothing of this name, or the server of its vectors does not answer.
    """
    layout = Layout(store, name)
    if not layout.folder.is_dir():
        raise absent(store, name)
    if layout.server is not None:
        from ragbench.ingest.index._client import check_server

        check_server(layout.server)
    check = _Check(layout)
    held = check.run()
    return Checked(name, held, tuple(check.findings))


class _Check:
    """One pass over one collection."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.findings: list[Finding] = []

    def run(self) -> str:
        current = self._pointer()
        self._unfinished(current)
        if current is None:
            return "no finished generation"
        folder = self.layout.generations / current
        try:
            manifest = read_manifest(folder)
            if manifest.is_old:
                raise outdated(manifest)
            index = Index(self.layout, folder, manifest)  # holds the generation meanwhile
        except (StoreError, FileNotFoundError) as error:
            self._add("manifest", problem_of(error))
            return f"generation {current}"
        with index:
            self._segments(folder, manifest)
            documents_sound = self._documents(folder, manifest)
            if self._chunks(folder, manifest, documents_sound) and self._tables(folder, manifest):
                self._lexical(folder, manifest)
                if manifest.embedder is not None:
                    self._vectors(folder, manifest)
        vectors = "no vectors" if manifest.embedder is None else f"{manifest.n_chunks:,} vectors"
        held = f"{manifest.n_documents:,} documents, {manifest.n_chunks:,} chunks, {vectors}"
        return f"generation {current}, {held}"

    def _add(self, part: str, detail: str) -> None:
        remedy = mending_command(store_name(self.layout.store), self.layout.collection)
        self.findings.append(Finding(part, detail, remedy))

    def _pointer(self) -> str | None:
        try:
            current = self.layout.current()
        except StoreError as error:
            self._add("pointer", problem_of(error))
            return None
        if current is not None and not (self.layout.generations / current).is_dir():
            self._add("pointer", f"CURRENT names the generation {current}, which is not there")
            return None
        if current is None and any(self._finished()):
            self._add("pointer", "CURRENT is not there, but a finished generation is")
        return current

    def _finished(self) -> Iterator[Path]:
        return self.layout.generations.glob(f"*/{MANIFEST}")

    def _unfinished(self, current: str | None) -> None:
        if self.layout.is_locked or not self.layout.generations.is_dir():
            return  # an ingest is at work on it
        names = sorted(
            folder.name
            for folder in self.layout.generations.iterdir()
            if folder.name != current and not (folder / MANIFEST).exists()
        )
        if names:
            self._add("unfinished", f"an ingest did not end: generation {', '.join(names)}")
        elif current is None and not self.findings:
            self._add("unfinished", "an ingest did not end: no generation was finished")

    def _segments(self, folder: Path, manifest: Manifest) -> None:
        """What is not named there goes at the next cleaning, so that this is no small matter."""
        try:
            same = segments_of(folder) == list(manifest.segments)
        except StoreError as error:
            self._add("segments", problem_of(error))
            return
        if not same:
            self._add("segments", "the file does not name the vectors that the manifest names")

    def _documents(self, folder: Path, manifest: Manifest) -> bool:
        sound = self._hash("documents", folder / DOCUMENTS, manifest.documents_sha256)
        seen: set[str] = set()
        try:
            for document in read_documents(folder):
                if document.doc_id in seen:
                    self._add("documents", f"the document {document.doc_id!r} stands twice")
                    return False
                seen.add(document.doc_id)
        except StoreError as error:
            if sound:
                self._add("documents", problem_of(error))
            return False
        return sound and self._count("documents", len(seen), manifest.n_documents)

    def _chunks(self, folder: Path, manifest: Manifest, documents_sound: bool) -> bool:
        sound = self._hash("chunks", folder / CHUNKS, manifest.chunks_sha256)
        if not documents_sound or not sound:
            return False
        seen: set[str] = set()
        try:
            for document, chunk in read_pairs(folder):
                outside = not 0 <= chunk.start < chunk.end <= len(document.text)
                if outside or chunk.chunk_id in seen:
                    what = "is no span of its document" if outside else "stands twice"
                    self._add("chunks", f"the chunk {chunk.chunk_id!r} {what}")
                    return False
                seen.add(chunk.chunk_id)
        except StoreError as error:
            self._add("chunks", problem_of(error))
            return False
        return self._count("chunks", len(seen), manifest.n_chunks)

    def _hash(self, part: str, path: Path, promised: str) -> bool:
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            self._add(part, f"{path.name} cannot be read: {error.strerror}")
            return False
        if not promised:
            self._add(part, f"{path.name} has no hash in the manifest: an older version wrote it")
        elif found != promised:
            self._add(
                part, f"{path.name} has sha256 {found[:12]}..., the manifest {promised[:12]}..."
            )
        return found == promised

    def _count(self, part: str, found: int, promised: int) -> bool:
        if found != promised:
            self._add(part, f"there are {found:,} {part}, the manifest promises {promised:,}")
        return found == promised

    def _tables(self, folder: Path, manifest: Manifest) -> bool:
        try:
            table = RecordTable(folder, manifest.n_documents, manifest.n_chunks)
            with contextlib.closing(table):
                same = all(
                    pair == (document, chunk)
                    for pair, (document, chunk) in zip(
                        table.pairs(range(manifest.n_chunks)), read_pairs(folder), strict=True
                    )
                )
                _ = [table.document(number) for number in range(manifest.n_documents)]
        except (StoreError, IndexError, ValueError) as error:
            self._add("tables", problem_of(error))
            return False
        if not same:
            self._add("tables", "the table of the chunks does not fit their lines")
        return same

    def _lexical(self, folder: Path, manifest: Manifest) -> None:
        from ragbench.ingest.lexical import wrong_postings

        table = RecordTable(folder, manifest.n_documents, manifest.n_chunks)
        with contextlib.closing(table):
            for detail in wrong_postings(folder, table):
                self._add("lexical", detail)

    def _vectors(self, folder: Path, manifest: Manifest) -> None:
        try:
            for detail in wrong_vectors(self.layout, manifest):
                self._add("vectors", detail)
        except StoreError as error:
            self._add("vectors", problem_of(error))


def check_cache(store: Path) -> Checked | None:
    """Read the whole embedding cache of a store; None when there is none."""
    path = store_folder(store) / CACHE
    if not path.is_file():
        return None
    command = f"ragbench index check --repair --store {shlex.quote(store_name(store))}"
    try:
        cache = CachedVectors(path)
    except StoreError as error:
        return Checked(None, "no vectors", (Finding("cache", str(error), command),))
    with contextlib.closing(cache):
        vectors, embedders = cache.counts()
        damaged = sum(1 for _ in cache.damaged_rows())
    held = f"{vectors:,} vectors of {embedders:,} {'embedder' if embedders == 1 else 'embedders'}"
    detail = f"{damaged:,} of its vectors are not of length 1, or of another dimension"
    findings = (Finding("cache", detail, command),) if damaged else ()
    return Checked(None, held, findings)


def repair_cache(store: Path) -> str:
    """Take out of the cache what is damaged; what was done, in words.

    Raises:
        StoreError: it cannot be written.
    """
    return mend_cache(store_folder(store) / CACHE)


def check_names(store: Path, name: str | None) -> list[str]:
    """The collections to check: the named one, or all of the store.

    Raises:
        StoreError: there is no such collection, or none at all.
    """
    known = collection_folders(store)
    if name is not None and name not in known:
        raise absent(store, name)
    if not known and not (store_folder(store) / CACHE).is_file():
        raise absent(store, "")
    return known if name is None else [name]
