"""What the judge found in a run, summed up; what was not judged is counted and in no share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ragbench.judge import groundedness
from ragbench.records import Review
from ragbench.runner._summary import shown
from ragbench.statistics import mean_of_shares

__all__ = ["review_summary"]


def review_summary(reviews: Mapping[tuple[str, int], Review]) -> dict[str, Any]:
    """Assertions, deviations of the customer and groundedness; empty without reviews.

    Args:
        reviews: by task and trial.
    """
    if not reviews:
        return {}
    found = list(reviews.values())
    claims = [claim.supported for review in found for claim in review.claims or ()]
    by_task: dict[str, list[float]] = {}
    for (task_id, _), review in sorted(reviews.items()):
        values = by_task.setdefault(task_id, [])
        if (share := groundedness(review)) is not None:
            values.append(share)
    means = [math.fsum(some) / len(some) if some else None for some in by_task.values()]
    return {
        "judges": sorted({review.judge for review in found}),
        "n_reviewed": len(found),
        "n_failed": sum(review.error is not None for review in found),
        "assertions": _verdicts(one.met for review in found for one in review.assertions),
        "deviations": _verdicts(
            review.deviation.deviated for review in found if review.deviation is not None
        ),
        "claims": _verdicts(claims),
        "groundedness": shown(mean_of_shares(means)),
    }


def _verdicts(given: Iterable[bool | None]) -> dict[str, int]:
    verdicts = list(given)
    return {
        "true": sum(verdict is True for verdict in verdicts),
        "false": sum(verdict is False for verdict in verdicts),
        "not_judged": sum(verdict is None for verdict in verdicts),
    }
