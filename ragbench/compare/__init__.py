"""Comparing retrieval setups: question sets, measures, statistics.

A `ragbench.records.QuestionSet` is resolved against loaded documents (`resolve`); what a setup
returned becomes values per question (`document_scores`, `SpanContext`); values of two setups become
a difference with its uncertainty (`compare_paired`, `holm`, `verdict`).
"""

from ragbench.compare._documents import (
    document_scores,
    rank_hits_of,
    rank_scores,
    trec_qrels,
    trec_run,
    without_self_hits,
)
from ragbench.compare._pareto import Cost, RankCorrelation, pareto_front, rank_correlation
from ragbench.compare._resolve import ResolvedQuestion, resolve
from ragbench.compare._sets import best_of_parts, domain_questions, in_windows, tau_questions
from ragbench.compare._spans import Item, Rulers, SpanContext, spans_of
from ragbench.compare._statistics import (
    ALPHA,
    Paired,
    bootstrap_interval,
    compare_paired,
    holm,
    sign_flip_p,
    verdict,
)

__all__ = [
    "ALPHA",
    "Cost",
    "Item",
    "Paired",
    "RankCorrelation",
    "ResolvedQuestion",
    "Rulers",
    "SpanContext",
    "best_of_parts",
    "bootstrap_interval",
    "compare_paired",
    "document_scores",
    "domain_questions",
    "holm",
    "in_windows",
    "pareto_front",
    "rank_correlation",
    "rank_hits_of",
    "rank_scores",
    "resolve",
    "sign_flip_p",
    "spans_of",
    "tau_questions",
    "trec_qrels",
    "trec_run",
    "verdict",
    "without_self_hits",
]
