"""Passages that foreign code names: by offsets, or by text that is found in the documents.

A text is found exactly, else with white space folded; one that stands nowhere, or at several places
of which none is named, is a problem in words and never a guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.errors import did_you_mean
from ragbench.evidence import find_quote
from ragbench.records import Chunk, Document

__all__ = ["SpanFinder"]

_Found = tuple[str, int, int, float | None]
_SHOWN = 60


class SpanFinder:
    """Finds what foreign code names in the documents of one index."""

    def __init__(self, documents: Mapping[str, Document], chunks: Sequence[Chunk]) -> None:
        self._documents = documents
        self._by_alias = {a: d.doc_id for d in documents.values() for a in d.aliases}
        self._chunks: dict[str, list[tuple[str, int, int]]] = {}
        for chunk in chunks:
            key = " ".join(chunk.text.split())
            self._chunks.setdefault(key, []).append((chunk.doc_id, chunk.start, chunk.end))

    def find(self, given: Any) -> _Found | str:  # noqa: ANN401  (whatever foreign code returns)
        """Document, start, end and score (None when it has none); else the problem, in words."""
        if isinstance(given, str):
            given = {"text": given}
        if not isinstance(given, Mapping):
            given = _fields(given)
        score = given.get("score")
        if score is not None and (
            isinstance(score, bool)
            or not isinstance(score, int | float)
            or not math.isfinite(score)
        ):
            return f"the score {score!r}; it must be a finite number."
        found = self._span(given)
        if isinstance(found, str):
            return found
        return (*found, None if score is None else float(score))

    def _span(self, given: Mapping[str, Any]) -> tuple[str, int, int] | str:
        doc_id = given.get("doc_id")
        if doc_id is not None:
            doc_id = self._by_alias.get(doc_id, doc_id)
            if doc_id not in self._documents:
                near = did_you_mean(str(doc_id), self._documents)
                return f"the document {doc_id!r}, which the index does not have{near}."
        start, end = given.get("start"), given.get("end")
        if doc_id is not None and start is not None and end is not None:
            size = len(self._documents[doc_id].text)
            if all(type(one) is int for one in (start, end)) and 0 <= start < end <= size:
                return doc_id, start, end
            return f"the span {start!r} to {end!r} of {doc_id!r}, whose text has {size} characters."
        text = given.get("text")
        if not isinstance(text, str) or not text.strip():
            return (
                f"{given!r:.120}: neither doc_id with start and end, nor a text. Give one of them."
            )
        return self._found(text, doc_id)

    def _found(self, text: str, doc_id: str | None) -> tuple[str, int, int] | str:
        places = self._chunks.get(" ".join(text.split()), [])
        places = [one for one in places if doc_id in (None, one[0])]
        if not places:
            names = self._documents if doc_id is None else [doc_id]
            places = [(name, *span) for name in names for span in self._spans(name, text)]
        if len(places) == 1:
            return places[0]
        shown = repr(text[:_SHOWN]) + ("..." if len(text) > _SHOWN else "")
        if not places:
            inside = "no document" if doc_id is None else repr(doc_id)
            return f"the text {shown}, which stands in {inside} of the index."
        listed = ", ".join(f"{name}#{start}-{end}" for name, start, end in places[:3])
        return (
            f"the text {shown}, which stands at {len(places)} places ({listed}"
            f"{', ...' if len(places) > 3 else ''}). Give doc_id, start and end with it."
        )

    def _spans(self, doc_id: str, text: str) -> list[tuple[int, int]]:
        whole = self._documents[doc_id].text
        # The words must be there at all before their white space is looked at.
        longest = max(re.findall(r"\S+", text), key=len)
        return find_quote(whole, text) if longest in whole else []


def _fields(given: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """The fields of an object that is no mapping, such as a chunk or a hit of ours."""
    inner = getattr(given, "chunk", given)
    names = ("doc_id", "start", "end", "text")
    found = {name: getattr(inner, name) for name in names if hasattr(inner, name)}
    score = getattr(given, "score", None)
    return found | ({} if score is None else {"score": score})
