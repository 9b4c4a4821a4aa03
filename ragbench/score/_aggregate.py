"""From trials to a figure with its uncertainty: pass^k, bootstrap over tasks, Wilson at 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Estimate", "bootstrap_mean", "pass_hat_k", "wilson"]

_N_DRAWS = 10_000
_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval; all None when there was nothing to average.

    ``n`` counts the values that were averaged, ``n_undefined`` those that were None.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    n_undefined: int = 0


def pass_hat_k(successes: Mapping[str, Sequence[bool]], k: int) -> float | None:
    """pass^k = mean over tasks of C(c, k) / C(n, k), in [0, 1], higher is better.

    ``c`` successes among ``n`` trials of a task. None when a task has fewer than k trials, or there
    is no task: undefined, not 0. Source: Yao et al. 2024, arXiv 2406.12045.

    >>> pass_hat_k({"a": [True, True, False], "b": [True, True, True]}, 2)  # (1/3 + 1) / 2
    0.6666666666666666
    >>> pass_hat_k({"a": [True]}, 2) is None
    True
    """
    if not successes or any(len(trials) < k for trials in successes.values()):
        return None
    shares = [math.comb(sum(t), k) / math.comb(len(t), k) for t in successes.values()]
    return sum(shares) / len(shares)


def bootstrap_mean(values: Sequence[float | None], seed: int, *, rate: bool = True) -> Estimate:
    """Mean of the defined values with a seeded percentile bootstrap (10,000 draws).

    A mean of 0 or 1 over values that are all equal to it has no spread to draw from; it carries a
    Wilson interval instead.

    Args:
        values: one per task; None is undefined and left out, but counted.
        seed: of the generator.
        rate: whether the values are shares; a mean of counts never carries a Wilson interval.
    """
    defined = [value for value in values if value is not None]
    n_undefined = len(values) - len(defined)
    if not defined:
        return Estimate(None, None, None, 0, n_undefined)
    mean = math.fsum(defined) / len(defined)
    if rate and set(defined) in ({0.0}, {1.0}):
        low, high = wilson(round(math.fsum(defined)), len(defined))
        return Estimate(mean, low, high, len(defined), n_undefined)
    import numpy as np

    generator = np.random.default_rng(seed)
    draws = generator.choice(np.array(defined), size=(_N_DRAWS, len(defined))).mean(axis=1)
    low, high = (float(bound) for bound in np.percentile(draws, [2.5, 97.5]))
    return Estimate(mean, low, high, len(defined), n_undefined)


def wilson(n_successes: int, n: int) -> tuple[float, float]:
    """95 % Wilson score interval of a rate (Wilson 1927).

    Raises:
        ValueError: n is 0; a rate of nothing is undefined.

    >>> [round(bound, 4) for bound in wilson(16, 16)]
    [0.8064, 1.0]
    """
    if n == 0:
        raise ValueError("a rate of nothing is undefined")
    rate, z2 = n_successes / n, _Z95**2
    centre = rate + z2 / (2 * n)
    spread = _Z95 * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    scale = 1 + z2 / n
    low = 0.0 if n_successes == 0 else (centre - spread) / scale  # exact, not 1e-17
    high = 1.0 if n_successes == n else (centre + spread) / scale
    return low, high
