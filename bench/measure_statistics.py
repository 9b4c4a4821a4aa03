"""Whether the statistics of agent runs keep what they promise, by simulation with fixed seeds.

Coverage of the intervals of means and of pass^k, beside that of a percentile bootstrap; how often
the non-inferiority gate opens for a run that is worse by just the margin; the power that planned
numbers of tasks really have, in the test that ``ragbench diff`` makes; coverage of a judge's
corrected rate.

Rates are drawn from a band for every simulation: at one fixed rate the coverage of any interval of
counts jumps with the rate, by more than 4 points for 20 tasks near the edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ragbench.compare import compare_paired
from ragbench.compare._difference_interval import difference_interval
from ragbench.statistics import (
    Z95,
    Population,
    corrected_rate,
    needed_tasks,
    rate_of,
    score_statistics,
    variance_components,
)

TASKS = (20, 50, 107)
BANDS = ((0.02, 0.1), (0.1, 0.3), (0.3, 0.7), (0.7, 0.9), (0.9, 0.98))
WEIGHTS = (1.0, 5.0, 50.0)
"""a + b of the beta distribution of the tasks' rates: very different tasks to almost equal ones."""
TRIALS_AND_K = ((1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 4), (8, 1), (8, 4), (8, 8))
ENOUGH = 3
"""Tasks' worth of successes, and of failures, that a setting must lead one to expect."""
N_SIMULATIONS = 4000
N_BOOTSTRAPS = 400
Rows = list[tuple[str, str, str, str]]


def successes(
    generator: np.random.Generator, means: np.ndarray, weight: float, n_tasks: int, n_trials: int
) -> np.ndarray:
    """Numbers of successes, simulations x tasks."""
    shape = (len(means), n_tasks)
    rates = generator.beta((means * weight)[:, None], ((1 - means) * weight)[:, None], shape)
    return generator.binomial(n_trials, rates)


def true_pass(means: np.ndarray, weight: float, k: int) -> np.ndarray:
    """E[rate^k] of the beta distribution: the product of (a + i) / (a + b + i)."""
    return np.prod([(means * weight + i) / (weight + i) for i in range(k)], axis=0)


def shares(n_trials: int, k: int) -> np.ndarray:
    """C(c, k) / C(n, k) of every number of successes."""
    return np.array([math.comb(c, k) / math.comb(n_trials, k) for c in range(n_trials + 1)])


def counts(values: np.ndarray, n_values: int) -> np.ndarray:
    """How often each row has each value."""
    places = values + n_values * np.arange(len(values))[:, None]
    return np.bincount(places.ravel(), minlength=n_values * len(values)).reshape(-1, n_values)


