"""A list of calls played and scored as a conversation: the real environment, the real scorer.

The conversation is the shortest there is: the calls, one a message, then every statement, one a
message, then the user stops.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.records import Message, Requestor, Score, Task, Termination, ToolCall, Trajectory
from ragbench.runner import Prepared
from ragbench.score import Replay, TrialContext, score_trial
from ragbench.simulate import STOP, Environment
from ragbench.toolkit import Tool

__all__ = ["Played", "Step", "perturbed", "play", "reads_done", "respelled"]


@dataclass(frozen=True, slots=True)
class Step:
    """A call to make."""

    name: str
    arguments: Mapping[str, Any]
    requestor: Requestor


@dataclass(frozen=True, slots=True)
class Played:
    """What the calls led to.

    Attributes:
        end_hash: hash of the end state.
        failed: positions of the calls that were refused.
    """

    trajectory: Trajectory
    score: Score
    end_hash: str
    failed: tuple[int, ...]

    @property
    def passed(self) -> bool:
        """Whether the reward is 1."""
        return self.score.success is True


def play(prepared: Prepared, task: Task, steps: Sequence[Step], said: Sequence[str]) -> Played:
    """Execute the calls on a fresh copy, say what is to be said, and score the conversation.

    The environment in which the calls were executed serves as their replay.
    """
    environment = Environment(prepared.domain, task, start=prepared.gold[task.id].start)
    messages = [Message(role="user", content="(the request)", step=0)]
    failed = []
    for number, step in enumerate(steps):
        call = ToolCall(
            id=f"call-{number}",
            name=step.name,
            arguments=dict(step.arguments),
            requestor=step.requestor,
        )
        outcome = environment.call(call, number + 1, 0)
        messages += _exchange(call, number + 1, outcome.content, outcome.error)
        if outcome.error:
            failed.append(number)
    for step_number, text in enumerate(said, len(steps) + 1):
        messages.append(Message(role="assistant", content=text, step=step_number))
    last = len(steps) + len(said) + 1
    messages.append(Message(role="user", content=STOP, step=last))
    trajectory = Trajectory(
        task_id=task.id, messages=tuple(messages), termination=Termination.USER_STOP
    )
    changes, violations = tuple(environment.changes), tuple(environment.violations)
    context = TrialContext(
        domain=prepared.domain,
        task=task,
        gold=prepared.gold[task.id],
        trajectory=trajectory,
        items=prepared.items[task.id],
        documents=prepared.documents,
        replayed=Replay(environment, changes, violations),
    )
    return Played(trajectory, score_trial(context), environment.state_hash(), tuple(failed))


def reads_done(trajectory: Trajectory) -> list[str]:
    """What every call of the trajectory answered, in order."""
    return [message.content or "" for message in trajectory.messages if message.role == "tool"]


def perturbed(value: Any, name: str, tool: Tool | None) -> Any:  # noqa: ANN401  (any JSON value)
    """Another value of the same kind; the value itself when there is none.

    A value of a closed list becomes another of the list, a number one more, a date the next day, a
    text a longer one, an object or a list the same with its first scalar changed.

    >>> perturbed(25.0, "amount", None), perturbed("2026-02-28", "day", None)
    (26.0, '2026-03-01')
    """
    choices = _choices(name, tool)
    if value in choices:
        return next((choice for choice in choices if choice != value), value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return _other_text(value)
    if isinstance(value, dict) and value:
        first = next(iter(value))
        return value | {first: perturbed(value[first], "", None)}
    if isinstance(value, list) and value:
        return [perturbed(value[0], "", None), *value[1:]]
    return value


def respelled(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """The same value spelled otherwise: ``25`` for ``25.0`` and back, keys in reverse order.

    >>> respelled({"a": 25.0, "b": 3})
    {'b': 3.0, 'a': 25}
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return float(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {key: respelled(value[key]) for key in reversed(list(value))}
    return [respelled(inner) for inner in value] if isinstance(value, list) else value


def _choices(name: str, tool: Tool | None) -> list[Any]:
    if tool is None:
        return []
    described = tool.schema.get("properties", {}).get(name, {})
    return list(described.get("enum", []))


def _other_text(text: str) -> str:
    try:
        return (dt.date.fromisoformat(text) + dt.timedelta(days=1)).isoformat()
    except ValueError:
        return f"{text}-other"


def _exchange(call: ToolCall, step: int, content: str, error: bool) -> list[Message]:
    return [
        Message(role=call.requestor, tool_calls=(call,), step=step),
        Message(
            role="tool",
            content=content,
            step=step,
            tool_call_id=call.id,
            requestor=call.requestor,
            error=error,
        ),
    ]
