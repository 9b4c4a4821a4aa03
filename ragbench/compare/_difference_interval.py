"""The interval of a mean paired difference, right for few tasks and for rare differences."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ragbench.statistics import score_interval

__all__ = ["difference_interval"]


def difference_interval(
    differences: Mapping[str, float], groups: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """95 % score interval of the mean of differences of shares, each from -1 to 1.

    For differences of 0/1 outcomes it is Tango's. The groups are the independent units; each counts
    in the mean by the number of its questions.

    Args:
        differences: by question or task.
        groups: group by question or task; None means that each is its own.

    >>> [round(end, 3) for end in difference_interval({"a": 0.0, "b": 0.0, "c": 0.0})]
    [-0.561, 0.561]
    """
    gathered: dict[str, list[float]] = {}
    for name, value in differences.items():
        gathered.setdefault(groups[name] if groups else name, []).append(value)
    sizes = [len(found) for found in gathered.values()]
    means = [math.fsum(found) / len(found) for found in gathered.values()]
    return score_interval(means, lowest=-1.0, sizes=sizes)
