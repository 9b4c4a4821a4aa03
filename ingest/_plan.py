"""What an ingest works with and what it has to do: components, and which sources changed.

A source is unchanged when its bytes, what the corpus's manifest says of it, the loader and the
chunker are those of the generation before.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ragbench.config import IngestConfig
from ragbench.errors import StoreError
from ragbench.ingest._lender import Lender
from ragbench.ingest.chunk import CHUNKERS, Chunker
from ragbench.ingest.embed import EMBEDDERS, Embedder
from ragbench.ingest.index import Layout, Manifest
from ragbench.ingest.load import LOADERS, Loader, Source, Unread
from ragbench.registry import spec_of

__all__ = ["Components", "Plan", "is_known", "make_plan", "roots_of", "source_metadata_sha256"]

_BLOCK = 1 << 16


@dataclass(frozen=True)
class Components:
    """What an ingest works with, made from the specs of its configuration."""

    loader: Loader
    chunker: Chunker
    embedder: Embedder | None

    @classmethod
    def of(cls, config: IngestConfig, embedder: Embedder | None = None) -> Components:
        """Make them; an embedder that is given is used when it is the configuration's.

        Raises:
            UnknownName, SpecError: a spec names no component or is refused by it.
        """
        made = None if config.embedder is None else EMBEDDERS.create(config.embedder)
        return cls(
            LOADERS.create(config.loader),
            CHUNKERS.create(config.chunker),
            embedder if made == embedder else made,
        )

    @property
    def loader_spec(self) -> str:
        """Canonical spec of the loader."""
        return str(spec_of(self.loader))

    @property
    def chunker_spec(self) -> str:
        """Canonical spec of the chunker."""
        return str(spec_of(self.chunker))

    @property
    def embedder_spec(self) -> str | None:
        """Canonical spec of the embedder."""
        return None if self.embedder is None else str(spec_of(self.embedder))


@dataclass
class Plan:
    """What is to be done with each source.

    Attributes:
        sources: all of them, in order of their ids.
        previous: the generation that unchanged records come from, with its folder.
        unchanged: ids of the sources whose records are taken from it.
        lender: another collection, made by the same loader, that documents are taken from, and
            chunks where there is no generation before and the chunker is the same.
        vectors_anew: take no vectors from the generation before.
    """

    sources: list[Source]
    previous: tuple[Manifest, Path] | None
    unchanged: set[str]
    lender: Lender | None = None
    vectors_anew: bool = False

    @property
    def known(self) -> tuple[Manifest, Path] | None:
        """Where the records of unchanged sources are."""
        return self.previous or self.lender

    @property
    def changed(self) -> list[Source]:
        """The sources that are to be loaded."""
        return [source for source in self.sources if source.doc_id not in self.unchanged]

    def unread_records(self, doc_id: str) -> list[Unread]:
        """The records of an unchanged file of records that gave no document when it was read."""
        return self._unread.get(doc_id, [])

    @cached_property
    def _unread(self) -> dict[str, list[Unread]]:
        """By the file's id: what was listed of its records, and what is said of the rest."""
        found: dict[str, list[Unread]] = {}
        for entry in self.known[0].unread if self.known else ():
            name = entry[0]
            ends = [i for i in range(len(name)) if name.startswith("::", i)]
            for doc_id in {name, *(name[:end] for end in ends)}:
                found.setdefault(doc_id, []).append(Unread(*entry))
        return found


def source_metadata_sha256(source: Source) -> str:
    """Hash of what a manifest of the corpus says about the file; a change of it is a change."""
    return hashlib.sha256(json.dumps(source.metadata, sort_keys=True).encode()).hexdigest()


def make_plan(
    layout: Layout,
    sources: list[Source],
    config: IngestConfig,
    components: Components,
    lender: Lender | None = None,
) -> Plan:
    """Compare the sources with the current generation of the collection.

    Raises:
        StoreError: the collection is damaged, or was made from other paths or with other
            components, and is not to be replaced.
    """
    try:
        previous = layout.current_manifest()
    except StoreError:
        if not config.replace and not config.anew:
            raise
        previous = None
    if lender is not None and lender[0].loader != components.loader.identity:
        lender = None
    if previous is None:
        chunks_too = lender is not None and lender[0].chunker == components.chunker_spec
        lent = _known_to(lender[0], sources) if lender is not None and chunks_too else set()
        return Plan(sources, None, lent, lender)
    if not config.replace:
        _check_same(previous, config, components)
    unchanged: set[str] = set()
    same = (previous.loader, previous.chunker) == (
        components.loader.identity,
        components.chunker_spec,
    )
    if same and not config.anew and not previous.is_old:
        unchanged = _known_to(previous, sources)
    return Plan(sources, (previous, layout.generations / previous.generation), unchanged, lender)


def _known_to(manifest: Manifest, sources: list[Source]) -> set[str]:
    return {source.doc_id for source in sources if is_known(source, manifest)}


def is_known(source: Source, previous: Manifest) -> bool:
    """Whether the manifest's generation holds the records of the source as it is now."""
    entry = previous.sources.get(source.doc_id)
    if entry is None or entry.metadata_sha256 != source_metadata_sha256(source):
        return False
    try:
        return _sha256(source.path) == entry.sha256
    except OSError:
        return False  # the loader names the reason


def _sha256(path: Path) -> str:
    """Of a file, most of which are small: `hashlib.file_digest` takes 256 KB for each."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _check_same(previous: Manifest, config: IngestConfig, components: Components) -> None:
    remedy = "Keep both with --collection NAME, or make this one anew with --replace."
    roots = roots_of(config)
    if previous.roots != roots:
        raise StoreError(
            f"Collection {previous.collection!r} was made from {', '.join(previous.roots)}, "
            f"not from {', '.join(roots)}. {remedy}"
        )
    pairs = {
        "chunker": (previous.chunker, components.chunker_spec),
        "embedder": (previous.embedder, components.embedder_spec),
    }
    for kind, (before, now) in pairs.items():
        if before != now:
            raise StoreError(
                f"Collection {previous.collection!r} was made with the {kind} {before or 'none'}, "
                f"not with {now or 'none'}. {remedy}"
            )


def roots_of(config: IngestConfig) -> tuple[str, ...]:
    """The given paths, absolute and sorted."""
    return tuple(sorted(str(path.absolute()) for path in config.paths))
