"""Retrieval diagnosis: too little, too much, or well; and what lost the task.

Over- and under-search rates borrow their names from HiPRAG (arXiv 2510.07794); the definitions are
ours, measured against annotated evidence, and not comparable with its figures. Set-level terms are
as in DeepSearchQA (2601.20975), the 2 x 2 of sufficient context and success is from Sufficient
Context (2411.06037).
"""

from ragbench.diagnose._calls import classify_calls
from ragbench.diagnose._causes import AGENTS_OWN, CAUSES, NEAR, Probe
from ragbench.diagnose._diagnose import diagnose_trial
from ragbench.diagnose._labels import ATTRIBUTIONS, BROKEN_OFF, LABELS
from ragbench.diagnose._sets import FLOOD_HITS

__all__ = [
    "AGENTS_OWN",
    "ATTRIBUTIONS",
    "BROKEN_OFF",
    "CAUSES",
    "FLOOD_HITS",
    "LABELS",
    "NEAR",
    "Probe",
    "classify_calls",
    "diagnose_trial",
]
