"""The embedding cache as `index check` reads it: without writing, row by row.

What writes it is `ragbench.ingest.embed.EmbeddingCache`.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ragbench.errors import StoreError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["CachedVectors", "mend_cache"]

_UNIT = 1e-2
"""How far a vector's length may be from 1; a zero vector stands for a text without known tokens."""
_SOME = 500

Row = tuple[int, bytes]


class CachedVectors:
    """The cache's file, opened for reading.

    Raises:
        StoreError: it is no database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._reading():
            address = f"file:{quote(str(path.absolute()))}?mode=ro"
            self._db = sqlite3.connect(address, uri=True, timeout=30.0)
            if self._db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise self._broken("its pages do not fit together")

    def get(self, identity: str, hashes: Sequence[bytes]) -> list[np.ndarray | None]:
        """The vectors of passages by the hashes of their texts, None where there is none."""
        import numpy as np

        found: dict[bytes, np.ndarray] = {}
        names = (identity, f"{identity} kind=passage")
        with self._reading():
            for at in range(0, len(hashes), _SOME):
                some = hashes[at : at + _SOME]
                marks = ",".join("?" * len(some))
                rows = self._db.execute(
                    "SELECT text_sha256, vector FROM embeddings WHERE embedder IN "
                    "(SELECT id FROM embedders WHERE identity IN (?, ?)) "
                    f"AND text_sha256 IN ({marks})",
                    (*names, *some),
                )
                found.update((sha, np.frombuffer(blob, dtype="<f4")) for sha, blob in rows)
        return [found.get(sha) for sha in hashes]

    def counts(self) -> tuple[int, int]:
        """Number of vectors and of embedders."""
        with self._reading():
            (vectors,) = self._db.execute("SELECT count(*) FROM embeddings").fetchone()
            (embedders,) = self._db.execute("SELECT count(*) FROM embedders").fetchone()
        return vectors, embedders

    def damaged_rows(self) -> Iterator[Row]:
        """The keys of vectors that are none: not of their embedder's dimension or of length 1."""
        import numpy as np

        usual: dict[int, int] = {}
        with self._reading():
            lengths = self._db.execute(
                "SELECT embedder, length(vector), count(*) FROM embeddings GROUP BY 1, 2 ORDER BY 3"
            )
            usual.update((embedder, length) for embedder, length, _ in lengths)
            for embedder, sha, blob in self._db.execute(
                "SELECT embedder, text_sha256, vector FROM embeddings"
            ):
                if len(blob) != usual[embedder] or len(blob) % 4 or not blob:
                    yield embedder, sha
                    continue
                length = float(np.linalg.norm(np.frombuffer(blob, dtype="<f4")))
                if not (length == 0 or abs(length - 1) <= _UNIT):
                    yield embedder, sha

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, TypeError) as error:
            raise self._broken(error) from error

    def _broken(self, reason: object) -> StoreError:
        return StoreError(f"{self._path.name} is damaged: {reason}")


def mend_cache(path: Path) -> str:
    """Take out what is damaged, whose texts are then embedded again; what was done, in words.

    A file that is no database is kept under another name, should anything be worth saving.

    Raises:
        StoreError: the file cannot be written.
    """
    try:
        cache = CachedVectors(path)
    except StoreError:
        aside = path.with_name(path.name + ".damaged")
        path.replace(aside)
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        return f"moved to {aside.name}; texts are embedded again when they are needed"
    try:
        rows = list(cache.damaged_rows())
    finally:
        cache.close()
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=30.0)) as db, db:
            db.executemany("DELETE FROM embeddings WHERE embedder = ? AND text_sha256 = ?", rows)
    except sqlite3.Error as error:
        raise StoreError(
            f"The embedding cache {str(path)!r} cannot be written: {error}."
        ) from error
    return f"removed {len(rows):,} vectors; their texts are embedded again when they are needed"
