"""From cells to the table: means with intervals, differences to the baseline, the Pareto front.

Intervals of all columns come from the same draws of independent observations (`clusters` of
questions), so that columns of one table move together. Only the tested measure has p values; Holm's
family is all pairs that are tested: every setup against the baseline unless others are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragbench.compare._clusters import clusters
from ragbench.compare._gate import at_k
from ragbench.compare._intervals import intervals
from ragbench.compare._measure import measures_at
from ragbench.compare._noise import Noise
from ragbench.compare._pairs import Pair, tested_pairs
from ragbench.compare._pareto import Cost, RankCorrelation, pareto_front, rank_correlation
from ragbench.compare._recommend import Candidate, Recommendation, recommend
from ragbench.compare._records import CellRecord, QuestionRecord, QuestionResult
from ragbench.compare._slices import Slices, make_slices
from ragbench.compare._statistics import Paired
from ragbench.statistics import Estimate, mean_of_shares

__all__ = ["ORACLE", "Latency", "Results", "Row", "make_results", "mean_of"]

TOKENS = "context_tokens"
ORACLE = "oracle_success"
"""Measured over tasks, not over questions; there only when the tasks were played."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of a query; None when it was not measured."""

    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One setup of the table.

    Attributes:
        label: those parts of the setup's name that are not the same in the whole table.
        figures: by measure without its cutoff, ``context_tokens`` and ``oracle_success`` too; empty
            for a failed setup.
        search: without embedding the query.
        whole: with it, over the questions whose embedding was timed.
        paired: against the baseline on the tested measure; None for the baseline itself and where
            the two are not tested.
        p_holm: adjusted over all pairs of the table.
        sentence: the verdict about it and the baseline, empty where there is none.
        is_best: of the highest mean of the tested measure.
        on_front: nothing beats it on recall, tokens and latency together.
        is_taken: the one that is recommended.
    """

    cell: CellRecord
    label: str
    figures: dict[str, Estimate]
    search: Latency
    whole: Latency
    paired: Paired | None = None
    p_holm: float | None = None
    sentence: str = ""
    is_baseline: bool = False
    is_best: bool = False
    on_front: bool = False
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """The table.

    Attributes:
        metric: the tested measure, without its cutoff.
        measures: every measure without its cutoff, in order.
        n_groups: independent observations among the questions.
        correlations: of ``oracle_success`` with measures, over the setups; empty without it.
        tested: what was tested: ``baseline``, ``same-k`` or ``all`` pairs.
        pairs: the tests.
        recommendation: what to take; None when no setup has a value.
        slices: by a property of documents; None when none was asked for.
    """

    rows: tuple[Row, ...]
    metric: str
    measures: tuple[str, ...]
    baseline: str
    seed: int
    n_questions: int
    n_groups: int
    correlations: dict[str, RankCorrelation]
    tested: str = "baseline"
    pairs: tuple[Pair, ...] = ()
    recommendation: Recommendation | None = None
    slices: Slices | None = None

    @property
    def labels(self) -> dict[str, str]:
        """What the table calls setups, by id."""
        return {row.cell.cell_id: row.label for row in self.rows}

    @property
    def question_metric(self) -> str:
        """The measure that questions are shown by: the tested one, unless that is of tasks."""
        return self.metric if self.metric != ORACLE else _of_questions(self.rows)


def make_results(
    questions: Sequence[QuestionRecord],
    cells: Sequence[CellRecord],
    baseline: str,
    metric: str,
    seed: int,
    pairs: str = "baseline",
    by: str | None = None,
) -> Results:
    """The table of a grid's cells.

    Args:
        questions: what was asked.
        cells: in the order of the table.
        baseline: id of the cell that the others are compared with.
        metric: the tested measure, without its cutoff.
        seed: of the draws.
        pairs: which setups are tested against which: ``baseline``, ``same-k`` or ``all``.
        by: a property of documents to slice the tested measure by.

    Raises:
        UnknownName: there are no such pairs, or no document has the property.
    """
    groups = clusters(questions)
    figures = _figures(cells, groups, seed)
    labels = _labels(cells)
    rows = [
        Row(
            cell,
            labels[cell.cell_id],
            figures.get(cell.cell_id, {}) | _oracle(cell),
            *_latencies(cell),
            is_baseline=cell.cell_id == baseline,
        )
        for cell in cells
    ]
    own = {task_id: task_id for cell in cells for task_id in cell.oracle or ()}
    tested = own if metric == ORACLE else groups
    values = {cell.cell_id: _values(cell, metric) for cell in cells if cell.error is None}
    unit = "task" if metric == ORACLE else "question"
    found = tested_pairs(cells, baseline, pairs, values, tested, metric, labels, unit, seed)
    rows, recommendation = _marked(_compared(rows, found), metric, values, tested, groups, seed)
    heads = tuple(name.removesuffix("@1") for name in measures_at(1))
    results = Results(
        rows=tuple(rows),
        metric=metric,
        measures=heads,
        baseline=baseline,
        seed=seed,
        n_questions=len(questions),
        n_groups=len(set(groups.values())),
        correlations=_correlations(rows, heads),
        tested=pairs,
        pairs=tuple(found),
        recommendation=recommendation,
    )
    if by is None:
        return results
    sliced = make_slices(questions, cells, groups, results.question_metric, by, seed)
    return replace(results, slices=sliced)


def _labels(cells: Sequence[CellRecord]) -> dict[str, str]:
    """The parts of every setup's name that are not the same in the whole table."""
    axes = ("chunker", "embedder", "retriever", "k")
    varying = {axis for axis in axes if len({getattr(cell, axis) for cell in cells}) > 1}
    varying = varying or {"retriever"}
    labels = {}
    for cell in cells:
        own = [axis for axis in axes if cell.embedder or axis != "embedder"]
        parts = zip(own, cell.name.split(" / "), strict=True)
        labels[cell.cell_id] = " / ".join(part for axis, part in parts if axis in varying)
    return labels


