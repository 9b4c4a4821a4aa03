"""From the scores of all trials to the figures of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragbench.records import Termination, TrialScore
from ragbench.runner._references import References
from ragbench.runner._searching import broke_off, searching, stopped_short
from ragbench.statistics import (
    Estimate,
    mean_of_counts,
    mean_of_shares,
    pass_hat_k_estimate,
    variance_components,
)

__all__ = ["SUMMARY_SCHEMA", "oracle_summary", "over_tasks", "shown", "summarise"]

SUMMARY_SCHEMA = 2

_BY_TASK = (
    "evidence_recall", "under_retrieval", "late_recall", "document_recall", "evidence_precision",
    "over_retrieval", "over_retrieval_floor", "duplicate_ratio", "tokens_per_item", "excess_share",
    "misses_per_call", "over_search_rate", "under_search_rate", "calls_to_sufficiency",
    "post_sufficiency_calls", "context_utilization",
)  # fmt: skip
_COUNTS = ("tokens_per_item", "calls_to_sufficiency", "post_sufficiency_calls")
"""Measures that count tokens or calls; the others are shares between 0 and 1."""


def summarise(
    scores: Sequence[TrialScore],
    *,
    n_expected: int,
    num_trials: int,
    deterministic: bool,
    prompt_tokens: Mapping[str, int],
    references: Mapping[str, Mapping[str, float | None]],
    missing_references: Mapping[str, str] | None = None,
    oracle: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The content of ``summary.json``.

    Trials that failed for infrastructure or could not be judged are counted and bounded, and left
    out of every rate.

    Args:
        scores: one per finished trial.
        n_expected: how many trials the run was to have.
        num_trials: trials per task.
        prompt_tokens: tokens of documents that stood in the prompt, by task.
        deterministic: all trials of a task are equal by construction; only pass^1 is given.
        references: the oracle's reward per task, by setup.
        missing_references: why the oracle has no figure under a setup.
        oracle: its figures under the run's own setup by style of question; see `oracle_summary`.
    """
    finished = scores
    scores = [score for score in scores if _counts_in_rates(score)]
    judged = [score for score in scores if score.score.reward is not None]
    successes = _by_task(judged, lambda score: bool(score.score.success))
    largest = 1 if deterministic else num_trials
    passes = {f"pass^{k}": pass_hat_k_estimate(successes, k) for k in range(1, largest + 1)}
    rewards = [score.score.reward for score in judged if score.score.reward is not None]
    n_lost = n_expected - len(judged)
    total = math.fsum(rewards)
    return {
        "schema_version": SUMMARY_SCHEMA,
        "n_trials_expected": n_expected,
        "n_trials_scored": len(judged),
        "n_trials_not_scored": n_lost,
        "reward": shown(over_tasks(judged, lambda score: score.score.reward)),
        "reward_bounds": {
            "all_unscored_failed": total / n_expected if n_expected else None,
            "all_unscored_passed": (total + n_lost) / n_expected if n_expected else None,
        },
        "pass_hat_k": {name: found.mean for name, found in passes.items()},
        "pass_hat_k_intervals": {name: shown(found) for name, found in passes.items()},
        "variance": _variance(judged, deterministic),
        "deterministic": deterministic,
        **_words(scores),
        "searching": searching(scores),
        "stopped_short": stopped_short(finished),
        "terminations": _counts(score.termination.value for score in finished),
        "attributions": _counts(
            score.diagnosis.attribution for score in finished if score.diagnosis.attribution
        ),
        "context_by_success": _two_by_two(judged),
        "n_lucky": sum(score.diagnosis.lucky for score in scores),
        "n_false_reports": sum(bool(score.score.false_reports) for score in scores),
        "n_beats_reference": sum(score.beats_reference for score in scores),
        "by_task": {
            name: shown(over_tasks(scores, _measure(name), rate=name not in _COUNTS))
            for name in _BY_TASK
        },
        "pooled": _pooled(scores),
        "tokens": _tokens(scores, prompt_tokens),
        "references": {
            name: shown(mean_of_shares(list(found.values()))) for name, found in references.items()
        },
        "missing_references": dict(missing_references or {}),
        "oracle": dict(oracle or {}),
    }


def _variance(scores: Sequence[TrialScore], deterministic: bool) -> dict[str, Any] | None:
    """The parts of the variance of the mean reward; None when no trial has one."""
    found = variance_components(
        _by_task(scores, lambda score: score.score.reward), deterministic=deterministic
    )
    if found is None:
        return None
    return {
        "between_tasks": found.between,
        "within_tasks": found.within,
        "share_within": found.share_within,
        "standard_error": found.standard_error,
        "n_tasks": found.n_tasks,
        "n_trials": found.n_trials,
    }


