"""The postings of a generation on disk: one folder for each way of making tokens.

::

    <generation>/lexical/<key>/meta.json  words.npy  starts.npy  ...

The key is a hash of everything that the tokens depend on besides the chunks: languages, the words
that do not count, the version of the tokenizer, the stemmer's version, and what is indexed with a
chunk. When any of them changes, the folder is not found, and the postings are made anew.

An ingest makes those of the default and renews those that the generation before had; a search with
other languages makes its own, and keeps them when the store can be written.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbench.errors import StoreError
from ragbench.ingest.chunk import Context, embedded_text
from ragbench.ingest.index._arrays import load_array, save_array
from ragbench.ingest.index._layout import LEXICAL
from ragbench.ingest.index._manifest import damaged, problem_of
from ragbench.ingest.index._records import RecordTable
from ragbench.ingest.lexical._postings import Postings, count_tokens, renewed
from ragbench.ingest.lexical._tokens import tokenizer

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Words", "build_lexical", "find_postings", "wrong_postings"]

_META = "meta.json"


@dataclass(frozen=True)
class Words:
    """How chunks become tokens; the fields are those of the `bm25` retriever."""

    stem: str | None = "english"
    stop: str | None = "english"
    context: Context = None

    @property
    def key(self) -> str:
        """Hash of all that the tokens of a chunk depend on besides its text."""
        parts = [self.stem, self.stop, self.context, tokenizer(self.stem, self.stop).identity]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def counted(self, table: RecordTable, rows: np.ndarray) -> Postings:
        """The postings of some chunks, numbered from 0 in the order given."""
        tokens = tokenizer(self.stem, self.stop).tokens
        return count_tokens(
            tokens(embedded_text(document, chunk, self.context))
            for document, chunk in table.pairs(rows)
        )


def build_lexical(folder: Path, table: RecordTable, moved: tuple[Path, np.ndarray] | None) -> None:
    """Make the postings of a new generation: the default's, and those of the one before.

    Args:
        folder: of the generation.
        table: its records.
        moved: folder of the generation before, and for each of its chunks the new number or -1.
    """
    import numpy as np

    before = {} if moved is None else dict(_kept(moved[0]))
    ways = {Words().key: Words()} | {key: words for key, (words, _) in before.items()}
    for key, words in ways.items():
        if moved is None or key not in before:
            postings = words.counted(table, np.arange(len(table.chunks)))
        else:
            stays = moved[1][moved[1] >= 0]
            fresh = np.setdiff1d(np.arange(len(table.chunks)), stays, assume_unique=True)
            postings = renewed(before[key][1], moved[1], words.counted(table, fresh), fresh)
        _save(folder / LEXICAL / key, words, postings)


def find_postings(folder: Path, table: RecordTable, words: Words) -> Postings:
    """The postings of a generation; made, and kept if that is possible, when they are not there.

    Raises:
        StoreError: they are damaged.
    """
    import numpy as np

    path = folder / LEXICAL / words.key
    if path.is_dir():
        return _load(path, len(table.chunks))
    made = words.counted(table, np.arange(len(table.chunks)))
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _save(partial, words, made)
        partial.rename(path)
    except OSError:  # a full disk, a store that others own, or another search was first
        shutil.rmtree(partial, ignore_errors=True)
    return made


def wrong_postings(folder: Path, table: RecordTable) -> list[str]:
    """One sentence for each folder of postings that are not those of the chunks."""
    import numpy as np

    wrong = []
    for path in _folders(folder):
        try:
            words = _words(path)
        except StoreError as error:
            wrong.append(problem_of(error))
            continue
        if words.key != path.name:
            continue  # made by another version: no search takes it
        made = words.counted(table, np.arange(len(table.chunks)))
        try:
            found = _load(path, len(table.chunks))
        except StoreError as error:
            wrong.append(problem_of(error))
            continue
        pairs = zip(_arrays(found), _arrays(made), strict=True)
        if not all(np.array_equal(one, other) for one, other in pairs):
            wrong.append(f"{LEXICAL}/{path.name} is not what the chunks' texts give")
    return wrong


def _kept(folder: Path) -> Iterator[tuple[str, tuple[Words, Postings]]]:
    """What a generation has, as far as this version would make the same tokens."""
    for path in _folders(folder):
        words = _words(path)
        if words.key == path.name:
            yield path.name, (words, _load(path, None))


def _folders(folder: Path) -> list[Path]:
    return sorted((folder / LEXICAL).glob("[!.]*"))


def _words(path: Path) -> Words:
    try:
        values: dict[str, Any] = json.loads((path / _META).read_bytes())
        return Words(**values["words"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(path / _META, error) from error


def _arrays(postings: Postings) -> list[np.ndarray]:
    return [getattr(postings, field.name) for field in dataclasses.fields(postings)]


def _save(path: Path, words: Words, postings: Postings) -> None:
    path.mkdir(parents=True)
    for field in dataclasses.fields(postings):
        save_array(path / f"{field.name}.npy", getattr(postings, field.name))
    meta = {"schema_version": 1, "words": dataclasses.asdict(words)}
    (path / _META).write_text(json.dumps(meta) + "\n", encoding="utf-8")


def _load(path: Path, n_chunks: int | None) -> Postings:
    names = [field.name for field in dataclasses.fields(Postings)]
    shapes = {"lengths": (n_chunks,)}
    arrays = {name: load_array(path / f"{name}.npy", shapes.get(name, (None,))) for name in names}
    found = Postings(**arrays)
    ends = (found.starts[-1:], found.word_starts[-1:])
    if [len(end) and int(end[0]) for end in ends] != [len(found.rows), len(found.words)] or len(
        found.starts
    ) != len(found.word_starts):
        raise damaged(path, "its arrays do not fit together")
    return found
