"""The manifest of a generation: what it was made of, with what, and how exact its search is."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragbench.errors import StoreError
from ragbench.ingest.index._atomic import write_atomically

__all__ = [
    "MANIFEST",
    "Manifest",
    "Recall",
    "Record",
    "SourceEntry",
    "damaged",
    "mending_command",
    "name_segments",
    "outdated",
    "problem_of",
    "read_manifest",
    "segments_of",
]

MANIFEST = "manifest.json"
_SEGMENTS = "segments"


class Record(BaseModel):
    """What is stored: frozen, and strange to no field."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceEntry(Record):
    """One source file: how to tell that it changed, and how many records it gave.

    ``encoding`` is set when the file is not UTF-8 and says in what it was read; ``left_out`` counts
    by kind what the file holds and the text does not; ``reader`` is set when
    not the usual library read the file, and says which, and why.
    """

    sha256: str
    metadata_sha256: str
    n_documents: int
    n_chunks: int
    encoding: str = ""
    left_out: dict[str, int] = {}
    reader: str = ""


class Recall(Record):
    """Share of the true nearest neighbours that the vector index returned when it was built.

    ``queries`` chunk vectors were asked for ``k`` neighbours each and compared with brute force.
    """

    k: int
    queries: int
    recall: float


class Manifest(Record):
    """What one generation of a collection holds.

    Attributes:
        generation: its number, as the folder's name.
        previous: the generation before, which readers may still hold; None for the first.
        index_id: hash of documents, chunks, and the identities of loader, chunker and embedder.
        roots: the given paths, absolute.
        loader: identity of the loader.
        loader_spec: its canonical spec.
        chunker: canonical spec.
        embedder: canonical spec, None for an index without vectors.
        embedder_identity: what the vectors depend on.
        sources: by document id of the file, in order of the records.
        unread: files that gave no document: name, reason, detail.
        exclude: patterns of files that were left out.
        worst_truncated: the longest chunk beyond the embedder's window, and its tokens.
        documents_sha256: hash of the file of documents; empty in manifests before there was one.
        chunks_sha256: the same of the file of chunks.
        segments: folders of the vectors, the oldest first; `ragbench.ingest.index._segments`.
        search: ``hnsw`` when every graph was found exact when it was built, else ``exact``.
        recall: over all segments, each measured when it was built.
    """

    schema_version: Literal[1, 2] = 2
    collection: str
    generation: str
    previous: str | None
    index_id: str
    created: str
    roots: tuple[str, ...]
    loader: str
    loader_spec: str = ""
    chunker: str
    embedder: str | None
    embedder_identity: str | None
    sources: dict[str, SourceEntry]
    unread: tuple[tuple[str, str, str], ...] = ()
    exclude: tuple[str, ...] = ()
    documents_sha256: str = ""
    chunks_sha256: str = ""
    segments: tuple[str, ...] = ()
    n_documents: int
    n_chunks: int
    n_tokens: int
    n_truncated: int
    worst_truncated: tuple[str, int] | None = None
    distance: Literal["cosine"] = "cosine"
    hnsw: dict[str, int] = Field(default_factory=dict)
    search: Literal["hnsw", "exact"] = "hnsw"
    recall: Recall | None = None
    versions: dict[str, str] = Field(default_factory=dict)

    @property
    def is_old(self) -> bool:
        """Whether an older version wrote it, which kept vectors and texts in another way."""
        return self.schema_version == 1


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a generation folder.

    Raises:
        StoreError: it is absent, or not a manifest that this version reads.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from error
    except ValidationError as error:
        raise damaged(path, _first(error)) from error


def name_segments(folder: Path, segments: Sequence[str]) -> None:
    """Write which vectors a generation has, for who cleans and need not read its manifest."""
    write_atomically(folder / _SEGMENTS, "".join(f"{name}\n" for name in segments))


def segments_of(folder: Path) -> list[str] | None:
    """The segments that a generation has, None when it does not say: an unfinished one, or an old.

    Raises:
        StoreError: it should say so, but is damaged.
    """
    try:
        names = (folder / _SEGMENTS).read_text(encoding="ascii").split()
    except (FileNotFoundError, NotADirectoryError):
        if not (folder / MANIFEST).exists():
            return None
    except (OSError, UnicodeDecodeError) as error:
        raise damaged(folder / _SEGMENTS, error) from error
    else:
        if all(map(str.isdigit, names)):
            return names
        raise damaged(folder / _SEGMENTS, f"it names {names[0]!r}, which is no segment")
    manifest = read_manifest(folder)
    return None if manifest.is_old else list(manifest.segments)


def damaged(path: Path, reason: object) -> StoreError:
    """The error for a file of the store that cannot be used, with the command that mends it."""
    anew = "ragbench ingest PATH... --replace (embeddings are kept)"
    if "collections" not in path.parts[:-1]:
        return StoreError(
            f"The store is damaged: {str(path)!r}: {reason}. Delete the file, or make the "
            f"collection anew: {anew}"
        )
    at = len(path.parts) - 1 - path.parts[::-1].index("collections")
    store, name = Path(*path.parts[:at]), path.parts[at + 1]
    return StoreError(
        f"The store is damaged: {str(path)!r}: {reason}. Mend it: "
        f"{mending_command(store, name)} (or make the collection anew: {anew})"
    )


def problem_of(error: Exception) -> str:
    """The words of a store's error without the remedy, which stands beside them."""
    return str(error).removeprefix("The store is damaged: ").split(". Mend it: ")[0]


def outdated(manifest: Manifest) -> StoreError:
    """The error for a generation that an older version wrote, with the command that renews it."""
    roots = " ".join(map(shlex.quote, manifest.roots))
    return StoreError(
        f"An older version of ragbench wrote collection {manifest.collection!r}; this one keeps "
        "texts and vectors in another way. Renew it (embeddings are kept): "
        f"ragbench ingest {roots} --collection {manifest.collection}"
    )


def mending_command(store: Path | str, name: str) -> str:
    """What a person types to have a collection checked and mended.

    >>> mending_command(Path("my store"), "docs")
    "ragbench index check docs --repair --store 'my store'"
    """
    return f"ragbench index check {name} --repair --store {shlex.quote(str(store))}"


def _first(error: ValidationError) -> str:
    problem: Any = error.errors()[0]
    place = ".".join(str(part) for part in problem["loc"]) or "the file"
    return f"{place}: {problem['msg']}"
