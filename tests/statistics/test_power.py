"""Power: exact where it can be worked out, else against the test that is used."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragbench.compare import compare_paired
from ragbench.compare._difference_interval import difference_interval
from ragbench.statistics import Population, detectable, needed_tasks, power_of


@pytest.mark.parametrize(("n_tasks", "difference"), [(38, 0.2), (9, 0.73), (60, 0.2), (150, 0.05)])
def test_of_a_deterministic_agent_it_is_binomial(n_tasks, difference):
    # Rates of 0 and 1; failures become successes with probability difference / (1 - mean), so X of
    # n tasks change, all upwards. 2 of 2^X sign patterns are as extreme: p <= 0.05 from X = 6 on
    # (2 / 64), not at X = 5 (2 / 32). Power is P(X >= 6). 1,000 simulations: 3 standard errors are
    # 0.047; with 999 patterns X = 5 passes 5 % of the time, at most 0.01 more.
    found = power_of(Population(0.2, 0.16), difference, n_tasks, 1)
    assert found == pytest.approx(stats.binom.sf(5, n_tasks, difference), abs=0.055)


def test_the_variance_of_a_difference_by_hand():
    # Mean 1/2, between 1/20, +0.1: slope 0.8, so the rates move by 0.2 (1 - rate): 0.04 x 1/20.
    # Within is 1/4 - 1/20 = 0.2 and 0.24 - 0.64 / 20 = 0.208; over 4 trials 0.408 / 4 = 0.102.
    found = Population(0.5, 0.05)
    assert found.variance(0.1, 4) == pytest.approx(0.002 + 0.102)
    # Half the tasks redrawn: 1/2 x (1 + 0.64) / 20 + 1/2 x 0.04 / 20 = 0.042.
    assert Population(0.5, 0.05, redrawn=0.5).variance(0.1, 4) == pytest.approx(0.042 + 0.102)


@pytest.mark.parametrize("population", [Population(0.6, 0.1), Population(0.9, 0.02, redrawn=0.3)])
def test_the_needed_tasks_have_the_stated_power_in_the_test_that_is_used(population):
    # 300 experiments, each tested as `ragbench diff` does: standard error 0.023, so 0.8 +- 0.07,
    # with 0.03 on top since the planned test has 999 sign patterns and the used one 10,000.
    n_trials, difference = 4, -0.15
    n_tasks = needed_tasks(population, difference, n_trials)
    generator = np.random.default_rng(3)
    weight = population.mean * (1 - population.mean) / population.between - 1
    shape = population.mean * weight, (1 - population.mean) * weight
    n_found = 0
    for number in range(300):
        rates = generator.beta(*shape, size=n_tasks)
        anew = generator.random(n_tasks) < population.redrawn
        others = np.where(anew, generator.beta(*shape, size=n_tasks), rates)
        others = others * (1 + difference / population.mean)
        names = [str(i) for i in range(n_tasks)]
        before = generator.binomial(n_trials, rates) / n_trials
        after = generator.binomial(n_trials, others) / n_trials
        paired = compare_paired(
            dict(zip(names, before.tolist(), strict=True)),
            dict(zip(names, after.tolist(), strict=True)),
            None,
            number,
        )
        _, high = difference_interval(dict(zip(names, (after - before).tolist(), strict=True)))
        n_found += paired.p <= 0.05 and high < 0
    assert 0.73 <= n_found / 300 <= 0.90


def test_what_is_detectable_has_the_power_and_less_has_not():
    population = Population(0.7, 0.1)
    found = detectable(population, 50, 4)
    assert power_of(population, -found, 50, 4) >= 0.8
    assert power_of(population, -found + 0.02, 50, 4) < 0.8
    assert detectable(population, 5, 1) is None  # 2 of 2^5 patterns: p is never below 0.0625


def test_many_tasks_by_the_normal_approximation_agree_with_the_simulation():
    # At 999 tasks simulated, at 1,000 approximated; 1,000 simulations: 3 standard errors are 0.040.
    population = Population(0.5, 0.08)
    one, other = (power_of(population, 0.05, n, 1) for n in (999, 1000))
    assert one == pytest.approx(other, abs=0.045)


def test_more_trials_need_fewer_tasks_and_redrawn_tasks_more():
    plain = Population(0.5, 0.1)
    needs = [needed_tasks(plain, 0.1, n) for n in (1, 2, 4, 8)]
    assert needs == sorted(needs, reverse=True)
    assert needs[0] > 3 * needs[-1]
    assert needed_tasks(Population(0.5, 0.1, redrawn=0.5), 0.1, 8) > 2 * needs[-1]
