"""What a chunker of the user's own is held to."""

from __future__ import annotations

from collections.abc import Iterator

from ragbench.conformance._findings import Finding, tried
from ragbench.conformance._texts import documents
from ragbench.evidence import n_characters
from ragbench.ingest.chunk import Chunker
from ragbench.records import Document

__all__ = ["check_chunker"]

_WINDOW = 256
"""Tokens that the default model reads."""


def check_chunker(chunker: Chunker) -> list[Finding]:
    """Spans on every text, none of white space alone, nothing lost, the same each time."""
    return [
        *tried("Gives chunks of every text", lambda: _on_every_text(chunker)),
        *tried("Gives none of an empty text", lambda: _of_nothing(chunker)),
        *tried("Gives the same chunks again", lambda: _again(chunker)),
        *tried("Leaves out nothing but white space", lambda: _left_out(chunker)),
        *tried(f"Keeps chunks within {_WINDOW} tokens", lambda: _too_long(chunker)),
    ]


def _on_every_text(chunker: Chunker) -> Iterator[str]:
    for document in documents():
        if not chunker.chunk(document):
            yield f"No chunk of the text {document.title!r}."


def _of_nothing(chunker: Chunker) -> Iterator[str]:
    for text in ("", " \n\t "):
        found = chunker.chunk(Document("empty.md", "empty", text))
        if any(chunk.text.strip() for chunk in found):
            yield f"Chunks of {text!r}: {found[0].text!r}."


def _again(chunker: Chunker) -> Iterator[str]:
    for document in documents():
        if chunker.chunk(document) != chunker.chunk(document):
            yield f"The text {document.title!r} was cut differently the second time."


def _left_out(chunker: Chunker) -> Iterator[Finding]:
    for document in documents():
        spans = [(chunk.start, chunk.end) for chunk in chunker.chunk(document)]
        whole = n_characters(document.text, [(0, len(document.text))])
        lost = whole - n_characters(document.text, spans)
        if lost:
            yield Finding(
                "Leaves out nothing but white space",
                "note",
                f"{lost} of {whole} characters of the text {document.title!r} stand in no chunk, "
                "so that no search can find them.",
            )


def _too_long(chunker: Chunker) -> Iterator[Finding]:
    longest = max(
        (chunk.n_tokens, document.title)
        for document in documents()
        for chunk in chunker.chunk(document)
    )
    if longest[0] > _WINDOW:
        yield Finding(
            f"Keeps chunks within {_WINDOW} tokens",
            "note",
            f"A chunk of the text {longest[1]!r} has {longest[0]:,}; the default embedding model "
            "does not read the end of it.",
        )
