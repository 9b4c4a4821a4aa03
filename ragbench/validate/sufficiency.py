"""Sufficiency: everything that the agent has to write or say can be known."""

from __future__ import annotations

from collections.abc import Iterator

from ragbench.validate._origins import Origin
from ragbench.validate._rule import Flaw, Severity, task_rule
from ragbench.validate._values import states
from ragbench.validate._view import TaskView
from ragbench.validate.replay import is_wording

__all__: list[str] = []


@task_rule(
    "sufficiency.argument",
    Severity.ERROR,
    means="Every compared gold argument stands in what the user says, in an earlier result, in the "
    "evidence of the action's needs or in the policy, or its derivation is declared.",
    remedy="Add the evidence, let the need be needed by the action, or declare under derivations "
    "how the value follows.",
    needs=("native", "located", "gold", "script"),
)
def argument(view: TaskView) -> Iterator[Flaw]:
    """Gold arguments that the agent could only guess."""
    for origin in view.origins.values():
        name = origin.target.name
        if not name.startswith("communicate:") and _is_guess(origin):
            shown = f"{name} = {origin.target.raw!r}"
            yield Flaw(f"{shown} can be known from nowhere{_hint(view, origin)}")


@task_rule(
    "sufficiency.statement",
    Severity.ERROR,
    means="Every value that the agent has to tell stands in a result, in the evidence of the "
    "statement's needs, or its derivation is declared.",
    remedy="Add the evidence, let the need be needed by the statement, or declare under "
    "derivations how the value follows.",
    needs=("native", "located", "gold", "script"),
)
def statement(view: TaskView) -> Iterator[Flaw]:
    """Statements that the agent could only guess."""
    for origin in view.origins.values():
        name = origin.target.name
        if name.startswith("communicate:") and _is_guess(origin):
            shown = f"{name} = {origin.target.raw!r}"
            yield Flaw(f"{shown} can be known from nowhere{_hint(view, origin)}")


@task_rule(
    "sufficiency.derivation",
    Severity.ERROR,
    means="What a task declares about a value holds: it stands where it is said to come from, and "
    "a formula is made of numbers that are stated and gives the gold value.",
    remedy="Correct the derivation or the gold value, whichever is wrong.",
    needs=("native", "located", "gold", "script"),
)
def derivation(view: TaskView) -> Iterator[Flaw]:
    """Declared derivations that do not hold."""
    for origin in view.origins.values():
        if origin.declared is not None and origin.problem:
            yield Flaw(f"{origin.target.name}: {origin.problem}")


def _is_guess(origin: Origin) -> bool:
    known = origin.declared is not None or origin.is_known
    return not known and not is_wording(origin.target.raw, known)


def _hint(view: TaskView, origin: Origin) -> str:
    """Where the value would stand if a need were needed by this consumer too."""
    for need in view.task.needs:
        if origin.target.consumer in need.needed_by:
            continue
        facts = view.evidence_facts_of(need.id)
        if all(states(facts, value) for value in origin.target.values):
            return f"; the need {need.id!r} has it, and is not needed by {origin.target.consumer}"
    return ""
