"""Two runs against each other: the same questions, or the same tasks, paired one by one.

Two comparisons are comparable when they asked the same questions (their evidence may have moved
with the documents); setups that both have are paired, and Holm's family is all of these pairs. Two
evaluations are comparable when they are of one domain and the same tasks; a task's value is the
mean over its trials.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragbench.compare._difference_interval import difference_interval
from ragbench.compare._folder import read_grid
from ragbench.compare._gate import at_k, measure_head
from ragbench.compare._records import CellRecord, QuestionRecord
from ragbench.compare._statistics import ALPHA, Paired, compare_paired, holm, verdict
from ragbench.errors import RunError, UnknownName
from ragbench.records import TrialScore
from ragbench.runner import RunFolder

__all__ = ["EVAL_MEASURES", "Diff", "Difference", "diff_runs", "read_evaluation"]

_HIGHER = (
    "reward", "evidence_recall", "document_recall", "evidence_precision", "context_utilization",
)  # fmt: skip
_LOWER = (
    "under_retrieval", "over_retrieval", "over_search_rate", "under_search_rate", "late_recall",
    "duplicate_ratio",
)  # fmt: skip
EVAL_MEASURES = (*_HIGHER, *_LOWER)
"""What two evaluations can be compared on: shares of 1."""

Values = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Difference:
    """One setup, or one evaluation, in both runs.

    Attributes:
        before: mean in the first run; None when it failed there or is undefined.
        after: mean in the second run.
        n_better: questions or tasks that became better.
        n_worse: those that became worse.
        paired: second minus first, higher is better; None when nothing can be compared.
        p_holm: adjusted over all differences of the two runs.
        error: why it failed in the second run.
    """

    name: str
    before: float | None
    after: float | None
    n_better: int
    n_worse: int
    paired: Paired | None
    p_holm: float | None = None
    sentence: str = ""
    error: str | None = None

    @property
    def is_real(self) -> bool:
        """Whether the difference is told apart from none."""
        if self.paired is None or self.p_holm is None or self.p_holm > ALPHA:
            return False
        return not self.paired.low <= 0 <= self.paired.high

    @property
    def is_regression(self) -> bool:
        """Whether it became worse, or failed."""
        worse = self.is_real and self.paired is not None and self.paired.difference < 0
        return worse or self.error is not None


@dataclass(frozen=True, slots=True)
class Diff:
    """Two runs against each other.

    Attributes:
        unit: ``question`` or ``task``.
        metric: what was compared, without a cutoff.
        notes: what else differs between the runs.
    """

    unit: str
    metric: str
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]


def diff_runs(first: Path, second: Path, metric: str | None = None, seed: int = 0) -> Diff:
    """What became better or worse from the first run to the second.

    Raises:
        RunError: a folder is no run, is not finished, or the two are not comparable.
        UnknownName, SpecError: the metric is none of theirs.
    """
    kinds = [_kind(path) for path in (first, second)]
    if kinds[0] != kinds[1]:
        raise RunError(
            f"{str(first)!r} is {kinds[0]} and {str(second)!r} is {kinds[1]}. Give two of a kind."
        )
    if kinds[0] == "a comparison":
        found = _grids(first, second, metric, seed)
    else:
        found = _evaluations(first, second, metric or "reward", seed)
    return replace(found, differences=tuple(_adjusted(found, first.name, second.name)))


def _kind(path: Path) -> str:
    if not (path / "config.json").is_file():
        raise RunError(
            f"{str(path)!r} is no run folder: it has no config.json. Give the folder that "
            "ragbench compare or ragbench eval wrote."
        )
    return "a comparison" if (path / "questions.jsonl").is_file() else "an evaluation"


def _adjusted(found: Diff, first: str, second: str) -> list[Difference]:
    """With Holm's p and the sentence."""
    pairs = [one.paired for one in found.differences if one.paired is not None]
    adjusted = iter(holm([paired.p for paired in pairs]))
    lower = found.metric in _LOWER
    metric = f"{found.metric} (lower is better)" if lower else found.metric
    shown = []
    for one in found.differences:
        if one.paired is None:
            shown.append(one)
            continue
        p_holm, paired = next(adjusted), one.paired
        interval = (paired.low, paired.high)
        names = (f"{first}", f"{second}")
        said = verdict(*names, metric, paired.difference, interval, p_holm, paired.n)
        if found.unit == "task":
            said = said.replace("question", "task")
        shown.append(replace(one, p_holm=p_holm, sentence=said))
    return shown


