"""Means with intervals of many columns, all from the same draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragbench.compare._statistics import N_DRAWS
from ragbench.statistics import Estimate

if TYPE_CHECKING:
    import numpy as np

__all__ = ["intervals"]

_BLOCK = 1 << 22


def intervals(
    columns: Mapping[tuple[str, str], Sequence[float | None]], groups: Sequence[str], seed: int
) -> dict[tuple[str, str], Estimate]:
    """Mean and 95 % percentile interval of every column, from the same 10,000 draws of groups.

    Args:
        columns: a value per question, None where it is undefined.
        groups: of every question.
        seed: of the generator.
    """
    import numpy as np

    by_mask: dict[tuple[bool, ...], list[tuple[str, str]]] = {}
    for key, values in columns.items():
        by_mask.setdefault(tuple(value is not None for value in values), []).append(key)
    found: dict[tuple[str, str], Estimate] = {}
    for mask, keys in by_mask.items():
        n = sum(mask)
        if n == 0:
            found |= {key: Estimate(None, None, None, 0, len(mask)) for key in keys}
            continue
        matrix = np.array(
            [[value for value in columns[key] if value is not None] for key in keys], dtype=float
        ).T
        kept = [group for group, defined in zip(groups, mask, strict=True) if defined]
        low, high = _percentiles(matrix, kept, seed)
        for number, key in enumerate(keys):
            mean = math.fsum(matrix[:, number]) / n
            bounds = float(low[number]), float(high[number])
            found[key] = Estimate(mean, *bounds, n, len(mask) - n)
    return {key: found[key] for key in columns}


def _percentiles(
    matrix: np.ndarray, groups: Sequence[str], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    numbers = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    of_row = np.array([numbers[name] for name in groups])
    sums = np.zeros((len(numbers), matrix.shape[1]))
    np.add.at(sums, of_row, matrix)
    counts = np.bincount(of_row, minlength=len(numbers)).astype(float)
    generator = np.random.default_rng(seed)
    means = np.empty((N_DRAWS, matrix.shape[1]))
    size = len(numbers)
    step = max(1, _BLOCK // size)
    for at in range(0, N_DRAWS, step):
        rows = min(step, N_DRAWS - at)
        drawn = generator.integers(0, size, size=(rows, size))
        drawn += np.arange(rows)[:, None] * size
        times = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        means[at : at + rows] = (times @ sums) / (times @ counts)[:, None]
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    return low, high
