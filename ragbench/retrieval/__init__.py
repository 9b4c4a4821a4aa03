"""Retrievers over an index, named setups, the agent's search tool, a search from outside."""

from ragbench.retrieval._base import (
    RETRIEVERS,
    Hit,
    Retriever,
    RetrieverSpec,
    open_retriever,
    rank_hits,
)
from ragbench.retrieval._bm25 import Bm25, Bm25Retriever
from ragbench.retrieval._dense import Dense, DenseRetriever
from ragbench.retrieval._search import Found, search
from ragbench.retrieval._setups import (
    SETUPS,
    Setup,
    inlined_spans,
    inlined_text,
    setup_named,
)
from ragbench.retrieval._tool import KnowledgeTool, citation, hit_record

__all__ = [
    "RETRIEVERS",
    "SETUPS",
    "Bm25",
    "Bm25Retriever",
    "Dense",
    "DenseRetriever",
    "Found",
    "Hit",
    "KnowledgeTool",
    "Retriever",
    "RetrieverSpec",
    "Setup",
    "citation",
    "hit_record",
    "inlined_spans",
    "inlined_text",
    "open_retriever",
    "rank_hits",
    "search",
    "setup_named",
]
