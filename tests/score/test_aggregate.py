"""pass^k, bootstrap, Wilson."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binomtest

from ragbench.score import Estimate, bootstrap_mean, pass_hat_k, wilson


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


def test_bootstrap_is_seeded():
    values = [math.sqrt(n) for n in range(20)]
    assert bootstrap_mean(values, 7) == bootstrap_mean(values, 7)
    assert bootstrap_mean(values, 7) != bootstrap_mean(values, 8)


def test_bootstrap_is_near_the_normal_interval():
    # 400 values: the percentile interval approaches mean +- 1.96 s / sqrt(n); with 10,000 draws the
    # 2.5 % quantile's own error is about 2.7 % of the standard error, so 10 % of it is wide enough.
    values = [float(v) for v in np.random.default_rng(5).normal(3.0, 2.0, size=400)]
    found = bootstrap_mean(values, 1)
    error = float(np.std(values)) / math.sqrt(400)
    assert found.mean == pytest.approx(math.fsum(values) / 400)
    assert found.low == pytest.approx(found.mean - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(found.mean + 1.96 * error, abs=0.1 * error)


def test_undefined_values_are_left_out_and_counted():
    assert bootstrap_mean([None, None], 1) == Estimate(None, None, None, 0, 2)
    assert bootstrap_mean([], 1) == Estimate(None, None, None, 0, 0)
    found = bootstrap_mean([0.0, None, 1.0], 1)
    assert (found.mean, found.n, found.n_undefined) == (0.5, 2, 1)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_rates_of_zero_and_one_carry_a_wilson_interval(value):
    found = bootstrap_mean([value] * 16, 1)
    assert (found.low, found.high) == wilson(round(16 * value), 16)
    assert found.mean == value