def _difference(
    name: str, before: Values, after: Values, groups: Mapping[str, str] | None, seed: int,
    sign: float = 1.0,
) -> Difference:  # fmt: skip
    """One pair; with ``sign`` -1 lower values are better."""
    signed = [
        {key: None if value is None else sign * value for key, value in values.items()}
        for values in (before, after)
    ]
    paired = compare_paired(signed[0], signed[1], groups, seed)
    by_key = {
        key: b - a
        for key, a in signed[0].items()
        if a is not None and (b := signed[1][key]) is not None
    }
    if paired is not None:
        low, high = difference_interval(by_key, groups)
        paired = replace(paired, low=low, high=high)
    changes = by_key.values()
    return Difference(
        name=name,
        before=_mean(before.values()),
        after=_mean(after.values()),
        n_better=sum(change > 0 for change in changes),
        n_worse=sum(change < 0 for change in changes),
        paired=paired,
    )


def _mean(values: Any) -> float | None:  # noqa: ANN401  (any iterable of values)
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def _grids(first: Path, second: Path, metric: str | None, seed: int) -> Diff:
    (config_a, asked_a, cells_a), (config_b, asked_b, cells_b) = read_grid(first), read_grid(second)
    _same_questions(first, second, asked_a, asked_b)
    if metric is None:
        has_spans = any(start is not None for q in asked_a for _, start, _, _ in q.evidence)
        metric = "span_recall" if has_spans else "R"
    head = measure_head(metric)
    groups = {question.id: question.group for question in asked_a}
    pairs = _pairs(first, second, cells_a, cells_b)
    differences = [_cell_difference(a, b, head, groups, seed) for a, b in pairs]
    return Diff("question", head, tuple(differences), tuple(_grid_notes(
        config_a["identity"], config_b["identity"], cells_a, cells_b)))  # fmt: skip


def _same_questions(
    first: Path, second: Path, one: Sequence[QuestionRecord], other: Sequence[QuestionRecord]
) -> None:
    texts_a, texts_b = ({q.id: q.text for q in asked} for asked in (one, other))
    odd = [name for name in {**texts_a, **texts_b} if texts_a.get(name) != texts_b.get(name)]
    if odd:
        where = (
            "the second run only" if odd[0] not in texts_a
            else "the first run only" if odd[0] not in texts_b
            else "both runs, with different texts"
        )  # fmt: skip
        raise RunError(
            f"{str(first)!r} and {str(second)!r} cannot be compared: they did not ask the same "
            f"questions. {odd[0]!r} is in {where} ({len(odd)} such). Run both on one question set."
        )


def _pairs(
    first: Path, second: Path, one: Sequence[CellRecord], other: Sequence[CellRecord]
) -> list[tuple[CellRecord, CellRecord]]:
    theirs = {cell.cell_id: cell for cell in other}
    pairs = [(cell, theirs[cell.cell_id]) for cell in one if cell.cell_id in theirs]
    if pairs:
        return pairs
    if len(one) == len(other) == 1:
        return [(one[0], other[0])]
    names = ["; ".join(cell.name for cell in cells[:4]) or "none" for cells in (one, other)]
    raise RunError(
        f"{str(first)!r} and {str(second)!r} cannot be compared: they have no setup in common. "
        f"The first has: {names[0]}. The second has: {names[1]}. Two runs of one setup each can "
        "always be compared."
    )


