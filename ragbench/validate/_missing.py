"""What a rule may need of a task before it can say anything, and why it is not there.

A rule that cannot be checked is told with its reason; it is never skipped in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ragbench.records import RewardBasis

if TYPE_CHECKING:
    from ragbench.validate._view import TaskView

__all__ = ["FOREIGN", "MISSING"]

FOREIGN = "these are foreign tasks: there are no tools, no database and no policy to look into"


def _not_native(view: TaskView) -> str | None:
    if view.subject.domain is None:
        return FOREIGN
    return None


def _no_documents(view: TaskView) -> str | None:
    return None if view.subject.documents else "there are no documents"


def _no_script(view: TaskView) -> str | None:
    return None if view.task.user_scenario.script else "the task has no script"


def _no_questions(view: TaskView) -> str | None:
    without = [need.id for need in view.task.needs if need.question is None]
    return f"the need {without[0]!r} has no question" if without else None


def _no_spans(view: TaskView) -> str | None:
    passages = [p for need in view.task.needs for item in need.evidence for p in item.any_of]
    if any(passage.quote is None and passage.start is None for passage in passages):
        return "the evidence names whole documents and no passages"
    return None


def _not_located(view: TaskView) -> str | None:
    return "its evidence was not found (see form)" if view.located[1] else None


def _no_gold(view: TaskView) -> str | None:
    if reason := _not_native(view):
        return reason
    return None if view.gold[0] is not None else "its gold actions do not replay (see replay)"


def _not_solved(view: TaskView) -> str | None:
    if "replay" in view.flawed:
        return "its gold actions do not earn the reward (see replay)"
    return None


def _not_judged(view: TaskView) -> str | None:
    if RewardBasis.NL_ASSERTION in view.task.evaluation_criteria.reward_basis:
        return "a model judges it (NL_ASSERTION), and none is asked here"
    return None


def _not_graded(view: TaskView) -> str | None:
    basis = set(view.task.evaluation_criteria.reward_basis)
    if reason := _not_judged(view):
        return reason
    if not basis & {RewardBasis.DB, RewardBasis.ACTION, RewardBasis.ENV_ASSERTION}:
        return "its reward does not look at actions"
    return None


MISSING: Mapping[str, Callable[[TaskView], str | None]] = {
    "native": _not_native,
    "documents": _no_documents,
    "script": _no_script,
    "questions": _no_questions,
    "spans": _no_spans,
    "located": _not_located,
    "gold": _no_gold,
    "solved": _not_solved,
    "judged": _not_judged,
    "graded": _not_graded,
}
"""By the name of what a rule needs: why it is not there, None when it is."""
