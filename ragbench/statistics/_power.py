"""How many tasks and trials a difference between two agents needs, by simulation.

The design is that of ``ragbench diff``: both agents play the same tasks, n trials each, and a
task's difference is that of its two success rates. What is simulated is what is tested: a two-sided
sign-flip test at 5 % and a 95 % score interval without 0, with the difference of the right sign.

The population: tasks have success rates with the mean and the variance that were found (a beta
distribution; rates of 0 and 1 alone where all variance is between tasks). The other agent is nearer
the middle, where noise is larger: better by avoiding the same share of every task's failures where
the mean is at most one half, else worse by losing the same share of its successes. A share of the
tasks may be *redrawn*: the other agent's rate there has nothing to do with this one's, which makes
a difference as hard to see as agents that are good at different tasks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbench.statistics._bounded import Z95, score_statistics

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Population", "detectable", "needed_tasks", "power_of"]

_N_SIMULATIONS = 1000
_N_SIGNS = 999
_LARGE = 1000
"""From so many tasks on the normal approximation is as good as the simulation."""
_FEWEST = 5
"""Below 6 tasks no pattern of signs reaches p <= 0.05: 2 / 2^5 = 0.0625."""
_BLOCK = 1 << 21


@dataclass(frozen=True, slots=True)
class Population:
    """Tasks and an agent on them.

    Attributes:
        mean: of the tasks' success rates, in [0, 1].
        between: their variance, from 0 to mean (1 - mean).
        redrawn: share of tasks on which another agent's rate has nothing to do with this one's.
    """

    mean: float
    between: float
    redrawn: float = 0.0

    def towards_the_middle(self, size: float) -> float:
        """The difference of that size to an agent on the side where there is more room."""
        return size if self.mean <= 0.5 else -size

    def slope_and_end(self, difference: float) -> tuple[float, float]:
        """The other agent's rate is end + slope (rate - end), whose mean is higher by difference.

        With a negative difference successes are lost (end 0), else failures avoided (end 1).
        """
        end = 1.0 if difference >= 0 else 0.0
        return 1 - difference / (end - self.mean), end

    def variance(self, difference: float, n_trials: int) -> float:
        """Variance of one task's difference of success rates over n trials each."""
        slope, _ = self.slope_and_end(difference)
        other = self.mean + difference
        within = self.mean * (1 - self.mean) - self.between
        within_other = other * (1 - other) - slope**2 * self.between
        moved = self.redrawn * (1 + slope**2) + (1 - self.redrawn) * (1 - slope) ** 2
        return moved * self.between + (within + within_other) / n_trials


