"""What the diagnosis asks of a run's index: other queries, chunks, and how near a query is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragbench.config import DEFAULT_EMBEDDER
from ragbench.evidence import Span
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.index import Index
from ragbench.records import HitRecord
from ragbench.retrieval import KnowledgeTool, Retriever, hit_record

if TYPE_CHECKING:
    import numpy as np

__all__ = ["IndexProbe", "nearness", "probe_of"]


@dataclass(slots=True)
class IndexProbe:
    """Answers the diagnosis' questions about the run's index; equal questions are asked once.

    Attributes:
        retrievers: what is behind each retrieval tool, by the tool's name.
        search_tool: the tool that takes words, None when there is none.
        k: hits of a call that names no k.
    """

    index: Index
    retrievers: dict[str, Retriever]
    search_tool: str | None
    k: int
    _asked: dict[tuple[str, str, int], list[HitRecord]] = field(default_factory=dict)
    _vectors: dict[str, np.ndarray] = field(default_factory=dict)

    def hits(self, query: str, depth: int, tool: str) -> list[HitRecord]:
        """The first hits of a query to a tool, unfiltered, best first."""
        key = (tool, query, depth)
        if key not in self._asked:
            # A trajectory from elsewhere may name another tool; it stands for the search tool.
            retriever = self.retrievers.get(tool, self.retrievers.get(self.search_tool or ""))
            hits = retriever.retrieve(query, depth) if retriever is not None else []
            self._asked[key] = [hit_record(hit) for hit in hits]
        return self._asked[key]

    def chunk_spans(self, doc_id: str) -> list[Span]:
        """The spans of a document's chunks."""
        return [(chunk.start, chunk.end) for chunk in self.index.chunks_by_document.get(doc_id, ())]

    def nearness(self, query: str, texts: Sequence[str]) -> float:
        """Cosine of the query to the nearest of the texts; see `nearness`."""
        return nearness(query, texts, self._vectors)


def nearness(query: str, texts: Sequence[str], known: dict[str, np.ndarray]) -> float:
    """Cosine of the query to the nearest of the texts, in [-1, 1], rounded to 5 decimals.

    The embedder is the default one whatever the run's own is: it is there without a download, and
    one bound fits all runs.

    Args:
        query: what was searched for; nothing is near an empty one.
        texts: at least one.
        known: vectors of texts that were embedded before; the new ones are added.
    """
    if not query.strip():
        return -1.0
    missing = [text for text in dict.fromkeys((query, *texts)) if text not in known]
    if missing:
        vectors = EMBEDDERS.create(DEFAULT_EMBEDDER).embed(missing, "query")
        known.update(zip(missing, vectors, strict=True))
    return round(max(float(known[query] @ known[text]) for text in texts), 5)


def probe_of(tools: tuple[KnowledgeTool, ...], index: Index) -> IndexProbe | None:
    """The probe behind a setup's retrieval tools, None without any."""
    if not tools:
        return None
    words = next((tool.name for tool in tools if tool.queries == "words"), None)
    return IndexProbe(index, {tool.name: tool.retriever for tool in tools}, words, tools[0].k)
