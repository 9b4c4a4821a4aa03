"""Statistics: worked by hand, then against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from ragbench.compare import (
    bootstrap_interval,
    compare_paired,
    holm,
    sign_flip_p,
    verdict,
)
from ragbench.errors import UsageError


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1.0], 1.0),  # + and -: both as extreme
        ([1.0, 1.0], 0.5),  # ++ and -- of 4
        ([1.0, 1.0, 1.0, 1.0, 1.0], 2 / 32),
        ([0.0, 0.0, 0.0], 1.0),
        ([1.0, -1.0], 1.0),  # the observed sum 0 is the least extreme
        ([3.0, 1.0], 0.5),  # |4|, |2|, |-2|, |-4|
        ([3.0, -1.0], 1.0),  # |2| is reached by all four
        ([0.1, 0.2, 0.3], 2 / 8),  # the sum in another order differs by 6e-17, and is still equal
        ([1.0] * 14, 2 / 2**14),  # the last exact one
    ],
)
def test_exact_p(differences, p) -> None:
    assert sign_flip_p(differences, seed=0) == pytest.approx(p, abs=1e-15)


def test_exact_p_agrees_with_scipy() -> None:
    generator = np.random.default_rng(5)
    for n in range(2, 13):
        differences = np.round(generator.normal(0.1, 0.3, n), 2)
        theirs = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        assert sign_flip_p(differences.tolist(), seed=0) == pytest.approx(theirs.pvalue, abs=1e-12)


def test_drawn_p_agrees_with_scipy_and_depends_on_the_seed_alone() -> None:
    differences = np.random.default_rng(11).normal(0.08, 0.3, 40).tolist()
    p = sign_flip_p(differences, seed=1)
    theirs = stats.permutation_test(
        (np.array(differences),),
        np.mean,
        permutation_type="samples",
        n_resamples=100_000,
        random_state=2,
        vectorized=True,
    ).pvalue
    # The standard error of 10,000 draws is sqrt(p (1 - p) / 10,000); four of them.
    assert abs(p - theirs) < 4 * math.sqrt(theirs * (1 - theirs) / 10_000)
    assert sign_flip_p(differences, seed=1) == p
    assert sign_flip_p(differences, seed=2) != p
    assert (p * 10_001) == pytest.approx(round(p * 10_001))  # (b + 1) / (m + 1)


def test_drawn_p_is_never_zero() -> None:
    assert sign_flip_p([1.0] * 60, seed=0) == 1 / 10_001


def test_signs_of_a_group_flip_together() -> None:
    # Two tasks, three trials each, all +1: the sums are 3 and 3, so 2 of 4 patterns, not 2 of 64.
    assert sign_flip_p([1.0] * 6, seed=0, groups=["a", "b"] * 3) == 0.5
    assert sign_flip_p([1.0] * 6, seed=0) == 2 / 64


def test_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).beta(2, 3, 60)
    low, high = bootstrap_interval(values.tolist(), seed=1)
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=50_000, random_state=4
    ).confidence_interval
    assert low == pytest.approx(theirs.low, abs=0.003)
    assert high == pytest.approx(theirs.high, abs=0.003)
    assert bootstrap_interval(values.tolist(), seed=1) == (low, high)


def test_an_interval_of_equal_values_is_that_value() -> None:
    assert bootstrap_interval([0.25, 0.25, 0.25], seed=0) == (0.25, 0.25)


def test_drawing_groups_is_wider_where_trials_repeat() -> None:
    # Four tasks of ten equal trials: only four independent values, 0, 0, 1, 1.
    values = [0.0] * 20 + [1.0] * 20
    groups = [f"t{i // 10}" for i in range(40)]
    # Four draws are binomial(4, 1/2) / 4; P(0) = P(1) = 1/16, over 2.5 %: the ends are 0 and 1.
    assert bootstrap_interval(values, 0, groups) == (0.0, 1.0)
    low, high = bootstrap_interval(values, 0)
    assert 0.3 < low < high < 0.7


def test_unequal_groups_keep_the_mean_over_questions() -> None:
    # Groups a: 1, 1, 1; b: 0. Drawn aa 1, ab and ba 3/4 (not 1/2, the mean of means), bb 0.
    assert bootstrap_interval([1.0, 1.0, 1.0, 0.0], 0, ["a", "a", "a", "b"]) == (0.0, 1.0)
    paired = compare_paired(
        dict.fromkeys("wxyz", 0.0),
        {"w": 1.0, "x": 1.0, "y": 1.0, "z": 0.0},
        {"w": "a", "x": "a", "y": "a", "z": "b"},
        seed=0,
    )
    assert paired is not None
    assert (paired.difference, paired.n, paired.n_groups) == (0.75, 4, 2)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([0.02], [0.02]),
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),  # .01x4, .02x3, .03x2, .04 -> .06
        ([0.04, 0.01], [0.04, 0.02]),
        ([0.6, 0.5], [1.0, 1.0]),  # .5 x 2 = 1; .6 is raised to it
        ([0.01, 0.01, 0.01], [0.03, 0.03, 0.03]),
        # Holm's paper's manner: .0001 x 5, .01 x 4, .02 x 3, .04 x 2, then .5
        ([0.02, 0.5, 0.0001, 0.04, 0.01], [0.06, 0.5, 0.0005, 0.08, 0.04]),
    ],
)
def test_holm(p_values, adjusted) -> None:
    assert holm(p_values) == pytest.approx(adjusted)


def test_pairs() -> None:
    baseline = {"a": 0.5, "b": 0.5, "c": None, "d": 0.2}
    other = {"a": 1.0, "b": 0.5, "c": 0.9, "d": 0.6}
    paired = compare_paired(baseline, other, None, seed=0)
    assert paired is not None
    assert paired.difference == pytest.approx(0.3)  # (.5 + 0 + .4) / 3
    assert (paired.n, paired.n_groups, paired.n_undefined) == (3, 3, 1)
    assert paired.p == 4 / 8  # the sign of 0 does not matter: +0+, +0-... two of four, twice
    assert compare_paired({"a": None}, {"a": 1.0}, None, seed=0) is None


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="'b' has a value in one setup only"):
        compare_paired({"a": 1.0}, {"a": 1.0, "b": 0.0}, None, seed=0)
    with pytest.raises(UsageError, match="A value is nan"):
        sign_flip_p([math.nan], seed=0)
    with pytest.raises(UsageError, match="There is no value"):
        bootstrap_interval([], seed=0)
    with pytest.raises(UsageError, match=r"1\.5 is not between 0 and 1"):
        holm([1.5])


def test_the_sentence() -> None:
    arguments = ("minilm", "mpnet", "span recall")
    assert verdict(*arguments, 0.041, (0.019, 0.062), 0.01, 276) == (
        "mpnet beats minilm by 4.1 points of span recall, 95 % interval 1.9 to 6.2"
    )
    assert verdict(*arguments, -0.041, (-0.062, -0.019), 0.01, 276) == (
        "minilm beats mpnet by 4.1 points of span recall, 95 % interval 1.9 to 6.2"
    )
    apart = "minilm and mpnet cannot be told apart on"
    assert verdict(*arguments, 0.041, (0.019, 0.062), 0.051, 49) == f"{apart} 49 questions"
    assert verdict(*arguments, 0.041, (-0.001, 0.062), 0.04, 49) == f"{apart} 49 questions"
    assert verdict(*arguments, 0.0, (0.0, 0.0), 1.0, 1) == f"{apart} 1 question"
