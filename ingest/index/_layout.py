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

from ragbench.errors import StoreError, UsageError
from ragbench.ingest.index._manifest import MANIFEST, Manifest, damaged, read_manifest

__all__ = [
    "Layout",
    "check_collection_name",
    "collections_in",
    "fsync_tree",
    "last_collection",
    "remember_collection",
    "write_atomically",
]

_LOCK_WAIT_S = 2.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Layout:
    """The files of one collection.

    Args:
        store: folder of the store.
        collection: a valid name.

    Raises:
        UsageError: the name has characters that a collection cannot have.
        StoreError: the store is a file, or out of reach.
    """

    def __init__(self, store: Path, collection: str) -> None:
        check_collection_name(collection)
        try:
            is_file = store.exists() and not store.is_dir()
        except OSError as error:
            raise StoreError(
                f"The store {str(store)!r} cannot be opened: {error.strerror}. "
                "Name another with --store DIR."
            ) from error
        if is_file:
            raise StoreError(
                f"The store {str(store)!r} is a file. Name a folder; it is made when absent."
            )
        self.store, self.collection = store, collection
        self.folder = store / "collections" / collection
        self.generations = self.folder / "generations"
        self.cache = store / "embeddings.sqlite"

    def current(self) -> str | None:
        """The number of the generation that readers open; None when there is no collection.

        Raises:
            StoreError: the pointer is unreadable.
        """
        path = self.folder / "CURRENT"
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
        try:
            self.generations.mkdir(parents=True, exist_ok=True)
            file = (self.folder / "lock").open("a+")
        except OSError as error:
            raise StoreError(
                f"The store {str(self.store)!r} cannot be written: {error.strerror}. "
                "Name another with --store DIR."
            ) from error
        with file:
            deadline = time.monotonic() + _LOCK_WAIT_S
            while not _try_lock(file.fileno(), fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    file.seek(0)
                    raise StoreError(
                        f"Another ingest of collection {self.collection!r} is running "
                        f"(process {file.read().strip() or 'unknown'}). Wait for it to end."
                    )
                time.sleep(0.1)
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield
            file.truncate(0)

    def new_generation(self) -> Path:
        """An empty folder for the next generation, after all that are there."""
        numbers = [int(path.name) for path in self.generations.iterdir() if path.name.isdigit()]
        folder = self.generations / f"{max(numbers, default=0) + 1:06d}"
        folder.mkdir()
        return folder

    def publish(self, generation: str) -> None:
        """Make the generation, whose manifest is written, the one that readers open."""
        fsync_tree(self.generations / generation)
        _fsync(self.generations)
        write_atomically(self.folder / "CURRENT", generation + "\n")

    def clean(self, keep: set[str]) -> None:
        """Remove unfinished and unused generations, except those kept or held by a reader."""
        for folder in self.generations.iterdir():
            if folder.name not in keep and not _is_held(folder / MANIFEST):
                shutil.rmtree(folder)


def check_collection_name(name: str) -> None:
    """Raise UsageError when the name cannot be a collection's."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"The collection name {name!r} is not allowed. Use up to 100 letters, digits, '.', '_' "
            "and '-', beginning with a letter or digit."
        )


def collections_in(store: Path) -> list[str]:
    """Names of the finished collections of a store, sorted; empty when there is no store."""
    return sorted(path.parent.name for path in store.glob("collections/*/CURRENT"))


def last_collection(store: Path) -> str | None:
    """The collection that the store's owner ingested last; None when none is left of it."""
    path = store / "store.json"
    try:
        name = json.loads(path.read_bytes())["last_collection"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(path, error) from error
    return name if name in collections_in(store) else None


def remember_collection(store: Path, name: str) -> None:
    """Make ``name`` the collection that a search takes when none is named."""
    settings = {"schema_version": 1, "last_collection": name}
    write_atomically(store / "store.json", json.dumps(settings) + "\n")


def write_atomically(path: Path, text: str) -> None:
    """Replace the file so that a reader, or a crash, meets the old or the new one, whole."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    _fsync(path.parent)


def fsync_tree(folder: Path) -> None:
    """Have the system write every file and folder below to the disk."""
    for path in folder.rglob("*"):
        _fsync(path)
    _fsync(folder)


def _fsync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _try_lock(number: int, kind: int) -> bool:
    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_held(manifest: Path) -> bool:
    """Whether a reader holds the generation open; an unfinished one has no readers."""
    try:
        with manifest.open() as file:
            return not _try_lock(file.fileno(), fcntl.LOCK_EX)
    except FileNotFoundError:
        return False
