"""Loaders of the user's own: they read the endings that they name, ``files`` reads the rest.

A loader is a class with an attribute ``suffixes``, such as ``(".wiki",)``, and ``load(path)``,
which returns the text of the file; or a mapping with ``text`` and, where known, ``title`` and
``metadata``; or a list of such mappings, each with an ``id`` of its own, for a file of records.
What it raises costs the one file, which is listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from ragbench.errors import DocumentUnreadable, OwnPartError
from ragbench.ingest.load._files import LOADERS, Files, make_document, read_bytes
from ragbench.ingest.load._metadata import well_formed
from ragbench.ingest.load._parsed import Parsed
from ragbench.ingest.load._records import Records
from ragbench.ingest.load._sources import Source
from ragbench.own import Part
from ragbench.records import Document

__all__ = ["OwnLoader"]

_PROTOCOL = (
    "A loader is a class with suffixes, such as ('.wiki',), and a method load(path) that returns "
    "the text, a mapping with text, title and metadata, or a list of such mappings with an id "
    "each; see docs/own-parts.md."
)
_KEYS = {"text", "title", "metadata", "id"}


@LOADERS.adapter
@dataclass(frozen=True)
class OwnLoader:
    """A loader of the user's own, before the one of files.

    Raises:
        OwnPartError: the code is no loader.
    """

    part: Part

    def __post_init__(self) -> None:
        self.part.require(("load",), _PROTOCOL)
        named = self.part.attribute("suffixes", None)
        if not _are_suffixes(named):
            self.part.refuse(
                self.part.code.target,
                f"has the suffixes {named!r}; name the endings that it reads. {_PROTOCOL}",
            )

    @property
    def identity(self) -> str:
        """Spec, hash of the file, and the identity of what reads the other files."""
        return f"{self.part.spec} | {Files().identity}"

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings that it reads, and those of the other files."""
        return tuple(dict.fromkeys((*self._own_suffixes, *Files().suffixes)))

    def load(self, source: Source, passwords: Sequence[str] = ()) -> list[Document] | Records:
        """The documents of one file.

        Raises:
            DocumentUnreadable: the file gives none; says why, of own code by file and line.
        """
        if source.suffix not in self._own_suffixes:
            return Files().load(source, passwords)
        sha256 = hashlib.sha256(read_bytes(source)).hexdigest()
        try:
            with self.part.guard("load"):
                given = self._load(source.path)
                given = list(given) if _is_many(given) else [given]
            found = [self._parsed(one, len(given) > 1) for one in given]
            names = [one.record for one in found]
            twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
            if twice is not None:
                self._refuse(f"gave two records of {source.doc_id!r} the id {twice!r}.")
        except OwnPartError as error:
            raise DocumentUnreadable("failed", str(error)) from error
        return [make_document(parsed, source, sha256) for parsed in found]

    @property
    def _own_suffixes(self) -> tuple[str, ...]:
        return tuple(one.lower() for one in self.part.attribute("suffixes", ()))

    @cached_property
    def _load(self) -> Callable[[Path], Any]:
        return self.part.method("load")

    def _parsed(self, given: object, needs_id: bool) -> Parsed:
        fields = {"text": given} if isinstance(given, str) else given
        if not isinstance(fields, Mapping) or not isinstance(fields.get("text"), str):
            self._refuse(f"returned {given!r:.120}. {_PROTOCOL}")
        unknown = sorted(set(map(str, fields)) - _KEYS)
        if unknown:
            self._refuse(f"returned the key {unknown[0]!r}; known: {', '.join(sorted(_KEYS))}.")
        record = str(fields.get("id") or "")
        if needs_id and not record:
            self._refuse("returned several records, and one of them without an id.")
        metadata = fields.get("metadata") or {}
        if not isinstance(metadata, Mapping) or not all(
            isinstance(value, str | int | float | bool) for value in metadata.values()
        ):
            self._refuse(f"returned the metadata {metadata!r:.120}; values are text and numbers.")
        return Parsed(
            text=well_formed(fields["text"]),
            title=str(fields.get("title") or ""),
            metadata={str(key): value for key, value in metadata.items()},
            record=record,
        )

    def _refuse(self, problem: str) -> NoReturn:
        self.part.refuse(getattr(self.part.code.target, "load", None), problem)


def _are_suffixes(named: object) -> bool:
    return (
        isinstance(named, list | tuple)
        and bool(named)
        and all(isinstance(one, str) and one.startswith(".") and len(one) > 1 for one in named)
    )


def _is_many(given: object) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, str | Mapping)
