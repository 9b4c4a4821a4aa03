"""Intervals of means over tasks, of pass^k and of rates; worked by hand or from closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import binomtest

from ragbench.statistics import (
    Estimate,
    mean_of_counts,
    mean_of_shares,
    pass_hat_k,
    pass_hat_k_estimate,
    score_interval,
    score_statistics,
    wilson,
)


@pytest.mark.parametrize(
    ("trials", "k", "expected"),
    [
        ({"a": [True, True, False], "b": [True] * 3}, 1, 5 / 6),  # (2/3 + 1) / 2
        ({"a": [True, True, False], "b": [True] * 3}, 2, 2 / 3),  # (1/3 + 1) / 2
        ({"a": [True, True, False], "b": [True] * 3}, 3, 0.5),  # (0 + 1) / 2
        ({"a": [True, False, False, True]}, 2, 1 / 6),  # C(2,2) / C(4,2)
        ({"a": [False, False]}, 2, 0.0),  # all wrong is 0, and defined
        ({"a": [True], "b": [True, True]}, 2, None),  # a task with too few trials: undefined, not 0
        ({}, 1, None),
        ({"a": []}, 1, None),
    ],
)
def test_pass_hat_k(trials, k, expected):
    assert pass_hat_k(trials, k) == (None if expected is None else pytest.approx(expected))


def test_pass_hat_k_agrees_with_drawing_every_subset():
    generator = np.random.default_rng(3)
    for _ in range(50):
        outcomes = [bool(b) for b in generator.integers(0, 2, size=6)]
        for k in range(1, 7):
            subsets = list(itertools.combinations(outcomes, k))
            expected = sum(all(subset) for subset in subsets) / len(subsets)
            assert pass_hat_k({"t": outcomes}, k) == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 2, 7, 16, 97, 1000])
def test_wilson_agrees_with_scipy(n):
    for successes in {0, 1, n // 3, n // 2, n - 1, n}:
        low, high = wilson(successes, n)
        expected = binomtest(successes, n).proportion_ci(0.95, method="wilson")
        assert (low, high) == (pytest.approx(expected.low, abs=1e-12), pytest.approx(expected.high))
        assert 0.0 <= low <= successes / n <= high <= 1.0


def test_wilson_of_nothing_is_undefined():
    with pytest.raises(ValueError, match="undefined"):
        wilson(0, 0)


@pytest.mark.parametrize("n", [1, 2, 7, 20, 107])
def test_of_zeros_and_ones_the_score_interval_is_wilsons(n):
    for successes in range(n + 1):
        found = score_interval([1.0] * successes + [0.0] * (n - successes))
        assert found == pytest.approx(wilson(successes, n), abs=1e-9)


def _tango(b, c, n, delta):
    """Tango's statistic: (b - c - n delta) / sqrt(n (2 q + delta (1 - delta))), q as in his (6)."""
    a2, a1 = 2 * n, -b - c + (2 * n - b + c) * delta
    q = (math.sqrt(a1 * a1 - 4 * a2 * -c * delta * (1 - delta)) - a1) / (2 * a2)
    return (b - c - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta)))


@pytest.mark.parametrize(("b", "c", "n"), [(5, 1, 20), (12, 9, 107), (1, 1, 20), (3, 8, 50)])
def test_of_paired_outcomes_the_score_interval_is_tangos(b, c, n):
    # b pairs became better, c worse. The bounds are where his statistic is +-1.96.
    values = [1.0] * b + [-1.0] * c + [0.0] * (n - b - c)
    low, high = score_interval(values, lowest=-1.0)
    mean, z = (b - c) / n, 1.959963984540054
    lower = optimize.brentq(lambda d: _tango(b, c, n, d) - z, -0.999, mean)
    upper = optimize.brentq(lambda d: _tango(b, c, n, d) + z, mean, 0.999)
    assert (low, high) == pytest.approx((lower, upper), abs=1e-6)


def test_without_any_spread_the_interval_is_that_of_the_range():
    # All 20 at 0.5: means below have 0.5 with weight 2 m and 0 else, variance m (0.5 - m), so
    # (0.5 - m)^2 = z^2 m (0.5 - m) / 20 and m = 20 * 0.5 / (20 + 3.8415) = 0.419437.
    low, high = score_interval([0.5] * 20)
    assert (low, high) == (pytest.approx(0.419437, abs=1e-6), pytest.approx(0.580563, abs=1e-6))
    # One task alone: 0.5 / 4.8415 = 0.10327.
    assert score_interval([0.5])[0] == pytest.approx(0.103275, abs=1e-6)
    # No difference in 20 pairs: 1 - 20 / 23.8415 = 0.16113 either way.
    both = score_interval([0.0] * 20, lowest=-1.0)
    assert both == (pytest.approx(-0.161125, abs=1e-6), pytest.approx(0.161125, abs=1e-6))


