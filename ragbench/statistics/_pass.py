"""pass^k: how reliably a task is solved, and how sure the figure is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ragbench.statistics._estimate import Estimate, mean_of_shares

__all__ = ["pass_hat_k", "pass_hat_k_estimate"]


def pass_hat_k(successes: Mapping[str, Sequence[bool]], k: int) -> float | None:
    """pass^k = mean over tasks of C(c, k) / C(n, k), in [0, 1], higher is better.

    ``c`` successes among ``n`` trials of a task. None when a task has fewer than k trials, or there
    is no task: undefined, not 0. Source: Yao et al. 2024, arXiv 2406.12045.

    >>> pass_hat_k({"a": [True, True, False], "b": [True, True, True]}, 2)  # (1/3 + 1) / 2
    0.6666666666666666
    >>> pass_hat_k({"a": [True]}, 2) is None
    True
    """
    return pass_hat_k_estimate(successes, k).mean


def pass_hat_k_estimate(successes: Mapping[str, Sequence[bool]], k: int) -> Estimate:
    """pass^k with the score interval of its mean over tasks.

    The tasks are a sample of the tasks that there could be, and the trials of each a sample of its
    trials: C(c, k) / C(n, k) is an unbiased value of each, and the interval is that of their mean.
    ``n_undefined`` counts the tasks with fewer than k trials; with any of them pass^k is undefined.
    """
    short = sum(len(trials) < k for trials in successes.values())
    if short or not successes:
        return Estimate(None, None, None, 0, short)
    shares = [math.comb(sum(t), k) / math.comb(len(t), k) for t in successes.values()]
    return mean_of_shares(shares)