def oracle_summary(found: References) -> dict[str, Any]:
    """By style of question, under the run's own setup: success and, beside it, item recall.

    Success is all or nothing: one item that did not come in time fails its task. Both are means
    over tasks; a style that has none says why in ``missing``.
    """
    summary: dict[str, Any] = {}
    for style in (*found.styles, *found.missing_styles):
        figures = [one for one in found.styles.get(style, {}).values() if one is not None]
        summary[style] = {
            "oracle_success": shown(mean_of_shares([one.reward for one in figures])),
            "item_recall": shown(mean_of_shares([one.item_recall for one in figures])),
            "missing": found.missing_styles.get(style),
        }
    return summary


def _counts_in_rates(score: TrialScore) -> bool:
    failed = score.termination is Termination.INFRASTRUCTURE_ERROR
    return not failed and score.diagnosis.label is not None


def _words(scores: Sequence[TrialScore]) -> dict[str, dict[str, int]]:
    """Labels and causes; those of trials that broke off apart, for no advice follows from them."""
    whole = [score for score in scores if not broke_off(score)]
    broken = [score for score in scores if broke_off(score)]
    return {
        "labels": _counts(score.diagnosis.label for score in whole),
        "causes": _causes(whole),
        "labels_broken_off": _counts(score.diagnosis.label for score in broken),
        "causes_broken_off": _causes(broken),
    }


def _causes(scores: Sequence[TrialScore]) -> dict[str, int]:
    return _counts(item.cause for s in scores for item in s.diagnosis.items if item.cause)


def _measure(name: str) -> Callable[[TrialScore], float | None]:
    return lambda score: getattr(score.diagnosis, name)


def over_tasks(
    scores: Sequence[TrialScore],
    value: Callable[[TrialScore], float | None],
    *,
    rate: bool = True,
) -> Estimate:
    """Mean over tasks of the mean over their trials; a task without a value is undefined."""
    means: list[float | None] = []
    for values in _by_task(scores, value).values():
        defined = [found for found in values if found is not None]
        means.append(math.fsum(defined) / len(defined) if defined else None)
    return mean_of_shares(means) if rate else mean_of_counts(means)


def _by_task(
    scores: Sequence[TrialScore], value: Callable[[TrialScore], Any]
) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for score in sorted(scores, key=lambda score: (score.task_id, score.trial)):
        found.setdefault(score.task_id, []).append(value(score))
    return found


def _pooled(scores: Sequence[TrialScore]) -> dict[str, Any]:
    """Counts over all calls, consumers and items, and the rates they make."""
    total = {
        name: sum(getattr(score.diagnosis, name) for score in scores)
        for name in (
            "n_calls", "n_failed_calls", "n_useful", "n_unneeded", "n_redundant", "n_missed",
            "n_stale", "n_consumers_attempted", "n_consumers_uninformed",
        )
    }  # fmt: skip
    excess = total["n_unneeded"] + total["n_redundant"]
    seen = (score.diagnosis for score in scores if score.diagnosis.label != "not_observed")
    items = [item for found in seen for item in found.items]
    return total | {
        "n_items": len(items),
        "over_search_rate": excess / total["n_calls"] if total["n_calls"] else None,
        "under_search_rate": (
            total["n_consumers_uninformed"] / total["n_consumers_attempted"]
            if total["n_consumers_attempted"]
            else None
        ),
        "evidence_recall": sum(item.in_time for item in items) / len(items) if items else None,
        "misses_per_call": total["n_missed"] / total["n_calls"] if total["n_calls"] else None,
    }


def _tokens(scores: Sequence[TrialScore], prompt_tokens: Mapping[str, int]) -> dict[str, Any]:
    retrieved = sum(score.diagnosis.retrieved_tokens for score in scores)
    n_found = sum(bool(item.covered_at) for score in scores for item in score.diagnosis.items)
    n_successes = sum(bool(score.score.success) for score in scores)
    return {
        "retrieved": retrieved,
        "excess": sum(score.diagnosis.excess_tokens for score in scores),
        "avoidable": sum(score.diagnosis.avoidable_tokens for score in scores),
        "per_item": retrieved / n_found if n_found else None,
        "per_success": retrieved / n_successes if n_successes else None,
        "in_prompt": sum(prompt_tokens.get(score.task_id, 0) for score in scores),
    }


def _two_by_two(scores: Sequence[TrialScore]) -> dict[str, int]:
    counts = {
        f"{context}_{outcome}": 0
        for context in ("sufficient", "insufficient")
        for outcome in ("success", "failure")
    }
    for score in scores:
        if score.diagnosis.sufficient_context is not None:
            context = "sufficient" if score.diagnosis.sufficient_context else "insufficient"
            counts[f"{context}_{'success' if score.score.success else 'failure'}"] += 1
    return counts


def _counts(names: Any) -> dict[str, int]:  # noqa: ANN401  (any iterable of names)
    return dict(sorted(Counter(names).items()))


def shown(estimate: Estimate) -> dict[str, float | int | None]:
    """An estimate as it stands in ``summary.json``."""
    return {
        "mean": estimate.mean,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "n_undefined": estimate.n_undefined,
    }