def test_the_bound_is_where_the_likeliest_distribution_contradicts():
    # Independently: among all weights on the values and on 0 with mean `low`, those of the largest
    # likelihood have a variance under which the observed mean is 1.96 standard errors away.
    values = np.array([0.2, 0.4, 0.4, 0.6, 1.0, 1.0])
    low, _ = score_interval(values.tolist())
    points = np.append(values, 0.0)
    found = optimize.minimize(
        lambda w: -np.log(w[:-1]).sum(),
        np.full(7, 1 / 7),
        bounds=[(1e-9, 1)] * 7,
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ points - low},
        ],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    variance = found.x @ (points - low) ** 2
    assert (values.mean() - low) / math.sqrt(variance / 6) == pytest.approx(1.96, abs=0.01)


def test_the_statistics_of_many_samples_are_those_of_the_interval():
    # The lower bound is where the statistic is z, also where no value is at the end of the range.
    generator = np.random.default_rng(2)
    points = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    times = generator.multinomial(12, [0.2] * 5, size=30)
    times[:10, 0] = 0
    times[0] = [0, 0, 7, 0, 0]
    for row in times:
        low, _ = score_interval(np.repeat(points, row).tolist())
        if low > 0:
            (found,) = score_statistics(points, row[None, :], low)
            assert found == pytest.approx(1.959964, abs=1e-4)
    high = np.array([score_interval(np.repeat(points, row).tolist())[1] for row in times])
    mirrored = score_statistics(points, times[:, ::-1], 0.25)
    assert ((mirrored > 1.959964) == (high < 0.75)).all()


def test_many_values_approach_the_normal_interval():
    values = np.random.default_rng(5).beta(2, 2, size=4000)
    low, high = score_interval(values.tolist())
    error = float(values.std()) / math.sqrt(4000)
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.05 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.05 * error)


@pytest.mark.parametrize("values", [[], [0.5, 1.2], [-0.1], [math.nan]])
def test_values_outside_the_range_and_none_are_refused(values):
    with pytest.raises(ValueError, match=r"undefined|outside"):
        score_interval(values)


def test_undefined_values_are_left_out_and_counted():
    assert mean_of_shares([None, None]) == Estimate(None, None, None, 0, 2)
    assert mean_of_counts([]) == Estimate(None, None, None, 0, 0)
    found = mean_of_shares([0.0, None, 1.0])
    assert (found.mean, found.n, found.n_undefined) == (0.5, 2, 1)


def test_counts_carry_students_interval_and_none_without_spread():
    # 1, 2, 3: mean 2, s = 1, half = t(0.975, 2) / sqrt(3) = 4.302653 / 1.732051 = 2.484138.
    assert mean_of_counts([1, 2, 3]) == Estimate(2.0, 0.0, pytest.approx(4.484138), 3, 0)
    assert mean_of_counts([2, 2, 2]) == Estimate(2.0, None, None, 3, 0)
    assert mean_of_counts([4.0]) == Estimate(4.0, None, None, 1, 0)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_rates_of_zero_and_one_carry_a_wilson_interval(value):
    found = mean_of_shares([value] * 16)
    assert (found.low, found.high) == pytest.approx(wilson(round(16 * value), 16))
    assert found.mean == value


def test_pass_hat_k_has_an_interval_at_every_k():
    # 4 trials each: 3 tasks with 4 successes, 1 with 2. pass^4 is 3 of 4: Wilson. pass^2 is
    # (1 + 1 + 1 + 1/6) / 4 = 0.7917.
    outcomes = {name: [True] * 4 for name in "abc"} | {"d": [True, True, False, False]}
    four, two = (pass_hat_k_estimate(outcomes, k) for k in (4, 2))
    assert (four.low, four.high) == pytest.approx(wilson(3, 4))
    assert two.mean == pytest.approx(0.791667, abs=1e-6)
    assert four.low < two.low < two.mean < two.high
    assert pass_hat_k_estimate(outcomes | {"e": [True]}, 2) == Estimate(None, None, None, 0, 1)
