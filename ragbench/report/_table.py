"""The table of trials on a terminal; elsewhere the same table, plain and as wide as it must be."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragbench.records import Diagnosis, Termination, TrialScore
from ragbench.report._glossary import by_design
from ragbench.report._numbers import UNDEFINED, count, counts, percent, reward

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["shown_diagnosis", "shown_rate", "table_text", "trials_table"]

_RIGHT = ("trial", "reward", "calls", "under_retrieval", "over_retrieval", "over_search_rate")
_COMPLETE_WIDTH = 100_000
_FIXED = "by design"


def trials_table(scores: Sequence[TrialScore], agent: str, width: int | None = None) -> Table:
    """A row per trial; the column ``trial`` appears when a task has more than one.

    Args:
        scores: in the order to show.
        agent: name of the agent; what the oracle fixes by its construction is marked.
        width: of the terminal; a table that is wider gets its headers broken. None is any width.
    """
    table = _table(scores, agent, narrow=False)
    if width is not None and _natural_width(table) > width:
        return _table(scores, agent, narrow=True)
    return table


def _natural_width(table: Table) -> int:
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(width=_COMPLETE_WIDTH, file=io.StringIO())
    return Measurement.get(console, console.options, table).maximum


def _table(scores: Sequence[TrialScore], agent: str, *, narrow: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    with_trial = any(score.trial > 0 for score in scores)
    padding = (0, 0) if narrow else (0, 1)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=padding)
    for name in _names(with_trial):
        head = name.replace("_", "_\n") if narrow else name
        table.add_column(head, justify="right" if name in _RIGHT else "left", overflow="fold")
    for score in scores:
        style = {True: "", False: "red", None: "dim"}[score.score.success]
        cells = _cells(score, agent, with_trial)
        shown = (
            cell.replace(f"{percent(0.0)} {_FIXED}", _FIXED) if narrow else cell for cell in cells
        )
        table.add_row(*map(Text, shown), style=style)
    return table


def table_text(scores: Sequence[TrialScore], agent: str) -> str:
    """The table without colour, every cell whole, whatever the width."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=_COMPLETE_WIDTH, color_system=None, force_terminal=False)
    console.print(trials_table(scores, agent))
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def shown_rate(measure: str, value: float | None, agent: str) -> str:
    """A share, with ``by design`` behind it where the oracle's construction fixes it."""
    return percent(value) + (f" {_FIXED}" if by_design(measure, value, agent) else "")


def _names(with_trial: bool) -> list[str]:
    names = ["task", "trial", "reward", "label", "calls", "under_retrieval", "over_retrieval",
             "over_search_rate", "causes", "attribution"]  # fmt: skip
    return [name for name in names if with_trial or name != "trial"]


def shown_diagnosis(score: TrialScore) -> Diagnosis:
    """The diagnosis for a row; one of a simulation that broke off says nothing about its agent."""
    if score.termination is not Termination.INFRASTRUCTURE_ERROR:
        return score.diagnosis
    nothing = {"under_retrieval": None, "over_retrieval": None, "over_search_rate": None}
    return score.diagnosis.model_copy(update={**nothing, "label": UNDEFINED, "items": ()})


def _cells(score: TrialScore, agent: str, with_trial: bool) -> Iterable[str]:
    found = shown_diagnosis(score)
    flags = [
        name
        for name, on in (("lucky", found.lucky), ("beats_reference", score.beats_reference))
        if on
    ]
    cells = [
        score.task_id,
        *([str(score.trial)] if with_trial else []),
        reward(score.score.reward),
        found.label + (f" ({', '.join(flags)})" if flags else ""),
        count(found.n_calls),
        percent(found.under_retrieval),
        percent(found.over_retrieval),
        shown_rate("over_search_rate", found.over_search_rate, agent),
        counts(found.causes),
        found.attribution or UNDEFINED,
    ]
    return cells
