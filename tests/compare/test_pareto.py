"""The Pareto front and rank correlations."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from ragbench.compare import Cost, RankCorrelation, pareto_front, rank_correlation
from ragbench.errors import UsageError


def test_the_front() -> None:
    setups = {
        "best": Cost(0.9, 1000, 5.0),
        "cheap": Cost(0.5, 100, 5.0),
        "fast": Cost(0.5, 1000, 1.0),
        "beaten": Cost(0.5, 1000, 5.0),  # by all three
        "twin": Cost(0.9, 1000, 5.0),  # equal to the best: neither beats the other
        "failed": Cost(None, None, None),
    }
    assert pareto_front(setups) == ["best", "cheap", "fast", "twin"]
    assert pareto_front({}) == []
    with pytest.raises(UsageError, match="'x' has the figure nan"):
        pareto_front({"x": Cost(math.nan, 1, 1)})


def test_rank_correlation() -> None:
    # 1 2 3 4 against 1 3 2 4: five pairs agree, one does not: 4/6. rho = 1 - 6 x 2 / 60 = .8
    found = rank_correlation([1, 2, 3, 4, None], [10, 30, 20, 40, 50])
    assert (found.kendall, found.spearman) == (pytest.approx(4 / 6), pytest.approx(0.8))
    assert found.n == 4
    left, right = [1.0, 1.0, 2.0, 3.0], [0.1, 0.2, 0.2, 0.1]
    ties = rank_correlation(left, right)
    assert ties.kendall == pytest.approx(stats.kendalltau(left, right).statistic)


@pytest.mark.parametrize("columns", [([], []), ([1.0], [2.0]), ([1, 1], [1, 2]), ([1, 2], [3, 3])])
def test_no_ranking_has_no_correlation(columns) -> None:
    assert rank_correlation(*columns) == RankCorrelation(None, None, len(columns[0]))
