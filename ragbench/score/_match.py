"""Which call attempted which gold action: a one-to-one matching per tool and requestor.

Among error-free calls of the same tool and requestor, as many gold actions as possible are matched;
among such matchings the one with most fully equal pairs wins, then the one with most equal
arguments, then the one nearest to the order of both sides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.records import ActionCheck, GoldAction, ToolCall
from ragbench.score._context import TrialContext, ordered_calls
from ragbench.toolkit import canonical_json

__all__ = ["best_assignment", "match_actions"]

_FULL, _ARGUMENT = 10**12, 10**8
"""Weights of a fully equal pair and of one equal argument. With fewer than 200 calls and 40
arguments of one tool, the sum of a lower level never reaches one of the next, and all sums stay
below 2**53, where floats are exact."""


def match_actions(context: TrialContext) -> tuple[ActionCheck, ...]:
    """A check per gold action, in file order."""
    failed = {m.tool_call_id for m in context.trajectory.messages if m.role == "tool" and m.error}
    calls: dict[tuple[str, str], list[tuple[int, ToolCall]]] = defaultdict(list)
    for step, _, call in ordered_calls(context.trajectory):
        if call.id not in failed:
            calls[call.name, call.requestor].append((step, call))
    gold: dict[tuple[str, str], list[GoldAction]] = defaultdict(list)
    for action in context.task.evaluation_criteria.actions:
        gold[action.name, action.requestor].append(action)
    checks: dict[str, ActionCheck] = {}
    for key, actions in gold.items():
        for check in _match_group(context, actions, calls[key]):
            checks[check.action_id] = check
    return tuple(checks[action.action_id] for action in context.task.evaluation_criteria.actions)


def _match_group(
    context: TrialContext, actions: Sequence[GoldAction], calls: Sequence[tuple[int, ToolCall]]
) -> list[ActionCheck]:
    wanted = [_wanted(context, action) for action in actions]
    given = [_given(context, call.name, call.arguments) for _, call in calls]
    differences = [[_differences(want, made) for made in given] for want in wanted]
    n_compared = [len(context.gold.compared[action.action_id]) for action in actions]
    n_equal = [[n_compared[i] - len(found) for found in row] for i, row in enumerate(differences)]
    full = [[not found for found in row] for row in differences]
    matched = best_assignment(full, n_equal)
    checks = []
    for i, action in enumerate(actions):
        if i not in matched:
            checks.append(ActionCheck(action_id=action.action_id, name=action.name))
            continue
        step, call = calls[matched[i]]
        found = differences[i][matched[i]]
        checks.append(
            ActionCheck(
                action_id=action.action_id,
                name=action.name,
                call_id=call.id,
                step=step,
                correct=not found,
                differences=found,
            )
        )
    return checks


def best_assignment(
    full: Sequence[Sequence[bool]], n_equal: Sequence[Sequence[int]]
) -> dict[int, int]:
    """Row to column of the best maximum matching.

    Args:
        full: whether gold action (row) and call (column) agree in every compared argument.
        n_equal: in how many compared arguments they agree.

    >>> best_assignment([[False, True], [False, True]], [[1, 2], [0, 2]])
    {0: 0, 1: 1}
    """
    if not full or not full[0]:
        return {}
    if len(full) == len(full[0]) == 1:
        return {0: 0}
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    rows, columns = np.indices((len(full), len(full[0])))
    value = np.array(full) * _FULL + np.array(n_equal) * _ARGUMENT - (rows - columns) ** 2
    found = linear_sum_assignment(value.astype(float), maximize=True)
    return {int(row): int(column) for row, column in zip(*found, strict=True)}


@dataclass(frozen=True, slots=True)
class _Arguments:
    """Arguments as the tool receives them, and how they are written to be compared."""

    values: dict[str, Any]
    written: dict[str, str]


def _wanted(context: TrialContext, action: GoldAction) -> _Arguments:
    """What the gold action compares."""
    values = _normalised(context, action.name, context.gold.arguments[action.action_id])
    names = context.gold.compared[action.action_id]
    return _Arguments(values, {name: canonical_json(values[name]) for name in names})


def _given(context: TrialContext, name: str, arguments: Mapping[str, Any]) -> _Arguments:
    values = _normalised(context, name, arguments)
    return _Arguments(values, {key: canonical_json(value) for key, value in values.items()})


def _differences(wanted: _Arguments, given: _Arguments) -> dict[str, tuple[Any, Any]]:
    return {
        name: (wanted.values.get(name), given.values.get(name))
        for name, written in wanted.written.items()
        if given.written.get(name) != written
    }


def _normalised(context: TrialContext, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    tool = context.domain.tools.get(name)
    return tool.normalised(arguments) if tool is not None else dict(arguments)
