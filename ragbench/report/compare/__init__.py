"""A comparison for a reader: words, tables, the page, exports; the difference of two runs."""

from ragbench.report.compare._diff import diff_json, diff_text
from ragbench.report.compare._export import compare_csv, compare_json, write_compare_files
from ragbench.report.compare._html import render_compare_html
from ragbench.report.compare._table import (
    compare_table_text,
    compare_tables,
    compare_words,
    markdown_table,
)

__all__ = [
    "compare_csv",
    "compare_json",
    "compare_table_text",
    "compare_tables",
    "compare_words",
    "diff_json",
    "diff_text",
    "markdown_table",
    "render_compare_html",
    "write_compare_files",
]
