"""A judge's rate, corrected for the judge's errors, with the uncertainty of both.

A judge that calls 10 % of the wrong things right reports a rate that is too high; hand-labelled
items say by how much. Items of one task resemble each other, so that every rate counts as one of
fewer items than there are: as many as would give it the variance that the tasks show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbench.statistics._bounded import Z95, score_interval

__all__ = ["Corrected", "Rate", "corrected_rate", "rate_of"]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of items that belong to tasks.

    Attributes:
        share: in [0, 1].
        n: items.
        n_effective: independent items that would be as sure, at most n.
        low: lower end of the 95 % score interval over tasks.
        high: its upper end.
    """

    share: float
    n: int
    n_effective: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Corrected:
    """What is true of how many items, by a judge with known errors.

    Attributes:
        share: in [0, 1]; None with the reason.
        low: lower end of the 95 % interval.
        high: its upper end.
        reason: why it is undefined, or why its interval says nothing.
    """

    share: float | None
    low: float | None
    high: float | None
    reason: str = ""


def rate_of(verdicts: Mapping[str, Sequence[bool]]) -> Rate | None:
    """The share of true verdicts, with its effective number of items; None without any.

    n_effective = p (1 - p) / variance of p, from the linearised spread of the tasks (Kish 1965);
    where no task differs from p there is nothing to estimate it from, and it is the number of
    tasks, each by its weight.

    Args:
        verdicts: by task.

    >>> rate_of({"a": [True, True], "b": [False, False]}).n_effective  # worth 1: two tasks, T - 1
    1.0
    """
    found = [list(values) for values in verdicts.values() if values]
    if not found:
        return None
    sizes = [len(values) for values in found]
    n, n_tasks = sum(sizes), len(found)
    share = sum(map(sum, found)) / n
    squares = math.fsum((sum(v) - share * len(v)) ** 2 for v in found)
    n_effective = n**2 / math.fsum(size**2 for size in sizes)
    if n_tasks > 1 and squares > 0:
        n_effective = min(n, share * (1 - share) * n**2 / (squares * n_tasks / (n_tasks - 1)))
    means = [sum(values) / len(values) for values in found]
    low, high = score_interval(means, sizes=sizes)
    return Rate(share, n, n_effective, low, high)


def corrected_rate(apparent: Rate, sensitivity: Rate | None, specificity: Rate | None) -> Corrected:
    """The true share: (p + specificity - 1) / (sensitivity + specificity - 1), cut to [0, 1].

    Source: Rogan & Gladen 1978, American Journal of Epidemiology 107; the interval is that of Lang
    & Reiczigel 2014, Preventive Veterinary Medicine 113, which carries the uncertainty of all three
    rates, with effective numbers of items. It is 0 to 1 where the labels cannot exclude that the
    judge does no better than chance: then every share is possible.

    Args:
        apparent: share of the judge's verdicts that are true.
        sensitivity: share of true verdicts among what a person called true; None without such.
        specificity: share of false verdicts among what a person called false; None without such.
    """
    if sensitivity is None or specificity is None:
        kind = "true" if sensitivity is None else "false"
        return Corrected(None, None, None, f"no labelled item is {kind}")
    better = sensitivity.share + specificity.share - 1
    if better <= 0:
        return Corrected(
            None, None, None, "sensitivity + specificity is not above 1: the judge does no better "
            "than chance on the labelled items",
        )  # fmt: skip
    share = min(1.0, max(0.0, (apparent.share + specificity.share - 1) / better))
    bounds = _bounds(apparent, sensitivity, specificity)
    if bounds is None:
        return Corrected(
            share, 0.0, 1.0, "the labels cannot exclude that the judge does no better than chance"
        )
    return Corrected(share, min(bounds[0], share), max(bounds[1], share))


def _bounds(apparent: Rate, sensitivity: Rate, specificity: Rate) -> tuple[float, float] | None:
    """Lang and Reiczigel's interval; None where sensitivity + specificity may be 1 or less."""
    p, n = _smoothed(apparent, Z95**2)
    true, n_true = _smoothed(sensitivity, 2)
    false, n_false = _smoothed(specificity, 2)
    better = true + false - 1
    noise_true, noise_false = true * (1 - true) / n_true, false * (1 - false) / n_false
    if better <= Z95 * math.sqrt(noise_true + noise_false):
        return None
    share = (p + false - 1) / better
    shift = 2 * Z95**2 * (share * noise_true - (1 - share) * noise_false)
    variance = p * (1 - p) / n + share**2 * noise_true + (1 - share) ** 2 * noise_false
    half = Z95 * math.sqrt(variance) / better
    return min(1.0, max(0.0, share + shift - half)), min(1.0, max(0.0, share + shift + half))


def _smoothed(rate: Rate, more: float) -> tuple[float, float]:
    """The rate with so many items more, half of them true, and the number of items."""
    n = rate.n_effective + more
    return (rate.share * rate.n_effective + more / 2) / n, n
