"""The chunker's role, the registry of its implementations, and what a chunk is embedded as."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, Protocol

from ragbench.ingest.chunk._folded import folded
from ragbench.records import Chunk, Document
from ragbench.registry import Registry

__all__ = ["CHUNKERS", "Chunker", "Context", "embedded_text"]

Context = Literal["title", "headings"] | None
"""What stands before a chunk's text when it is embedded."""


class Chunker(Protocol):
    """Cuts one document into chunks."""

    @property
    def context(self) -> Context:
        """What its chunks are embedded with."""
        ...

    def chunk(self, document: Document) -> list[Chunk]:
        """The chunks in order of their start; empty when the text is white space only."""
        ...


CHUNKERS: Registry[Chunker] = Registry("chunker", see="ragbench list chunkers")


def embedded_text(document: Document, chunk: Chunk, context: Context) -> str:
    r"""What an embedder is given for a chunk, whose own text and tokens stay what they are.

    ``title`` puts the document's title and an empty line before the text; ``headings`` the title
    and the headings above the chunk's first character, joined by `` > ``. A path of headings that
    begins with the title already, as in most Markdown, is not given it twice. A chunk
    that begins within a table is given the table's first line, its columns' names, by ``headings``
    as well. Compatibility characters are plain (`folded`). The cache of embeddings is keyed by this
    text; ``bm25`` indexes the chunk's own.

    >>> document = Document("fees.md", "Fees", "# Fees\n\nA wire costs $25.")
    >>> embedded_text(document, Chunk("fees.md", 8, 25, "A wire costs $25.", 6), "title")
    'Fees\n\nA wire costs $25.'
    """
    if context is None:
        return folded(chunk.text)
    above = document.title
    if context == "headings":
        path = _heading_at(document, chunk.start)
        if path == above or path.startswith(f"{above} > "):
            above = path
        elif path:
            above = f"{above} > {path}" if above else path
        head = _columns_at(document.text, chunk.start)
        above = "\n\n".join(filter(None, (above, head)))
    return folded(f"{above}\n\n{chunk.text}" if above else chunk.text)


def _heading_at(document: Document, offset: int) -> str:
    """As `Document.place_at`, found from the near end: a long document has many chunks."""
    places = document.places
    for i in range(bisect_right(places, offset, key=lambda place: place.start) - 1, -1, -1):
        heading = places[i].heading
        if heading is not None and offset < places[i].end:
            return heading
    return ""


def _columns_at(text: str, offset: int) -> str:
    """The first line of the table that the offset is in, empty at that line and outside of one."""
    begin = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    if "|" not in text[begin : end if end >= 0 else len(text)]:
        return ""
    first = begin
    while first > 0:
        before = text.rfind("\n", 0, first - 1) + 1
        if "|" not in text[before : first - 1]:
            break
        first = before
    return "" if first == begin else text[first : text.find("\n", first)].strip()
