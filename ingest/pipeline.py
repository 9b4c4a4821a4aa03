"""One ingest: files to a collection, only what changed, all or nothing.

The stages in order: find the files; load and chunk those that changed, and copy the records of the
others from the generation before; embed the texts that the cache does not know; build the vector
index and measure it against brute force; publish the generation. Records pass through one source
at a time, in the order of the files' ids, so that equal folders give equal indexes.

Killed at any moment it leaves the old generation in place and, in the cache, every batch that was
embedded; the next ingest removes the unfinished generation and goes on from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.config import IngestConfig
from ragbench.errors import RagbenchError, StoreError
from ragbench.ingest._changes import Changes
from ragbench.ingest._finish import make_manifest
from ragbench.ingest._lender import lend_documents, lender_of
from ragbench.ingest._plan import Components, Plan, is_known, make_plan, roots_of
from ragbench.ingest._records import Result, write_records
from ragbench.ingest._vectors import Vectors, build_vectors, plan_vectors
from ragbench.ingest.chunk import embeds, with_cache
from ragbench.ingest.embed import Embedder, EmbeddingCache
from ragbench.ingest.index import Index, Layout, Manifest
from ragbench.ingest.index._layout import remember_collection
from ragbench.ingest.index._manifest import damaged
from ragbench.ingest.index._records import CHUNKS, DOCUMENTS, RecordTable
from ragbench.ingest.index._segments import load_places, read_segment
from ragbench.ingest.index._store import Server, store_name
from ragbench.ingest.lexical import build_lexical
from ragbench.ingest.load import (
    Unread,
    check_apart,
    find_sources,
    load_many,
    printable,
    read_passwords,
)
from ragbench.ingest.progress import Progress, Silent

if TYPE_CHECKING:
    import numpy as np

__all__ = ["IngestReport", "Run", "collection_name", "ingest"]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, and what the collection now holds.

    Attributes:
        n_embedded: texts that were embedded now.
        n_cached: chunks whose vector was known already.
        n_truncated: chunks longer than the embedder's window; their end does not count in a search.
        worst_truncated: the longest of these and its tokens, None when there is none.
        detected: files that are not UTF-8, each with the encoding it was read in.
        left_out: what the files hold and their texts do not, such as deleted passages, by kind.
        readers: files that not the usual library read, each with which, and why.
        unread: every file, and every record of a file of records, that gave no document.
        unchanged: nothing had changed, so that nothing was written.
        changes: which files had changed.
    """

    collection: str
    generation: str
    index_id: str
    n_documents: int
    n_chunks: int
    n_tokens: int
    n_embedded: int
    n_cached: int
    n_truncated: int
    worst_truncated: tuple[str, int] | None
    detected: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, int], ...]
    readers: tuple[tuple[str, str], ...]
    seconds: float
    unread: tuple[Unread, ...]
    unchanged: bool
    changes: Changes

    @property
    def failed(self) -> tuple[Unread, ...]:
        """Those of `unread` that should have given a document."""
        return tuple(entry for entry in self.unread if entry.is_failure)


def ingest(
    config: IngestConfig,
    progress: Progress | None = None,
    *,
    remember: bool = False,
    lender: Index | None = None,
    embedder: Embedder | None = None,
) -> IngestReport:
    """Make or renew a collection.

    Args:
        config: what to ingest, where to and with what.
        progress: told how far it is.
        remember: make this the collection that a search of the store takes when none is named.
        lender: an open index of the same files, from which documents are taken that the same loader
            made, and chunks that the same chunker cut.
        embedder: that of the configuration, when the caller has it: its model is loaded once.

    Raises:
        UsageError, SpecError: a path, name or spec that cannot be.
        RagbenchError: no file could be read; nothing is written then.
        StoreError: the collection was made from other paths or with other components, another
            ingest of it is running, or the store is damaged or cannot be written.
        ModelUnavailable: the embedding model does not load.
    """
    started = time.monotonic()
    components = Components.of(config, embedder)
    passwords: tuple[str, ...] = ()
    sources, unread = find_sources(config.paths, components.loader.suffixes, config.exclude)
    if config.password_file is not None:
        passwords = read_passwords(config.password_file)
        check_apart(config.password_file, sources)
    name = config.collection if config.collection is not None else collection_name(config.paths)
    layout = Layout(config.store, name)
    with contextlib.ExitStack() as stack:
        locked = layout.folder.is_dir()
        if locked:
            stack.enter_context(layout.lock())
        lends = None if lender is None else lender_of(lender)
        plan = make_plan(layout, sources, config, components, lends)
        run = Run(config, layout, components, plan, progress or Silent(), passwords)
        report = run.unchanged_or_none(unread)
        if report is None:
            if layout.server is not None:
                run.check_server(layout.server)
            if not locked:
                run.check_model()
                stack.enter_context(layout.lock())
                _check_still_absent(layout)
            report = run.build(unread)
        if remember:
            remember_collection(config.store, name)
    return _timed(report, started)


