"""The oracle's figures: what a run is held against, where the oracle can play at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from ragbench.config import QuestionStyle
from ragbench.errors import UsageError
from ragbench.records import Task, TrialScore
from ragbench.retrieval import Setup, setup_named
from ragbench.runner._check import check_oracle
from ragbench.runner._folder import OTHER_SETUPS
from ragbench.runner._grade import grade
from ragbench.runner._play import play_trial
from ragbench.runner._prepare import Prepared, with_setup
from ragbench.runner._roles import ORACLE
from ragbench.simulate import OracleAgent, ScriptedUser

__all__ = ["Figures", "Reference", "References", "asks_model", "reference_rewards", "references"]

STYLES: tuple[QuestionStyle, ...] = get_args(QuestionStyle)


@dataclass(frozen=True, slots=True)
class Reference:
    """How the oracle does on one task.

    Attributes:
        reward: None when the trial was not judged.
        item_recall: share of evidence items covered in time; None for a task without needs.
    """

    reward: float | None
    item_recall: float | None

    @classmethod
    def of(cls, score: TrialScore) -> Reference:
        """The figures of a trial."""
        return cls(score.score.reward, score.diagnosis.evidence_recall)


Figures = dict[str, Reference | None]
"""By task; None where the oracle cannot play it."""


@dataclass(slots=True)
class References:
    """How the oracle does on every task, by setup, and by style under the run's own setup.

    Attributes:
        setups: in the run's own style.
        missing: why a setup has no figures.
        styles: under the run's own setup.
        missing_styles: why a style has no figures.
    """

    setups: dict[str, Figures] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    styles: dict[str, Figures] = field(default_factory=dict)
    missing_styles: dict[str, str] = field(default_factory=dict)

    def rewards(self) -> dict[str, dict[str, float | None]]:
        """The reward per task, by setup."""
        return {name: _rewards(figures) for name, figures in self.setups.items()}


async def references(prepared: Prepared, own: Mapping[str, TrialScore] | None) -> References:
    """Play the oracle with nothing, under the evaluation's own setup, and with the documents.

    Under its own setup it asks in both styles.

    Args:
        prepared: the evaluation, whatever its agent.
        own: the oracle's trials under the evaluation's own setup when they are known already.
    """
    found = References()
    for name in dict.fromkeys((*OTHER_SETUPS, prepared.setup.name)):
        if name == prepared.setup.name:
            await _own(prepared, own, found)
            continue
        try:
            check_oracle(setup_named(name), ())
        except UsageError as error:
            found.missing[name] = str(error)
            continue
        figures = await _figures(with_setup(prepared, name))
        if any(figure is not None for figure in figures.values()):
            found.setups[name] = figures
        else:
            found.missing[name] = _UNPLAYABLE
    return found


_UNPLAYABLE = (
    "The oracle can play none of the tasks: it needs a written question for every need, and a "
    "script for the user."
)


async def _own(prepared: Prepared, own: Mapping[str, TrialScore] | None, found: References) -> None:
    """The figures under the run's own setup, in every style."""
    name, usual = prepared.setup.name, prepared.config.style
    for style in STYLES:
        here = replace(prepared, config=replace(prepared.config, style=style))
        if own is not None and style == usual:
            found.styles[style] = {task_id: Reference.of(score) for task_id, score in own.items()}
            continue
        reason = _why_not(here)
        figures = {} if reason else await _figures(here)
        if any(figure is not None for figure in figures.values()):
            found.styles[style] = figures
        else:
            found.missing_styles[style] = reason or _UNPLAYABLE
    if usual in found.styles:
        found.setups[name] = found.styles[usual]
    else:
        found.missing[name] = found.missing_styles[usual]


def _why_not(prepared: Prepared) -> str | None:
    """Why the oracle has no figure under the run's own setup in this style; None when it has."""
    name = prepared.setup.name
    if asks_model(prepared.setup):
        return (
            f"Every search under {name!r} asks a chat model, which is not paid for a "
            "reference. Run the oracle under this setup for its figure."
        )
    try:
        check_oracle(prepared.setup, ())
    except UsageError as error:
        return str(error)
    return _unworded(prepared.tasks) if prepared.config.style == "natural" else None


def _unworded(tasks: Iterable[Task]) -> str | None:
    """Why the natural style has no figure: it is one over all tasks, or none."""
    needs = [need for task in tasks for need in task.needs]
    n_without = sum(need.natural is None for need in needs)
    if not n_without:
        return None
    return f"{n_without} of {len(needs)} needs have no natural question."


def asks_model(setup: Setup) -> bool:
    """Whether a search under the setup asks a chat model."""
    return setup.stack is not None and setup.stack.waits


async def reference_rewards(prepared: Prepared, setup: str | None) -> dict[str, float | None]:
    """The oracle's reward per task, None for a task that it cannot play.

    Args:
        prepared: the evaluation, whatever its agent.
        setup: another setup over the same index; None for the evaluation's own.
    """
    return _rewards(await _figures(prepared if setup is None else with_setup(prepared, setup)))


def _rewards(figures: Figures) -> dict[str, float | None]:
    return {task_id: None if one is None else one.reward for task_id, one in figures.items()}


async def _figures(prepared: Prepared) -> Figures:
    return {task.id: await _figure(prepared, task) for task in prepared.tasks}


async def _figure(prepared: Prepared, task: Task) -> Reference | None:
    try:
        OracleAgent.check(task, prepared.config.style)
        ScriptedUser.check(task)
    except UsageError:
        return None
    return Reference.of(grade(prepared, await play_trial(prepared, task, 0, ORACLE)))
