"""Coverage and error of the gate, small; bench/measure_statistics.py has the whole simulation."""

from __future__ import annotations

import numpy as np
import pytest

from ragbench.statistics import Z95, score_statistics


def counted(found, n_values):
    return np.stack([(found == value).sum(axis=1) for value in range(n_values)], axis=1)


@pytest.mark.parametrize("n_tasks", [20, 50, 107])
@pytest.mark.parametrize(("low", "high"), [(0.3, 0.7), (0.7, 0.9)])
def test_pass_2_of_4_trials_is_covered(n_tasks, low, high):
    # 2,000 runs: 3 standard errors of 0.95 are 0.015, so 0.93-0.97 is widened by that.
    generator = np.random.default_rng(n_tasks)
    means = generator.uniform(low, high, 2000)
    rates = generator.beta((means * 5)[:, None], ((1 - means) * 5)[:, None], (2000, n_tasks))
    times = counted(generator.binomial(4, rates), 5)
    points = np.array([0, 0, 1, 3, 6]) / 6  # C(c, 2) / C(4, 2)
    truth = means * (means * 5 + 1) / 6  # E[rate^2] of the beta distribution
    above = score_statistics(points, times, truth) > Z95
    below = score_statistics(1 - points, times, 1 - truth) > Z95
    assert 0.915 <= 1 - (above | below).mean() <= 0.985


@pytest.mark.parametrize("n_tasks", [20, 50, 107])
def test_a_run_worse_by_the_margin_opens_the_gate_at_most_5_percent(n_tasks):
    generator = np.random.default_rng(n_tasks)
    rates = generator.beta(2.1, 0.9, (2000, n_tasks))  # mean 0.7
    worse = rates * (1 - 0.1 / 0.7)
    found = generator.binomial(2, worse) - generator.binomial(2, rates)
    times = counted(found + 2, 5)
    assert (score_statistics(np.arange(5) / 2, times, 0.9) > Z95).mean() <= 0.05
