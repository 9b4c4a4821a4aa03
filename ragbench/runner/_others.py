"""The run's own agent under other setups: what retrieval alone explains, and its baselines.

The counterfactual plays failed trials again with the required documents in the prompt. A trial that
then succeeds failed for what it was given to read. An agent that answers differently each time may
also succeed by chance the second time, which is why the share has an interval and no more is made
of it. Baselines play every trial, with nothing and with the documents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.config import EvalConfig
from ragbench.records import Termination, Trajectory, TrialScore
from ragbench.runner._folder import OTHER_SETUPS
from ragbench.runner._summary import over_tasks, shown
from ragbench.statistics import mean_of_shares

__all__ = ["GOLDEN", "baseline_summary", "counterfactual_summary", "estimate", "wanted_under"]

GOLDEN = "golden_retrieval"

Key = tuple[str, int]


def wanted_under(
    config: EvalConfig, own: str, scores: Sequence[TrialScore]
) -> dict[str, list[Key]]:
    """The trials to play under other setups, by setup, given the scores of the run's own."""
    found: dict[str, list[Key]] = {}
    for setup in OTHER_SETUPS:
        if setup == own:
            continue
        if config.baselines:
            found[setup] = [(score.task_id, score.trial) for score in scores]
        elif config.counterfactual and setup == GOLDEN:
            found[setup] = [key for key, score in _by_key(scores).items() if _failed(score)]
    return found


def _failed(score: TrialScore) -> bool:
    return score.score.success is False


def _by_key(scores: Sequence[TrialScore]) -> dict[Key, TrialScore]:
    return {(score.task_id, score.trial): score for score in scores}


def estimate(trajectories: Sequence[Trajectory], n_more: Mapping[str, int]) -> str:
    """What further simulations may cost, from those that there are, in words."""
    costs = [
        math.fsum(known) if (known := _costs(trajectory)) else None
        for trajectory in trajectories
        if trajectory.termination is not Termination.INFRASTRUCTURE_ERROR
    ]
    priced = [cost for cost in costs if cost is not None]
    parts = ", ".join(f"{n} under {name}" for name, n in n_more.items())
    total = sum(n_more.values())
    said = f"{total} further simulation{'' if total == 1 else 's'}: {parts}."
    if not any(trajectory.llm_calls for trajectory in trajectories):
        return said
    if not priced:
        return f"{said} What they will cost is unknown: no call of this run has a known price."
    mean = math.fsum(priced) / len(priced)
    return (
        f"{said} At this run's mean of {mean:.4f} USD a simulation they will cost about "
        f"{mean * total:.2f} USD; whole documents in the prompt can make them dearer."
    )


def _costs(trajectory: Trajectory) -> list[float]:
    return [usage.cost_usd for usage in trajectory.usage.values() if usage.cost_usd is not None]


def counterfactual_summary(
    scores: Sequence[TrialScore], golden: Sequence[TrialScore]
) -> dict[str, Any]:
    """The failures that the documents in the prompt turn into successes.

    ``share`` is the mean over tasks of explained / judged failures, in [0, 1], with its
    interval over tasks; None when no failure was judged again.
    """
    again = _by_key(golden)
    failed = [score for score in scores if _failed(score)]
    outcome: dict[str, list[float]] = {}
    n_played = 0
    for score in failed:
        second = again.get((score.task_id, score.trial))
        n_played += second is not None
        if second is not None and second.score.success is not None:
            outcome.setdefault(score.task_id, []).append(float(second.score.success))
    judged = [value for values in outcome.values() for value in values]
    means = [math.fsum(values) / len(values) for values in outcome.values()]
    return {
        "setup": GOLDEN,
        "n_failed": len(failed),
        "n_played": n_played,
        "n_judged": len(judged),
        "n_explained": sum(value == 1 for value in judged),
        "share": shown(mean_of_shares(means)),
    }


def baseline_summary(
    scores: Sequence[TrialScore], baseline: Sequence[TrialScore]
) -> dict[str, Any] | None:
    """The agent's own reward under another setup; None unless every trial was played there."""
    if not {*_by_key(scores)} <= {*_by_key(baseline)}:
        return None
    judged = [score for score in baseline if score.score.reward is not None]
    return {
        "n_judged": len(judged),
        "reward": shown(over_tasks(judged, lambda score: score.score.reward)),
    }
