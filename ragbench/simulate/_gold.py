"""The gold actions, played once on a fresh copy: results, resolved arguments, the end state."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from ragbench.domains import Domain
from ragbench.errors import DomainError
from ragbench.records import GoldAction, Task, ToolCall
from ragbench.simulate._environment import GIVE_TOOL, UNLOCK_TOOL, Environment, start_of
from ragbench.toolkit import ToolError

__all__ = ["GoldOrder", "GoldPlay", "dependencies", "play_gold"]

_REFERENCE = re.compile(r"\$\{([\w-]+)\.([\w.-]+)\}")


@dataclass(frozen=True, slots=True)
class GoldPlay:
    """What the gold actions lead to.

    Attributes:
        arguments: per action id, its arguments with references to results filled in.
        compared: per action id, the names of the arguments that must agree.
        end_hash: hash of the end state; see `Environment.state_hash`.
        start_hash: hash of the start state.
        start: the database at the task's start, see `start_of`; every simulation of the task can
            start from it, for none changes it.
    """

    arguments: dict[str, dict[str, Any]]
    compared: dict[str, tuple[str, ...]]
    end_hash: str
    start_hash: str
    start: BaseModel = field(repr=False, compare=False)


def play_gold(domain: Domain, task: Task) -> GoldPlay:
    """Replay the gold actions of a task, twice.

    Raises:
        DomainError: an action fails, names an unknown tool or refers to a result that does not
            exist, an environment assertion asks no read tool, or the two replays differ; a
            benchmark with such a label is wrong and is not run.
    """
    start = start_of(domain, task)
    first, second = _play_once(domain, task, start), _play_once(domain, task, start)
    if first != second:
        raise DomainError(
            f"Task {task.id!r}: playing its gold actions twice leads to different results, so that "
            "no trial could be scored. A tool uses the time, a random number or a counter of its "
            "own; take the clock and new ids from its CallContext."
        )
    return first


def _play_once(domain: Domain, task: Task, start: BaseModel) -> GoldPlay:
    environment = Environment(domain, task, start=start)
    start_hash = environment.state_hash()
    results: dict[str, Any] = {}
    arguments: dict[str, dict[str, Any]] = {}
    compared: dict[str, tuple[str, ...]] = {}
    for number, action in enumerate(task.evaluation_criteria.actions):
        arguments[action.action_id] = _filled(action.arguments, results, task, action)
        compared[action.action_id] = _compared(domain, task, action)
        call = ToolCall(
            id=f"gold-{number}",
            name=action.name,
            arguments=arguments[action.action_id],
            requestor=action.requestor,
        )
        outcome = environment.call(call, number, 0)
        if outcome.error:
            raise DomainError(
                f"Task {task.id!r}: the gold action {action.action_id!r} ({action.name}) fails: "
                f"{_failure(domain, action, outcome.content)} Correct the task; it was not run."
            )
        results[action.action_id] = _parsed(outcome.content)
    end = environment.state_hash()
    for assertion in task.evaluation_criteria.env_assertions:
        with contextlib.suppress(ToolError):  # whether it holds is for the score to say
            environment.ask(assertion)
    return GoldPlay(arguments, compared, end, start_hash, start)


class GoldOrder:
    """Whether gold actions may be done in another order than that of the task.

    Args:
        domain: the domain.
        task: the task.
        gold: its gold actions, played.
    """

    def __init__(self, domain: Domain, task: Task, gold: GoldPlay) -> None:
        self._domain, self._task, self._gold = domain, task, gold
        self._actions = {a.action_id: a for a in task.evaluation_criteria.actions}
        self._known: dict[tuple[str, ...], tuple[str, frozenset[str], frozenset[str]]] = {}

    def is_free(self, order: tuple[str, ...]) -> bool:
        """Whether the actions lead to the same state in this order as in that of the task.

        Both orders are replayed on a fresh copy; the same actions have to fail, and the same rules
        to be broken.
        """
        wanted = tuple(name for name in self._actions if name in set(order))
        return wanted == order or self._outcome(order) == self._outcome(wanted)

    def _outcome(self, order: tuple[str, ...]) -> tuple[str, frozenset[str], frozenset[str]]:
        """The end state, the actions that fail, the rules that are broken."""
        if order not in self._known:
            self._known[order] = self._played(order)
        return self._known[order]

    def _played(self, order: tuple[str, ...]) -> tuple[str, frozenset[str], frozenset[str]]:
        environment = Environment(self._domain, self._task, start=self._gold.start)
        failed = set()
        for number, name in enumerate(order):
            action = self._actions[name]
            call = ToolCall(
                id=name,
                name=action.name,
                arguments=self._gold.arguments[name],
                requestor=action.requestor,
            )
            if environment.call(call, number, 0).error:
                failed.add(name)
        broken = frozenset(violation.rule for violation in environment.violations)
        return environment.state_hash(), frozenset(failed), broken


def dependencies(task: Task, action: GoldAction) -> set[str]:
    """Ids of the actions whose result this one needs: by reference, or by unlocking its tool."""
    found = {match.group(1) for match in _REFERENCE.finditer(json.dumps(action.arguments))}
    for other in task.evaluation_criteria.actions:
        if (
            other.name in (UNLOCK_TOOL, GIVE_TOOL)
            and other.arguments.get("tool_name") == action.name
        ):
            found.add(other.action_id)
    return found


def _failure(domain: Domain, action: GoldAction, content: str) -> str:
    """What the call answered, as a sentence; a tool that was not unlocked is named as such."""
    tool = domain.tools.get(action.name)
    if tool is not None and tool.discoverable and content.startswith("Error: No tool is called"):
        opener = UNLOCK_TOOL if tool.requestor == "assistant" else GIVE_TOOL
        return (
            f"The tool is discoverable and does not exist until an earlier gold action calls "
            f"{opener} with tool_name {action.name!r}."
        )
    text = content.removeprefix("Error: ").rstrip()
    return text if text.endswith((".", "!", "?")) else text + "."


def _compared(domain: Domain, task: Task, action: GoldAction) -> tuple[str, ...]:
    if action.compare_args is not None:
        unknown = sorted(set(action.compare_args) - set(action.arguments))
        if unknown:
            raise DomainError(
                f"Task {task.id!r}: compare_args of {action.action_id!r} names {unknown[0]!r}, "
                f"which is not among its arguments {sorted(action.arguments)}."
            )
        return action.compare_args
    tool = domain.tools.get(action.name)
    free_text = tool.free_text if tool is not None else frozenset()
    return tuple(name for name in action.arguments if name not in free_text)


def _filled(value: Any, results: Mapping[str, Any], task: Task, action: GoldAction) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _filled(item, results, task, action) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, results, task, action) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    match = _REFERENCE.fullmatch(value)
    if match is None:
        raise DomainError(
            f"Task {task.id!r}: {action.action_id!r} has the argument {value!r}. A reference is "
            "the whole argument, '${<action id>.<field of its result>}'."
        )
    found = results.get(match.group(1))
    for part in match.group(2).split("."):
        found = found.get(part) if isinstance(found, dict) else None
    if found is None:
        raise DomainError(
            f"Task {task.id!r}: {action.action_id!r} refers to {value}, but the result of "
            f"{match.group(1)!r} has no such field, or that action does not come before it."
        )
    return found


def _parsed(content: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(content)
    except json.JSONDecodeError:
        return content
