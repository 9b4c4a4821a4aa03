"""Is the second run shown not to be worse than the first by more than a margin?

That two runs cannot be told apart shows nothing about the new one: with few tasks that is true of
almost any two. Here the burden is the other way round: the gate is closed until the whole 95 %
interval of the difference lies above minus the margin. A run that is worse by just the margin then
passes at most 5 % of the time (2.5 % by the interval, the rest is room for few tasks); by
simulation at most 3 %, see bench/measure_statistics.py. Of several setups each must be shown, which
needs no correction: the gate opens by error only if every one of them errs.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.compare._diff import Diff
from ragbench.errors import UsageError

__all__ = ["NonInferior", "non_inferiority"]


@dataclass(frozen=True, slots=True)
class NonInferior:
    """What is shown of one setup or evaluation.

    Attributes:
        name: of the setup.
        margin: by which it may be worse, as a share of 1.
        low: lower end of the 95 % interval of second minus first, where higher is better; None when
            nothing could be compared.
    """

    name: str
    margin: float
    low: float | None

    @property
    def is_shown(self) -> bool:
        """Whether the interval excludes that it is worse by the margin or more."""
        return self.low is not None and self.low > -self.margin

    def __str__(self) -> str:
        points = f"{100 * self.margin:g} points"
        if self.low is None:
            return f"{self.name}: not shown to be within {points}: nothing could be compared"
        if self.is_shown:
            worst = max(0.0, -100 * self.low)
            return f"{self.name}: shown to be within {points}: at most {worst:.1f} points worse"
        return (
            f"{self.name}: not shown to be within {points}: it may be {-100 * self.low:.1f} points "
            "worse"
        )


def non_inferiority(diff: Diff, margin: float) -> tuple[NonInferior, ...]:
    """For each difference whether the second run is shown to be within the margin.

    Args:
        diff: of two runs.
        margin: by which the second may be worse, as a share of 1.

    Raises:
        UsageError: the margin is not above 0 and below 1.
    """
    if not 0 < margin < 1:
        raise UsageError(
            f"A margin of {100 * margin:g} points is none. Give percentage points above 0 and "
            "below 100, such as --non-inferior 5."
        )
    return tuple(
        NonInferior(one.name, margin, None if one.paired is None else one.paired.low)
        for one in diff.differences
    )
