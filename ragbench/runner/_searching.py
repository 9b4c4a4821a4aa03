"""Whether the agent searched too little, too much, or well, and how much of it was avoidable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ragbench.diagnose import AGENTS_OWN, BROKEN_OFF
from ragbench.records import Termination, TrialScore

__all__ = ["WELL", "broke_off", "searching", "stopped_short"]

WELL = 0.05
"""Up to this avoidable share of the items, or of the delivered tokens, an agent searched well."""

_SHORT = (Termination.AGENT_ERROR, Termination.TIMEOUT, Termination.CONTEXT_OVERFLOW)


def broke_off(score: TrialScore) -> bool:
    """Whether a crash, a limit or the simulated user ended the trial: no advice follows from it."""
    return score.termination in BROKEN_OFF


def stopped_short(scores: Sequence[TrialScore]) -> bool:
    """Whether every trial ended by an error of the agent, the clock, or a full context."""
    return bool(scores) and all(score.termination in _SHORT for score in scores)


def searching(scores: Sequence[TrialScore]) -> dict[str, Any]:
    """The verdict over all trials, with the counts that it rests on.

    ``too_little``: more than `WELL` of the items had not come in time for a cause that is the
    agent's own. ``too_much``: more than `WELL` of the delivered tokens came by searches after
    sufficiency, repeated ones, or floods. ``verdict`` is None when no trial says anything: all
    broke off, none can be seen, or nothing was needed and nothing delivered.
    """
    judged = [score for score in scores if not broke_off(score) and score.diagnosis.label]
    seen = [score for score in judged if score.diagnosis.label != "not_observed"]
    items = [item for score in seen for item in score.diagnosis.items]
    missed = [item for item in items if not item.in_time]
    own = Counter(item.cause for item in missed if item.cause in AGENTS_OWN)
    n_tokens = sum(score.diagnosis.retrieved_tokens for score in seen)
    n_avoidable = sum(score.diagnosis.avoidable_tokens for score in seen)
    too_little = bool(items) and own.total() / len(items) > WELL
    too_much = bool(n_tokens) and n_avoidable / n_tokens > WELL
    names = {(True, True): "too little and too much", (True, False): "too little",
             (False, True): "too much", (False, False): "well"}  # fmt: skip
    return {
        "verdict": names[too_little, too_much] if items or n_tokens else None,
        "n_trials": len(seen),
        "n_broken_off": sum(map(broke_off, scores)),
        "n_not_observed": len(judged) - len(seen),
        "n_items": len(items),
        "n_items_missed": len(missed),
        "n_items_avoidable": own.total(),
        "causes_avoidable": {name: own[name] for name in AGENTS_OWN if own[name]},
        "tokens": n_tokens,
        "tokens_avoidable": n_avoidable,
    }