def collection_name(paths: Sequence[Path]) -> str:
    """The name that a collection of these paths gets: the paths' own names.

    >>> collection_name([Path("/srv/Price lists"), Path("faq.md")])
    'Price-lists-faq.md'
    """
    names = [path.absolute().name or path.resolve().name or "root" for path in paths]
    plain = unicodedata.normalize("NFKD", "-".join(names))
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")
    if not slug or len(slug) > 80 or not plain.isascii():
        digest = hashlib.sha256("\0".join(names).encode()).hexdigest()[:8]
        slug = f"{slug[:80].strip('-._') or 'documents'}-{digest}"
    return slug


def _check_still_absent(layout: Layout) -> None:
    if layout.current() is not None:
        raise StoreError(
            f"Another ingest made collection {layout.collection!r} meanwhile. "
            "Run the command again."
        )


class Run:
    """The steps of one ingest over one plan."""

    def __init__(
        self,
        config: IngestConfig,
        layout: Layout,
        components: Components,
        plan: Plan,
        progress: Progress,
        passwords: tuple[str, ...] = (),
    ) -> None:
        self.config, self.layout, self.components = config, layout, components
        self.plan, self.progress, self._passwords = plan, progress, passwords
        self._failed: list[Unread] = []
        self._results = self._load()

    def unchanged_or_none(self, unread: list[Unread]) -> IngestReport | None:
        """The report when there is nothing to do; loads files until the first that is new.

        Raises:
            RagbenchError: no file can be read.
        """
        head: list[Result] = []
        new = False
        while not new and (result := next(self._results, None)) is not None:
            head.append(result)
            new = not isinstance(result[1], Unread)
        self._results = chain(head, self._results)
        if new:
            return None
        failed = [result for _, result in head if isinstance(result, Unread)]
        for doc_id in self.plan.unchanged:
            failed += self.plan.unread_records(doc_id)
        everything = tuple(sorted([*unread, *failed], key=lambda entry: entry.name))
        if not self.plan.unchanged:
            raise _nothing_readable(self.config, everything)
        if self.plan.previous is None or not self._is_current(self.plan.previous[0]):
            return None
        manifest = self.plan.previous[0]
        self._check_sound(manifest)
        self.layout.clean({manifest.generation, manifest.previous or ""})
        return _report(manifest, everything, None, manifest)

    def _check_sound(self, manifest: Manifest) -> None:
        """Raise StoreError when what is kept is not what was written: damage is never "ready"."""
        folder = self.layout.generations / manifest.generation
        promised = {DOCUMENTS: manifest.documents_sha256, CHUNKS: manifest.chunks_sha256}
        for name, sha256 in promised.items():
            try:
                with (folder / name).open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise damaged(folder / name, error.strerror) from error
            if found != sha256:
                raise damaged(folder / name, "its content is not what was written")
        RecordTable(folder, manifest.n_documents, manifest.n_chunks).close()
        if manifest.embedder is not None:
            load_places(self.layout, manifest)
        for name in manifest.segments:
            read_segment(self.layout.vectors / name)
            place = self.layout.place(name)
            if place.server is None and not any(place.folder.glob("*.sqlite3")):
                raise damaged(place.folder, "it holds no vectors")

    def check_server(self, server: Server) -> None:
        """Find out now, before the documents are read, whether their vectors can be stored."""
        if self.components.embedder is not None:
            from ragbench.ingest.index._client import check_server

            check_server(server)

    def check_model(self) -> None:
        """Load the model before anything is written, so that a failure leaves nothing behind."""
        if self.components.embedder is not None:
            self.components.embedder.embed(["ready"], "passage")

    def build(self, unread: list[Unread]) -> IngestReport:
        """Build the next generation and publish it."""
        previous = self.plan.previous[0] if self.plan.previous else None
        current = previous.generation if previous else None
        try:
            self.layout.clean({current or "", (previous and previous.previous) or ""})
            folder = self.layout.new_generation()
            try:
                manifest, vectors = self._build(folder, current, unread)
                self.layout.publish(folder.name)
            except BaseException:
                if self.layout.current() != folder.name:
                    with contextlib.suppress(OSError, StoreError):  # else the next ingest does it
                        self.layout.remove(folder.name)
                raise
            self.layout.clean({folder.name, current or ""})
        except OSError as error:
            raise StoreError(
                f"The store {store_name(self.config.store)!r} cannot be written: {error}. "
                "The collection is as it was; free space or name another store with --store DIR."
            ) from error
        everything = tuple(Unread(*entry) for entry in manifest.unread)
        return _report(manifest, everything, vectors, previous)

    def _build(
        self, folder: Path, current: str | None, unread: list[Unread]
    ) -> tuple[Manifest, Vectors]:
        import numpy as np

        embedder, chunker = self.components.embedder, self.components.chunker
        vectors = Vectors()
        with contextlib.ExitStack() as stack:
            if embedder is not None or embeds(chunker):
                cache = stack.enter_context(contextlib.closing(EmbeddingCache(self.layout.cache)))
                chunker = with_cache(chunker, cache)
            written = write_records(folder, self.plan, self._results, chunker)
            written.unread = sorted([*unread, *written.unread], key=lambda entry: entry.name)
            table = RecordTable(folder, written.n_documents, written.n_chunks)
            stack.callback(table.close)
            origins = np.array(written.origins, dtype=np.int64)
            build_lexical(folder, table, self._moved(origins))
            if embedder is not None:
                plan = plan_vectors(self.layout, self._vectors_before(embedder), origins)
                vectors = build_vectors(
                    self.layout,
                    folder,
                    table,
                    plan,
                    embedder,
                    cache,
                    self.progress,
                    chunker.context,
                )
        manifest = make_manifest(
            folder, self.config, self.layout.collection, self.components, current, written, vectors
        )
        return manifest, vectors

    def _moved(self, origins: np.ndarray) -> tuple[Path, np.ndarray] | None:
        """The folder of the generation before, and the new number of each of its chunks, or -1."""
        import numpy as np

        if self.plan.previous is None or self.plan.previous[0].is_old:
            return None
        manifest, folder = self.plan.previous
        moved = np.full(manifest.n_chunks, -1, dtype=np.int64)
        copied = np.flatnonzero(origins >= 0)
        moved[origins[copied]] = copied
        return folder, moved

    def _vectors_before(self, embedder: Embedder) -> Manifest | None:
        """The generation before, if vectors can be taken from it."""
        if self.plan.previous is None or self.plan.vectors_anew:
            return None
        manifest = self.plan.previous[0]
        same = manifest.embedder_identity == embedder.identity and not manifest.is_old
        return manifest if same else None

    def _load(self) -> Iterator[Result]:
        changed = self.plan.changed
        self.progress.stage("Reading", len(changed))
        loader, jobs = self.components.loader, self.config.jobs
        lender = None if self.config.anew else self.plan.lender
        for result in lend_documents(
            changed, lender, is_known, lambda some: load_many(some, loader, jobs, self._passwords)
        ):
            self.progress.advance()
            yield result

    def _is_current(self, manifest: Manifest) -> bool:
        """Whether the plan, in which no file is new, is what the generation holds."""
        embedder = self.components.embedder
        return (
            manifest.sources.keys() == self.plan.unchanged
            and manifest.roots == roots_of(self.config)
            and manifest.embedder == self.components.embedder_spec
            and (
                embedder is None
                or not self.config.replace  # asking some models for it loads them
                or manifest.embedder_identity == embedder.identity
            )
        )


