"""What each side of a simulation can call, and how more comes to be offered.

A discoverable tool does not exist until the agent has unlocked it, or given it to the user, by the
exact name that a document gives.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ragbench.domains import Domain
from ragbench.records import Requestor, Task, ToolCall
from ragbench.retrieval import KnowledgeTool
from ragbench.toolkit import GIVE_TOOL, UNLOCK_TOOL, Tool, ToolError

__all__ = ["Offer", "Offers", "ToolView"]


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool as its caller sees it: name, description, parameters as JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


_TOOL_NAME = {
    "type": "object",
    "properties": {"tool_name": {"type": "string"}},
    "required": ["tool_name"],
    "additionalProperties": False,
}
_UNLOCKING = {
    "assistant": ToolView(
        UNLOCK_TOOL, "Make a tool available to you whose exact name a document gives.", _TOOL_NAME
    ),
    "user": ToolView(
        GIVE_TOOL, "Give the customer a tool whose exact name a document gives.", _TOOL_NAME
    ),
}
"""The agent's tools that unlock the hidden ones of a side."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What one side can call now.

    Attributes:
        tools: the domain's tools by name.
        unlocking: names of the tools that unlock others.
        views: all of it as the side sees it, with the retrieval tools.
    """

    tools: dict[str, Tool]
    unlocking: tuple[str, ...]
    views: tuple[ToolView, ...]


class Offers:
    """The offers of one simulation, each made anew only when something was unlocked.

    Args:
        domain: the domain.
        task: the task; it can narrow the user's tools.
        knowledge: the retrieval tools, which are the agent's.
    """

    def __init__(self, domain: Domain, task: Task, knowledge: Iterable[KnowledgeTool]) -> None:
        self._domain, self._task, self._knowledge = domain, task, tuple(knowledge)
        self._unlocked: set[str] = set()
        self._made: dict[Requestor, Offer] = {}

    def to(self, requestor: Requestor) -> Offer:
        """What the agent or the user can call now."""
        if requestor not in self._made:
            self._made[requestor] = self._offer(requestor)
        return self._made[requestor]

    def unlock(self, call: ToolCall) -> str:
        """Offer a hidden tool from now on; the answer shows it.

        Raises:
            ToolError: the call does not name a hidden tool of the side in question.
        """
        name = call.arguments.get("tool_name")
        wanted: Requestor = "assistant" if call.name == UNLOCK_TOOL else "user"
        if set(call.arguments) != {"tool_name"} or not isinstance(name, str):
            raise ToolError(f"{call.name} takes exactly one argument, tool_name (a string).")
        tool = self._domain.tools.get(name)
        if tool is None or not tool.discoverable or tool.requestor != wanted:
            raise ToolError(
                f"No tool called {name!r} can be unlocked. Take the name from a document."
            )
        self._unlocked.add(name)
        self._made.clear()
        return json.dumps(
            {"unlocked": name, "description": tool.description, "parameters": tool.schema}
        )

    def _offer(self, requestor: Requestor) -> Offer:
        tools = {tool.name: tool for tool in self._tools(requestor)}
        views = [ToolView(tool.name, tool.description, tool.schema) for tool in tools.values()]
        if requestor == "user":
            return Offer(tools, (), tuple(views))
        hidden = {tool.requestor for tool in self._domain.tools.values() if tool.discoverable}
        unlocking = [view for side, view in _UNLOCKING.items() if side in hidden]
        searching = [ToolView(t.name, t.description, t.schema) for t in self._knowledge]
        names = tuple(view.name for view in unlocking)
        return Offer(tools, names, (*views, *unlocking, *searching))

    def _tools(self, requestor: Requestor) -> list[Tool]:
        tools = [tool for tool in self._domain.tools.values() if tool.requestor == requestor]
        if requestor == "user" and self._task.user_tools is not None:
            allowed = {*self._task.user_tools, *self._unlocked}
            tools = [tool for tool in tools if tool.name in allowed]
        return [tool for tool in tools if not tool.discoverable or tool.name in self._unlocked]
