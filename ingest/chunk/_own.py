"""Chunkers of the user's own: what they return becomes spans, or is refused by file and line.

A chunker is a class with ``chunk(document)``, or a function of a document, that returns the chunks
in order: ``(start, end)`` offsets into ``document.text``, or the chunks' texts, cut from it without
a change. Texts are located one behind the other; where a text could stand at two places, it is
refused rather than guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, get_args

from ragbench.ingest.chunk._base import CHUNKERS, Context
from ragbench.ingest.chunk._wordpieces import count_tokens
from ragbench.own import Part
from ragbench.records import Chunk, Document

__all__ = ["OwnChunker"]

_PROTOCOL = (
    "A chunker is a class with a method chunk(document), or a function of a document, that returns "
    "(start, end) offsets into document.text, or the texts of the chunks; see docs/own-parts.md."
)
_SHOWN = 60


@CHUNKERS.adapter
@dataclass(frozen=True)
class OwnChunker:
    """A chunker of the user's own. Its attribute ``context`` is what its chunks are embedded with.

    Raises:
        OwnPartError: the code is no chunker.
    """

    part: Part

    def __post_init__(self) -> None:
        self.part.require(("chunk",), _PROTOCOL, function=True)
        known = (None, *get_args(get_args(Context)[0]))
        if self.context not in known:
            self.part.refuse(
                self.part.code.target,
                f"has the context {self.context!r}; allowed: {', '.join(map(str, known))}.",
            )

    @property
    def context(self) -> Context:
        """What its chunks are embedded with."""
        found: Context = self.part.attribute("context", None)
        return found

    def chunk(self, document: Document) -> list[Chunk]:
        """The chunks in order of their start.

        Raises:
            OwnPartError: the code raised, or returned what are no chunks of the document.
        """
        with self.part.guard("chunk"):
            given = list(self._cut(document))
        text = document.text
        found: list[tuple[int, int]] = []
        for number, piece in enumerate(given):
            before = found[-1] if found else None
            found.append(self._span(piece, number, document, before))
        if len(set(found)) < len(found):
            twice = next(span for i, span in enumerate(found) if span in found[:i])
            self._refuse(f"returned the span {twice} of {document.doc_id!r} twice.")
        return [
            Chunk(document.doc_id, start, end, text[start:end], count_tokens)
            for start, end in sorted(found)
        ]

    @cached_property
    def _cut(self) -> Callable[[Document], Iterable[Any]]:
        return self.part.method("chunk")

    def _span(
        self,
        piece: object,
        number: int,
        document: Document,
        before: tuple[int, int] | None,
    ) -> tuple[int, int]:
        if isinstance(piece, str):
            return self._located(piece, number, document, before)
        pair = list(piece) if isinstance(piece, list | tuple) else []
        if len(pair) != 2 or not all(type(one) is int for one in pair):
            self._refuse(
                f"returned {piece!r:.80} as chunk {number} of {document.doc_id!r}. {_PROTOCOL}"
            )
        start, end = pair
        if not 0 <= start < end <= len(document.text):
            self._refuse(
                f"returned the span {piece!r} as chunk {number} of {document.doc_id!r}, whose text "
                f"has {len(document.text)} characters: 0 <= start < end <= {len(document.text)}."
            )
        return start, end

    def _located(
        self, piece: str, number: int, document: Document, before: tuple[int, int] | None
    ) -> tuple[int, int]:
        text = document.text
        earliest, passed = (before[0] + 1, before[1]) if before else (0, 0)
        first = text.find(piece, earliest) if piece.strip() else -1
        shown = f"{piece[:_SHOWN]!r}" + ("..." if len(piece) > _SHOWN else "")
        if first < 0:
            self._refuse(
                f"returned the text {shown} as chunk {number} of {document.doc_id!r}; it does not "
                "stand there behind the chunk before. Return the text unchanged and in order, or "
                "(start, end) offsets."
            )
        reach = passed + len(text[passed:]) - len(text[passed:].lstrip())
        second = text.find(piece, first + 1)
        if first < passed and 0 <= second <= reach:
            self._refuse(
                f"returned the text {shown} as chunk {number} of {document.doc_id!r}; it may stand "
                f"at {first} or at {second}. Return (start, end) offsets."
            )
        return first, first + len(piece)

    def _refuse(self, problem: str) -> NoReturn:
        target = self.part.code.target
        self.part.refuse(getattr(target, "chunk", target), problem)