def _nothing_readable(config: IngestConfig, unread: tuple[Unread, ...]) -> RagbenchError:
    shown = ", ".join(repr(str(path)) for path in config.paths)
    lines = [f"  {printable(e.name)}: {e.reason}: {printable(e.detail)}" for e in unread]
    return RagbenchError(
        "\n".join([f"No file below {shown} could be read; nothing is written.", *lines])
    )


def _report(
    manifest: Manifest,
    unread: tuple[Unread, ...],
    vectors: Vectors | None,
    before: Manifest | None,
) -> IngestReport:
    n_embedded = vectors.n_embedded if vectors else 0
    return IngestReport(
        collection=manifest.collection,
        generation=manifest.generation,
        index_id=manifest.index_id,
        n_documents=manifest.n_documents,
        n_chunks=manifest.n_chunks,
        n_tokens=manifest.n_tokens,
        n_embedded=n_embedded,
        n_cached=manifest.n_chunks - n_embedded if manifest.embedder else 0,
        n_truncated=manifest.n_truncated,
        worst_truncated=manifest.worst_truncated,
        detected=tuple(
            (d, entry.encoding) for d, entry in manifest.sources.items() if entry.encoding
        ),
        left_out=_left_out(manifest),
        readers=tuple((d, entry.reader) for d, entry in manifest.sources.items() if entry.reader),
        seconds=0.0,
        unread=unread,
        unchanged=vectors is None,
        changes=Changes.between(before, manifest),
    )


def _left_out(manifest: Manifest) -> tuple[tuple[str, int], ...]:
    """What the sources leave out together, the most frequent kind first."""
    total: Counter[str] = Counter()
    for entry in manifest.sources.values():
        total.update(entry.left_out)
    return tuple(total.most_common())


def _timed(report: IngestReport, started: float) -> IngestReport:
    return replace(report, seconds=time.monotonic() - started)
