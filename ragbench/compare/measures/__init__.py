"""The measures of retrieval, one file each: what they are, not who computes them."""

from ragbench.compare.measures._average_precision import AveragePrecision
from ragbench.compare.measures._base import (
    MEASURES,
    Count,
    DocumentMeasure,
    Measure,
    Overlap,
    SpanMeasure,
    SpanView,
    Unit,
    Variant,
    parse_measure,
)
from ragbench.compare.measures._ndcg import Ndcg
from ragbench.compare.measures._precision import Precision
from ragbench.compare.measures._recall import Recall
from ragbench.compare.measures._reciprocal_rank import ReciprocalRank
from ragbench.compare.measures._span_f1 import SpanF1
from ragbench.compare.measures._span_iou import PrecisionOmega, SpanIou
from ragbench.compare.measures._span_precision import SpanPrecision
from ragbench.compare.measures._span_recall import SpanRecall

__all__ = [
    "MEASURES",
    "AveragePrecision",
    "Count",
    "DocumentMeasure",
    "Measure",
    "Ndcg",
    "Overlap",
    "Precision",
    "PrecisionOmega",
    "Recall",
    "ReciprocalRank",
    "SpanF1",
    "SpanIou",
    "SpanMeasure",
    "SpanPrecision",
    "SpanRecall",
    "SpanView",
    "Unit",
    "Variant",
    "parse_measure",
]
