"""Documents and chunks: what ingestion passes from stage to stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Chunk", "Document", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stretch of the text stands for a person: a page, a heading path, or both.

    ``start`` and ``end`` are half-open character offsets into `Document.text`; ``page`` counts from
    1; ``heading`` is the path of headings joined by `` > ``.
    """

    start: int
    end: int
    page: int | None = None
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One document as its loader extracted it; every offset in ragbench refers to ``text``.

    Attributes:
        doc_id: path under the root with ``/``, NFC; a record inside a file adds ``::`` and its id.
        title: what the document calls itself, else its file name.
        text: the extracted text.
        metadata: scalar values usable in filters.
        places: pages and headings, in order of ``start``; stretches may nest.
        aliases: ids that the content itself states.
        sha256: hash of the source file's bytes, hexadecimal.
        left_out: what the file holds and the text does not, such as deleted passages, by kind;
            known where a document is loaded, not where one is read from an index.
    """

    doc_id: str
    title: str
    text: str
    metadata: dict[str, str | int | float | bool] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    aliases: tuple[str, ...] = ()
    sha256: str = ""
    left_out: dict[str, int] = field(default_factory=dict)

    def place_at(self, offset: int) -> Place | None:
        """The innermost place (the last to begin) that holds the offset, None when none does.

        A page and a heading that overlap are merged: the answer carries both.
        """
        page: int | None = None
        heading: str | None = None
        innermost: Place | None = None
        for place in self.places:
            if place.start > offset:
                break
            if offset < place.end:
                innermost = place
                page = place.page if place.page is not None else page
                heading = place.heading if place.heading is not None else heading
        return innermost and Place(innermost.start, innermost.end, page, heading)

    def where(self, start: int, end: int) -> str:
        """The pages and headings of a stretch for a person, empty when none is known.

        >>> places = (Place(0, 10, page=1), Place(10, 30, page=2), Place(12, 30, heading="Fees"))
        >>> Document("a.pdf", "A", " " * 30, places=places).where(5, 20)
        'pp. 1-2, Fees'
        """
        inside = [place for place in self.places if place.start < end and start < place.end]
        first, last = self.place_at(start), self.place_at(max(start, end - 1))
        pages = [place.page for place in inside if place.page is not None]
        parts = []
        if pages:
            low, high = min(pages), max(pages)
            parts.append(f"p. {low}" if low == high else f"pp. {low}-{high}")
        headings = [place.heading for place in (first, last) if place and place.heading]
        if headings:
            same = headings[0] == headings[-1]
            parts.append(headings[0] if same else f"{headings[0]} to {headings[-1]}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of one document: ``text == document.text[start:end]``.

    Args:
        doc_id: the document's.
        start: where it begins, in characters.
        end: where it ends.
        text: what stands there.
        tokens: the number of its word pieces, or what counts them: asked once, when `n_tokens` is.
    """

    doc_id: str
    start: int
    end: int
    text: str
    tokens: int | Callable[[str], int] = field(compare=False, repr=False)

    @property
    def n_tokens(self) -> int:
        """Number of MiniLM word pieces, without special tokens, whatever the chunker measured."""
        tokens = self.tokens
        if not isinstance(tokens, int):
            tokens = tokens(self.text)
            object.__setattr__(self, "tokens", tokens)
        return tokens

    @property
    def chunk_id(self) -> str:
        """``doc_id#start-end``; to read it back, split at the last ``#``."""
        return f"{self.doc_id}#{self.start}-{self.end}"
