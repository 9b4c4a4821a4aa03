"""What a person reads of a run: table of trials, summary in words, page, exports."""

from ragbench.report._calibration_words import calibration_json, calibration_text
from ragbench.report._export import run_json, trials_csv
from ragbench.report._fit import print_fitted
from ragbench.report._html import render_html, write_report
from ragbench.report._narrative import narrative
from ragbench.report._numbers import usd
from ragbench.report._plan_words import plan_json, plan_text
from ragbench.report._table import table_text, trials_table
from ragbench.report._words import Section, sections, words_text
from ragbench.report.compare import (
    compare_csv,
    compare_json,
    compare_table_text,
    compare_tables,
    compare_words,
    diff_json,
    diff_text,
    markdown_table,
    render_compare_html,
    write_compare_files,
)

__all__ = [
    "Section",
    "calibration_json",
    "calibration_text",
    "compare_csv",
    "compare_json",
    "compare_table_text",
    "compare_tables",
    "compare_words",
    "diff_json",
    "diff_text",
    "markdown_table",
    "narrative",
    "plan_json",
    "plan_text",
    "print_fitted",
    "render_compare_html",
    "render_html",
    "run_json",
    "sections",
    "table_text",
    "trials_csv",
    "trials_table",
    "usd",
    "words_text",
    "write_compare_files",
    "write_report",
]
