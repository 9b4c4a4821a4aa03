"""Files that a crash leaves old or new, never half; and folders that are on the disk for good."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

__all__ = ["fsync_tree", "note_owner", "sync", "try_lock", "write_atomically"]


def write_atomically(path: Path, text: str) -> None:
    """Replace the file so that a reader, or a crash, meets the old or the new one, whole."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    sync(path.parent)


def fsync_tree(folder: Path) -> None:
    """Have the system write every file and folder below to the disk."""
    for path in folder.rglob("*"):
        sync(path)
    sync(folder)


def sync(path: Path) -> None:
    """Have the system write one file or folder to the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def note_owner(number: int, owner: str) -> None:
    """Write who has the lock, for the message of who waits; a full disk does not matter here."""
    with contextlib.suppress(OSError):
        os.ftruncate(number, 0)
        os.pwrite(number, owner.encode(), 0)


def try_lock(number: int, kind: int) -> bool:
    """Lock an open file unless another process has it."""
    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
