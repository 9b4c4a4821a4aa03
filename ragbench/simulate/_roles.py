"""What an agent and a user are to the orchestrator: they get an observation and give a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ragbench.records import Message, RetrievalEvent, ToolCall
from ragbench.simulate._environment import ToolView

__all__ = ["OUT_OF_SCOPE", "STOP", "TRANSFER", "Agent", "Observation", "Reply", "User"]

STOP = "###STOP###"
TRANSFER = "###TRANSFER###"
OUT_OF_SCOPE = "###OUT-OF-SCOPE###"


@dataclass(frozen=True, slots=True)
class Observation:
    """What is new since the role's last reply.

    Attributes:
        messages: the other side's messages and the results of the role's own calls, in order.
        events: the retrieval events behind those results, with the spans that were delivered.
        tools: what can be called now.
        step: the step that the reply will be.
    """

    messages: tuple[Message, ...]
    events: tuple[RetrievalEvent, ...]
    tools: tuple[ToolView, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Reply:
    """One message: text, calls, or both. An id left empty is filled in by the orchestrator."""

    text: str | None = None
    calls: tuple[ToolCall, ...] = ()
    closing: bool = False


class Agent(Protocol):
    """The side under test."""

    name: str

    async def step(self, observation: Observation) -> Reply:
        """Answer the observation."""
        ...


class User(Protocol):
    """The simulated customer. ``script_delivered`` is None for one that follows no script."""

    name: str
    script_delivered: bool | None

    async def step(self, observation: Observation) -> Reply:
        """Answer the observation; a stop token in the text ends the simulation."""
        ...
