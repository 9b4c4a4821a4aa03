"""How many tasks and trials a difference needs, from the noise of a run that there is.

The noise is that of the run's own success rates, between tasks and within them. What a single run
cannot tell is assumed, and said: with one trial per task, that all noise is chance within tasks,
which needs the most; of the other agent, that it differs alike on every task, which needs the
least. A second run of the same tasks replaces both assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbench.compare._diff import read_evaluation
from ragbench.errors import RunError, UsageError
from ragbench.statistics import (
    Components,
    Population,
    detectable,
    needed_tasks,
    variance_components,
)

__all__ = ["Need", "Plan", "plan_run"]

_TRIALS = (1, 2, 4, 8)

Outcomes = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Need:
    """So many tasks with so many trials each, for either agent."""

    n_trials: int
    n_tasks: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What telling two agents apart takes.

    Attributes:
        components: of the run's success rates.
        population: what was simulated.
        detect: size of the difference, as a share of 1.
        power: probability to tell it from none.
        needs: by number of trials.
        detectable: size of the difference that the run's own tasks and trials tell from none with
            this power, as a share of 1; None when they tell none.
        deterministic: trials are equal by construction, so that one is as good as many.
        against: whether a second run says on how many tasks agents differ.
    """

    components: Components
    population: Population
    detect: float
    power: float
    needs: tuple[Need, ...]
    detectable: float | None
    deterministic: bool
    against: bool


def plan_run(
    run: Path, detect: float, power: float = 0.8, against: Path | None = None, seed: int = 0
) -> Plan:
    """The tasks and trials that a difference in success needs, for two agents on the same tasks.

    Args:
        run: folder of a finished evaluation.
        detect: size of the difference, as a share of 1.
        power: probability to tell it from none.
        against: folder of an evaluation of another agent on the same tasks.
        seed: of the simulations.

    Raises:
        RunError: a folder is no finished evaluation, has fewer than two tasks with a reward, or the
            two are not of the same tasks.
        UsageError: the difference or the power is out of range.
    """
    outcomes, deterministic = _outcomes(run)
    if not 0.5 <= power < 1:
        raise UsageError(f"A power of {power:g} is none. Give one from 0.5 to below 1.")
    others = None
    if against is not None:
        others, also = _outcomes(against)
        deterministic = deterministic and also
        if others.keys() != outcomes.keys():
            odd = sorted(others.keys() ^ outcomes.keys())
            raise RunError(
                f"{str(run)!r} and {str(against)!r} are not of the same tasks: {odd[0]!r} has a "
                f"reward in one of them only ({len(odd)} such)."
            )
    components = variance_components(outcomes, deterministic=deterministic)
    if components is None or components.standard_error is None:
        raise RunError(
            f"{str(run)!r} has fewer than two tasks with a reward: their noise is unknown."
        )
    population = _population(components, outcomes, others)
    largest = max(population.mean, 1 - population.mean)
    if not 0.001 <= detect < largest:
        raise UsageError(
            f"A difference of {100 * detect:g} points cannot be planned for: give percentage "
            f"points from 0.1 to below {100 * largest:g}, such as --detect 5."
        )
    own = max(1, round(components.n_trials))
    trials = (1,) if deterministic else sorted({*_TRIALS, own})
    difference = population.towards_the_middle(detect)
    return Plan(
        components=components,
        population=population,
        detect=detect,
        power=power,
        needs=tuple(Need(n, needed_tasks(population, difference, n, power, seed)) for n in trials),
        detectable=detectable(
            population, components.n_tasks, 1 if deterministic else own, power, seed
        ),
        deterministic=deterministic,
        against=others is not None,
    )


def _outcomes(run: Path) -> tuple[dict[str, list[float]], bool]:
    """The rewards of every task's trials, and whether trials are equal by construction."""
    _, scores, summary = read_evaluation(run)
    found: dict[str, list[float]] = {}
    for score in scores:
        if score.score.reward is not None:
            found.setdefault(score.task_id, []).append(score.score.reward)
    return found, bool(summary["deterministic"])


def _population(components: Components, outcomes: Outcomes, others: Outcomes | None) -> Population:
    """The population of the run's rates; with another run, on how many tasks agents differ."""
    mean = components.mean
    most = mean * (1 - mean)
    spread = None if others is None else _spread(outcomes, others)
    between, noise = components.between, 0.0
    if between is None:
        # One trial: at most `most` is within, and no more than the differences themselves show.
        between = 0.0 if spread is None else most - min(most, spread / 2)
        noise = 2 * (most - between)
    elif others is not None:
        second = variance_components(others, deterministic=components.within == 0)
        within = [one.within for one in (components, second) if one and one.within is not None]
        noise = math.fsum(within) / components.n_trials
    between = min(between, most)
    if spread is None or between <= 0:
        return Population(mean, between)
    return Population(mean, between, min(1.0, max(0.0, spread - noise) / (2 * between)))


def _spread(outcomes: Outcomes, others: Outcomes) -> float:
    """Unbiased variance over tasks of the differences of success rates."""
    found = [
        math.fsum(others[name]) / len(others[name]) - math.fsum(values) / len(values)
        for name, values in outcomes.items()
    ]
    mean = math.fsum(found) / len(found)
    return math.fsum((one - mean) ** 2 for one in found) / max(1, len(found) - 1)
