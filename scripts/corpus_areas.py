"""The areas of a corpus: folders beneath its source that several people can write side by side.

A source folder without areas holds its documents directly. One with areas has a folder for each:

    core/facts.yaml      products, fees, limits, dates: see `corpus_facts`
    core/documents.yaml  metadata and role of each document; optional `licence`
    core/checks.yaml     statements and codes that must stand in the built documents
    core/docs/           the documents: core/docs/playbooks/x.md is built as playbooks/x.md
    core/db.yaml         database rows: see `corpus_domain`
    core/tasks/*.yaml    tasks: see `corpus_domain`

The area's name never shows in what is built. Areas may not overlap: a document, row, task or fact
that two of them define is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus_facts import SourceError, read_yaml

__all__ = ["Area", "Listing", "areas_of", "merged_checks", "merged_listing"]


@dataclass(frozen=True, slots=True)
class Area:
    """One area: its folder, and the folder of its documents."""

    folder: Path
    docs: Path

    @property
    def name(self) -> str:
        """What the area is called in messages."""
        return self.folder.name


@dataclass(frozen=True, slots=True)
class Listing:
    """Metadata by built path, of all areas; None where a corpus lists none."""

    licence: str
    documents: dict[str, dict[str, Any]] | None


def areas_of(source: Path) -> list[Area]:
    """The areas of a corpus; a source without areas is one area of its own."""
    folders = sorted(path.parent for path in source.glob("*/documents.yaml"))
    if not folders:
        return [Area(source, source)]
    stray = [p.name for p in source.iterdir() if p not in folders and p.name[0] not in "._"]
    if stray:
        raise SourceError(f"{source}: besides the areas there may be nothing; found {stray}")
    return [Area(folder, folder / "docs") for folder in folders]


def merged_listing(areas: list[Area]) -> Listing:
    """`documents.yaml` of all areas.

    Raises:
        SourceError: two areas list the same document, or state different licences.
    """
    documents: dict[str, dict[str, Any]] = {}
    licences: set[str] = set()
    for area in areas:
        path = area.folder / "documents.yaml"
        if not path.exists():
            return Listing("MIT", None)
        content = read_yaml(path)
        licences |= {content["licence"]} if "licence" in content else set()
        for name, fields in (content.get("documents") or {}).items():
            if name in documents:
                raise SourceError(f"{path}: {name!r} is listed by another area, too")
            documents[name] = dict(fields or {})
    if len(licences) > 1:
        raise SourceError(f"{areas[0].folder.parent}: areas state the licences {sorted(licences)}")
    return Listing(licences.pop() if licences else "MIT", documents)


def merged_checks(areas: list[Area]) -> dict[str, dict[str, Any]]:
    """`checks.yaml` of all areas: `statements` and `codes`.

    Raises:
        SourceError: two areas check the same code, or the same document's statements.
    """
    merged: dict[str, dict[str, Any]] = {"statements": {}, "codes": {}}
    for area in areas:
        path = area.folder / "checks.yaml"
        for kind, entries in read_yaml(path).items():
            if kind not in merged:
                raise SourceError(f"{path}: {kind!r} is none of {sorted(merged)}")
            for key, value in (entries or {}).items():
                if key in merged[kind]:
                    raise SourceError(f"{path}: {key!r} stands in another area's checks, too")
                merged[kind][key] = value
    return merged
