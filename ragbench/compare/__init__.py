"""Comparing retrieval setups: question sets, measures, statistics.

A `ragbench.records.QuestionSet` is resolved against loaded documents (`resolve`); what a setup
returned becomes values per question (`document_scores`, `SpanContext`); values of two setups become
a difference with its uncertainty (`compare_paired`, `holm`, `verdict`).
"""

from ragbench.compare._clock import CellDone
from ragbench.compare._clusters import clusters
from ragbench.compare._conclusions import conclusions
from ragbench.compare._diff import EVAL_MEASURES, Diff, Difference, diff_runs
from ragbench.compare._documents import (
    document_scores,
    rank_hits_of,
    rank_scores,
    run_scores,
)
from ragbench.compare._folder import GridFolder, questions_hash, read_grid
from ragbench.compare._gate import Gate, GateOutcome, at_k, check_gates, measure_head, parse_gates
from ragbench.compare._grid import Cell, Grid, make_grid, select, short_spec
from ragbench.compare._measure import measures_at
from ragbench.compare._non_inferior import NonInferior, non_inferiority
from ragbench.compare._pairs import PAIRS, Pair
from ragbench.compare._pareto import Cost, RankCorrelation, pareto_front, rank_correlation
from ragbench.compare._plan import Need, Plan, plan_run
from ragbench.compare._recommend import Recommendation
from ragbench.compare._records import (
    CellRecord,
    IngestRecord,
    QuestionRecord,
    QuestionResult,
)
from ragbench.compare._resolve import ResolvedQuestion, resolve
from ragbench.compare._results import ORACLE, Latency, Results, Row, make_results
from ragbench.compare._run import GridResult, Planned, compare, plan_grid
from ragbench.compare._sets import best_of_parts, domain_questions, in_windows, tau_questions
from ragbench.compare._slices import Slice, Slices
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
from ragbench.compare._subject import FORMATS, Subject, find_subject
from ragbench.compare._trec import trec_names, trec_qrels, trec_run, without_self_hits

__all__ = [
    "ALPHA",
    "EVAL_MEASURES",
    "FORMATS",
    "ORACLE",
    "PAIRS",
    "Cell",
    "CellDone",
    "CellRecord",
    "Cost",
    "Diff",
    "Difference",
    "Gate",
    "GateOutcome",
    "Grid",
    "GridFolder",
    "GridResult",
    "IngestRecord",
    "Item",
    "Latency",
    "Need",
    "NonInferior",
    "Pair",
    "Paired",
    "Plan",
    "Planned",
    "QuestionRecord",
    "QuestionResult",
    "RankCorrelation",
    "Recommendation",
    "ResolvedQuestion",
    "Results",
    "Row",
    "Rulers",
    "Slice",
    "Slices",
    "SpanContext",
    "Subject",
    "at_k",
    "best_of_parts",
    "bootstrap_interval",
    "check_gates",
    "clusters",
    "compare",
    "compare_paired",
    "conclusions",
    "diff_runs",
    "document_scores",
    "domain_questions",
    "find_subject",
    "holm",
    "in_windows",
    "make_grid",
    "make_results",
    "measure_head",
    "measures_at",
    "non_inferiority",
    "pareto_front",
    "parse_gates",
    "plan_grid",
    "plan_run",
    "questions_hash",
    "rank_correlation",
    "rank_hits_of",
    "rank_scores",
    "read_grid",
    "resolve",
    "run_scores",
    "select",
    "short_spec",
    "sign_flip_p",
    "spans_of",
    "tau_questions",
    "trec_names",
    "trec_qrels",
    "trec_run",
    "verdict",
    "without_self_hits",
]
