"""A grid as a table: on a terminal, in Markdown, and its rows and words for the page."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbench.compare import ORACLE, Results, Row, conclusions
from ragbench.report._numbers import UNDEFINED, plural
from ragbench.statistics import Estimate

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "MARKS",
    "bare_percent",
    "compare_table",
    "compare_table_text",
    "compare_words",
    "figure_text",
    "markdown_table",
    "milliseconds",
    "oracle_column",
    "parts_of",
    "seconds",
    "size",
    "table_heads",
    "table_rows",
]

MARKS = {"is_best": "best", "is_baseline": "baseline", "on_front": "front"}
"""Flags of a row, and what the table calls them."""
_SHOWN = ("span_recall", "span_precision", "precision_omega", "R", "nDCG")
_COMPLETE_WIDTH = 100_000
_FRONT_MOST = 5


def table_heads(results: Results) -> list[str]:
    """The columns of the table on a terminal."""
    shown = [name for name in _shown(results) if name != results.metric]
    oracle = oracle_column(results)
    return [
        "chunker", "embedder", "retriever", "k", results.metric, "difference", "p (Holm)",
        *shown, *oracle, "tokens", "p50 ms", "p95 ms", "ingest s", "index", "marks",
    ]  # fmt: skip


def table_rows(results: Results) -> list[list[str]]:
    """A row of cells per setup; a failed one says so in place of every figure."""
    return [_cells(row, results) for row in results.rows]


def _shown(results: Results) -> list[str]:
    """Columns that have a value anywhere."""
    return [
        name
        for name in _SHOWN
        if any(name in row.figures and row.figures[name].mean is not None for row in results.rows)
    ]


def parts_of(row: Row) -> tuple[str, str, str, str]:
    """Chunker, embedder, retriever and k as the setup's name has them."""
    parts = row.cell.name.split(" / ")
    embedder = UNDEFINED if row.cell.embedder is None else parts[1]
    return parts[0], embedder, parts[-2], str(row.cell.k)


def _cells(row: Row, results: Results) -> list[str]:
    heads = table_heads(results)
    setup = list(parts_of(row))
    if row.cell.error is not None:
        return [*setup, "failed", *[UNDEFINED] * (len(heads) - 6), "failed"]
    others = [name for name in _shown(results) if name != results.metric]
    oracle = [figure_text(row.figures.get(name)) for name in oracle_column(results)]
    return [
        *setup,
        figure_text(row.figures.get(results.metric)),
        _difference(row),
        UNDEFINED if row.p_holm is None else _p(row.p_holm),
        *(bare_percent(row.figures.get(name)) for name in others),
        *oracle,
        _tokens(row),
        milliseconds(row.whole.p50),
        milliseconds(row.whole.p95),
        seconds(row),
        size(row),
        ", ".join(mark for flag, mark in MARKS.items() if getattr(row, flag)),
    ]


def oracle_column(results: Results) -> list[str]:
    """The column of the tasks' success, where they were played and it is not the tested one."""
    return [ORACLE] if results.correlations and results.metric != ORACLE else []


def figure_text(figure: Estimate | None) -> str:
    """A mean as percent with its interval.

    >>> figure_text(Estimate(0.5, 0.25, 0.75, 8)), figure_text(None)
    ('50.0 [25.0, 75.0]', '-')
    """
    if figure is None or figure.mean is None or figure.low is None or figure.high is None:
        return UNDEFINED
    return f"{100 * figure.mean:.1f} [{100 * figure.low:.1f}, {100 * figure.high:.1f}]"


def bare_percent(figure: Estimate | None) -> str:
    """A mean as percent without its sign."""
    if figure is None or figure.mean is None:
        return UNDEFINED
    return f"{100 * figure.mean:.1f}"


def _difference(row: Row) -> str:
    one = row.paired
    if one is None:
        return UNDEFINED
    return f"{100 * one.difference:+.1f} [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _tokens(row: Row) -> str:
    mean = row.figures["context_tokens"].mean if "context_tokens" in row.figures else None
    return UNDEFINED if mean is None else f"{mean:,.0f}"


def milliseconds(value: float | None) -> str:
    """A duration with as many digits as it has.

    >>> milliseconds(0.1234), milliseconds(12.34), milliseconds(None)
    ('0.12', '12', '-')
    """
    if value is None:
        return UNDEFINED
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def seconds(row: Row) -> str:
    """How long the ingest took; ``+ cache`` when vectors were known already."""
    found = row.cell.ingest
    if found is None:
        return UNDEFINED
    if found.seconds is None:
        return "earlier"
    return f"{found.seconds:.1f}{' + cache' if found.n_cached else ''}"


def size(row: Row) -> str:
    """Size of the index."""
    if row.cell.ingest is None:
        return UNDEFINED
    return f"{row.cell.ingest.index_bytes / 1e6:,.1f} MB"


def compare_table(results: Results) -> Table:
    """The table for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in table_heads(results):
        left = head in ("chunker", "embedder", "retriever", "marks")
        table.add_column(head, justify="left" if left else "right", overflow="fold")
    for row, cells in zip(results.rows, table_rows(results), strict=True):
        style = "red" if row.cell.error else "bold" if row.is_best else ""
        table.add_row(*map(Text, cells), style=style)
    return table


def compare_table_text(results: Results) -> str:
    """The table without colour, every cell whole, whatever the width."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=_COMPLETE_WIDTH, color_system=None, force_terminal=False)
    console.print(compare_table(results))
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def markdown_table(results: Results) -> str:
    """Conclusions and table in Markdown."""
    heads = table_heads(results)
    left = ("chunker", "embedder", "retriever", "marks")
    rule = ["---" if head in left else "---:" for head in heads]
    lines = [[cell.replace("|", "\\|") for cell in cells] for cells in table_rows(results)]
    rows = [heads, rule, *lines]
    body = "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
    said = "\n".join(f"- {sentence}" for sentence in compare_words(results))
    return f"{said}\n\n{body}\n"


def compare_words(results: Results) -> list[str]:
    """The conclusions, then what failed, then how to read the table."""
    said = conclusions(results)
    front = [row.label for row in results.rows if row.on_front]
    if len(front) > _FRONT_MOST:
        front = [*front[:_FRONT_MOST], f"{len(front) - _FRONT_MOST} more, marked in the table"]
    if len(results.rows) > 1 and front:
        said.append(
            f"On the Pareto front of {results.metric}, context tokens and latency: "
            f"{'; '.join(front)}."
        )
    said += _correlation_words(results)
    said += _failures(results.rows)
    questions = plural(results.n_questions, "question")
    groups = f" in {plural(results.n_groups, 'group')}"
    said.append(
        f"{questions}{groups if results.n_groups < results.n_questions else ''}; intervals are "
        f"95 % bootstraps, p is Holm's over all setups, for {results.metric} alone; percents "
        "unless a unit is named; latency with the embedding of the query."
    )
    return said


def _correlation_words(results: Results) -> list[str]:
    metric = results.question_metric
    found = results.correlations.get(metric)
    if found is None:
        return []
    if found.kendall is None or found.spearman is None:
        return [
            f"oracle_success and {metric} cannot be correlated: one of them is the same "
            "under all setups."
        ]
    return [
        f"Over {found.n} setups, oracle_success and {metric} rank with Kendall's tau "
        f"{found.kendall:.2f} and Spearman's rho {found.spearman:.2f}."
    ]


def _failures(rows: Sequence[Row]) -> list[str]:
    return [f"Failed: {row.cell.name}: {row.cell.error}" for row in rows if row.cell.error]
