"""What a person reads of a run: table of trials, summary in words, page, exports."""

from ragbench.report._export import run_json, trials_csv
from ragbench.report._html import render_html, write_report
from ragbench.report._narrative import narrative
from ragbench.report._table import table_text, trials_table
from ragbench.report._words import Section, sections, words_text

__all__ = [
    "Section",
    "narrative",
    "render_html",
    "run_json",
    "sections",
    "table_text",
    "trials_csv",
    "trials_table",
    "words_text",
    "write_report",
]
