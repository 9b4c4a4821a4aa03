"""What an agent and a user are to the orchestrator: they get an observation and give a reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ragbench.records import LLMCall, Message, RetrievalEvent, ToolCall
from ragbench.simulate._environment import ToolView

__all__ = [
    "DONE",
    "OUT_OF_SCOPE",
    "OWN_SEARCH",
    "STOP",
    "TRANSFER",
    "Agent",
    "BadReply",
    "Observation",
    "Reply",
    "Retrieved",
    "User",
]

STOP = "###STOP###"
TRANSFER = "###TRANSFER###"
OUT_OF_SCOPE = "###OUT-OF-SCOPE###"
DONE = "###DONE###"
"""What an agent's model writes at the end of its closing message."""
OWN_SEARCH = "own_search"
"""What a search of the agent's own is called in the records, unless it says otherwise."""


class BadReply(Exception):
    """A role failed to give a reply: its own error, not the toolkit's.

    Args:
        message: what came instead, and what would have been a reply.
        trace: the traceback of the exception that it raised elsewhere, such as in a process.
    """

    def __init__(self, message: str, trace: str | None = None) -> None:
        super().__init__(message)
        self.trace = trace


@dataclass(frozen=True, slots=True)
class Observation:
    """What is new since the role's last reply.

    Attributes:
        messages: the other side's messages and the results of the role's own calls, in order. The
            role's own calls are answered one by one, in their order.
        events: the retrieval events behind those results, with the spans that were delivered.
        tools: what can be called now.
        step: the step that the reply will be.
    """

    messages: tuple[Message, ...]
    events: tuple[RetrievalEvent, ...]
    tools: tuple[ToolView, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A search that an agent made by itself, not by a tool of the environment.

    Attributes:
        query: what was searched for.
        hits: what came back, best first: each a mapping with ``doc_id``, ``start`` and ``end``, or
            with ``text`` (and ``doc_id`` where it is known), or a text.
        tool: what the search is called in the records.
    """

    query: str
    hits: tuple[Any, ...] = ()
    tool: str = OWN_SEARCH


@dataclass(frozen=True, slots=True)
class Reply:
    """One message: text, calls, or both. An id left empty is filled in by the orchestrator.

    Attributes:
        closing: the sender regards the conversation as ended.
        retrieved: searches of the agent's own whose results this reply rests on.
        reasoning: what the sender thought to itself; it is stored, and nobody is shown it.
    """

    text: str | None = None
    calls: tuple[ToolCall, ...] = ()
    closing: bool = False
    retrieved: tuple[Retrieved, ...] = ()
    reasoning: str | None = None


class Agent(Protocol):
    """The side under test."""

    @property
    def name(self) -> str:
        """What it is called in the records."""
        ...

    @property
    def llm_calls(self) -> Sequence[LLMCall]:
        """The calls of a model that it made so far; empty for one without a model."""
        ...

    async def step(self, observation: Observation) -> Reply:
        """Answer the observation.

        Raises:
            BadReply: it has no reply, by its own fault.
            LLMError: its model failed for good.
        """
        ...


class User(Protocol):
    """The simulated customer. ``script_delivered`` is None for one that follows no script."""

    @property
    def name(self) -> str:
        """What it is called in the records."""
        ...

    @property
    def script_delivered(self) -> bool | None:
        """Whether every turn of the script that could be played was."""
        ...

    @property
    def llm_calls(self) -> Sequence[LLMCall]:
        """The calls of a model that it made so far; empty for one without a model."""
        ...

    async def step(self, observation: Observation) -> Reply:
        """Answer the observation; a stop token in the text ends the simulation.

        Raises:
            BadReply: it has no reply, by its own fault.
            LLMError: its model failed for good.
        """
        ...
