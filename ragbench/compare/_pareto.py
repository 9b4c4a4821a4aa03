"""Which setups nothing beats on all sides, and whether two columns rank setups alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragbench.errors import UsageError

__all__ = ["Cost", "RankCorrelation", "pareto_front", "rank_correlation"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a setup finds and what it costs; None is undefined.

    Attributes:
        recall: higher is better.
        tokens: context tokens per question; lower is better.
        latency_ms: of a query; lower is better.
    """

    recall: float | None
    tokens: float | None
    latency_ms: float | None


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """How alike two columns rank the same n setups, in [-1, 1]; None when it is undefined."""

    kendall: float | None
    spearman: float | None
    n: int


Told = Callable[[str, str, str], bool]
"""Whether two setups differ beyond their noise on ``recall``, ``tokens`` or ``latency_ms``."""
_SIDES = ("recall", "tokens", "latency_ms")


def pareto_front(setups: Mapping[str, Cost], is_told: Told | None = None) -> list[str]:
    """The setups that no other beats: as good on every side, and better on one. In their order.

    Equal setups stand or fall together. A setup with an undefined side can neither beat nor stand.

    Args:
        setups: figures by name.
        is_told: better on one side is who also differs there beyond the noise: a difference inside
            its interval beats nobody. None lets every difference count.

    Raises:
        UsageError: a side is not finite.

    >>> pareto_front({"a": Cost(0.9, 500, 4.0), "b": Cost(0.8, 600, 4.0), "c": Cost(0.7, 100, 9)})
    ['a', 'c']
    """
    points = {}
    for name, cost in setups.items():
        sides = (cost.recall, cost.tokens, cost.latency_ms)
        wrong = next((side for side in sides if side is not None and not math.isfinite(side)), None)
        if wrong is not None:
            raise UsageError(f"The setup {name!r} has the figure {wrong!r}, which is not finite.")
        if cost.recall is not None and cost.tokens is not None and cost.latency_ms is not None:
            points[name] = (-cost.recall, cost.tokens, cost.latency_ms)
    return [
        name
        for name in points
        if not any(_beats(points, other, name, is_told) for other in points if other != name)
    ]


def rank_correlation(
    left: Sequence[float | None], right: Sequence[float | None]
) -> RankCorrelation:
    """Kendall's tau-b and Spearman's rho over the setups for which both are defined.

    Undefined (None, not 0) for fewer than two setups, or where a column has one value only.

    Raises:
        ValueError: the columns have different lengths.

    >>> round(rank_correlation([0.1, 0.2, 0.3], [0.5, 0.7, 0.6]).kendall, 9)  # (2 - 1) / 3 pairs
    0.333333333
    """
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    if len({a for a, _ in pairs}) < 2 or len({b for _, b in pairs}) < 2:
        return RankCorrelation(None, None, len(pairs))
    from scipy import stats

    a, b = zip(*pairs, strict=True)
    kendall, spearman = stats.kendalltau(a, b).statistic, stats.spearmanr(a, b).statistic
    return RankCorrelation(float(kendall), float(spearman), len(pairs))


def _beats(
    points: Mapping[str, tuple[float, ...]], one: str, other: str, is_told: Told | None
) -> bool:
    sides = list(zip(_SIDES, points[one], points[other], strict=True))
    if any(a > b for _, a, b in sides):
        return False
    better = [side for side, a, b in sides if a < b]
    return any(is_told is None or is_told(side, one, other) for side in better)
