"""Validation of a benchmark: gold labels that can be trusted, checked by machine.

One module per group of rules; `validate` runs them all.
"""

from ragbench.validate._rule import RULES, Finding, Flaw, Rule, Severity
from ragbench.validate._table import report_json, report_text
from ragbench.validate._validate import NotChecked, Report, validate
from ragbench.validate.difficulty import Difficulty

__all__ = [
    "RULES",
    "Difficulty",
    "Finding",
    "Flaw",
    "NotChecked",
    "Report",
    "Rule",
    "Severity",
    "report_json",
    "report_text",
    "validate",
]
