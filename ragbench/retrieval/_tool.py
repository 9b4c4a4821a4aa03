"""The retrieval tool: what the agent calls, what it reads, and the event that records it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.config import DEFAULT_K, MAX_K
from ragbench.records import Chunk, Document, HitRecord, RetrievalEvent, ToolCall
from ragbench.retrieval._base import Hit, Retriever

__all__ = ["KnowledgeTool", "citation", "hit_record"]


@dataclass(frozen=True, slots=True)
class KnowledgeTool:
    """A search tool over one index.

    Attributes:
        name: what the agent calls it.
        retriever: what it searches with.
        documents: the index's documents by id.
        index_id: recorded with every event.
        k: hits when the call names no ``k``.
        max_result_tokens: when set, hits after which this many tokens would be exceeded are not
            delivered; they are recorded.
    """

    name: str
    retriever: Retriever
    documents: Mapping[str, Document]
    index_id: str
    k: int = DEFAULT_K
    max_result_tokens: int | None = None

    @property
    def description(self) -> str:
        """What the agent reads about the tool."""
        return "Search the documents. Returns the passages that fit the query best, best first."

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as JSON schema."""
        properties: dict[str, Any] = {
            "query": {"type": "string", "description": "What to look for, in words."},
            "k": {"type": "integer", "minimum": 1, "maximum": MAX_K, "default": self.k},
        }
        categories = self._categories()
        if categories:
            properties["category"] = {"type": "string", "enum": categories}
        return {
            "type": "object",
            "properties": properties,
            "required": ["query"],
            "additionalProperties": False,
        }

    def call(self, call: ToolCall, step: int, position: int) -> tuple[str, RetrievalEvent]:
        """Execute a call: the text for the agent and the event, which names bad arguments."""
        started = time.perf_counter()
        problem = self._problem(call.arguments)
        hits = [] if problem else self._hits(call.arguments)
        n_delivered = self._n_delivered(hits)
        query = call.arguments.get("query")
        event = RetrievalEvent(
            step=step,
            position=position,
            call_id=call.id,
            tool=self.name,
            query=query if isinstance(query, str) else "",
            parameters={
                "k": self.k,
                **{key: value for key, value in call.arguments.items() if key != "query"},
            },
            hits=tuple(hit_record(hit) for hit in hits),
            n_delivered=n_delivered,
            error=problem,
            index_id=self.index_id,
            latency_ms=round((time.perf_counter() - started) * 1000, 3),
        )
        text = f"Error: {problem}" if problem else self._rendered(hits[:n_delivered])
        return text, event

    def _problem(self, arguments: Mapping[str, Any]) -> str | None:
        unknown = sorted(set(arguments) - {"query", "k", "category"})
        k, query = arguments.get("k", self.k), arguments.get("query")
        category = arguments.get("category")
        if unknown:
            return f"{self.name} has no argument {unknown[0]!r}. It has: query, k, category."
        if not isinstance(query, str) or not query.strip():
            return f"{self.name} needs a query: words to look for."
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
            return f"k is {k!r}; it must be an integer from 1 to {MAX_K}."
        if category is not None and category not in self._categories():
            known = ", ".join(self._categories()) or "none"
            return f"No category is called {category!r}. Known: {known}."
        return None

    def _hits(self, arguments: Mapping[str, Any]) -> list[Hit]:
        category = arguments.get("category")
        where = {"category": category} if category is not None else None
        return self.retriever.retrieve(arguments["query"], arguments.get("k", self.k), where)

    def _categories(self) -> list[str]:
        return sorted(
            {category for doc_id in self.documents if (category := self._category(doc_id))}
        )

    def _category(self, doc_id: str) -> str | None:
        category = self.documents[doc_id].metadata.get("category")
        return str(category) if category is not None else None

    def _n_delivered(self, hits: list[Hit]) -> int:
        if self.max_result_tokens is None:
            return len(hits)
        total = 0
        for n, hit in enumerate(hits):
            total += hit.chunk.n_tokens
            if total > self.max_result_tokens:
                return n
        return len(hits)

    def _rendered(self, hits: list[Hit]) -> str:
        if not hits:
            return "No passage fits this query."
        blocks = []
        for hit in hits:
            document = self.documents[hit.chunk.doc_id]
            blocks.append(f"[{hit.rank}] {citation(document, hit.chunk)}\n{hit.chunk.text}")
        return "\n\n".join(blocks)


def hit_record(hit: Hit) -> HitRecord:
    """A hit as it is stored."""
    chunk = hit.chunk
    return HitRecord(
        doc_id=chunk.doc_id,
        start=chunk.start,
        end=chunk.end,
        score=hit.score,
        rank=hit.rank,
        n_tokens=chunk.n_tokens,
    )


def citation(document: Document, chunk: Chunk) -> str:
    r"""Title, id, and the page or heading at which the chunk begins.

    >>> doc = Document("fees.md", "Fees", "# Fees\n\n$5", {}, ())
    >>> citation(doc, Chunk("fees.md", 0, 10, doc.text, 4))
    'Fees (fees.md)'
    """
    parts = [f"{document.title} ({document.doc_id}"]
    place = document.place_at(chunk.start)
    if place is not None and place.page is not None:
        parts.append(f"p. {place.page}")
    if place is not None and place.heading:
        parts.append(place.heading)
    return ", ".join(parts) + ")"
