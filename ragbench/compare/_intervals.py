"""Means with intervals of many columns, all from the same draws.

Where all groups have the same mean, draws have no spread, and the interval is the score interval of
as many equal values (Wilson's, for 0 and 1): one question never gives [100, 100].
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ragbench.compare._statistics import N_DRAWS
from ragbench.statistics import Estimate, score_interval

if TYPE_CHECKING:
    import numpy as np

__all__ = ["drawn_means", "intervals", "spreadless"]

_BLOCK = 1 << 22


def intervals(
    columns: Mapping[tuple[str, str], Sequence[float | None]],
    groups: Sequence[str],
    seed: int,
    counts: Collection[str] = (),
) -> dict[tuple[str, str], Estimate]:
    """Mean and 95 % percentile interval of every column, from the same 10,000 draws of groups.

    Args:
        columns: a value per question, None where it is undefined.
        groups: of every question.
        seed: of the generator.
        counts: second names of columns that are no shares of 1; without spread they have no
            interval.
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
        low, high = np.percentile(drawn_means(matrix, kept, seed), [2.5, 97.5], axis=0)
        for number, key in enumerate(keys):
            mean = math.fsum(matrix[:, number]) / n
            bounds: tuple[float | None, float | None] = float(low[number]), float(high[number])
            equal = spreadless(matrix[:, number].tolist(), kept)
            if equal is not None:
                shares = key[1] not in counts
                bounds = score_interval(equal[0], sizes=equal[1]) if shares else (None, None)
            found[key] = Estimate(mean, *bounds, n, len(mask) - n)
    return {key: found[key] for key in columns}


def spreadless(
    values: Sequence[float], groups: Sequence[str]
) -> tuple[list[float], list[int]] | None:
    """Means and sizes of the groups where all means are equal; else None.

    >>> spreadless([1.0, 0.5, 0.75], ["a", "a", "b"])
    ([0.75, 0.75], [2, 1])
    """
    gathered: dict[str, list[float]] = {}
    for group, value in zip(groups, values, strict=True):
        gathered.setdefault(group, []).append(value)
    means = [math.fsum(found) / len(found) for found in gathered.values()]
    if max(means) - min(means) > 1e-12 * max(1.0, *map(abs, means)):
        return None
    return means, [len(found) for found in gathered.values()]


def drawn_means(matrix: np.ndarray, groups: Sequence[str], seed: int) -> np.ndarray:
    """The columns' means in 10,000 draws of groups, the same for all columns: draws x columns.

    Args:
        matrix: questions x columns.
        groups: of every question.
        seed: of the generator.
    """
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
    return means
