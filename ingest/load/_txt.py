"""Plain text: kept as it is, with the encoding that it was read in."""

from __future__ import annotations

from ragbench.ingest.load._decode import decode
from ragbench.ingest.load._parsed import Parsed

__all__ = ["parse"]


def parse(data: bytes, encoding: str | None = None) -> Parsed:
    """One document: the decoded text, line ends included; its encoding in the metadata."""
    text, found = decode(data, ".txt", fallback=encoding)
    return Parsed(text, metadata={"encoding": found})
