"""The embedding cache: one vector per distinct (model, text) ever, shared by all collections.

One SQLite file in the store. Every batch is committed as soon as it is embedded, so that an ingest
that is killed loses at most the batch it was working on. The key is the embedder's identity and
the sha256 of the text; queries and passages share it unless the embedder tells them apart.
"""

from __future__ import annotations

import hashlib
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.errors import ModelUnavailable, StoreError
from ragbench.ingest.embed._base import Embedder, Kind

if TYPE_CHECKING:
    import numpy as np

__all__ = ["EmbeddingCache", "embed_cached"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS embedders (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS embeddings (
    embedder INTEGER NOT NULL, text_sha256 BLOB NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (embedder, text_sha256)
) WITHOUT ROWID;
"""
_PROBE = "Is the model behind this name still the one that it was?"
_SAME = 0.99
"""Cosine between two answers of one model; servers round in different ways."""
_BATCH = 64
"""Texts embedded between two commits, unless the embedder names the size of its requests."""


class EmbeddingCache:
    """Vectors on disk by (embedder identity, text).

    Args:
        path: the SQLite file; made when absent. None keeps the cache in memory.

    Raises:
        StoreError: the file is no such database or cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.checked: set[str] = set()
        """Embedders that were found to be the ones that filled it."""
        try:
            self._db = sqlite3.connect(path or ":memory:", timeout=30.0, check_same_thread=False)
            self._close = weakref.finalize(self, self._db.close)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._close()

    def get(self, identity: str, hashes: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        """The vectors that are known, by hash of their text."""
        import numpy as np

        embedder = self._embedder(identity)
        found: dict[bytes, np.ndarray] = {}
        try:
            for at in range(0, len(hashes), 500):
                some = hashes[at : at + 500]
                marks = ",".join("?" * len(some))
                rows = self._db.execute(
                    "SELECT text_sha256, vector FROM embeddings "
                    f"WHERE embedder = ? AND text_sha256 IN ({marks})",
                    (embedder, *some),
                )
                found.update((sha, np.frombuffer(blob, dtype="<f4")) for sha, blob in rows)
        except sqlite3.Error as error:
            raise self._broken(error) from error
        return found

    def missing(self, identity: str, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes whose vector is not known."""
        return set(hashes) - self.get(identity, hashes).keys()

    def put(self, identity: str, vectors: Iterable[tuple[bytes, np.ndarray]]) -> None:
        """Store vectors and commit; a key that is already there keeps its vector."""
        embedder = self._embedder(identity)
        rows = [(embedder, sha, vector.astype("<f4").tobytes()) for sha, vector in vectors]
        try:
            with self._db:
                self._db.executemany("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _embedder(self, identity: str) -> int:
        try:
            with self._db:
                self._db.execute(
                    "INSERT OR IGNORE INTO embedders (identity) VALUES (?)", (identity,)
                )
            row = self._db.execute("SELECT id FROM embedders WHERE identity = ?", (identity,))
            number: int = row.fetchone()[0]
        except sqlite3.Error as error:
            raise self._broken(error) from error
        return number

    def _broken(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"The embedding cache {str(self.path)!r} cannot be used: {error}. If the disk is not "
            "full and the file is yours to write, delete it; its texts are then embedded again."
        )


def embed_cached(
    embedder: Embedder,
    cache: EmbeddingCache,
    texts: Sequence[str],
    kind: Kind,
    on_embedded: Callable[[int], None] = lambda n: None,
    lengths: Sequence[int] | None = None,
) -> tuple[np.ndarray, int]:
    """The vectors of the texts, in order, each distinct unknown text embedded once.

    Every batch is committed before the next one is begun: whatever ends this call, the vectors of
    the batches before are kept, and the next call goes on from there.

    Args:
        embedder: what embeds.
        cache: what remembers.
        texts: any texts; for an ingest pass them a few thousand at a time.
        kind: what the texts are.
        on_embedded: told after each commit how many texts it held.
        lengths: tokens of each text, by which batches are sorted so that little is padded; None
            sorts by characters.

    Returns:
        float32 of shape (len(texts), dim), and how many texts were embedded now.
    """
    import numpy as np

    identity = f"{embedder.identity} kind={kind}" if embedder.has_prompts else embedder.identity
    hashes = [hashlib.sha256(text.encode()).digest() for text in texts]
    known = cache.get(identity, hashes)
    sizes = lengths if lengths is not None else [len(text) for text in texts]
    new = {
        sha: (size, text)
        for sha, size, text in zip(hashes, sizes, texts, strict=True)
        if sha not in known
    }
    by_length = sorted(new.items(), key=lambda item: item[1][0], reverse=True)
    size: int = getattr(embedder, "batch", _BATCH)
    if new and getattr(embedder, "unpinned", False):
        _check_same_model(embedder, cache, identity, kind)
    for at in range(0, len(by_length), size):
        batch = by_length[at : at + size]
        vectors = embedder.embed([text for _, (_, text) in batch], kind)
        fresh = list(zip((sha for sha, _ in batch), vectors, strict=True))
        cache.put(identity, fresh)
        known.update(fresh)
        on_embedded(len(batch))
    rows = [known[sha] for sha in hashes]
    _check_one_size(rows, identity)
    return (np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)), len(new)


def _check_same_model(embedder: Embedder, cache: EmbeddingCache, identity: str, kind: Kind) -> None:
    """Refuse a model that gives a known text another vector than when it was first asked.

    Asked once per cache and process, of a model whose weights nobody here can look at.
    """
    import numpy as np

    if identity in cache.checked:
        return
    sha = hashlib.sha256(_PROBE.encode()).digest()
    before = cache.get(identity, [sha]).get(sha)
    now = embedder.embed([_PROBE], kind)[0]
    if before is None:
        cache.put(identity, [(sha, now)])
    else:
        _check_one_size([before, now], identity)
        likeness = float(np.dot(before, now))
        if likeness < _SAME:
            raise ModelUnavailable(
                f"Another model stands behind {identity!r}: a text that it was asked before has "
                f"another vector now (cosine {likeness:.3f}). Vectors of two models cannot be "
                "compared. Bring the former one back, or name another --store."
            )
    cache.checked.add(identity)


def _check_one_size(rows: Sequence[np.ndarray], identity: str) -> None:
    sizes = sorted({len(row) for row in rows})
    if len(sizes) > 1:
        shown = " and ".join(map(str, sizes))
        raise ModelUnavailable(
            f"Vectors of {identity!r} have {shown} components: some are known from before, and "
            "another model stands behind the name now. Bring the former one back, or name another "
            "--store."
        )
