"""Mutation of the grader: wrong variants of the gold actions fail, right ones pass.

Every variant is played in the real environment and scored by the real scorer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragbench.toolkit import RESERVED_TOOLS
from ragbench.validate._mutants import Step, perturbed, respelled
from ragbench.validate._rule import Flaw, Need, Severity, task_rule
from ragbench.validate._view import TaskView

__all__: list[str] = []

_NEEDS: tuple[Need, ...] = ("gold", "located", "graded", "solved")


@task_rule(
    "mutation.idle",
    Severity.WARNING,
    means="Every gold write is needed: without it the database ends otherwise. Reads are left "
    "alone, since they are how an agent learns.",
    remedy="Take the action out, or correct it so that it does what the task is about.",
    needs=_NEEDS,
)
def idle(view: TaskView) -> Iterator[Flaw]:
    """Gold writes whose removal changes nothing."""
    for number in view.writes:
        without = view.without(number)
        if without.passed and without.end_hash == view.replayed.end_hash:
            yield Flaw(f"without {_shown(view, number)} everything ends as with it")


@task_rule(
    "mutation.drop",
    Severity.ERROR,
    means="A trial that leaves out a gold write fails.",
    remedy="Add DB to reward_basis, or mark no field as FreeText that the write is about.",
    needs=_NEEDS,
)
def drop(view: TaskView) -> Iterator[Flaw]:
    """Gold writes that change the database and are not missed by the scorer."""
    for number in view.writes:
        without = view.without(number)
        if without.passed and without.end_hash != view.replayed.end_hash:
            yield Flaw(f"a trial without {_shown(view, number)} has reward 1")


@task_rule(
    "mutation.statement",
    Severity.ERROR,
    means="A trial that leaves out a statement fails.",
    remedy="Word the statements so that none is contained in another, and add COMMUNICATE to "
    "reward_basis.",
    needs=("gold", "located", "judged", "solved"),
)
def statement(view: TaskView) -> Iterator[Flaw]:
    """Statements that need not be made."""
    infos = tuple(one.shown for one in view.task.evaluation_criteria.statements)
    for index, info in enumerate(infos):
        if view.play(view.steps, infos[:index] + infos[index + 1 :]).passed:
            yield Flaw(f"a trial that does not say {info!r} (communicate:{index}) has reward 1")


@task_rule(
    "mutation.argument",
    Severity.ERROR,
    means="A trial with another value of a compared argument fails.",
    remedy="Let the tool store the argument, or refuse a wrong one; or leave it out of "
    "compare_args when any value is right.",
    needs=_NEEDS,
)
def argument(view: TaskView) -> Iterator[Flaw]:
    """Compared arguments of which any value passes."""
    for number in view.compared:
        action, step = view.actions[number], view.steps[number]
        if number in view.unmissed:
            continue  # told already
        for name in view.played.compared[action.action_id]:
            tool = view.domain.tools.get(action.name)
            other = perturbed(step.arguments[name], name, tool)
            if other == step.arguments[name]:
                continue
            changed = replace(step, arguments={**step.arguments, name: other})
            if view.play(_with(view.steps, number, changed)).passed:
                yield Flaw(
                    f"a trial whose {action.action_id} has {name} = {other!r} instead of "
                    f"{step.arguments[name]!r} has reward 1"
                )


@task_rule(
    "mutation.duplicate",
    Severity.ERROR,
    means="A gold write that is done twice fails the trial, unless the tool is declared "
    "idempotent or refuses the second call; an idempotent one does not.",
    remedy="Declare the tool idempotent when a second call changes nothing; if it should change "
    "nothing and does, correct the tool.",
    needs=_NEEDS,
)
def duplicate(view: TaskView) -> Iterator[Flaw]:
    """Second calls whose effect is not what the tool declares."""
    for number in view.writes:
        action = view.actions[number]
        tool = view.domain.tools.get(action.name)
        if tool is None or number in view.unmissed:
            continue
        twice = view.play((*view.steps[: number + 1], *view.steps[number:]))
        if number + 1 in twice.failed:
            continue
        if tool.idempotent and not twice.passed:
            yield Flaw(f"{action.name} is declared idempotent, and a second call fails the trial")
        if not tool.idempotent and twice.passed:
            yield Flaw(f"a trial that does {_shown(view, number)} twice has reward 1")


@task_rule(
    "mutation.swap",
    Severity.ERROR,
    means="A trial with two neighbouring gold actions in the other order fails exactly when the "
    "database then ends otherwise.",
    remedy="Add DB to reward_basis when the order matters.",
    needs=_NEEDS,
)
def swap(view: TaskView) -> Iterator[Flaw]:
    """Orders that matter and are not graded, or do not matter and are."""
    writes = set(view.writes)
    for number in range(len(view.steps) - 1):
        if not writes & {number, number + 1} or view.unmissed & {number, number + 1}:
            continue
        first, second = view.steps[number], view.steps[number + 1]
        swapped = view.play((*view.steps[:number], second, first, *view.steps[number + 2 :]))
        if swapped.score.hard_violations or swapped.failed:
            continue  # the policy or a tool forbids this order
        differs = swapped.end_hash != view.replayed.end_hash
        if differs == swapped.passed:
            what = "changes the end state and passes" if differs else "changes nothing and fails"
            ids = f"{view.actions[number].action_id} and {view.actions[number + 1].action_id}"
            yield Flaw(f"{ids} in the other order {what}")


@task_rule(
    "mutation.harmless",
    Severity.ERROR,
    means="Harmless differences do not fail a trial: reads beside the gold actions, 25 for 25.0, "
    "arguments in another order, other wording of free text.",
    remedy="Let the tool's parameter have the type that it means (a number, not a text), store "
    "free text in fields marked FreeText, and let reads write nothing.",
    needs=("gold", "located", "judged", "solved"),
)
def harmless(view: TaskView) -> Iterator[Flaw]:
    """Differences that should not matter and do; told one by one when all together fail."""
    variants = {
        "numbers spelled otherwise (25 for 25.0) and arguments in another order": _respelled(view),
        "other wording of free text": _reworded(view),
        "every read done a second time": _read_again(view),
    }
    if view.play(_read_again(view, _respelled(view, _reworded(view)))).passed:
        return
    for what, steps in variants.items():
        if not view.play(steps).passed:
            yield Flaw(f"a trial with {what} fails")


def _respelled(view: TaskView, steps: tuple[Step, ...] | None = None) -> tuple[Step, ...]:
    return tuple(
        replace(step, arguments=respelled(dict(step.arguments))) for step in steps or view.steps
    )


def _reworded(view: TaskView) -> tuple[Step, ...]:
    changed = []
    for step in view.steps:
        tool = view.domain.tools.get(step.name)
        free = tool.free_text & set(step.arguments) if tool is not None else ()
        changed.append(
            replace(step, arguments={**step.arguments, **dict.fromkeys(free, "(other)")})
        )
    return tuple(changed)


def _read_again(view: TaskView, steps: tuple[Step, ...] | None = None) -> tuple[Step, ...]:
    """The steps with every read repeated right after it, and a tool unlocked once more."""
    found: list[Step] = []
    for number, step in enumerate(steps or view.steps):
        found.append(step)
        if number not in view.writes or step.name in RESERVED_TOOLS:
            found.append(step)
    return tuple(found)


def _with(steps: tuple[Step, ...], number: int, step: Step) -> tuple[Step, ...]:
    return (*steps[:number], step, *steps[number + 1 :])


def _shown(view: TaskView, number: int) -> str:
    action = view.actions[number]
    return f"{action.action_id} ({action.name})"
