"""The page's tables of pairs and of slices: those of the terminal, whole."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.compare import Results
from ragbench.report._fit import Column
from ragbench.report._markup import Markup, element, join
from ragbench.report.compare._table import compare_tables

__all__ = ["more_tables"]


def more_tables(results: Results) -> Markup:
    """A heading and a table each; nothing where neither was asked for."""
    return join([
        part
        for title, columns in compare_tables(results)[1:]
        for part in (element("h2", title), _table(columns))
    ])  # fmt: skip


def _table(columns: Sequence[Column]) -> Markup:
    classes = ["name" if column.is_text else "" for column in columns]
    heads = [
        element("th", column.head, scope="col", cls=cls)
        for column, cls in zip(columns, classes, strict=True)
    ]
    rows = [
        element("tr", *(element("td", cell, cls=c) for cell, c in zip(row, classes, strict=True)))
        for row in zip(*(column.cells for column in columns), strict=True)
    ]
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows))
    return element("div", table, cls="scroll")