def covered(values: np.ndarray, points: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether each simulation's score interval holds the truth."""
    times = counts(values, len(points))
    above = score_statistics(points, times, truth)
    below = score_statistics(1 - points, times, 1 - truth)
    return (above <= Z95) & (below <= Z95)


def bootstrap_covered(
    generator: np.random.Generator, values: np.ndarray, points: np.ndarray, truth: np.ndarray
) -> np.ndarray:
    """Whether a percentile bootstrap's interval holds the truth, for the first simulations."""
    times = counts(values[:N_BOOTSTRAPS], len(points))
    n_tasks = values.shape[1]
    found = []
    for row, mean in zip(times, truth, strict=False):
        draws = generator.multinomial(n_tasks, row / n_tasks, size=1000) @ points / n_tasks
        low, high = np.percentile(draws, [2.5, 97.5])
        found.append(low - 1e-12 <= mean <= high + 1e-12)
    return np.array(found)


def coverages(
    n_tasks: int, n_simulations: int = N_SIMULATIONS
) -> Iterator[tuple[bool, float, float]]:
    """Of every setting: whether enough is expected, the interval's coverage, the bootstrap's."""
    for number, (low, high) in enumerate(BANDS):
        for weight in WEIGHTS:
            for n_trials, k in TRIALS_AND_K:
                generator = np.random.default_rng([n_tasks, number, int(weight), n_trials, k])
                means = generator.uniform(low, high, n_simulations)
                found = successes(generator, means, weight, n_tasks, n_trials)
                truth, points = true_pass(means, weight, k), shares(n_trials, k)
                expected = n_tasks * min(truth.mean(), 1 - truth.mean())
                yield (
                    bool(expected >= ENOUGH),
                    float(covered(found, points, truth).mean()),
                    float(bootstrap_covered(generator, found, points, truth).mean()),
                )


def coverage_rows() -> Rows:
    """Coverage by number of tasks."""
    rows: Rows = []
    for n_tasks in TASKS:
        found = list(coverages(n_tasks))
        usual = [(ours, boot) for enough, ours, boot in found if enough]
        edge = [(ours, boot) for enough, ours, boot in found if not enough]
        within = sum(0.93 <= ours <= 0.97 for ours, _ in usual)
        low, high = min(o for o, _ in usual), max(o for o, _ in usual)
        rows.append(
            (
                f"coverage of 95 % intervals of pass^k, {n_tasks} tasks, {len(usual)} settings",
                f"mean {mean(o for o, _ in usual)}; {low:.1%} to {high:.1%}",
                f"93-97 % in {within} of {len(usual)}: "
                f"{'holds' if within == len(usual) else 'MISSED'}",
                f"percentile bootstrap: mean {mean(b for _, b in usual)}, lowest "
                f"{min(b for _, b in usual):.1%}",
            )
        )
        if edge:
            rows.append(
                (
                    f"the same where fewer than {ENOUGH} tasks' worth of successes or failures is "
                    f"expected, {len(edge)} settings",
                    f"mean {mean(o for o, _ in edge)}; lowest {min(o for o, _ in edge):.1%}",
                    "",
                    f"percentile bootstrap: mean {mean(b for _, b in edge)}, lowest "
                    f"{min(b for _, b in edge):.1%}",
                )
            )
    return rows


def mean(values: Any) -> str:  # noqa: ANN401  (any iterable of numbers)
    """In percent."""
    return f"{np.mean(list(values)):.1%}"


def others_rates(
    generator: np.random.Generator, how: str, rates: np.ndarray, shape: tuple[float, float],
    share: float,
) -> np.ndarray:  # fmt: skip
    """Rates of an agent that loses this share of all successes, in one of three ways."""
    if how == "everywhere":
        return rates * (1 - share)
    if how == "on some tasks":
        return np.where(generator.random(rates.shape) < share, 0, rates)
    anew = np.where(generator.random(rates.shape) < 0.3, generator.beta(*shape, rates.shape), rates)
    return anew * (1 - share)


def opened(n_tasks: int, margin: float, difference: float, n_simulations: int) -> Iterator[float]:
    """How often the gate opens, by base rate, trials and way of being worse."""
    for base, weight in ((0.5, 1.0), (0.7, 3.0), (0.9, 4.0), (0.95, 4.0)):
        for n_trials in (1, 2, 4):
            for how in ("everywhere", "on some tasks", "elsewhere too"):
                seed = [n_tasks, int(1000 * margin), int(100 * base), n_trials, len(how)]
                generator = np.random.default_rng(seed)
                shape = base * weight, (1 - base) * weight
                rates = generator.beta(*shape, (n_simulations, n_tasks))
                others = others_rates(generator, how, rates, shape, difference / base)
                found = generator.binomial(n_trials, others) - generator.binomial(n_trials, rates)
                points = np.arange(2 * n_trials + 1) / n_trials  # distances from -1
                times = counts(found + n_trials, len(points))
                yield float((score_statistics(points, times, 1 - margin) > Z95).mean())


def gate_rows() -> Rows:
    """How often the non-inferiority gate opens."""
    rows: Rows = []
    for n_tasks in TASKS:
        at = [x for m in (0.02, 0.05, 0.1) for x in opened(n_tasks, m, m, N_SIMULATIONS)]
        equal = list(opened(n_tasks, 0.1, 0.0, N_SIMULATIONS))
        rows.append(
            (
                f"--non-inferior opens for a run worse by just the margin (2, 5, 10 points), "
                f"{n_tasks} tasks, {len(at)} settings",
                f"mean {np.mean(at):.1%}, highest {max(at):.1%}",
                f"at most 5 %: {'holds' if max(at) <= 0.05 else 'MISSED'}",
                f"for an equally good run, margin 10: {min(equal):.0%} to {max(equal):.0%}",
            )
        )
    return rows


def told_apart(
    population: Population, difference: float, n_tasks: int, n_trials: int, n: int, seed: int
) -> float:
    """Share of n experiments in which `ragbench diff` tells the worse agent from the better."""
    generator = np.random.default_rng(seed)
    weight = population.mean * (1 - population.mean) / population.between - 1
    shape = population.mean * weight, (1 - population.mean) * weight
    names, n_found = [str(i) for i in range(n_tasks)], 0
    for number in range(n):
        rates = generator.beta(*shape, n_tasks)
        anew = generator.random(n_tasks) < population.redrawn
        others = np.where(anew, generator.beta(*shape, n_tasks), rates)
        others = others * (1 + difference / population.mean)
        before = dict(zip(names, generator.binomial(n_trials, rates) / n_trials, strict=True))
        after = dict(zip(names, generator.binomial(n_trials, others) / n_trials, strict=True))
        paired = compare_paired(before, after, None, number)
        _, high = difference_interval({name: after[name] - before[name] for name in names})
        n_found += paired is not None and paired.p <= 0.05 and high < 0
    return n_found / n


def plan_rows() -> Rows:
    """The power of planned runs: from the true population, and from runs of it."""
    rows: Rows = []
    populations = (Population(0.6, 0.1), Population(0.8, 0.06, redrawn=0.3), Population(0.9, 0.02))
    for n_trials in (1, 4):
        powers = []
        for number, population in enumerate(populations):
            n_tasks = needed_tasks(population, -0.1, n_trials)
            powers.append(told_apart(population, -0.1, n_tasks, n_trials, 1000, number))
        rows.append(
            (
                f"power at the tasks that are needed for 10 points at 0.8, {n_trials} trials, "
                f"{len(powers)} populations, 1,000 experiments each",
                ", ".join(f"{power:.1%}" for power in powers),
                f"76-86 %: {'holds' if all(0.76 <= p <= 0.86 for p in powers) else 'MISSED'}",
                "",
            )
        )
    for n_pilot in TASKS:
        power = pilot_power(Population(0.6, 0.1), n_pilot)
        rows.append(
            (
                f"the same, planned from a run of {n_pilot} tasks with 4 trials, mean over 25 runs",
                f"{power:.1%}",
                f"75-86 %: {'holds' if 0.75 <= power <= 0.86 else 'MISSED'}",
                "",
            )
        )
    return rows


def pilot_power(population: Population, n_pilot: int) -> float:
    """Mean power of plans for 10 points and 4 trials that were made from 25 runs."""
    generator, powers = np.random.default_rng(n_pilot), []
    weight = population.mean * (1 - population.mean) / population.between - 1
    shape = population.mean * weight, (1 - population.mean) * weight
    for number in range(25):
        rates = generator.beta(*shape, n_pilot)
        run = {
            str(i): generator.binomial(1, rate, 4).astype(float).tolist()
            for i, rate in enumerate(rates)
        }
        found = variance_components(run)
        assert found is not None
        assert found.between is not None
        planned = Population(found.mean, min(found.between, found.mean * (1 - found.mean)))
        n_tasks = needed_tasks(planned, planned.towards_the_middle(0.1), 4)
        powers.append(told_apart(population, -0.1, n_tasks, 4, 40, number))
    return float(np.mean(powers))


def judge_rows() -> Rows:
    """Coverage of a judge's corrected rate, items of a task resembling each other."""
    found = []
    for n_tasks, n_items, n_labels in ((50, 1, 40), (50, 4, 100), (107, 4, 100)):
        for share in (0.3, 0.7, 0.9):
            for sensitivity, specificity in ((0.95, 0.9), (0.85, 0.75)):
                generator = np.random.default_rng([n_tasks, n_labels, int(100 * share)])
                hits = [
                    judge_covered(generator, (n_tasks, n_items), share, sensitivity, specificity,
                                  n_labels)
                    for _ in range(300)
                ]  # fmt: skip
                found.append(float(np.mean([hit for hit in hits if hit is not None])))
    return [
        (
            f"coverage of a judge's corrected rate, {len(found)} settings, 40 or 100 labels",
            f"mean {np.mean(found):.1%}, {min(found):.1%} to {max(found):.1%}",
            f"at least 93 %: {'holds' if min(found) >= 0.93 else 'MISSED'}",
            "",
        )
    ]


def judge_covered(
    generator: np.random.Generator, shape: tuple[int, int], share: float, sensitivity: float,
    specificity: float, n_labels: int,
) -> bool | None:  # fmt: skip
    """Whether the corrected interval holds the share; None where it is undefined."""
    weight = 7 / 3  # an intraclass correlation of 0.3
    rates = generator.beta(share * weight, (1 - share) * weight, (shape[0], 1))
    truth = generator.random(shape) < rates
    says = np.where(truth, generator.random(shape) < sensitivity,
                    generator.random(shape) >= specificity)  # fmt: skip
    labelled = np.zeros(truth.size, dtype=bool)
    labelled[generator.permutation(truth.size)[:n_labels]] = True
    labelled = labelled.reshape(shape)
    result = corrected_rate(
        by_task(says, np.ones_like(labelled)),  # type: ignore[arg-type]
        by_task(says, labelled & truth),
        by_task(~says, labelled & ~truth),
    )
    if result.share is None or result.low is None or result.high is None:
        return None
    return result.low <= share <= result.high


def by_task(verdicts: np.ndarray, which: np.ndarray) -> Any:  # noqa: ANN401
    """The rate of those verdicts."""
    return rate_of({str(i): verdicts[i][which[i]].tolist() for i in range(len(verdicts))})


def measure() -> Rows:
    """All of it, some ten minutes on one core."""
    return [*coverage_rows(), *gate_rows(), *plan_rows(), *judge_rows()]
