"""What a loader of the user's own is held to, on files that the user names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ragbench.conformance._findings import Finding, tried
from ragbench.ingest.load import Loader, Source, Unread
from ragbench.records import Document

__all__ = ["check_loader"]


def check_loader(loader: Loader, samples: Sequence[Path]) -> list[Finding]:
    """Well-formed documents, the same each time; without a file there is little to try."""
    if not samples:
        detail = "No file was given to load. Name some of its endings with --sample FILE."
        return [Finding("Loads files", "note", detail)]
    return [
        *tried("Loads the sample files", lambda: _loads(loader, samples)),
        *tried("Loads the same documents again", lambda: _again(loader, samples)),
    ]


def _loads(loader: Loader, samples: Sequence[Path]) -> Iterator[str]:
    for path in samples:
        for one in _documents(loader, path):
            if isinstance(one, Unread):
                yield f"{one.name}: {one.reason}: {one.detail}"
            elif "\ufffd" in one.text:
                yield f"{path.name}: the text holds U+FFFD, as a wrong encoding leaves it."


def _again(loader: Loader, samples: Sequence[Path]) -> Iterator[str]:
    for path in samples:
        if _documents(loader, path) != _documents(loader, path):
            yield f"{path.name} gave other documents the second time."


def _documents(loader: Loader, path: Path) -> list[Document | Unread]:
    return list(loader.load(Source(path, path.name, path.parent)))