def _figures(
    cells: Sequence[CellRecord], groups: Mapping[str, str], seed: int
) -> dict[str, dict[str, Estimate]]:
    columns: dict[tuple[str, str], list[float | None]] = {}
    for cell in cells:
        if cell.error is not None:
            continue
        for name in measures_at(cell.k):
            values = [question.values.get(name) for question in cell.questions]
            columns[cell.cell_id, name.removesuffix(f"@{cell.k}")] = values
        columns[cell.cell_id, TOKENS] = [float(question.n_tokens) for question in cell.questions]
    found_intervals = intervals(columns, list(groups.values()), seed, counts=(TOKENS,))
    found: dict[str, dict[str, Estimate]] = {}
    for (cell_id, name), estimate in found_intervals.items():
        found.setdefault(cell_id, {})[name] = estimate
    return found


def _oracle(cell: CellRecord) -> dict[str, Estimate]:
    if not cell.oracle:
        return {}
    return {ORACLE: mean_of_shares(list(cell.oracle.values()))}


def _latencies(cell: CellRecord) -> tuple[Latency, Latency]:
    search = [question.search_ms for question in cell.questions]
    whole = [ms for question in cell.questions if (ms := _whole_ms(cell, question)) is not None]
    return _latency(search), _latency(whole)


def _latency(values: Sequence[float]) -> Latency:
    if not values:
        return Latency(None, None)
    import numpy as np

    p50, p95 = np.percentile(values, [50, 95])
    return Latency(float(p50), float(p95))


def _compared(rows: Sequence[Row], pairs: Sequence[Pair]) -> list[Row]:
    """The rows with their tests against the baseline, where those are among the pairs."""
    base = next((row.cell.cell_id for row in rows if row.is_baseline), None)
    against = {pair.second: pair for pair in pairs if pair.first == base}
    return [
        replace(row, paired=pair.paired, p_holm=pair.p_holm, sentence=pair.sentence)
        if (pair := against.get(row.cell.cell_id))
        else row
        for row in rows
    ]


def _values(cell: CellRecord, metric: str) -> dict[str, float | None]:
    if metric == ORACLE:
        return dict(cell.oracle or {})
    name = at_k(metric, cell.k)
    return {question.id: question.values.get(name) for question in cell.questions}


def _marked(
    rows: Sequence[Row],
    metric: str,
    values: Mapping[str, Mapping[str, float | None]],
    tested: Mapping[str, str],
    groups: Mapping[str, str],
    seed: int,
) -> tuple[list[Row], Recommendation | None]:
    """The rows with the best, the Pareto front and the recommended marked."""
    means = {row.cell.cell_id: mean_of(row, metric) for row in rows}
    best = max((mean for mean in means.values() if mean is not None), default=None)
    noise = _noise(rows, values, tested, groups, seed)
    front = pareto_front(
        {
            row.cell.cell_id: Cost(means[row.cell.cell_id], mean_of(row, TOKENS), row.whole.p50)
            for row in rows
        },
        lambda side, one, other: noise[side].is_told(one, other),
    )
    setups = [
        Candidate(row.cell, mean, mean_of(row, TOKENS), row.whole.p50)
        for row in rows
        if (mean := means[row.cell.cell_id]) is not None
    ]
    recommendation = recommend(setups, values, tested, noise["tokens"], noise["latency_ms"], seed)
    taken = None if recommendation is None else recommendation.take
    marked = [
        replace(
            row,
            is_best=best is not None and means[row.cell.cell_id] == best,
            on_front=row.cell.cell_id in front,
            is_taken=row.cell.cell_id == taken,
        )
        for row in rows
    ]
    return marked, recommendation


def _noise(
    rows: Sequence[Row],
    values: Mapping[str, Mapping[str, float | None]],
    tested: Mapping[str, str],
    groups: Mapping[str, str],
    seed: int,
) -> dict[str, Noise]:
    """What differences of recall, tokens and latency are beyond the noise."""
    cells = [row.cell for row in rows if row.cell.error is None]
    recall = {name: [of.get(key) for key in tested] for name, of in values.items()}
    tokens = {cell.cell_id: [float(q.n_tokens) for q in cell.questions] for cell in cells}
    latency = {cell.cell_id: [_whole_ms(cell, q) for q in cell.questions] for cell in cells}
    of_questions = list(groups.values())
    return {
        "recall": Noise(recall, list(tested.values()), seed),
        "tokens": Noise(tokens, of_questions, seed),
        "latency_ms": Noise(latency, of_questions, seed),
    }


def _whole_ms(cell: CellRecord, question: QuestionResult) -> float | None:
    """Milliseconds with the embedding of the query; None when that was not timed."""
    if cell.embedder is None:
        return question.search_ms
    return None if question.embed_ms is None else question.search_ms + question.embed_ms


def _of_questions(rows: Sequence[Row]) -> str:
    """Recall of spans, of documents where there are none."""
    return "span_recall" if any(mean_of(row, "span_recall") is not None for row in rows) else "R"


def mean_of(row: Row, name: str) -> float | None:
    """The mean of one of a row's figures; None when it is undefined, or the setup failed."""
    return row.figures[name].mean if name in row.figures else None


def _correlations(rows: Sequence[Row], heads: Sequence[str]) -> dict[str, RankCorrelation]:
    if not any(ORACLE in row.figures for row in rows):
        return {}
    success = [mean_of(row, ORACLE) for row in rows]
    return {head: rank_correlation([mean_of(row, head) for row in rows], success) for head in heads}