def _cell_difference(
    a: CellRecord, b: CellRecord, head: str, groups: Mapping[str, str], seed: int
) -> Difference:
    name = a.name if a.name == b.name else f"{a.name} -> {b.name}"
    values = [
        {question.id: question.values.get(at_k(head, cell.k)) for question in cell.questions}
        for cell in (a, b)
    ]
    if a.error is None and b.error is None:
        return _difference(name, values[0], values[1], groups, seed)
    means = [_mean(of_cell.values()) for of_cell in values]
    error = b.error if a.error is None else None
    return Difference(name, means[0], means[1], 0, 0, None, error=error)


def _grid_notes(
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    cells_a: Sequence[CellRecord],
    cells_b: Sequence[CellRecord],
) -> list[str]:
    notes = []
    if a["corpus_sha256"] != b["corpus_sha256"]:
        notes.append("The documents are not the same in both runs.")
    if a["questions_sha256"] != b["questions_sha256"]:
        notes.append("The evidence of the questions is not the same in both runs.")
    ids_a, ids_b = ({cell.cell_id for cell in cells} for cells in (cells_a, cells_b))
    for which, ids, cells in (("first", ids_b, cells_a), ("second", ids_a, cells_b)):
        only = [cell.name for cell in cells if cell.cell_id not in ids]
        if only and len(cells_a) + len(cells_b) > 2:
            notes.append(f"In the {which} run only: {'; '.join(only)}.")
    by_id = {cell.cell_id: cell for cell in cells_b}
    for cell in cells_a:
        twin = by_id.get(cell.cell_id)
        if twin is not None and twin.embedder_identity != cell.embedder_identity:
            notes.append(f"{cell.name}: the model is another one under the same name.")
    return notes


def _evaluations(first: Path, second: Path, metric: str, seed: int) -> Diff:
    if metric not in EVAL_MEASURES:
        raise UnknownName("measure of two evaluations", metric, EVAL_MEASURES)
    identities, scores, _ = zip(*(read_evaluation(path) for path in (first, second)), strict=True)
    names = [identity["domain"] for identity in identities]
    if names[0] != names[1]:
        raise RunError(
            f"{str(first)!r} and {str(second)!r} cannot be compared: one is of the domain "
            f"{names[0]!r}, the other of {names[1]!r}."
        )
    before, after = (_by_task(of_run, metric) for of_run in scores)
    odd = sorted(before.keys() ^ after.keys())
    if odd:
        raise RunError(
            f"{str(first)!r} and {str(second)!r} cannot be compared: the task {odd[0]!r} is in one "
            f"of them only ({len(odd)} such). Run both with the same --task-ids."
        )
    found = _difference(names[0], before, after, None, seed, -1.0 if metric in _LOWER else 1.0)
    different = sorted(
        key
        for key in identities[0].keys() | identities[1].keys()
        if identities[0].get(key) != identities[1].get(key)
    )
    notes = [f"Different in the configuration: {', '.join(different)}."] if different else []
    return Diff("task", metric, (found,), tuple(notes))


def read_evaluation(path: Path) -> tuple[dict[str, Any], tuple[TrialScore, ...], dict[str, Any]]:
    """Identity, scores and summary of a finished evaluation.

    Raises:
        RunError: the folder is no finished evaluation, or cannot be read.
    """
    finished = RunFolder(path).finished()
    if finished is None:
        raise RunError(
            f"The evaluation in {str(path)!r} is not finished: it has no scores.jsonl. Finish it: "
            f"ragbench eval ... --resume {path}"
        )
    try:
        identity = json.loads((path / "config.json").read_text(encoding="utf-8"))["identity"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path / 'config.json'} cannot be read: {error}.") from error
    return identity, *finished


def _by_task(scores: Sequence[TrialScore], metric: str) -> dict[str, float | None]:
    trials: dict[str, list[float]] = {}
    for score in scores:
        of_task = trials.setdefault(score.task_id, [])
        value = score.score.reward if metric == "reward" else getattr(score.diagnosis, metric)
        if value is not None:
            of_task.append(float(value))
    return {name: math.fsum(v) / len(v) if v else None for name, v in trials.items()}
