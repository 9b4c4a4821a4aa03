"""A grid as a table: on a terminal, in Markdown, and its rows and words for the page."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.compare import ORACLE, Paired, Results, Row, Slices, conclusions
from ragbench.report._fit import Column, whole_text
from ragbench.report._numbers import UNDEFINED, plural
from ragbench.statistics import Estimate

__all__ = [
    "MARKS",
    "bare_percent",
    "compare_table_text",
    "compare_tables",
    "compare_words",
    "figure_text",
    "markdown_table",
    "milliseconds",
    "oracle_column",
    "paired_text",
    "parts_of",
    "seconds",
    "size",
    "table_heads",
    "table_rows",
]

MARKS = {"is_taken": "take", "is_best": "best", "is_baseline": "baseline", "on_front": "front"}
"""Flags of a row, and what the table calls them."""
_SHOWN = ("span_recall", "span_precision", "precision_omega", "R", "nDCG")
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
    if figure is None or figure.mean is None:
        return UNDEFINED
    if figure.low is None or figure.high is None:
        return bare_percent(figure)
    return f"{100 * figure.mean:.1f} [{100 * figure.low:.1f}, {100 * figure.high:.1f}]"


def bare_percent(figure: Estimate | None) -> str:
    """A mean as percent without its sign."""
    if figure is None or figure.mean is None:
        return UNDEFINED
    return f"{100 * figure.mean:.1f}"


def _difference(row: Row) -> str:
    return UNDEFINED if row.paired is None else paired_text(row.paired)


def paired_text(one: Paired) -> str:
    """A difference in points with its interval."""
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


def compare_tables(results: Results) -> list[tuple[str, list[Column]]]:
    """The tables for a terminal, each with its title: the setups, the pairs and the slices."""
    found = [("", setup_columns(results))]
    if results.tested != "baseline":
        found.append((f"Pairs ({results.tested}), {results.metric}", pair_columns(results)))
    if results.slices is not None:
        slices = results.slices
        found.append((f"{slices.metric} by {slices.by}", slice_columns(results, slices)))
    return found


def setup_columns(results: Results) -> list[Column]:
    """A row per setup; where columns have to go, its label stands for the axes."""
    heads = table_heads(results)
    cells = dict(zip(heads, zip(*table_rows(results), strict=True), strict=True))
    labels = [row.label for row in results.rows]
    found = [Column("setup", labels, is_text=True)]
    order = [results.metric, "marks", "tokens", "p50 ms", "difference", "p (Holm)"]
    axes = ("chunker", "embedder", "retriever", "k")
    constant = [head for head in axes if len(set(cells[head])) == 1]
    for number, head in enumerate(h for h in heads if h not in axes or h in constant):
        spared = order.index(head) if head in order else len(order) + number
        text = head in axes or head == "marks"
        found.append(Column(head, cells[head], spared, is_text=text))
    return found


def pair_columns(results: Results) -> list[Column]:
    """A row per pair, the clearest first."""
    pairs = sorted(results.pairs, key=lambda pair: (pair.p_holm, -abs(pair.paired.difference)))
    labels = results.labels
    return [
        Column("setup", [labels[pair.second] for pair in pairs], is_text=True),
        Column("minus", [labels[pair.first] for pair in pairs], is_text=True),
        Column("difference", [paired_text(pair.paired) for pair in pairs]),
        Column("p (Holm)", [_p(pair.p_holm) for pair in pairs]),
        Column("told apart", ["yes" if pair.is_told else "no" for pair in pairs], 1),
    ]


def slice_columns(results: Results, slices: Slices) -> list[Column]:
    """A row per slice and setup."""
    rows = [
        (one, row.label, one.figures.get(row.cell.cell_id))
        for one in slices.slices
        for row in results.rows
    ]
    return [
        Column(slices.by, [one.value for one, _, _ in rows], is_text=True),
        Column("questions", [f"{one.n_questions:,}" for one, _, _ in rows]),
        Column("setup", [label for _, label, _ in rows], is_text=True),
        Column(slices.metric, [figure_text(figure) for _, _, figure in rows]),
    ]


def compare_table_text(results: Results) -> str:
    """The table of setups without colour, every cell whole, whatever the width."""
    return whole_text(setup_columns(results))


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
    tested = "all setups" if results.tested == "baseline" else f"{len(results.pairs)} pairs"
    groups = f" in {plural(results.n_groups, 'group')}"
    said.append(
        f"{questions}{groups if results.n_groups < results.n_questions else ''}; intervals are "
        f"95 % bootstraps, p is Holm's over {tested}, for {results.metric} alone; percents "
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
