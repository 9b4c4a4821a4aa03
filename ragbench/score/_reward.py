"""The reward of a trial: the product over its task's reward basis, and the reasons for a zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ragbench.records import (
    ActionCheck,
    CommunicateCheck,
    Review,
    RewardBasis,
    Score,
    StatementStatus,
    Termination,
)
from ragbench.score._context import TrialContext
from ragbench.score._match import match_actions
from ragbench.score._reports import false_reports
from ragbench.score.statements import Conventions, Reading, Told, judge_statement
from ragbench.toolkit import ToolError, canonical_json

__all__ = ["check_communication", "contested_assertion", "score_trial"]

_UNFINISHED = {
    Termination.MAX_STEPS,
    Termination.MAX_ERRORS,
    Termination.TIMEOUT,
    Termination.CONTEXT_OVERFLOW,
    Termination.AGENT_ERROR,
    Termination.USER_ERROR,
}
"""Ends that are no ends of a conversation: the reward is 0, the components are still shown."""


def score_trial(context: TrialContext, review: Review | None = None) -> Score:
    """Score a trajectory as far as it goes.

    ``reward`` is the product of the components in [0, 1]; 0 after a hard policy violation or when
    the conversation did not end; None when a component could not be judged and no other is 0, and
    for infrastructure failures.

    Args:
        context: the trial.
        review: the judge's, for NL_ASSERTION and contested statements; without it, or where it
            lacks a verdict, that component is not judged, and what is contested is not said.
    """
    actions = match_actions(context)
    communicate = _decided(check_communication(context), review)
    components = {
        basis.value: _component(basis, context, actions, communicate, review)
        for basis in context.task.evaluation_criteria.reward_basis
    }
    hard = tuple(
        f"{violation.rule}: {violation.message}"
        for violation in context.replayed.violations
        if violation.hard
    )
    matched = {check.call_id for check in actions}
    reward, reason = _reward(context, components, hard, communicate)
    return Score(
        reward=reward,
        components=components,
        reason=reason,
        actions=actions,
        communicate=communicate,
        extra_writes=tuple(call for call in context.replayed.changes if call not in matched),
        hard_violations=hard,
        false_reports=false_reports(context),
    )


def check_communication(context: TrialContext) -> tuple[CommunicateCheck, ...]:
    """Per communicate item, whether the agent's messages state it, and the step of the first."""
    statements = context.task.evaluation_criteria.statements
    if not statements:
        return ()
    conventions = Conventions.of(context.domain)
    told = [
        Told(m.step, Reading(m.content, conventions), m.role == "assistant")
        for m in context.trajectory.messages
        if m.role in ("assistant", "user") and m.content
    ]
    checks = []
    for index, statement in enumerate(statements):
        found = judge_statement(told, statement.any_of, conventions)
        checks.append(
            CommunicateCheck(
                index=index,
                info=statement.shown,
                step=found.step,
                status=found.status,
                reason=found.reason,
            )
        )
    return tuple(checks)


def contested_assertion(check: CommunicateCheck) -> str:
    """A contested statement as an assertion that a judge decides."""
    return f"The agent told the customer, as its final answer, that it is {check.info}."


def _decided(
    checks: tuple[CommunicateCheck, ...], review: Review | None
) -> tuple[CommunicateCheck, ...]:
    """The checks, contested ones decided by the judge where it gave a verdict."""
    found = {one.assertion: one for one in review.statements} if review is not None else {}
    decided = []
    for check in checks:
        verdict = found.get(contested_assertion(check))
        if check.status is StatementStatus.CONTESTED and verdict and verdict.met is not None:
            status = StatementStatus.SAID if verdict.met else StatementStatus.CONTESTED
            reason = f"the judge: {verdict.reason}; {check.reason}"
            check = check.model_copy(update={"status": status, "reason": reason})
        decided.append(check)
    return tuple(decided)


def _reward(
    context: TrialContext,
    components: dict[str, float | None],
    hard: tuple[str, ...],
    communicate: Sequence[CommunicateCheck],
) -> tuple[float | None, str]:
    termination = context.trajectory.termination
    if termination is Termination.INFRASTRUCTURE_ERROR:
        return None, "the simulation failed for infrastructure"
    reasons = [f"hard policy violation: {text}" for text in hard]
    if termination in _UNFINISHED:
        reasons.append(f"the conversation did not end ({termination.value})")
    reasons += [f"{name} is 0" for name, value in components.items() if value == 0]
    if components.get(RewardBasis.COMMUNICATE.value) == 0:
        reasons += [
            f"{check.info!r} is contested ({check.reason})"
            for check in communicate
            if check.status is StatementStatus.CONTESTED
        ]
    if reasons:
        return 0.0, "; ".join(reasons)
    unjudged = [name for name, value in components.items() if value is None]
    if unjudged:
        return None, f"not judged: {', '.join(unjudged)}"
    reward = math.prod(value for value in components.values() if value is not None)
    return reward, ""


def _component(
    basis: RewardBasis,
    context: TrialContext,
    actions: Sequence[ActionCheck],
    communicate: Sequence[CommunicateCheck],
    review: Review | None,
) -> float | None:
    judges: dict[RewardBasis, Callable[[], bool | None]] = {
        RewardBasis.DB: lambda: context.replayed.environment.state_hash() == context.gold.end_hash,
        RewardBasis.COMMUNICATE: lambda: all(check.correct for check in communicate),
        RewardBasis.ACTION: lambda: all(check.correct for check in actions),
        RewardBasis.ENV_ASSERTION: lambda: _assertions(context),
        RewardBasis.NL_ASSERTION: lambda: _judged(context, review),
    }
    verdict = judges[basis]()
    return None if verdict is None else float(verdict)


def _judged(context: TrialContext, review: Review | None) -> bool | None:
    """Whether every assertion of the task was found to hold; one that was not decides alone.

    Verdicts belong to an assertion's text: one that the task has got since is not judged.
    """
    found = {one.assertion: one.met for one in review.assertions} if review is not None else {}
    verdicts = [found.get(text) for text in context.task.evaluation_criteria.nl_assertions]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _assertions(context: TrialContext) -> bool:
    """Whether every environment assertion holds: a read tool's answer equals ``assert_value``.

    A tool that refuses to answer does not hold.
    """
    for assertion in context.task.evaluation_criteria.env_assertions:
        try:
            answer = context.replayed.environment.ask(assertion)
        except ToolError:
            return False
        if canonical_json(answer) != canonical_json(assertion.get("assert_value", True)):
            return False
    return True
