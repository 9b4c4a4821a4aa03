"""A mean with its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ragbench.statistics._bounded import Z95, score_interval

__all__ = ["Estimate", "mean_of_counts", "mean_of_shares", "wilson"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval; all None when there was nothing to average.

    ``n`` counts the values that were averaged, ``n_undefined`` those that were None. A mean without
    an interval has None for both ends.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    n_undefined: int = 0


def mean_of_shares(values: Sequence[float | None]) -> Estimate:
    """Mean of the defined values, each from 0 to 1, with its score interval.

    Args:
        values: one per task; None is undefined and left out, but counted.

    Raises:
        ValueError: a value is not from 0 to 1.
    """
    defined = [value for value in values if value is not None]
    n_undefined = len(values) - len(defined)
    if not defined:
        return Estimate(None, None, None, 0, n_undefined)
    low, high = score_interval(defined)
    return Estimate(math.fsum(defined) / len(defined), low, high, len(defined), n_undefined)


def mean_of_counts(values: Sequence[float | None]) -> Estimate:
    """Mean of the defined values, which have no upper end, with Student's interval cut at 0.

    Counts that are all equal, and a single one, have no spread to make an interval from: low and
    high are None.

    Args:
        values: one per task, none negative; None is undefined and left out, but counted.
    """
    from scipy import stats

    defined = [value for value in values if value is not None]
    n_undefined = len(values) - len(defined)
    if not defined:
        return Estimate(None, None, None, 0, n_undefined)
    n = len(defined)
    mean = math.fsum(defined) / n
    if min(defined) == max(defined):
        return Estimate(mean, None, None, n, n_undefined)
    variance = math.fsum((value - mean) ** 2 for value in defined) / (n - 1)
    half = float(stats.t.ppf(0.975, n - 1)) * math.sqrt(variance / n)
    return Estimate(mean, max(0.0, mean - half), mean + half, n, n_undefined)


def wilson(n_successes: int, n: int) -> tuple[float, float]:
    """95 % Wilson score interval of a rate (Wilson 1927).

    Raises:
        ValueError: n is 0; a rate of nothing is undefined.

    >>> [round(bound, 4) for bound in wilson(16, 16)]
    [0.8064, 1.0]
    """
    if n == 0:
        raise ValueError("a rate of nothing is undefined")
    rate, z2 = n_successes / n, Z95**2
    centre = rate + z2 / (2 * n)
    spread = Z95 * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    scale = 1 + z2 / n
    low = 0.0 if n_successes == 0 else (centre - spread) / scale  # exact, not 1e-17
    high = 1.0 if n_successes == n else (centre + spread) / scale
    return low, high
