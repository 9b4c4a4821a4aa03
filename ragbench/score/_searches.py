"""Which recorded searches were made, and which searches that were made have no record."""

from __future__ import annotations

from ragbench.domains import Domain
from ragbench.records import RetrievalEvent, ToolCall, Trajectory
from ragbench.retrieval import grep_tool_name

__all__ = ["made_searches", "unmade_searches", "unrecorded_searches"]


def made_searches(trajectory: Trajectory) -> tuple[RetrievalEvent, ...]:
    """The events that count: of a call in a message, one each, or reported by the agent itself."""
    calls = {(call.id, call.name) for message in trajectory.messages for call in message.tool_calls}
    made: list[RetrievalEvent] = []
    for event in trajectory.events:
        key = (event.call_id, event.tool)
        if event.reported or key in calls:
            made.append(event)
            calls.discard(key)
    return tuple(made)


def unmade_searches(trajectory: Trajectory) -> tuple[RetrievalEvent, ...]:
    """The events that nobody made: no message holds the call, or another event has it already."""
    made = {id(event) for event in made_searches(trajectory)}
    return tuple(event for event in trajectory.events if id(event) not in made)


def unrecorded_searches(domain: Domain, trajectory: Trajectory) -> tuple[tuple[int, ToolCall], ...]:
    """The step and the call of every answered search without an event: its finds are unknown.

    A call that failed brought nothing, recorded or not.
    """
    tool = domain.retrieval_tool
    names = {tool, grep_tool_name(tool)} - domain.tools.keys()
    answered = {m.tool_call_id for m in trajectory.messages if m.role == "tool" and not m.error}
    recorded = {event.call_id for event in made_searches(trajectory)}
    return tuple(
        (message.step, call)
        for message in trajectory.messages
        for call in message.tool_calls
        if call.name in names and call.id in answered and call.id not in recorded
    )
