"""The retrieval tools: what the agent calls, what it reads, and the event that records it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.config import DEFAULT_K, MAX_K
from ragbench.errors import UsageError
from ragbench.records import Chunk, Document, HitRecord, RetrievalEvent, ToolCall
from ragbench.retrieval._base import Hit, Queries, Retriever
from ragbench.retrieval._stack import retrieve_and_tell, waits_for_model

__all__ = ["REWRITTEN", "GrepTool", "KnowledgeTool", "citation", "grep_tool_name", "hit_record"]

REWRITTEN = "rewritten_query"
"""The parameter of an event that holds what was searched for instead of its query."""


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

    queries: ClassVar[Queries] = "words"
    _asked: ClassVar[str] = "query"
    _about_asked: ClassVar[str] = "What to look for, in words."
    _nothing: ClassVar[str] = "No passage fits this query."

    @property
    def description(self) -> str:
        """What the agent reads about the tool."""
        return "Search the documents. Returns the passages that fit the query best, best first."

    @property
    def waits(self) -> bool:
        """Whether a call waits for a chat model, and belongs off the event loop."""
        return waits_for_model(self.retriever)

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as JSON schema."""
        properties: dict[str, Any] = {
            self._asked: {"type": "string", "description": self._about_asked},
            "k": {"type": "integer", "minimum": 1, "maximum": MAX_K, "default": self.k},
        }
        categories = self._categories()
        if categories:
            properties["category"] = {"type": "string", "enum": categories}
        return {
            "type": "object",
            "properties": properties,
            "required": [self._asked],
            "additionalProperties": False,
        }

    def call(self, call: ToolCall, step: int, position: int) -> tuple[str, RetrievalEvent]:
        """Execute a call: the text for the agent and the event, which names bad arguments."""
        started = time.perf_counter()
        problem, hits = self._problem(call.arguments), []
        query = call.arguments.get(self._asked)
        parameters = {
            "k": self.k,
            **{key: value for key, value in call.arguments.items() if key != self._asked},
        }
        if problem is None:
            try:
                hits = self._hits(call.arguments, parameters)
            except UsageError as error:
                problem = str(error)
        n_delivered = self._n_delivered(hits)
        event = RetrievalEvent(
            step=step,
            position=position,
            call_id=call.id,
            tool=self.name,
            query=query if isinstance(query, str) else "",
            parameters=parameters,
            hits=tuple(hit_record(hit) for hit in hits),
            n_delivered=n_delivered,
            error=problem,
            index_id=self.index_id,
            latency_ms=round((time.perf_counter() - started) * 1000, 3),
        )
        text = f"Error: {problem}" if problem else self._rendered(hits[:n_delivered])
        return text, event

    def _problem(self, arguments: Mapping[str, Any]) -> str | None:
        unknown = sorted(set(arguments) - {self._asked, "k", "category"})
        k, query = arguments.get("k", self.k), arguments.get(self._asked)
        category = arguments.get("category")
        if unknown:
            known = f"{self._asked}, k, category"
            return f"{self.name} has no argument {unknown[0]!r}. It has: {known}."
        if not isinstance(query, str) or not query.strip():
            return f"{self.name} needs a {self._asked}. {self._about_asked}"
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
            return f"k is {k!r}; it must be an integer from 1 to {MAX_K}."
        if category is not None and category not in self._categories():
            known = ", ".join(self._categories()) or "none"
            return f"No category is called {category!r}. Known: {known}."
        return None

    def _hits(self, arguments: Mapping[str, Any], parameters: dict[str, Any]) -> list[Hit]:
        """What the call finds; a rewritten query is added to the parameters."""
        category = arguments.get("category")
        where = {"category": category} if category is not None else None
        query, k = arguments[self._asked], arguments.get("k", self.k)
        hits, rewritten = retrieve_and_tell(self.retriever, query, k, where)
        if rewritten is not None:
            parameters[REWRITTEN] = rewritten
        return hits

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
            return self._nothing
        blocks = []
        for hit in hits:
            document = self.documents[hit.chunk.doc_id]
            blocks.append(f"[{hit.rank}] {citation(document, hit.chunk)}\n{hit.chunk.text}")
        return "\n\n".join(blocks)


@dataclass(frozen=True, slots=True)
class GrepTool(KnowledgeTool):
    """A tool for regular expressions over one index; the event's query is the pattern."""

    queries: ClassVar[Queries] = "pattern"
    _asked: ClassVar[str] = "pattern"
    _about_asked: ClassVar[str] = (
        "A regular expression (RE2 syntax: no look-around, no backreferences), such as "
        r"'wire.*fee' or 'tool_\w+_\d{4}'."
    )
    _nothing: ClassVar[str] = "No passage matches this pattern."

    @property
    def description(self) -> str:
        """What the agent reads about the tool."""
        return (
            "Find passages that match a regular expression, most matches first. Good for exact "
            "names, codes and numbers."
        )


def grep_tool_name(retrieval_tool: str) -> str:
    """The name of the tool for patterns beside a search tool.

    >>> grep_tool_name("search_bank_policies"), grep_tool_name("kb")
    ('grep_bank_policies', 'grep_kb')
    """
    return f"grep_{retrieval_tool.removeprefix('search_')}"


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
    r"""Title, id, and the pages and headings that the chunk stands on.

    >>> doc = Document("fees.md", "Fees", "# Fees\n\n$5", {}, ())
    >>> citation(doc, Chunk("fees.md", 0, 10, doc.text, 4))
    'Fees (fees.md)'
    """
    place = document.where(chunk.start, chunk.end)
    return f"{document.title} ({document.doc_id}{', ' if place else ''}{place})"
