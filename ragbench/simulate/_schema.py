"""The mode ``schema``: every reply is a JSON object, for models whose native calls fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragbench.llm import (
    ChatRequest,
    Completion,
    read_object,
    spoken_and_thought,
    whole_text,
)
from ragbench.records import Message, ToolCall
from ragbench.simulate._environment import ToolView
from ragbench.simulate._modes import Entry, Spoken, Unreadable, catalogue, labelled, spoken_text
from ragbench.simulate._roles import Reply
from ragbench.simulate._storable import storable

__all__ = ["END", "RESPOND", "Schema"]

RESPOND = "respond"
END = "end_conversation"


class Schema:
    """``{"action": NAME, "arguments": {...}}``, asked for by ``response_format``.

    ``respond`` says its argument ``text``; ``end_conversation`` does so and closes. Read strictly:
    other keys, text around the object or a missing ``text`` are sent back once.

    Args:
        other: who the other side is, such as ``Customer``.
        ends: whether there is the action ``end_conversation``.
    """

    n_corrections = 1

    def __init__(self, other: str, ends: bool) -> None:
        self._other = other
        self._speaking = (RESPOND, END) if ends else (RESPOND,)

    def instructions(self, tools: Sequence[ToolView]) -> str:
        """The form of a reply and the list of actions."""
        actions = [f"- {RESPOND}(text: string) - Write to the {self._other.lower()}."]
        if END in self._speaking:
            actions.append(f"- {END}(text: string) - Write your last message: all is settled.")
        return (
            "Reply with one JSON object and nothing else: "
            '{"action": NAME, "arguments": {...}}. Actions:\n'
            + "\n".join([*actions, *([catalogue(tools)] if tools else [])])
        )

    def request(self, messages: Sequence[Entry], tools: Sequence[ToolView]) -> ChatRequest:
        """The messages with the schema of a reply."""
        names = [*self._speaking, *(tool.name for tool in tools)]
        return ChatRequest(tuple(messages), response_format=_format(names))

    def read(self, completion: Completion) -> Spoken:
        """The action in a completion.

        Raises:
            Unreadable: it is no such object.
        """
        text = spoken_text(completion)
        try:
            found = storable(read_object(text))
        except ValueError as error:
            cut = completion.finish_reason == "length"
            raise Unreadable(
                f"Your reply cannot be used: {'it was cut off, be brief' if cut else error}. "
                'Reply with {"action": NAME, "arguments": {...}} alone.'
            ) from error
        return Spoken(self._reply(found), whole_text(text))

    def told(self, spoken: Spoken | None, news: Sequence[Message]) -> list[Entry]:
        """The last object as it was written; results and words as one message of the user."""
        calls = () if spoken is None else spoken.reply.calls
        answered = labelled(calls, news, self._other, "Result of {name}")
        own = [] if spoken is None else [{"role": "assistant", "content": spoken.raw}]
        return [*own, answered]

    def _reply(self, found: dict[str, Any]) -> Reply:
        name, arguments = found.get("action"), found.get("arguments")
        if set(found) != {"action", "arguments"} or not isinstance(name, str):
            raise Unreadable(
                'Your reply must have exactly the keys "action" (a name) and "arguments" (an '
                f"object), but it has {sorted(found)}."
            )
        if not isinstance(arguments, dict):
            raise Unreadable(f'"arguments" must be an object, not {arguments!r:.100}.')
        if name not in self._speaking:
            return Reply(calls=(ToolCall(id="", name=name, arguments=arguments),))
        said = arguments.get("text")
        if set(arguments) != {"text"} or not isinstance(said, str) or not said.strip():
            raise Unreadable(f'{name} takes one argument, "text", which may not be empty.')
        spoken, thought = spoken_and_thought(said)
        if not spoken:
            raise Unreadable(f'The "text" of {name} is all thought. Write what is to be read.')
        return Reply(text=spoken, closing=name == END, reasoning=thought)


def _format(names: list[str]) -> dict[str, Any]:
    """Not ``strict``: that would need every tool's parameters to be spelled out and required."""
    schema = {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": names},
            "arguments": {"type": "object"},
        },
        "required": ["action", "arguments"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}
