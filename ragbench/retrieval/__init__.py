"""Retrievers over an index, named setups, the agent's search tools, a search from outside."""

from ragbench.ingest.lexical import Tokenizer
from ragbench.retrieval._base import (
    RETRIEVERS,
    Hit,
    Queries,
    Retriever,
    RetrieverSpec,
    rank_hits,
)
from ragbench.retrieval._bm25 import Bm25, Bm25Retriever
from ragbench.retrieval._dense import Dense, DenseRetriever
from ragbench.retrieval._grep import Grep, GrepRetriever
from ragbench.retrieval._hybrid import Hybrid, HybridRetriever, fuse_ranks, fuse_scores
from ragbench.retrieval._llm_rerank import LLMRerank
from ragbench.retrieval._llm_rewrite import HyDE, LLMRewrite
from ragbench.retrieval._own import Knowledge, OwnRetriever, OwnRetrieverSpec
from ragbench.retrieval._reported import SpanFinder, hit_fields
from ragbench.retrieval._rerank import (
    RERANKERS,
    CrossEncoder,
    RerankedRetriever,
    Reranker,
    RerankerSpec,
)
from ragbench.retrieval._rewrite import (
    REWRITERS,
    Rewriter,
    RewriterSpec,
    RewritingRetriever,
    Rules,
)
from ragbench.retrieval._rules import RewriteRules, read_rules
from ragbench.retrieval._search import Found, search
from ragbench.retrieval._setups import (
    MODIFIERS,
    SETUPS,
    Setup,
    inlined_spans,
    inlined_text,
    setup_named,
)
from ragbench.retrieval._stack import Stack, open_retriever, parse_stack, waits_for_model
from ragbench.retrieval._tool import (
    REWRITTEN,
    GrepTool,
    KnowledgeTool,
    citation,
    grep_tool_name,
    hit_record,
)

__all__ = [
    "MODIFIERS",
    "RERANKERS",
    "RETRIEVERS",
    "REWRITERS",
    "REWRITTEN",
    "SETUPS",
    "Bm25",
    "Bm25Retriever",
    "CrossEncoder",
    "Dense",
    "DenseRetriever",
    "Found",
    "Grep",
    "GrepRetriever",
    "GrepTool",
    "Hit",
    "HyDE",
    "Hybrid",
    "HybridRetriever",
    "Knowledge",
    "KnowledgeTool",
    "LLMRerank",
    "LLMRewrite",
    "OwnRetriever",
    "OwnRetrieverSpec",
    "Queries",
    "RerankedRetriever",
    "Reranker",
    "RerankerSpec",
    "Retriever",
    "RetrieverSpec",
    "RewriteRules",
    "Rewriter",
    "RewriterSpec",
    "RewritingRetriever",
    "Rules",
    "Setup",
    "SpanFinder",
    "Stack",
    "Tokenizer",
    "citation",
    "fuse_ranks",
    "fuse_scores",
    "grep_tool_name",
    "hit_fields",
    "hit_record",
    "inlined_spans",
    "inlined_text",
    "open_retriever",
    "parse_stack",
    "rank_hits",
    "read_rules",
    "search",
    "setup_named",
    "waits_for_model",
]
