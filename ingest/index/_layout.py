"""Where a store keeps what, and how it changes: atomic files, one writer, generations.

Nothing here knows what a generation holds.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ragbench.errors import StoreError, UsageError
from ragbench.ingest.index._atomic import (
    fsync_tree,
    note_owner,
    sync,
    try_lock,
    write_atomically,
)
from ragbench.ingest.index._manifest import (
    MANIFEST,
    Manifest,
    damaged,
    read_manifest,
    segments_of,
)
from ragbench.ingest.index._place import VectorPlace
from ragbench.ingest.index._store import join_server, server_of, store_folder, store_name

__all__ = [
    "CACHE",
    "CURRENT",
    "LEXICAL",
    "Layout",
    "check_collection_name",
    "collection_folders",
    "collections_in",
    "last_collection",
    "remember_collection",
]

CACHE = "embeddings.sqlite"
CURRENT = "CURRENT"
LEXICAL = "lexical"
"""Folder of a generation that holds which chunk has which words; `ragbench.ingest.lexical`."""

_LOCK_WAIT_S = 2.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Layout:
    """The files of one collection.

    Args:
        store: folder of the store, or the URL of a Chroma server.
        collection: a valid name.

    Raises:
        UsageError: the name has characters that a collection cannot have, or the URL is malformed.
        StoreError: the store is a file, or out of reach.
    """

    def __init__(self, store: Path, collection: str) -> None:
        check_collection_name(collection)
        root = store_folder(store)
        try:
            is_file = root.exists() and not root.is_dir()
        except OSError as error:
            raise StoreError(
                f"The store {store_name(store)!r} cannot be opened: {error.strerror}. "
                "Name another with --store DIR."
            ) from error
        if is_file:
            raise StoreError(
                f"The store {str(root)!r} is a file. Name a folder; it is made when absent."
            )
        self.store, self.collection = store, collection
        self.server = server_of(store)
        self.folder = root / "collections" / collection
        self.generations = self.folder / "generations"
        self.vectors = self.folder / "vectors"
        self.cache = root / CACHE

    def current(self) -> str | None:
        """The number of the generation that readers open; None when there is no collection.

        Raises:
            StoreError: the pointer is unreadable.
        """
        path = self.folder / CURRENT
        try:
            name = path.read_text(encoding="ascii").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise damaged(path, error) from error
        if not name.isdigit():
            raise damaged(path, f"it holds {name!r}, not the number of a generation")
        return name

    def current_manifest(self) -> Manifest | None:
        """The manifest of the current generation; None when there is no collection.

        Raises:
            StoreError: pointer or manifest are damaged.
        """
        name = self.current()
        return None if name is None else read_manifest(self.generations / name)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Be the one writer of the collection; makes its folder.

        Raises:
            StoreError: another process writes it, or the store cannot be written.
        """
        with self._lock_file() as file:
            note_owner(file.fileno(), str(os.getpid()))
            yield
            note_owner(file.fileno(), "")

    def _lock_file(self) -> IO[str]:
        deadline = time.monotonic() + _LOCK_WAIT_S
        while True:
            try:
                self.generations.mkdir(parents=True, exist_ok=True)
                file = (self.folder / "lock").open("a+")
            except OSError as error:
                raise StoreError(
                    f"The store {store_name(self.store)!r} cannot be written: {error.strerror}. "
                    "Name another with --store DIR."
                ) from error
            if try_lock(file.fileno(), fcntl.LOCK_EX):
                if os.fstat(file.fileno()).st_nlink:
                    return file
            elif time.monotonic() > deadline:
                with file:
                    file.seek(0)
                    owner = file.read().strip() or "unknown"
                raise StoreError(
                    f"Another ingest of collection {self.collection!r} is running "
                    f"(process {owner}). Wait for it to end."
                )
            file.close()  # taken; or deleted with its collection, so that it locks nothing
            time.sleep(0.1)

    @property
    def is_locked(self) -> bool:
        """Whether a process is writing the collection now."""
        try:
            with (self.folder / "lock").open() as file:
                return not try_lock(file.fileno(), fcntl.LOCK_SH)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def place(self, segment: str) -> VectorPlace:
        """Where ChromaDB has the vectors of a segment."""
        return VectorPlace(
            self.vectors / segment / "chroma", self.server, f"{self.collection}.{segment}"
        )

    def new_generation(self) -> Path:
        """An empty folder for the next generation, after all that are there.

        Raises:
            OSError: the store cannot be written.
        """
        if self.server is not None:
            self.server = join_server(self.store, self.server)
        numbers = [int(path.name) for path in self.generations.iterdir() if path.name.isdigit()]
        folder = self.generations / f"{max(numbers, default=0) + 1:06d}"
        folder.mkdir()
        return folder

    def new_segment(self, generation: str) -> Path:
        """An empty folder for the vectors that a new generation adds; it has the same number.

        Raises:
            OSError: the store cannot be written.
        """
        folder = self.vectors / generation
        folder.mkdir(parents=True)
        return folder

    def publish(self, generation: str) -> None:
        """Make the generation, whose manifest is written, the one that readers open."""
        fsync_tree(self.generations / generation)
        for segment in segments_of(self.generations / generation) or ():
            fsync_tree(self.vectors / segment)
        for folder in (self.vectors, self.generations):
            if folder.is_dir():
                sync(folder)
        write_atomically(self.folder / CURRENT, generation + "\n")

    def clean(self, keep: set[str]) -> None:
        """Remove what is unfinished or unused: generations, except those kept or held by a reader.

        Then the vectors that no generation has any more.
        """
        for folder in self.generations.iterdir():
            if folder.name not in keep:
                self.remove(folder.name)
        self._clean_vectors()
        for partial in self.folder.glob(f".{CURRENT}.*"):
            partial.unlink(missing_ok=True)

    def _clean_vectors(self) -> None:
        if not self.vectors.is_dir():
            return
        try:
            used = {
                name for folder in self.generations.iterdir() for name in segments_of(folder) or ()
            }
        except StoreError:
            return  # a generation that is to be mended may have any of them
        for folder in self.vectors.iterdir():
            if folder.name not in used:
                self._drop(folder.name)
                shutil.rmtree(folder)

    def remove(self, generation: str) -> bool:
        """Remove one generation unless a reader holds it; whether it is gone.

        Its vectors go at the next `clean`, unless another generation has them.

        Raises:
            StoreError: an older version put its vectors on a server, which does not answer.
        """
        folder = self.generations / generation
        try:
            with (folder / MANIFEST).open() as file:
                if not try_lock(file.fileno(), fcntl.LOCK_EX):
                    return False
                self._remove(folder)  # under the lock: who opens it now sees it vanish
        except FileNotFoundError:
            self._remove(folder)  # unfinished, so that it has no readers
        return True

    def _remove(self, folder: Path) -> None:
        if (folder / MANIFEST).exists() and not (self.vectors / folder.name).exists():
            self._drop(folder.name)  # where an older version put its vectors
        shutil.rmtree(folder)

    def _drop(self, segment: str) -> None:
        """Delete vectors from the server, if they are on one."""
        if self.server is not None and self.server.store_id:
            from ragbench.ingest.index._client import drop_vectors

            drop_vectors(self.place(segment))

    def delete(self) -> None:
        """Remove the whole collection; embeddings stay in the store's cache.

        Raises:
            StoreError: it is written or read now, or cannot be removed.
        """
        with self.lock():
            try:
                held = [p.name for p in self.generations.iterdir() if _is_held(p / MANIFEST)]
                if held:
                    raise StoreError(
                        f"Collection {self.collection!r} is being read (generation "
                        f"{', '.join(sorted(held))}). End the search or evaluation that reads it."
                    )
                (self.folder / CURRENT).unlink(missing_ok=True)
                sync(self.folder)  # from here on there is no collection, whatever happens
                self.clean(set())
                shutil.rmtree(self.folder)
            except OSError as error:
                raise StoreError(
                    f"Collection {self.collection!r} cannot be deleted: {error}. "
                    "Make the store writable and run the command again."
                ) from error


