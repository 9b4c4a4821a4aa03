"""One label per trajectory, and for a failed trial one thing to blame.

Both lists are exhaustive and exclusive; the first that holds is taken.
"""

from __future__ import annotations

from ragbench.records import (
    Diagnosis,
    NeedDiagnosis,
    NeedStatus,
    RewardBasis,
    Score,
    Termination,
    Trajectory,
)
from ragbench.score import TrialContext, unrecorded_searches

__all__ = [
    "ATTRIBUTIONS",
    "BROKEN_OFF",
    "LABELS",
    "NOT_OBSERVED",
    "attribute_failure",
    "label_of",
]

LABELS = {
    "no_retrieval_needed": "nothing had to be looked up, and nothing was",
    "unneeded_retrieval": "nothing had to be looked up, but the agent searched",
    "efficient": "all evidence came in time, without a wasted call or a flood of text",
    "excess_retrieval": "all evidence came in time, with searches after sufficiency, repeated "
    "ones, or floods of text",
    "evidence_unused": "all evidence came in time, and the trial failed all the same",
    "not_observed": "what the agent's searches brought is not known",
    "not_offered": "evidence was missing and the setup gave no search tool",
    "missed_retrieval": "evidence was missing and the agent never searched",
    "evidence_missed": "the agent searched and no evidence came",
    "evidence_partial": "the agent searched and part of the evidence never came",
    "evidence_late": "all evidence came, part of it after it was needed",
}
"""Every label with its meaning."""

NOT_OBSERVED = "not_observed"

BROKEN_OFF = (
    Termination.AGENT_ERROR,
    Termination.TIMEOUT,
    Termination.CONTEXT_OVERFLOW,
    Termination.USER_ERROR,
)
"""Ends by a crash, a limit or the simulated user: no advice on searching follows from such a trial.

Its label and causes say how far it had come.
"""

_AS_THEMSELVES = {
    Termination.AGENT_ERROR: "agent_error",
    Termination.TIMEOUT: "timeout",
    Termination.CONTEXT_OVERFLOW: "context_overflow",
}

ATTRIBUTIONS = {
    "infrastructure": "the simulation failed for infrastructure",
    "agent_error": "the agent gave no reply that can be read, raised, or its process ended",
    "timeout": "the simulation took longer than it may",
    "context_overflow": "the conversation no longer fitted into a model's context window",
    "user_simulator": "the simulated user gave no valid reply, or left its script undelivered",
    "retrieval": "something missing or wrong had a need that was not met",
    "policy_violation": "a hard policy rule was broken",
    "wrong_arguments": "a gold action was attempted with other arguments",
    "missing_action": "a gold action was not attempted",
    "extra_write": "a call changed the database that no gold action calls for",
    "communication": "something the customer had to be told was not said",
    "max_steps": "the steps ran out",
    "other": "none of these",
}
"""Every attribution with its meaning, in order of precedence."""


def label_of(context: TrialContext, found: Diagnosis, success: bool | None) -> str | None:
    """The retrieval label; ``found`` carries needs, items, calls and shares already.

    None for a simulation that failed for infrastructure: it says nothing about its agent.
    """
    trajectory = context.trajectory
    if trajectory.termination is Termination.INFRASTRUCTURE_ERROR:
        return None
    if not context.task.needs:
        searched = found.n_calls or unrecorded_searches(context.domain, trajectory)
        return "unneeded_retrieval" if searched else "no_retrieval_needed"
    if all(need.status is NeedStatus.MET for need in found.needs):
        if success is False:
            return "evidence_unused"
        return "excess_retrieval" if found.over_search_rate or found.is_flooded else "efficient"
    if not context.searches_seen:
        return NOT_OBSERVED
    if not trajectory.offered:
        return "not_offered"
    if not found.n_calls:
        return "missed_retrieval"
    covered = [item.covered_at is not None for item in found.items]
    if not any(covered) and not found.n_useful:
        return "evidence_missed"
    return "evidence_late" if all(covered) else "evidence_partial"


def attribute_failure(
    context: TrialContext, score: Score, needs: tuple[NeedDiagnosis, ...]
) -> str | None:
    """What to blame for a failed trial, None for one that did not fail.

    Communicate items count when COMMUNICATE is in the basis. Actions count as wrong or missing when
    the reward looks at them: all when ACTION is in the basis, else those whose tool writes. For
    ``retrieval`` every gold action counts: a write that was never made may have failed at the
    unlocking before it, for which the evidence was missing.
    """
    termination = context.trajectory.termination
    if termination is Termination.INFRASTRUCTURE_ERROR:
        return "infrastructure"
    if score.success is not False:
        return None
    if termination in _AS_THEMSELVES:
        return _AS_THEMSELVES[termination]
    if _users_fault(context.trajectory):
        return "user_simulator"
    wrong, missing, unsaid = _shortfalls(context, score)
    unmet = {need.need_id for need in needs if need.status is not NeedStatus.MET}
    consumers = [*(check.action_id for check in score.actions if not check.correct), *unsaid]
    blamed = any(need.id in unmet for c in consumers for need in context.task.needs_of(c))
    holds = {
        "retrieval": blamed and context.searches_seen,
        "policy_violation": bool(score.hard_violations),
        "wrong_arguments": bool(wrong),
        "missing_action": bool(missing),
        "extra_write": bool(score.extra_writes),
        "communication": bool(unsaid),
        "max_steps": termination is Termination.MAX_STEPS,
    }
    return next((name for name, true in holds.items() if true), "other")


def _users_fault(trajectory: Trajectory) -> bool:
    """Whether the simulated user gave no valid reply, or stopped before its script was told."""
    undelivered = trajectory.script_delivered is False
    return trajectory.termination is Termination.USER_ERROR or (
        trajectory.termination is Termination.USER_STOP and undelivered
    )


def _shortfalls(context: TrialContext, score: Score) -> tuple[list[str], list[str], list[str]]:
    """Consumers that went wrong: attempted wrongly, not attempted, not said."""
    basis = context.task.evaluation_criteria.reward_basis
    counted = [
        check
        for check in score.actions
        if RewardBasis.ACTION in basis or _writes(context, check.name)
    ]
    wrong = [c.action_id for c in counted if c.call_id is not None and not c.correct]
    missing = [c.action_id for c in counted if c.call_id is None]
    unsaid = [f"communicate:{c.index}" for c in score.communicate if not c.correct]
    return wrong, missing, unsaid if RewardBasis.COMMUNICATE in basis else []


def _writes(context: TrialContext, name: str) -> bool:
    tool = context.domain.tools.get(name)
    return tool is not None and tool.kind == "write"
