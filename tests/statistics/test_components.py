"""The parts of the variance: worked by hand, then against a known truth."""

from __future__ import annotations

import numpy as np
import pytest

from ragbench.statistics import variance_components


def test_worked_by_hand():
    # Means 3/4, 1/4, 1/2; trials' variances 1/4, 1/4, 1/3; within = 5/18. Their spread 1/16, less
    # 5/18 / 4 = 5/72: negative, so nothing is left between the tasks, and all noise is within.
    found = variance_components({"a": [1, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 0, 1, 0]})
    assert found.within == pytest.approx(5 / 18)
    assert found.between == 0.0
    assert found.share_within == 1.0
    assert found.standard_error == pytest.approx((1 / 16 / 3) ** 0.5)


def test_unequal_numbers_of_trials_count_by_their_harmonic_mean():
    found = variance_components({"a": [1, 0], "b": [0, 0, 0, 0]})
    assert found.n_trials == pytest.approx(2 / (1 / 2 + 1 / 4))
    # Spread of 1/2 and 0 is 1/8; within is (1/2 + 0) / 2; 1/4 / (8/3) = 3/32; 1/8 - 3/32 = 1/32.
    assert found.between == pytest.approx(1 / 32)
    assert found.share_within == pytest.approx(3 / 4)


def test_what_cannot_be_told():
    single = variance_components({"a": [1.0], "b": [0.0]})
    assert (single.between, single.within, single.share_within) == (None, None, None)
    assert single.standard_error == pytest.approx(0.5)
    alone = variance_components({"a": [1.0, 0.0]})
    assert (alone.between, alone.within, alone.standard_error) == (None, None, None)
    assert variance_components({"a": []}) is None
    same = variance_components({"a": [1.0, 1.0], "b": [1.0, 1.0]})
    assert (same.between, same.within, same.share_within) == (0.0, 0.0, None)


def test_a_deterministic_run_has_nothing_within():
    found = variance_components({"a": [1.0], "b": [0.0], "c": [0.0]}, deterministic=True)
    assert (found.within, found.between) == (0.0, pytest.approx(1 / 3))
    assert found.share_within == 0.0


def test_the_parts_are_unbiased():
    # Rates from Beta(2, 1): mean 2/3, variance 1/18; within E[p (1 - p)] = 2/3 - 1/2 = 1/6. Over
    # 2,000 tasks with 4 trials both have a standard error below 0.003.
    generator = np.random.default_rng(11)
    outcomes = generator.random((2000, 4)) < generator.beta(2, 1, size=(2000, 1))
    found = variance_components({str(i): row.tolist() for i, row in enumerate(outcomes * 1.0)})
    assert found.between == pytest.approx(1 / 18, abs=0.009)
    assert found.within == pytest.approx(1 / 6, abs=0.009)