def power_of(
    population: Population, difference: float, n_tasks: int, n_trials: int, seed: int = 0
) -> float:
    """Probability to tell the two agents apart, the right way round, in [0, 1].

    Args:
        population: the tasks.
        difference: the other agent's mean success rate minus this one's.
        n_tasks: that both play.
        n_trials: of each task, for each agent.
        seed: of the simulation.
    """
    import numpy as np

    if n_tasks >= _LARGE:
        error = math.sqrt(population.variance(difference, n_trials) / n_tasks)
        return _normal_above(Z95 - abs(difference) / error) if error else 1.0
    generator = np.random.default_rng([seed, n_tasks, n_trials])
    signs = generator.integers(0, 2, size=(n_tasks, _N_SIGNS)).astype(np.float32) * 2 - 1
    n_found, rows = 0, max(1, _BLOCK // max(n_tasks, _N_SIGNS))
    for at in range(0, _N_SIMULATIONS, rows):
        size = (min(rows, _N_SIMULATIONS - at), n_tasks)
        drawn = _differences(generator, population, difference, size, n_trials)
        drawn *= math.copysign(1, difference)
        observed = drawn.sum(axis=1)
        extreme = np.abs(drawn @ signs) >= observed[:, None] - 0.5  # whole numbers
        significant = (extreme.sum(axis=1) + 1) / (_N_SIGNS + 1) <= 0.05
        n_found += int((significant & (_scores(drawn, n_trials) > Z95)).sum())
    return n_found / _N_SIMULATIONS


def needed_tasks(
    population: Population, difference: float, n_trials: int, power: float = 0.8, seed: int = 0
) -> int:
    """The number of tasks with which a difference is told from none with this power.

    The normal approximation says where to look; the number is found by halving among simulations.
    """
    guess = _approximate(population, difference, n_trials, power)
    if guess >= _LARGE:
        return guess
    least, most = _FEWEST, guess
    while power_of(population, difference, most, n_trials, seed) < power:
        least, most = most, math.ceil(1.3 * most)
    least = max(least, guess // 2)
    while most - least > max(1, most // 100):
        middle = (least + most) // 2
        if power_of(population, difference, middle, n_trials, seed) < power:
            least = middle
        else:
            most = middle
    return most


def detectable(
    population: Population, n_tasks: int, n_trials: int, power: float = 0.8, seed: int = 0
) -> float | None:
    """The smallest difference that these tasks and trials tell from none with this power.

    Its size as a share of 1, to a tenth of a percentage point, towards the middle. None when they
    do not tell even the largest there can be.
    """
    room = max(population.mean, 1 - population.mean)
    least, most = 0, math.floor(1000 * room)

    def is_enough(size: int) -> bool:
        difference = population.towards_the_middle(size / 1000)
        return power_of(population, difference, n_tasks, n_trials, seed) >= power

    if not is_enough(most):
        return None
    while most - least > 1:
        middle = (least + most) // 2
        if is_enough(middle):
            most = middle
        else:
            least = middle
    return most / 1000


def _approximate(population: Population, difference: float, n_trials: int, power: float) -> int:
    """N = (z_0.975 + z_power)^2 variance / difference^2, at least 6."""
    from statistics import NormalDist

    quantiles = Z95 + NormalDist().inv_cdf(power)
    needed = quantiles**2 * population.variance(difference, n_trials) / difference**2
    return max(_FEWEST + 1, math.ceil(needed))


def _normal_above(value: float) -> float:
    return 0.5 * math.erfc(value / math.sqrt(2))


def _differences(
    generator: np.random.Generator,
    population: Population,
    difference: float,
    size: tuple[int, int],
    n_trials: int,
) -> np.ndarray:
    """Differences of the numbers of successes, simulations x tasks."""
    import numpy as np

    slope, end = population.slope_and_end(difference)
    rates = _rates(generator, population, size)
    others = rates
    if population.redrawn:
        anew = generator.random(size) < population.redrawn
        others = np.where(anew, _rates(generator, population, size), rates)
    moved = np.clip(end + slope * (others - end), 0, 1)
    found = generator.binomial(n_trials, moved) - generator.binomial(n_trials, rates)
    return found.astype(np.float32)


def _scores(drawn: np.ndarray, n_trials: int) -> np.ndarray:
    """By how many standard errors each simulation's mean difference is above 0."""
    import numpy as np

    n_values = 2 * n_trials + 1
    places = (drawn + n_trials).astype(int) + n_values * np.arange(len(drawn))[:, None]
    times = np.bincount(places.ravel(), minlength=n_values * len(drawn)).reshape(-1, n_values)
    return score_statistics(np.arange(n_values) / n_trials, times, 1.0)


def _rates(
    generator: np.random.Generator, population: Population, size: tuple[int, int]
) -> np.ndarray:
    """Success rates of tasks: equal, 0 and 1 alone, or beta."""
    import numpy as np

    mean, most = population.mean, population.mean * (1 - population.mean)
    if population.between <= 1e-9:
        return np.full(size, mean)
    if population.between >= most * (1 - 1e-9):
        return (generator.random(size) < mean).astype(float)
    weight = most / population.between - 1
    return generator.beta(mean * weight, (1 - mean) * weight, size=size)
