"""The chunker's role and the registry of its implementations."""

from __future__ import annotations

from typing import Protocol

from ragbench.records import Chunk, Document
from ragbench.registry import Registry

__all__ = ["CHUNKERS", "Chunker"]


class Chunker(Protocol):
    """Cuts one document into chunks."""

    def chunk(self, document: Document) -> list[Chunk]:
        """The chunks in order of their start; empty when the text is white space only."""
        ...


CHUNKERS: Registry[Chunker] = Registry("chunker", see="ragbench list chunkers")
