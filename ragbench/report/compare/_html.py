"""``compare.html``: a grid as one page, with its own script and style, and no network.

The table stands in the page as it is and reads without the script, which sorts, filters, shows
further columns and draws the heat map. Every view has an address: ``#sort=R&filter=bm25``.
Everything that was read is escaped (`ragbench.report._markup`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare import QuestionRecord, Results, Row
from ragbench.report._markup import Markup, element, join, raw
from ragbench.report._numbers import UNDEFINED, count, plural
from ragbench.report._style import STYLE
from ragbench.report.compare._more import more_tables
from ragbench.report.compare._plot import legend, plot
from ragbench.report.compare._questions import heat, page_data, worst
from ragbench.report.compare._style import COMPARE_SCRIPT, COMPARE_STYLE
from ragbench.report.compare._table import (
    MARKS,
    bare_percent,
    compare_words,
    figure_text,
    milliseconds,
    oracle_column,
    parts_of,
    seconds,
    size,
)
from ragbench.statistics import Estimate

__all__ = ["render_compare_html"]

_GROUPS = {
    "tokens": "measured in tokens",
    "published": "as published",
    "documents": "k distinct documents",
}


def render_compare_html(
    subject: str,
    questions: Sequence[QuestionRecord],
    results: Results,
    environment: Mapping[str, Any],
) -> str:
    """The page.

    Args:
        subject: name of the corpus with its questions.
        questions: what was asked.
        results: the table.
        environment: versions, as ``config.json`` has them.
    """
    head = element(
        "head",
        raw('<meta charset="utf-8">'),
        raw('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", f"ragbench compare: {subject}"),
        element("style", raw(STYLE + COMPARE_STYLE)),
    )
    body = element(
        "main",
        element("header", element("h1", subject, " ", element("small", _counts(results)))),
        element("section", *(element("p", s) for s in compare_words(results)), cls="verdict"),
        element("h2", "Setups"),
        _controls(),
        _table(results),
        more_tables(results),
        element("h2", f"{results.metric} against what it costs"),
        _plots(results),
        element("h2", "Every question"),
        heat(questions),
        element("h2", "The questions that setups answer worst"),
        worst(questions, results),
        element("footer", _footer(results, environment)),
    )
    data = raw(_script_json(page_data(questions, results)))
    scripts = join([
        element("script", data, type="application/json", id="data"),
        element("script", raw(COMPARE_SCRIPT)),
    ])  # fmt: skip
    page = element("body", body, scripts)
    return f'<!doctype html>\n<html lang="en">{head}\n{page}</html>\n'


def _script_json(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _counts(results: Results) -> str:
    return f"{plural(len(results.rows), 'setup')}, {plural(results.n_questions, 'question')}"


def _controls() -> Markup:
    box = raw(
        '<input id="filter" type="search" placeholder="Filter setups: bm25 k=5" '
        'aria-label="Filter setups">'
    )
    boxes = [
        element("label", raw(f'<input type="checkbox" data-group="{name}"> '), title)
        for name, title in _GROUPS.items()
    ]
    return element("div", box, element("span", id="count", cls="soft"), *boxes, cls="controls")


def _group_of(measure: str) -> str:
    """The further columns that a measure belongs to, empty for the first table."""
    for name in _GROUPS:
        if f"={name})" in measure:
            return name
    return ""


def _columns(results: Results) -> list[str]:
    """Measures that have a value under some setup, the tested one first."""
    names = [
        name
        for name in results.measures
        if any(name in row.figures and row.figures[name].mean is not None for row in results.rows)
    ]
    tested = [] if results.metric in names else [results.metric]
    return tested + sorted(names, key=lambda name: name != results.metric)


_TAIL = (
    "tokens",
    "p50 ms",
    "p95 ms",
    "search p50 ms",
    "search p95 ms",
    "ingest s",
    "index MB",
    "chunks",
    "marks",
)


def _table(results: Results) -> Markup:
    columns = _columns(results)
    oracle = oracle_column(results)
    names = ["chunker", "embedder", "retriever"]
    heads = [_head(name, "name") for name in names] + [_head("k")]
    heads += [_head(name, of=_group_of(name)) for name in columns[:1]]
    heads += [_head("difference"), _head("p (Holm)")]
    heads += [_head(name, of=_group_of(name)) for name in [*columns[1:], *oracle]]
    heads += [_head(name, "name" if name == "marks" else "") for name in _TAIL]
    rows = [_row(row, results, columns, oracle) for row in results.rows]
    table = element(
        "table", element("thead", element("tr", *heads)), element("tbody", *rows), cls="grid"
    )
    return element("div", table, cls="scroll")


def _head(name: str, cls: str = "", of: str = "") -> Markup:
    button = element("button", name, type="button")
    return element(
        "th", button, cls=cls, scope="col", **{"data-key": name, **({"data-of": of} if of else {})}
    )


def _row(row: Row, results: Results, columns: Sequence[str], oracle: Sequence[str]) -> Markup:
    *setup, k = parts_of(row)
    cells = [element("td", part, cls="name") for part in setup] + [_cell(k, row.cell.k)]
    if row.cell.error is not None:
        width = len(columns) + len(oracle) + 2 + len(_TAIL)
        note = element("td", f"failed: {row.cell.error}", cls="name", colspan=str(width))
        return _tr(row, [*cells, note], "failed")
    cells += [_figure(row, name, whole=True) for name in columns[:1]]
    paired = row.paired
    cells.append(
        _cell(UNDEFINED)
        if paired is None
        else _cell(
            join([
                f"{100 * paired.difference:+.1f} ",
                element("small", f"[{100 * paired.low:+.1f}, {100 * paired.high:+.1f}]"),
            ]),
            paired.difference,
        )
    )  # fmt: skip
    cells.append(_cell(UNDEFINED if row.p_holm is None else f"{row.p_holm:.3g}", row.p_holm))
    cells += [_figure(row, name) for name in [*columns[1:], *oracle]]
    return _tr(row, [*cells, *_tail(row)], "best" if row.is_best else "")


def _tr(row: Row, cells: Sequence[Markup], cls: str) -> Markup:
    return element(
        "tr", *cells, cls=cls, **{"data-cell": row.cell.cell_id, "data-name": row.cell.name}
    )


def _cell(shown: object, value: float | None = None, of: str = "") -> Markup:
    """A cell; its value is what it is sorted by, none sorts last."""
    number = "" if value is None else f"{value:.6g}"
    extra = f' data-of="{of}"' if of else ""
    return raw(f'<td data-v="{number}"{extra}>{join([shown])}</td>')


def _figure(row: Row, name: str, whole: bool = False) -> Markup:
    figure: Estimate | None = row.figures.get(name)
    mean = None if figure is None else figure.mean
    text, _, interval = figure_text(figure).partition(" ")
    shown = join([text, " ", element("small", interval)]) if interval else Markup(text)
    if not whole and figure is not None and mean is not None:
        interval = figure_text(figure).partition(" ")[2]
        shown = element("span", bare_percent(figure), title=f"95 % interval {interval}")
    return _cell(shown, mean, _group_of(name))


def _tail(row: Row) -> list[Markup]:
    ingest = row.cell.ingest
    tokens = row.figures["context_tokens"].mean
    n_bytes = None if ingest is None else ingest.index_bytes
    n_chunks = None if ingest is None else ingest.n_chunks
    marks = ", ".join(mark for flag, mark in MARKS.items() if getattr(row, flag))
    return [
        _cell(UNDEFINED if tokens is None else f"{tokens:,.0f}", tokens),
        *(
            _cell(milliseconds(value), value)
            for value in (row.whole.p50, row.whole.p95, row.search.p50, row.search.p95)
        ),
        _cell(seconds(row), None if ingest is None else ingest.seconds),
        _cell(size(row).removesuffix(" MB"), n_bytes),
        _cell(count(n_chunks), n_chunks),
        element("td", marks, cls="name"),
    ]


def _plots(results: Results) -> Markup:
    tokens = plot(
        results,
        lambda row: row.figures["context_tokens"].mean if row.figures else None,
        "context tokens per question",
        log=False,
    )
    latency = plot(
        results, lambda row: row.whole.p50, "latency of a query, p50, ms, embedding included", True
    )
    panels = [element("div", one, cls="panel") for one in (tokens, latency)]
    note = element(
        "p",
        "Lines are 95 % intervals. The dashed line is what can be had for that cost; a ring marks "
        "the setups that nothing beats on recall, tokens and latency together.",
        cls="soft",
    )
    return join([element("div", *panels, cls="plots"), legend(results), note])


def _footer(results: Results, environment: Mapping[str, Any]) -> str:
    packages = environment.get("packages", {})
    versions = ", ".join(f"{name} {version}" for name, version in packages.items())
    jobs = environment.get("jobs", 1)
    baseline = next((row.cell.name for row in results.rows if row.is_baseline), results.baseline)
    return (
        f"Baseline {baseline}, seed {results.seed}, {versions}. Latency was measured with "
        f"{plural(jobs, 'model')} at work at a time. All figures: results.json, results.csv, "
        "table.md and trec/ beside this page."
    )
