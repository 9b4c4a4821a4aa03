"""Is the difference real? Paired tests over questions, intervals, Holm, and the sentence.

Rules fixed here: differences are paired by question; a two-sided sign-flip permutation test of
their mean, exact up to 14 independent observations, else 10,000 seeded draws with
p = (b + 1) / (m + 1); a percentile bootstrap with 10,000 draws. Questions of one group are no
independent observations: the test flips a group's signs together and the bootstrap draws groups, so
that n is the number of groups wherever one has several questions. Holm's family is all setups of
one table for one measure. Two setups are told apart when the adjusted p is at most 0.05 and the
interval does not hold 0. Where all groups have the same mean difference, the bootstrap has no
spread and the interval is the score interval of so many equal values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbench.errors import UsageError
from ragbench.statistics import score_interval

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "ALPHA",
    "N_DRAWS",
    "N_EXACT",
    "Paired",
    "bootstrap_interval",
    "compare_paired",
    "holm",
    "sign_flip_p",
    "verdict",
]

ALPHA = 0.05
N_EXACT = 14
"""Most observations for which all 2^n sign patterns are tried."""
N_DRAWS = 10_000
_BLOCK = 1 << 22
"""Numbers held at a time while drawing."""
_TOLERANCE = 1e-12
"""Relative to the largest sum that signs can give: sums in another order differ by as much."""


@dataclass(frozen=True, slots=True)
class Paired:
    """One setup against the baseline, question by question.

    Attributes:
        difference: mean of setup minus baseline, over the questions that both have a value for.
        low: lower end of its 95 % interval.
        high: upper end.
        p: of the sign-flip test, not adjusted.
        n: observations compared.
        observation: what they are.
        n_groups: independent observations among them.
        n_undefined: questions left out, because a value is None.
    """

    difference: float
    low: float
    high: float
    p: float
    n: int
    n_groups: int
    n_undefined: int


def compare_paired(
    baseline: Mapping[str, float | None],
    other: Mapping[str, float | None],
    groups: Mapping[str, str] | None,
    seed: int,
) -> Paired | None:
    """The other setup minus the baseline.

    Args:
        baseline: value by question.
        other: value by question, of the same questions.
        groups: group by question; None means that each is its own.
        seed: of the generators.

    Returns:
        None when no question has both values: there is nothing to compare.

    Raises:
        UsageError: the two do not hold the same questions, or a value is not finite.
    """
    if baseline.keys() != other.keys():
        odd = sorted(baseline.keys() ^ other.keys())
        raise UsageError(
            f"The question {odd[0]!r} has a value in one setup only ({len(odd)} such). Compare "
            "runs over the same question set."
        )
    differences = {
        name: other_value - value
        for name, value in baseline.items()
        if value is not None and (other_value := other[name]) is not None
    }
    if not differences:
        return None
    names = [groups[name] if groups else name for name in differences]
    low, high = bootstrap_interval(list(differences.values()), seed, names, shares=(-1.0, 1.0))
    return Paired(
        difference=math.fsum(differences.values()) / len(differences),
        low=low,
        high=high,
        p=sign_flip_p(list(differences.values()), seed, names),
        n=len(differences),
        n_groups=len(set(names)),
        n_undefined=len(baseline) - len(differences),
    )


def sign_flip_p(
    differences: Sequence[float], seed: int, groups: Sequence[str] | None = None
) -> float:
    """Two-sided p of the mean difference under random signs, in (0, 1].

    Exact for up to 14 groups: the share of the 2^n sign patterns, the observed one among them,
    whose |mean| is at least the observed. Else (b + 1) / (m + 1) with b of m = 10,000 drawn
    patterns. Source: Fisher 1935; Phipson & Smyth 2010 for the + 1.

    Args:
        differences: one per question.
        seed: of the generator.
        groups: of each question; signs of one group flip together.

    Raises:
        UsageError: a difference is not finite, or there is none.

    >>> sign_flip_p([1.0, 2.0, 3.0], seed=0)  # only +++ and --- reach |mean| 2: 2 / 8
    0.25
    """
    import numpy as np

    sums, _ = _by_group(differences, groups)
    n = len(sums)
    observed = abs(math.fsum(sums)) - _TOLERANCE * math.fsum(abs(one) for one in sums)
    values = np.array(sums)
    if n <= N_EXACT:
        bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return float(np.mean(np.abs((1 - 2 * bits) @ values) >= observed))
    generator = np.random.default_rng(seed)
    n_extreme = 0
    for rows in _blocks(n):
        signs = 1 - 2 * generator.integers(0, 2, size=(rows, n), dtype=np.int8)
        n_extreme += int(np.sum(np.abs(signs @ values) >= observed))
    return (n_extreme + 1) / (N_DRAWS + 1)


def bootstrap_interval(
    values: Sequence[float],
    seed: int,
    groups: Sequence[str] | None = None,
    shares: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """95 % percentile interval of the mean, from 10,000 draws of questions or of groups.

    A drawn group brings all its questions; the mean is over questions. Source: Efron 1979.

    Args:
        values: one per question.
        seed: of the generator.
        groups: of each question; None means that each is its own.
        shares: the range of the values, from which an interval is made where no two groups differ;
            None leaves it without width.

    Raises:
        UsageError: a value is not finite, or there is none.

    >>> [round(end, 2) for end in bootstrap_interval([1.0], 0, shares=(0.0, 1.0))]  # 1 / (1 + z^2)
    [0.21, 1.0]
    """
    import numpy as np

    sums, counts = (np.array(column, dtype=float) for column in _by_group(values, groups))
    of_groups = sums / counts
    if shares is not None and np.ptp(of_groups) <= 1e-12:
        low, high = shares
        return score_interval(of_groups.tolist(), lowest=low, highest=high, sizes=counts.tolist())
    generator = np.random.default_rng(seed)
    means: list[np.ndarray] = []
    for rows in _blocks(len(sums)):
        drawn = generator.integers(0, len(sums), size=(rows, len(sums)))
        means.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p of a family of tests, in their order, each in [0, 1].

    The i-th smallest of m is multiplied by m - i + 1, none is smaller than the one before it, none
    above 1. Source: Holm 1979, Scandinavian Journal of Statistics 6(2).

    Raises:
        UsageError: a value is no probability.

    >>> holm([0.01, 0.04, 0.03])  # 0.01 x 3; 0.03 x 2; then 0.04 x 1 is raised to that
    [0.03, 0.06, 0.06]
    """
    for value in p_values:
        if not 0 <= value <= 1:
            raise UsageError(f"The p value {value!r} is not between 0 and 1.")
    adjusted = [0.0] * len(p_values)
    running = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, position in enumerate(order):
        running = max(running, min(1.0, p_values[position] * (len(p_values) - rank)))
        adjusted[position] = running
    return adjusted


