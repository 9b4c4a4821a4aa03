"""How much of a figure's noise lies between the tasks, and how much is chance within one.

The standard error of a mean over N tasks with n trials each is made of two variances: of the tasks'
own rates (``between``; more tasks help) and of the trials around them (``within``; more trials help
as well). One trial per task holds both and cannot tell them apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Components", "variance_components"]


@dataclass(frozen=True, slots=True)
class Components:
    """The variance of a mean over tasks, taken apart.

    Attributes:
        mean: over tasks, of the mean over trials.
        between: variance of the tasks' own rates, at least 0; None where it cannot be told apart.
        within: mean variance of one trial around its task's rate; None likewise.
        n_tasks: tasks with a value.
        n_trials: harmonic mean of their numbers of trials.
        standard_error: of the mean, from the spread of the tasks' means; None with one task.
    """

    mean: float
    between: float | None
    within: float | None
    n_tasks: int
    n_trials: float
    standard_error: float | None

    @property
    def share_within(self) -> float | None:
        """Share of the mean's variance that is chance within tasks, in [0, 1]; None when unknown.

        within / n / (between + within / n); None too when there is no variance at all.
        """
        if self.between is None or self.within is None:
            return None
        noise = self.within / self.n_trials
        return noise / (self.between + noise) if self.between + noise > 0 else None


def variance_components(
    values: Mapping[str, Sequence[float]], *, deterministic: bool = False
) -> Components | None:
    """The components of a run, by analysis of variance.

    within = mean over tasks of their trials' unbiased variance; between = the tasks' means'
    unbiased variance - mean over tasks of within / n, where that is negative 0. Source: Searle,
    Casella & McCulloch 1992, *Variance Components*, section 3.6, with tasks weighted equally.

    Args:
        values: of each task its trials' values; a task without any is left out.
        deterministic: trials of a task are equal by construction, so that nothing is within.

    Returns:
        None when no task has a value.

    >>> found = variance_components({"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 0.0]})
    >>> found.within  # (0 + 1/2 + 0) / 3
    0.16666666666666666
    >>> found.between  # 1/4 of the means 1, 1/2, 0, less 1/6 / 2
    0.16666666666666669
    """
    trials = [list(found) for found in values.values() if found]
    if not trials:
        return None
    means = [math.fsum(found) / len(found) for found in trials]
    n_tasks, spread = len(means), _variance(means)
    mean = math.fsum(means) / n_tasks
    n_trials = n_tasks / math.fsum(1 / len(found) for found in trials)
    error = None if spread is None else math.sqrt(spread / n_tasks)
    within = 0.0 if deterministic else _within(trials)
    between = None
    if within is not None and spread is not None:
        between = max(0.0, spread - within / n_trials)
    return Components(
        mean=mean,
        between=between,
        within=within if between is not None else None,
        n_tasks=n_tasks,
        n_trials=n_trials,
        standard_error=error,
    )


def _within(trials: Sequence[Sequence[float]]) -> float | None:
    """Mean of the tasks' variances; None when no task has two trials."""
    found = [variance for values in trials if (variance := _variance(values)) is not None]
    return math.fsum(found) / len(found) if found else None


def _variance(values: Sequence[float]) -> float | None:
    """Unbiased variance; None of one value."""
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
