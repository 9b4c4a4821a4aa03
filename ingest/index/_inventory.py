"""What a store holds, for a person who asks: without opening a vector or loading a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragbench.errors import StoreError
from ragbench.ingest.index._index import Index, absent, open_index
from ragbench.ingest.index._layout import LEXICAL, Layout, collection_folders
from ragbench.ingest.index._manifest import MANIFEST, Manifest, problem_of
from ragbench.ingest.index._records import (
    CHUNK_TABLE,
    CHUNKS,
    DOCUMENT_TABLE,
    DOCUMENTS,
    chunk_tokens,
)
from ragbench.ingest.index._store import store_folder

__all__ = ["Details", "Summary", "Tokens", "describe_collection", "list_collections"]


@dataclass(frozen=True, slots=True)
class Summary:
    """One collection in a list.

    Attributes:
        manifest: None when it cannot be read.
        n_bytes: what the collection takes on this machine's disk, all generations together.
        problem: why there is no manifest.
    """

    collection: str
    manifest: Manifest | None
    n_bytes: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """How long the chunks are: tokens per chunk at the least, quantiles, the most, and the mean."""

    least: int
    p25: int
    median: int
    p75: int
    p95: int
    most: int
    mean: float


@dataclass(frozen=True, slots=True)
class Details:
    """One collection with everything that its manifest and files tell.

    Attributes:
        sizes: bytes by part: ``documents``, ``chunks``, ``words``, ``vectors`` (absent when they
            are on a server), ``manifest``, ``other generations``.
        generations: all that are on the disk, the current one among them.
        server: URL of the server that keeps the vectors.
        tokens: None without chunks.
    """

    manifest: Manifest
    sizes: dict[str, int]
    generations: tuple[str, ...]
    server: str | None
    tokens: Tokens | None


def list_collections(store: Path) -> list[Summary]:
    """Every collection of a store, also those that are damaged, by name.

    Raises:
        StoreError: the store holds no collection.
    """
    names = collection_folders(store)
    if not names:
        raise absent(store, "")
    return [_summary(store, name) for name in names]


def _summary(store: Path, name: str) -> Summary:
    n_bytes = _size(store_folder(store) / "collections" / name)
    try:
        layout = Layout(store, name)
        manifest = layout.current_manifest()
    except StoreError as error:
        return Summary(name, None, n_bytes, problem_of(error))
    if manifest is None:
        running = "is being ingested" if layout.is_locked else "its first ingest did not end"
        return Summary(name, None, n_bytes, running)
    return Summary(name, manifest, n_bytes)


def describe_collection(store: Path, name: str) -> Details:
    """What one collection holds.

    Raises:
        StoreError: there is no such collection, or its records are damaged.
    """
    with open_index(store, name) as index:
        return _details(Layout(store, name), index)


def _details(layout: Layout, index: Index) -> Details:
    current = index.manifest.generation
    folder = layout.generations / current
    sizes = {
        "documents": _size(folder / DOCUMENTS) + _size(folder / DOCUMENT_TABLE),
        "chunks": _size(folder / CHUNKS) + _size(folder / CHUNK_TABLE),
        "words": _size(folder / LEXICAL),
        "vectors": sum(_size(layout.vectors / name) for name in index.manifest.segments),
        "manifest": _size(folder / MANIFEST),
        "other generations": _size(layout.generations) - _size(folder),
    }
    sizes["other generations"] += _size(layout.vectors) - sizes["vectors"]
    if index.manifest.embedder is None or layout.server is not None:
        del sizes["vectors"]
    generations = tuple(sorted(path.name for path in layout.generations.iterdir()))
    counts = sorted(chunk_tokens(folder))
    return Details(
        manifest=index.manifest,
        sizes=sizes,
        generations=generations,
        server=None if layout.server is None else layout.server.url,
        tokens=_spread(counts) if counts else None,
    )


def _spread(counts: list[int]) -> Tokens:
    """The smallest count that at least that share of the chunks does not exceed."""

    def at(percent: int) -> int:
        return counts[max(0, -(-len(counts) * percent // 100) - 1)]

    mean = sum(counts) / len(counts)
    return Tokens(counts[0], at(25), at(50), at(75), at(95), counts[-1], mean)


def _size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder; 0 when it is not there."""
    if not path.is_dir():
        return path.stat().st_size if path.exists() else 0
    total = 0
    for inner in path.rglob("*"):
        try:
            total += inner.stat().st_size if inner.is_file() else 0
        except FileNotFoundError:
            continue  # an ingest is at work
    return total
