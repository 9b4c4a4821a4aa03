"""Rates corrected for a judge's errors: worked by hand, then by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from ragbench.statistics import Rate, corrected_rate, rate_of


def rate(share, n):
    return Rate(share, n, n, 0.0, 1.0)


def test_rogan_and_gladen_by_hand():
    # (0.6 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.4 / 0.7.
    found = corrected_rate(rate(0.6, 200), rate(0.9, 50), rate(0.8, 50))
    assert found.share == pytest.approx(4 / 7)
    # Lang and Reiczigel: p = (120 + 1.9207) / 203.8415 = 0.598115, true = 46 / 52, false = 41 / 52,
    # better = 0.673077, share = (0.598115 + 0.788462 - 1) / better = 0.574341; noises
    # 0.1020710 / 52 = 0.00196290 and 0.1667899 / 52 = 0.00320750; shift = 7.682918 x (0.574341 x
    # 0.00196290 - 0.425659 x 0.00320750) = -0.00182776; variance = 0.240374 / 203.8415 + 0.329868 x
    # 0.00196290 + 0.181186 x 0.00320750 = 0.00240788; half = 1.959964 x 0.0490702 / better.
    half = 1.959964 * 0.0490702 / 0.673077
    assert found.low == pytest.approx(0.574341 - 0.001828 - half, abs=1e-4)
    assert found.high == pytest.approx(0.574341 - 0.001828 + half, abs=1e-4)


def test_a_judge_without_errors_leaves_the_rate_and_not_its_certainty():
    many = corrected_rate(rate(0.7, 100), rate(1.0, 400), rate(1.0, 400))
    few = corrected_rate(rate(0.7, 100), rate(1.0, 20), rate(1.0, 20))
    assert many.share == few.share == pytest.approx(0.7)
    assert few.high - few.low > 1.2 * (many.high - many.low)


def test_a_rate_that_the_judges_errors_explain_wholly_is_0_or_1():
    # 10 % true where 20 % of the false are called true: -0.1 / 0.7, cut to 0.
    assert corrected_rate(rate(0.1, 50), rate(0.9, 50), rate(0.8, 50)).share == 0.0
    assert corrected_rate(rate(0.95, 50), rate(0.9, 50), rate(0.8, 50)).share == 1.0


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.5, 0.5), (0.4, 0.5), (0.0, 1.0)])
def test_a_judge_no_better_than_chance_corrects_nothing(sensitivity, specificity):
    found = corrected_rate(rate(0.6, 200), rate(sensitivity, 50), rate(specificity, 50))
    assert (found.share, found.low, found.high) == (None, None, None)
    assert "not above 1" in found.reason


def test_without_labels_of_a_kind_it_is_undefined():
    assert "is true" in corrected_rate(rate(0.6, 9), None, rate(0.8, 9)).reason
    assert "is false" in corrected_rate(rate(0.6, 9), rate(0.8, 9), None).reason


def test_few_labels_that_cannot_exclude_chance_leave_every_rate_possible():
    found = corrected_rate(rate(0.6, 200), rate(0.8, 5), rate(0.6, 5))
    assert found.share == pytest.approx((0.6 + 0.6 - 1) / 0.4)
    assert (found.low, found.high) == (0.0, 1.0)
    assert "cannot exclude" in found.reason


def test_items_of_one_task_count_as_few():
    # Ten items of each of four tasks that are wholly true or false: T - 1 = 3 items' worth.
    alike = rate_of({"a": [True] * 10, "b": [True] * 10, "c": [False] * 10, "d": [False] * 10})
    assert (alike.share, alike.n, alike.n_effective) == (0.5, 40, pytest.approx(3.0))
    assert alike.low < 0.2
    # Tasks that are all like the whole have no spread; they count as four.
    assert rate_of({name: [True, False] for name in "abcd"}).n_effective == pytest.approx(4.0)
    assert rate_of({"a": [], "b": []}) is None


def test_the_interval_covers_the_true_share():
    # 50 tasks x 4 items, 100 labels of another 50 x 4: 200 experiments, of which 93 % at the least
    # are to cover 0.7; 3 standard errors of a coverage of 0.95 are 0.046.
    generator = np.random.default_rng(6)

    def run():
        rates = generator.beta(0.7 * 7 / 3, 0.3 * 7 / 3, (50, 1))
        truth = generator.random((50, 4)) < rates
        draws = generator.random((50, 4))
        return truth, np.where(truth, draws < 0.9, draws >= 0.85)

    def of(verdicts, which):
        return rate_of({str(i): verdicts[i][which[i]].tolist() for i in range(50)})

    hits = 0
    for _ in range(200):
        _, says = run()
        truth, labelled = run()
        half = np.arange(200).reshape(50, 4) % 2 == 0
        found = corrected_rate(
            of(says, np.ones((50, 4), dtype=bool)),
            of(labelled, truth & half),
            of(~labelled, ~truth & half),
        )
        hits += found.low <= 0.7 <= found.high
    assert hits / 200 >= 0.904