def check_collection_name(name: str) -> None:
    """Raise UsageError when the name cannot be a collection's."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"The collection name {name!r} is not allowed. Use up to 100 letters, digits, '.', '_' "
            "and '-', beginning with a letter or digit."
        )


def collections_in(store: Path) -> list[str]:
    """Names of the finished collections of a store, sorted; empty when there is no store."""
    return sorted(path.parent.name for path in store_folder(store).glob(f"collections/*/{CURRENT}"))


def collection_folders(store: Path) -> list[str]:
    """Names of all collections of a store, also of those whose first ingest did not end."""
    return sorted(p.name for p in store_folder(store).glob("collections/*") if p.is_dir())


def last_collection(store: Path) -> str | None:
    """The collection that the store's owner ingested last; None when none is left of it."""
    path = store_folder(store) / "store.json"
    try:
        name = json.loads(path.read_bytes())["last_collection"]
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        raise StoreError(
            f"The store {str(store)!r} is a file. --store names a folder, which ragbench ingest "
            "makes."
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(path, error) from error
    return name if name in collections_in(store) else None


def remember_collection(store: Path, name: str) -> None:
    """Make ``name`` the collection that a search takes when none is named.

    Raises:
        StoreError: the store cannot be written.
    """
    settings = {"schema_version": 1, "last_collection": name}
    try:
        write_atomically(store_folder(store) / "store.json", json.dumps(settings) + "\n")
    except OSError as error:
        raise StoreError(
            f"The collection {name!r} is ready, but the store {store_name(store)!r} cannot be "
            f"written: {error.strerror}. Free space, and name the collection with "
            f"--collection {name}."
        ) from error


def _is_held(manifest: Path) -> bool:
    """Whether a reader holds the generation open; an unfinished one has no readers."""
    try:
        with manifest.open() as file:
            return not try_lock(file.fileno(), fcntl.LOCK_EX)
    except FileNotFoundError:
        return False
