"""The table of trials on a terminal; elsewhere the same table, plain and as wide as it must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbench.records import Diagnosis, Termination, TrialScore
from ragbench.report._fit import Column, fitted_table, whole_text
from ragbench.report._glossary import by_design
from ragbench.report._numbers import UNDEFINED, count, counts, percent, reward, whole

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["shown_diagnosis", "shown_rate", "table_text", "trials_table"]

_LEFT = ("task", "label", "causes", "attribution")
_SPARED = (
    "over_search_rate",
    "misses_per_call",
    "tokens_per_item",
    "excess_share",
    "floor",
    "calls",
)
"""Columns that a narrow terminal goes without, in this order; the page and the CSV have them."""
_COLUMNS = ("task", "trial", "reward", "label", "calls", "under_retrieval", "over_retrieval",
            "floor", "tokens_per_item", "excess_share", "misses_per_call", "over_search_rate",
            "causes", "attribution")  # fmt: skip
_MEASURES = ("under_retrieval", "over_retrieval", "over_retrieval_floor", "tokens_per_item",
             "excess_share", "misses_per_call", "over_search_rate")  # fmt: skip
_FIXED = "by design"


def trials_table(scores: Sequence[TrialScore], agent: str, width: int | None = None) -> Table:
    """A row per trial; the column ``trial`` appears when a task has more than one.

    Args:
        scores: in the order to show.
        agent: name of the agent; what the oracle fixes by its construction is marked.
        width: of the terminal; a table that is wider gets its headers broken, and then does without
            columns that its caption names. None is any width.
    """
    styles = [{True: "", False: "red", None: "dim"}[score.score.success] for score in scores]
    table, without = fitted_table(_columns(scores, agent, width is not None), width, styles)
    if without:
        table.caption = f"Left out here: {', '.join(without)}; report.html has them."
    return table


def _columns(scores: Sequence[TrialScore], agent: str, narrow: bool) -> list[Column]:
    rows = [_cells(score, agent) for score in scores]
    with_trial = any(score.trial > 0 for score in scores)
    fixed = f"{percent(0.0)} {_FIXED}"
    found = []
    for name in _COLUMNS:
        cells = [row[name].replace(fixed, _FIXED) if narrow else row[name] for row in rows]
        spared = len(_SPARED) - _SPARED.index(name) if name in _SPARED else 0
        if with_trial or name != "trial":
            found.append(Column(name, cells, spared, is_text=name in _LEFT))
    return found


def table_text(scores: Sequence[TrialScore], agent: str) -> str:
    """The table without colour, every cell whole, whatever the width."""
    return whole_text(_columns(scores, agent, narrow=False))


def shown_rate(measure: str, value: float | None, agent: str) -> str:
    """A share, with ``by design`` behind it where the oracle's construction fixes it."""
    return percent(value) + (f" {_FIXED}" if by_design(measure, value, agent) else "")


def shown_diagnosis(score: TrialScore) -> Diagnosis:
    """The diagnosis for a row; one of a simulation that broke off says nothing about its agent."""
    if score.termination is not Termination.INFRASTRUCTURE_ERROR:
        return score.diagnosis
    nothing = dict.fromkeys(_MEASURES)
    return score.diagnosis.model_copy(update={**nothing, "label": None, "items": ()})


def _cells(score: TrialScore, agent: str) -> dict[str, str]:
    """What stands in each column."""
    found = shown_diagnosis(score)
    flags = [
        name
        for name, on in (("lucky", found.lucky), ("beats_reference", score.beats_reference))
        if on
    ]
    label = found.label or UNDEFINED
    return {
        "task": score.task_id,
        "trial": str(score.trial),
        "reward": reward(score.score.reward),
        "label": label + (f" ({', '.join(flags)})" if flags else ""),
        "calls": count(found.n_calls),
        "under_retrieval": percent(found.under_retrieval),
        "over_retrieval": percent(found.over_retrieval),
        "floor": percent(found.over_retrieval_floor),
        "tokens_per_item": whole(found.tokens_per_item),
        "excess_share": percent(found.excess_share),
        "misses_per_call": percent(found.misses_per_call),
        "over_search_rate": shown_rate("over_search_rate", found.over_search_rate, agent),
        "causes": counts(found.causes),
        "attribution": found.attribution or UNDEFINED,
    }
