"""Where the vectors of a generation are: in its folder, or in a collection on a Chroma server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragbench.ingest.index._store import Server

__all__ = ["VectorPlace"]

_LOCAL_NAME = "chunks"


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """The vectors of one generation.

    Attributes:
        folder: Chroma's folder; with a server nothing is there, but messages name it.
        server: the server, None when the folder holds the vectors.
        server_name: what the collection is called on the server.
    """

    folder: Path
    server: Server | None
    server_name: str

    @property
    def collection(self) -> str:
        """What Chroma calls the collection."""
        return _LOCAL_NAME if self.server is None else self.server_name

    def __str__(self) -> str:
        if self.server is None:
            return str(self.folder)
        return f"{self.server.url}, collection {self.server_name}"