def verdict(
    baseline: str,
    other: str,
    metric: str,
    difference: float,
    interval: tuple[float, float],
    p_holm: float,
    n: int,
    observation: str = "question",
    n_groups: int | None = None,
) -> str:
    """The conclusion in one sentence, without a full stop.

    Args:
        baseline: name of the baseline.
        other: name of the setup.
        metric: what the measure is called, of which higher is better.
        difference: other minus baseline, as a share of 1.
        interval: its 95 % interval.
        p_holm: p, adjusted for the family.
        n: observations compared.
        observation: what they are.
        n_groups: independent ones among them; None means all.

    >>> verdict("minilm", "mpnet", "span recall", 0.041, (0.019, 0.062), 0.004, 276)
    'mpnet beats minilm by 4.1 points of span recall, 95 % interval 1.9 to 6.2'
    >>> verdict("bm25", "hybrid", "span recall", 0.01, (-0.02, 0.04), 0.6, 49)
    'bm25 and hybrid cannot be told apart on 49 questions'
    """
    low, high = interval
    if p_holm > ALPHA or low <= 0 <= high:
        few = "" if n_groups in (None, n) else f" ({n_groups} independent)"
        return (
            f"{baseline} and {other} cannot be told apart on {n} {observation}{'s' * (n != 1)}{few}"
        )
    better, worse = (other, baseline) if difference > 0 else (baseline, other)
    if difference < 0:
        low, high = -high, -low
    return (
        f"{better} beats {worse} by {abs(difference) * 100:.1f} points of {metric}, "
        f"95 % interval {low * 100:.1f} to {high * 100:.1f}"
    )


def _by_group(
    values: Sequence[float], groups: Sequence[str] | None
) -> tuple[list[float], list[int]]:
    """Sum and number of the values of each group, by first appearance."""
    if not values:
        raise UsageError("There is no value to compare. Give at least one question.")
    wrong = next((value for value in values if not math.isfinite(value)), None)
    if wrong is not None:
        raise UsageError(f"A value is {wrong!r}; only finite numbers can be compared.")
    gathered: dict[str, list[float]] = {}
    names = [str(i) for i in range(len(values))] if groups is None else groups
    for name, value in zip(names, values, strict=True):
        gathered.setdefault(name, []).append(value)
    return [math.fsum(found) for found in gathered.values()], list(map(len, gathered.values()))


def _blocks(width: int) -> list[int]:
    """How many draws to make at a time."""
    rows = max(1, _BLOCK // width)
    whole, rest = divmod(N_DRAWS, rows)
    return [rows] * whole + ([rest] if rest else [])
