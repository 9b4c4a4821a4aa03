"""Intervals of paired differences: worked by hand."""

from __future__ import annotations

import pytest

from ragbench.compare._difference_interval import difference_interval
from ragbench.statistics import score_interval


def test_groups_of_one_size_are_their_means():
    values = {"a1": 1.0, "a2": 0.0, "b1": 0.0, "b2": 0.0, "c1": -0.5, "c2": 0.5}
    groups = {name: name[0] for name in values}
    assert difference_interval(values, groups) == pytest.approx(
        score_interval([0.5, 0.0, 0.0], lowest=-1.0)
    )


def test_groups_of_several_sizes_weigh_by_their_questions():
    # 3 questions at +1 and 1 at +1: no spread, 16 / 10 = 1.6 groups' worth, 2 above the lowest:
    # 1.6 x 2 / (1.6 + 3.8415) - 1 = -0.4119.
    values = {"a1": 1.0, "a2": 1.0, "a3": 1.0, "b": 1.0}
    low, high = difference_interval(values, {name: name[0] for name in values})
    assert (low, high) == (pytest.approx(-0.411922, abs=1e-6), 1.0)
    # With b at 0 the mean is 3/4 and not 1/2.
    low, high = difference_interval(values | {"b": 0.0}, {name: name[0] for name in values})
    assert low < 0.75 < high


def test_more_questions_of_one_group_do_not_make_it_surer():
    one = difference_interval({"a": 1.0, "b": 1.0, "c": 0.0})
    values = {f"{name}{i}": float(name != "c") for name in "abc" for i in range(20)}
    assert difference_interval(values, {name: name[0] for name in values}) == pytest.approx(one)
