"""Question by question: the heat map's data, and the questions that setups answer worst."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare import QuestionRecord, Results, at_k
from ragbench.report._markup import Markup, element, join
from ragbench.report._numbers import plural

__all__ = ["heat", "page_data", "worst"]

_WORST = 20
_HEAT_MOST = 400
"""Questions on the heat map; of more, those on which the setups differ most."""
_TEXT_MOST = 600


def heat(questions: Sequence[QuestionRecord]) -> Markup:
    """Where the page's script draws the heat map."""
    some = (
        f"The {_HEAT_MOST} of {len(questions):,} questions on which the setups differ most. "
        if len(questions) > _HEAT_MOST
        else ""
    )
    note = element(
        "p",
        f"{some}A row per setup, a column per question, the hardest first: ",
        element("span", cls="scale"),
        " from 0 to 100 %; grey is undefined.",
        cls="soft",
    )
    told = element("p", "Point at a square to read its question.", id="told")
    return join([note, element("div", id="heat"), told])


def _values(results: Results) -> dict[str, dict[str, float | None]]:
    """By setup and question, of setups that did not fail."""
    return {
        row.cell.cell_id: {
            question.id: question.values.get(at_k(results.question_metric, row.cell.k))
            for question in row.cell.questions
        }
        for row in results.rows
        if row.cell.error is None
    }


def _mean_of(name: str, values: Mapping[str, Mapping[str, float | None]]) -> float | None:
    defined = [v for one in values.values() if (v := one.get(name)) is not None]
    return math.fsum(defined) / len(defined) if defined else None


def page_data(questions: Sequence[QuestionRecord], results: Results) -> dict[str, Any]:
    """What the page's script draws: values in whole percents by setup, the hardest first."""
    values = _values(results)
    shown = list(questions)
    if len(shown) > _HEAT_MOST:
        shown = sorted(shown, key=lambda q: -_spread(q.id, values))[:_HEAT_MOST]
    shown.sort(key=lambda q: (_mean_of(q.id, values) is None, _mean_of(q.id, values) or 0.0, q.id))
    return {
        "names": {row.cell.cell_id: row.label for row in results.rows},
        "questions": [{"id": q.id, "text": _cut(q.text, 200)} for q in shown],
        "values": {
            cell: [None if (v := of[q.id]) is None else round(100 * v) for q in shown]
            for cell, of in values.items()
        },
    }


def _spread(name: str, values: Mapping[str, Mapping[str, float | None]]) -> float:
    defined = [v for one in values.values() if (v := one.get(name)) is not None]
    return max(defined) - min(defined) if defined else -1.0


def worst(questions: Sequence[QuestionRecord], results: Results) -> Markup:
    """The questions of the lowest mean over all setups, with the passages that were missed."""
    values = _values(results)
    means = {q.id: mean for q in questions if (mean := _mean_of(q.id, values)) is not None}
    by_id = {q.id: q for q in questions}
    lowest = sorted(means, key=lambda name: (means[name], name))[:_WORST]
    lowest = [name for name in lowest if means[name] < 1]
    if not lowest:
        return element("p", "No question is answered less than wholly by any setup.", cls="soft")
    return element(
        "div", *(_question(by_id[name], means[name], results) for name in lowest), cls="box"
    )


def _question(question: QuestionRecord, mean: float, results: Results) -> Markup:
    missed: dict[int, int] = {}
    n_setups = 0
    best: tuple[float, str] = (-1.0, "")
    for row in results.rows:
        answer = next((one for one in row.cell.questions if one.id == question.id), None)
        if answer is None:
            continue
        n_setups += 1
        for number in answer.missed:
            missed[number] = missed.get(number, 0) + 1
        value = answer.values.get(at_k(results.question_metric, row.cell.k))
        best = max(best, (-1.0 if value is None else value, row.label))
    summary = element(
        "summary",
        element("b", f"{100 * mean:.0f} % "),
        _cut(question.text, 300),
        " ",
        element("span", question.id, cls="soft"),
    )
    reached = element("p", f"Best: {best[1]}, {100 * best[0]:.0f} %.", cls="soft")
    passages = [
        _passage(question.evidence[number], n, n_setups) for number, n in sorted(missed.items())
    ]
    inside = element("div", reached, *passages, cls="inside")
    return element("details", summary, inside, cls="question")


def _passage(
    evidence: tuple[str, int | None, int | None, str], n_missed: int, n_setups: int
) -> Markup:
    doc_id, start, end, text = evidence
    place = f"{doc_id}, characters {start} to {end}" if start is not None else f"{doc_id}, whole"
    return join([
        element("p", f"Missed by {n_missed} of {plural(n_setups, 'setup')}: ", element("b", place)),
        element("p", _cut(text, _TEXT_MOST) or "-", cls="passage"),
    ])  # fmt: skip


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} [...]"
