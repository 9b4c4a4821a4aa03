"""What a chat model is to the rest: a request goes in, a completion or an `LLMError` comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ragbench.records import LLMCall

__all__ = ["CallKey", "ChatModel", "ChatRequest", "Completion", "RawCall"]


@dataclass(frozen=True, slots=True)
class CallKey:
    """Which call of a run it is: no clock and no random id, so that a replay finds it.

    ``ordinal`` counts the role's calls of one simulation from 0. Components that serve a whole run,
    such as a query rewriter, have no task: their calls are found by what they ask alone.
    """

    role: str
    task_id: str | None = None
    trial: int = 0
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat completion request in the form of OpenAI's API.

    Attributes:
        messages: objects with ``role`` and ``content`` (and tool calls, tool results).
        tools: function definitions; empty offers none.
        response_format: such as a JSON schema; None asks for text.
        schema_optional: a model that takes no ``response_format`` may be asked by the prompt alone:
            whoever asks checks the reply itself.
    """

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    response_format: Mapping[str, Any] | None = None
    schema_optional: bool = False


@dataclass(frozen=True, slots=True)
class RawCall:
    """A tool call as the model wrote it; ``arguments`` is text that need not be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply. Text that UTF-8 cannot hold has U+FFFD in its place.

    Attributes:
        text: what is said, without thoughts; None when nothing is.
        call: what the reply cost; its ``step`` is for the caller to fill in.
        reasoning: what the model thought to itself, None when it told nothing of it.
        thinking_blocks: the same as signed objects, which their provider wants back unchanged.
    """

    text: str | None
    calls: tuple[RawCall, ...]
    finish_reason: str | None
    call: LLMCall = field(compare=False)
    reasoning: str | None = None
    thinking_blocks: tuple[Mapping[str, Any], ...] = ()


class ChatModel(Protocol):
    """One model of one role; safe for many simulations at once on one event loop."""

    @property
    def name(self) -> str:
        """The model's name, as in `LLMCall`."""
        ...

    @property
    def identity(self) -> str:
        """What the replies depend on: model, arguments, address; no key."""
        ...

    async def complete(self, request: ChatRequest, key: CallKey) -> Completion:
        """Ask until there is a reply or another attempt would not help.

        Raises:
            LLMError: it failed for good; its attribute ``call`` is the `LLMCall` with the error.
        """
        ...
