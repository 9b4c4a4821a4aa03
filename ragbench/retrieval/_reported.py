"""Passages that foreign code names: by offsets, or by text that is found in the documents.

A text is found exactly, else with white space folded; one that stands nowhere, or at several places
of which none is named, is a problem in words and never a guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ragbench.errors import did_you_mean
from ragbench.evidence import find_quote
from ragbench.ingest.chunk import count_tokens
from ragbench.ingest.index import Index
from ragbench.records import Document, HitRecord, RetrievalEvent

__all__ = ["SpanFinder", "hit_fields"]

_Found = tuple[str, int, int, float | None]
_FIELDS = ("doc_id", "start", "end", "text", "score")
_SHOWN = 60


class SpanFinder:
    """Finds what foreign code names in the documents of one index; reads it when first asked."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def event(
        self, query: str, hits: Sequence[Any], tool: str, *, step: int, position: int
    ) -> RetrievalEvent:
        """The record of a search that an agent made itself; what is not found is told in words."""
        found = [self.find(hit) for hit in hits]
        records, unmatched = [], []
        for number, one in enumerate(found):
            if isinstance(one, str):
                unmatched.append(f"hit {number}: {one}")
                continue
            doc_id, start, end, score = one
            records.append(
                HitRecord(
                    doc_id=doc_id,
                    start=start,
                    end=end,
                    score=float(len(found) - number) if score is None else score,
                    rank=number + 1,
                    n_tokens=count_tokens(self._documents[doc_id].text[start:end]),
                )
            )
        return RetrievalEvent(
            step=step,
            position=position,
            call_id=f"reported-{step}-{position}",
            tool=tool,
            query=query,
            hits=tuple(records),
            n_delivered=len(records),
            index_id=self._index.index_id,
            reported=True,
            unmatched=tuple(unmatched),
        )

    def find(self, given: Any) -> _Found | str:  # noqa: ANN401  (whatever foreign code returns)
        """Document, start, end and score (None when it has none); else the problem, in words."""
        given = hit_fields(given)
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

    @cached_property
    def _documents(self) -> Mapping[str, Document]:
        return self._index.documents

    @cached_property
    def _by_alias(self) -> dict[str, str]:
        return {name: one.doc_id for one in self._documents.values() for name in one.aliases}

    @cached_property
    def _chunks(self) -> dict[str, list[tuple[str, int, int]]]:
        """Places of the chunks by their text, white space folded."""
        found: dict[str, list[tuple[str, int, int]]] = {}
        for chunk in self._index.chunks:
            place = (chunk.doc_id, chunk.start, chunk.end)
            found.setdefault(" ".join(chunk.text.split()), []).append(place)
        return found

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


def hit_fields(given: Any) -> dict[str, Any]:  # noqa: ANN401  (whatever foreign code returns)
    """Document, offsets, text and score of a mapping, a text, or an object with such attributes.

    >>> hit_fields("A wire costs $25."), hit_fields({"doc_id": "a.md", "start": 0, "page": 3})
    ({'text': 'A wire costs $25.'}, {'doc_id': 'a.md', 'start': 0})
    """
    if isinstance(given, str):
        return {"text": given}
    inner = getattr(given, "chunk", given)
    found = {}
    for name in _FIELDS:
        for one in (given, inner):
            value = one.get(name) if isinstance(one, Mapping) else getattr(one, name, None)
            if value is not None:
                found[name] = value
    return found
