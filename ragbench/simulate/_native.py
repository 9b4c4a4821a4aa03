"""The mode ``native``: function calling as the providers do it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ragbench.llm import ChatRequest, Completion, RawCall, whole_text
from ragbench.records import Message, ToolCall
from ragbench.simulate._environment import ToolView
from ragbench.simulate._modes import Entry, Spoken, heard, spoken_text
from ragbench.simulate._roles import Reply
from ragbench.simulate._storable import read_arguments

__all__ = ["Native"]

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")


class Native:
    """Text, calls, or both in one message.

    Arguments that are no JSON object make a *malformed* call, which the environment answers with an
    error. What is sent back to the provider is always well formed: the ids are those of the stored
    trajectory, arguments are the JSON that was read (``{}`` for a malformed call), and a name that
    no provider would accept has ``_`` for what is wrong in it.
    """

    n_corrections = 1

    def instructions(self, tools: Sequence[ToolView]) -> str:
        """Nothing: the provider tells the model about its tools."""
        return ""

    def request(self, messages: Sequence[Entry], tools: Sequence[ToolView]) -> ChatRequest:
        """The messages with the tools as function definitions."""
        return ChatRequest(tuple(messages), tuple(_definition(tool) for tool in tools))

    def read(self, completion: Completion) -> Spoken:
        """Text and calls of a completion.

        Raises:
            Unreadable: it has neither.
        """
        calls = tuple(_call(raw) for raw in completion.calls)
        text = completion.text if (completion.text or "").strip() else None
        if not calls:
            spoken_text(completion)
        return Spoken(Reply(text=text, calls=calls), text, completion.thinking_blocks)

    def told(self, spoken: Spoken | None, news: Sequence[Message]) -> list[Entry]:
        """The last reply with its calls, a message of role ``tool`` per answer, the words."""
        answers = [message for message in news if message.role == "tool"]
        messages: list[Entry] = []
        if spoken is not None:
            own: dict[str, Any] = {"role": "assistant", "content": spoken.raw}
            if spoken.thinking_blocks:
                own["thinking_blocks"] = list(spoken.thinking_blocks)
            if spoken.reply.calls:
                own["tool_calls"] = [
                    _sent_back(call, answer.tool_call_id or "")
                    for call, answer in zip(spoken.reply.calls, answers, strict=True)
                ]
            messages.append(own)
        messages += [
            {
                "role": "tool",
                "tool_call_id": answer.tool_call_id,
                "content": answer.content or "",
            }
            for answer in answers
        ]
        words = heard(news)
        if words is not None:
            messages.append({"role": "user", "content": words})
        return messages


def _definition(tool: ToolView) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _call(raw: RawCall) -> ToolCall:
    called = {"id": whole_text(raw.id), "name": whole_text(raw.name)}
    try:
        return ToolCall(**called, arguments=read_arguments(raw.arguments))
    except ValueError:
        return ToolCall(**called, malformed=whole_text(raw.arguments))


def _sent_back(call: ToolCall, call_id: str) -> dict[str, Any]:
    name = _FOREIGN.sub("_", call.name)[:64] or "unnamed"
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
