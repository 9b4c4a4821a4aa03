"""The one input of every scoring and diagnosing function: a trial and what it is held against."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from ragbench.domains import Domain
from ragbench.evidence import LocatedItem
from ragbench.records import Document, RetrievalEvent, Task, ToolCall, Trajectory, Violation
from ragbench.score._searches import made_searches, unrecorded_searches
from ragbench.simulate import Environment, GoldPlay
from ragbench.toolkit import PastCall

__all__ = ["Replay", "TrialContext", "ordered_calls", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """What the trajectory's calls do on a fresh copy of the database.

    Attributes:
        environment: the world after the last call.
        changes: ids of the calls that changed the compared state.
    """

    environment: Environment
    changes: tuple[str, ...]
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class TrialContext:
    """A trajectory with its domain, task, gold, evidence and the documents.

    Attributes:
        items: the task's evidence items, located in ``documents``.
        replayed: the trajectory's calls, replayed.
    """

    domain: Domain
    task: Task
    gold: GoldPlay
    trajectory: Trajectory
    items: tuple[LocatedItem, ...]
    documents: dict[str, Document]
    replayed: Replay

    @property
    def end_step(self) -> int:
        """The step after the last message: everything delivered has been seen by then."""
        return self.trajectory.n_steps

    @property
    def events(self) -> tuple[RetrievalEvent, ...]:
        """The searches that were made; an event of a call that stands in no message is none."""
        return made_searches(self.trajectory)

    @property
    def searches_seen(self) -> bool:
        """Whether it is known of every search what it brought."""
        return self.trajectory.searches_seen and not unrecorded_searches(
            self.domain, self.trajectory
        )


def replay(
    domain: Domain, task: Task, trajectory: Trajectory, start: BaseModel | None = None
) -> Replay:
    """Execute the calls of a trajectory again; retrieval calls are only noted, for the rules.

    Args:
        domain: the domain.
        task: the task.
        trajectory: what is played again.
        start: the database at the task's start if it is known, as it is to a `GoldPlay`.
    """
    environment = Environment(domain, task, start=start)
    retrieval = {event.call_id: event for event in made_searches(trajectory)}
    for step, position, call in ordered_calls(trajectory):
        if call.id in retrieval:
            failed = retrieval[call.id].error is not None
            environment.past.append(PastCall(call, step, "", failed))
        else:
            environment.call(call, step, position)
    return Replay(environment, tuple(environment.changes), tuple(environment.violations))


def ordered_calls(trajectory: Trajectory) -> list[tuple[int, int, ToolCall]]:
    """Every call that was executed, with its step and its position in the message, in order.

    A call without an answer was not executed: the simulation had ended.
    """
    answered = {m.tool_call_id for m in trajectory.messages if m.role == "tool"}
    return [
        (message.step, position, call)
        for message in trajectory.messages
        for position, call in enumerate(message.tool_calls)
        if call.id in answered
    ]
