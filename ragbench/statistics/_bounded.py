"""Intervals of a mean of bounded values that are right for few tasks and near the edges.

The interval is the score interval of the mean: it holds every mean m that the data do not
contradict, where the variance is not that of the data but that of the likeliest distribution *with
mean m* on the whole range (the empirical one tilted towards m, and where that does not reach, some
mass at the end of the range). For values of 0 and 1 this is Wilson's interval, for differences of
paired 0/1 outcomes it is Tango's; a task's mean over several trials, or its C(c, k) / C(n, k), lies
in between and has the same interval. Because the variance is that under m, a sample without any
spread still has an interval, and one task alone has a wide one.

Why not the percentile bootstrap: over 20 tasks it covers the truth 92 % of the time in the middle,
and far less near the edges; bench/measure_statistics.py has the figures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Z95", "score_interval", "score_statistics"]

Z95 = 1.959963984540054
"""97.5 % quantile of the normal distribution: two-sided 95 %."""
_HALVINGS = 60


def score_interval(
    values: Sequence[float],
    *,
    lowest: float = 0.0,
    highest: float = 1.0,
    sizes: Sequence[float] | None = None,
    z: float = Z95,
) -> tuple[float, float]:
    """The interval of the mean of independent values that can lie from lowest to highest.

    Source: own generalisation of Wilson 1927 and of Tango 1998, Statistics in Medicine 17, with the
    constrained maximum likelihood of Owen 1988, Biometrika 75, over the data and the range's ends.

    Args:
        values: one per independent unit: a task, not a trial.
        lowest: the smallest possible value.
        highest: the largest possible value.
        sizes: how much each value weighs in the mean, such as the number of questions whose mean it
            is; they then count as (sum of sizes)^2 / sum of sizes^2 values (Kish 1965).
        z: quantile of the normal distribution; each end errs with the probability above it.

    Raises:
        ValueError: there is no value, or one is outside the range or no number.

    >>> [round(bound, 4) for bound in score_interval([1.0] * 16)]  # Wilson's of 16 of 16
    [0.8064, 1.0]
    >>> [round(bound, 4) for bound in score_interval([0.5] * 20)]  # 20 x 0.5 / (20 + 1.96^2)
    [0.4194, 0.5806]
    """
    import numpy as np

    data = np.asarray(values, dtype=float)
    if not len(data):
        raise ValueError("the mean of nothing is undefined")
    slack = 1e-9 * (highest - lowest)
    if not ((data >= lowest - slack) & (data <= highest + slack)).all():
        raise ValueError(f"a value is outside {lowest} to {highest}: {[*values]}")
    data = np.clip(data, lowest, highest)
    weights = np.ones(len(data)) if sizes is None else np.asarray(sizes, dtype=float)
    low = lowest + _lower(data - lowest, weights, z)
    high = highest - _lower(highest - data, weights, z)
    return min(max(low, lowest), highest), max(min(high, highest), lowest)


def _lower(distances: np.ndarray, weights: np.ndarray, z: float) -> float:
    """The smallest mean that is not contradicted, of distances from the lower end of the range.

    The likeliest weights with a smaller mean are 1 / (1 - tilt + tilt y), up to scale, for a tilt
    from 0 to 1; the mean falls and the statistic rises with the tilt. A tilt of 1 is only reached
    where no value is 0. Below its mean, weight m / (n y) stays on the values and the rest is at 0,
    which has the variance m (mean - m), so that the bound has a closed form.
    """
    import numpy as np

    total = math.fsum(weights)
    mean = math.fsum(distances * weights) / total
    n = total**2 / math.fsum(weights**2)
    if mean <= 0:
        return 0.0
    points, places = np.unique(distances, return_inverse=True)
    times = np.bincount(places, weights=weights) / total
    if points[0] > 0 and _statistic(points, times, mean, 1.0)[1] * math.sqrt(n) < z:
        return n * mean / (n + z * z)
    least, most = 0.0, 1.0
    for _ in range(_HALVINGS):
        tilt = (least + most) / 2
        if _statistic(points, times, mean, tilt)[1] * math.sqrt(n) < z:
            least = tilt
        else:
            most = tilt
    return _statistic(points, times, mean, least)[0]


def _statistic(
    points: np.ndarray, times: np.ndarray, mean: float, tilt: float
) -> tuple[float, float]:
    """The tilted mean, and how many of its standard deviations the observed mean is above it."""
    weights = times / (1 - tilt + tilt * points)
    weights = weights / weights.sum()
    tilted = float((weights * points).sum())
    variance = float((weights * (points - tilted) ** 2).sum())
    above = mean - tilted
    if above <= 1e-12 * mean:
        return tilted, 0.0
    return tilted, above / math.sqrt(variance) if variance else math.inf


def score_statistics(points: np.ndarray, times: np.ndarray, mean: float | np.ndarray) -> np.ndarray:
    """How many standard errors many samples' means are above a mean, 0 where they are not above.

    The score interval of a sample has its lower end above ``mean`` where this exceeds z: the same
    statistic as `score_interval`'s, for simulations.

    Args:
        points: possible values, as distances from the lower end of the range, shape (values,).
        times: how often each sample has each, shape (samples, values).
        mean: the mean that is tested, as a distance from the lower end, above 0; one per sample or
            the same for all.
    """
    import numpy as np

    mean = np.broadcast_to(mean, len(times))
    n = times.sum(axis=1)
    observed = times @ points / n
    least, most = np.zeros(len(times)), np.ones(len(times))
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_HALVINGS):
            tilt = (least + most)[:, None] / 2
            weights = times / (1 - tilt + tilt * points)
            above = weights @ points > mean * weights.sum(axis=1)
            least, most = np.where(above, tilt[:, 0], least), np.where(above, most, tilt[:, 0])
        weights = times / (1 - least[:, None] + least[:, None] * points)
        weights /= weights.sum(axis=1, keepdims=True)
        variance = (weights * (points - mean[:, None]) ** 2).sum(axis=1)
        # Where no value is 0, tilting ends above the mean; then it is the closed form's variance.
        ended = weights @ points > mean * (1 + 1e-9)
        variance = np.where(ended, mean * (observed - mean), variance)
        found = (observed - mean) * np.sqrt(n / variance)
    return np.where(observed > mean, found, 0.0)
