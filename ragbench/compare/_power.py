"""What so many questions can tell apart, and how many would be needed, from observed differences.

Simulated is the test of the table in its large form: the sign-flip test's |sum| / sqrt(sum of
squares), of independent observations drawn with replacement from those that were made, is above the
97.5 % quantile of the normal distribution. Power is 80 %: four times in five. With fewer than six
observations no pattern of signs reaches p <= 0.05 (2 / 2^5 = 0.0625), so that nothing can be told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragbench.statistics import Z95

__all__ = ["FEWEST", "Power", "power"]

FEWEST = 6
_POWER = 0.8
_N_SIMULATIONS = 1000
_MOST = 1_000_000
_STEPS = 1000
"""Differences are looked for in tenths of a percentage point."""


@dataclass(frozen=True, slots=True)
class Power:
    """What the questions can tell of two setups.

    Attributes:
        n: questions that were compared.
        n_groups: independent observations among them.
        detectable: the smallest mean difference, as a share of 1, that these questions tell from
            none; None when they tell none, or when no two differ and nothing is known of the noise.
        needed: questions that would tell the observed difference from none; None when no number up
            to a million would, or when there is no difference.
    """

    n: int
    n_groups: int
    detectable: float | None
    needed: int | None


def power(sums: Sequence[float], sizes: Sequence[int], seed: int) -> Power:
    """By simulation from the differences of two setups.

    Args:
        sums: of each independent observation, the sum of its questions' differences.
        sizes: the numbers of questions.
        seed: of the generator.
    """
    return Power(sum(sizes), len(sums), _detectable(sums, sizes, seed), _needed(sums, sizes, seed))


def _needed(sums: Sequence[float], sizes: Sequence[int], seed: int) -> int | None:
    import numpy as np

    values, times = np.unique(np.array(sums, dtype=float), return_counts=True)
    total = math.fsum(sums)
    if abs(total) <= 1e-12 * math.fsum(map(abs, sums)) or not total:
        return None

    def enough(n: int) -> bool:
        generator = np.random.default_rng([seed, n])
        drawn = generator.multinomial(n, times / times.sum(), size=_N_SIMULATIONS)
        toward = math.copysign(1, total) * (drawn @ values)
        return float(np.mean(toward > Z95 * np.sqrt(drawn @ values**2))) >= _POWER

    most = FEWEST
    while not enough(most):
        most *= 2
        if most > _MOST:
            return None
    n = _halved(most // 2 if most > FEWEST else FEWEST - 1, most, enough)
    return math.ceil(n * sum(sizes) / len(sizes))


def _detectable(sums: Sequence[float], sizes: Sequence[int], seed: int) -> float | None:
    import numpy as np

    n, weights = len(sums), np.array(sizes, dtype=float)
    around = np.array(sums) - weights * (math.fsum(sums) / sum(sizes))
    if n < FEWEST or float(np.abs(around).max()) < 1e-12:
        return None
    generator = np.random.default_rng([seed, n])
    drawn = generator.multinomial(n, np.full(n, 1 / n), size=_N_SIMULATIONS)
    total, weight = drawn @ around, drawn @ weights
    squares, crossed, weights2 = drawn @ around**2, drawn @ (around * weights), drawn @ weights**2

    def enough(step: int) -> bool:
        size = step / _STEPS
        error = np.sqrt(squares + 2 * size * crossed + size**2 * weights2)
        return float(np.mean(total + size * weight > Z95 * error)) >= _POWER

    return _halved(0, _STEPS, enough) / _STEPS if enough(_STEPS) else None


def _halved(least: int, most: int, enough: Callable[[int], bool]) -> int:
    """The smallest number above ``least`` that is enough, to one part in two hundred."""
    while most - least > max(1, most // 200):
        middle = (least + most) // 2
        if enough(middle):
            most = middle
        else:
            least = middle
    return most
