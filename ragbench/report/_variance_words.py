"""Where the noise of a run's figures comes from, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragbench.report._numbers import percent

__all__ = ["variance_lines"]


def variance_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """One sentence: how much of the noise of the mean reward lies between tasks, and what helps.

    Nothing where trials are equal by construction, where there is one task, or no noise to divide.
    """
    found = summary.get("variance")
    if found is None or found["standard_error"] is None or summary["deterministic"]:
        return
    error = f"Noise (standard error {100 * found['standard_error']:.1f} points)"
    within = found["share_within"]
    if within is not None:
        yield f"{error}: {_parts(within)}"
    elif found["within_tasks"] is None:
        yield (
            f"{error}: one trial per task cannot tell the choice of tasks from chance within "
            "them; --num-trials 2 or more can."
        )


def _parts(within: float) -> str:
    most = "more trials help" if within > 0.5 else "more tasks help, more trials hardly do"
    if 0.2 <= within <= 0.5:
        most = "more tasks help most, more trials a little"
    return (
        f"{percent(1 - within)} of its variance lies between tasks, {percent(within)} is chance "
        f"within them, so {most}."
    )
