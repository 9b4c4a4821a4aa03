"""How much text a span holds: in characters, in tokens, and as published.

A ruler marks positions in a text; the size of a union of spans is the number of marks in it, so
that sizes add up and nothing is counted twice. Characters are marked unless they are white space; a
token is marked where its first character stands.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from ragbench.compare.measures import Unit
from ragbench.evidence import Span, union

__all__ = ["Marks", "Ruler", "ruler"]

Marks = dict[str, "array[int]"]
"""The ascending positions that count in a text, by document id."""

_BLOCK = 1 << 18
"""Characters that are tokenized at a time."""


class Ruler:
    """Counts marks in spans of some texts; a text is marked when it is first asked about.

    Args:
        texts: loaded text by document id.
        find: the ascending positions that count in a text.
        marks: those of texts that were marked before, to which the others are added.
    """

    def __init__(
        self, texts: Mapping[str, str], find: Callable[[str], Iterable[int]], marks: Marks
    ) -> None:
        self._texts, self._find, self._marks = texts, find, marks

    def size(self, doc_id: str, spans: Iterable[Span]) -> int:
        """Number of marks in the union of the spans."""
        marks = self._marks.get(doc_id)
        if marks is None:
            marks = self._marks[doc_id] = array("l", self._find(self._texts[doc_id]))
        spans = list(spans)
        if len(spans) > 1:
            spans = union(spans)
        return sum(
            bisect_left(marks, end) - bisect_left(marks, start)
            for start, end in spans
            if start < end
        )

    def size_of_text(self, text: str) -> int:
        """Number of marks in a text that is no document's, such as a quote that was not found."""
        return sum(1 for _ in self._find(text))


def ruler(texts: Mapping[str, str], unit: Unit, marks: Marks) -> Ruler:
    """The ruler of a unit over some texts, some of which may be marked already."""
    return Ruler(texts, _characters if unit == "characters" else _tokens, marks)


def _characters(text: str) -> Iterator[int]:
    return (position for position, char in enumerate(text) if not char.isspace())


def _tokens(text: str) -> Iterator[int]:
    """Where MiniLM's word pieces begin; the text is cut at white space only, which ends a word."""
    start = 0
    while start < len(text):
        end = start + _BLOCK
        while end < len(text) and text[end] not in " \n":
            end += 1
        encoding = _tokenizer().encode(text[start:end], add_special_tokens=False)
        yield from (start + first for first, _ in encoding.offsets)
        start = end


@cache
def _tokenizer() -> Any:  # noqa: ANN401  (tokenizers ships no types)
    from tokenizers import Tokenizer

    from ragbench.ingest.minilm import model_folder

    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
