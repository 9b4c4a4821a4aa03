"""What an agent of the user's own may return from ``step``, made a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.llm import joined_thoughts, spoken_and_thought, whole_text
from ragbench.records import Message, ToolCall
from ragbench.simulate._roles import BadReply, Reply
from ragbench.simulate._storable import read_arguments, storable_call

__all__ = ["reply_from"]

_ALLOWED = (
    "Allowed: a text, a call such as {'name': 'find_member', 'arguments': {'name': 'Ines'}}, a "
    "list of calls, a chat message such as {'content': ..., 'tool_calls': [...]}, or a "
    "ragbench.simulate.Reply."
)
_MESSAGE_KEYS = {
    "role", "content", "tool_calls", "refusal", "annotations", "audio", "function_call",
    "closing", "reasoning_content", "reasoning", "thinking_blocks", "reasoning_details",
    "provider_specific_fields",
}  # fmt: skip


def reply_from(value: Any) -> Reply:  # noqa: ANN401  (whatever a user's code returns)
    """The reply that a returned value stands for.

    Raises:
        BadReply: it stands for none, or holds what cannot be stored.

    >>> reply_from("Hello").text
    'Hello'
    >>> [call.name for call in reply_from([{"name": "look", "arguments": {}}]).calls]
    ['look']
    """
    try:
        reply = _read(value)
        calls = tuple(storable_call(call) for call in reply.calls)
    except (TypeError, ValueError) as error:
        raise BadReply(f"step returned {value!r:.200}: {error}. {_ALLOWED}") from error
    text, thought = spoken_and_thought(whole_text(reply.text or ""))
    if not calls and not text.strip():
        raise BadReply(f"step returned {value!r:.200}, which says and calls nothing. {_ALLOWED}")
    thought = joined_thoughts([reply.reasoning, thought])
    return Reply(
        text if reply.text is not None and text.strip() else None,
        calls,
        reply.closing,
        None if thought is None else whole_text(thought),
    )


def _read(value: Any) -> Reply:  # noqa: ANN401
    if isinstance(value, Reply):
        return _checked(value)
    if isinstance(value, str):
        return Reply(text=value)
    if isinstance(value, ToolCall):
        return Reply(calls=(value,))
    if isinstance(value, Message):
        return Reply(value.content, value.tool_calls, value.closing, value.reasoning)
    if isinstance(value, Mapping) and "name" in value:
        return Reply(calls=(_call(value),))
    if isinstance(value, Mapping):
        return _message(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray) and value:
        return Reply(calls=tuple(_call(entry) for entry in value))
    raise ValueError(f"{type(value).__name__} is no reply")


def _checked(reply: Reply) -> Reply:
    """A `Reply` has no types of its own at run time."""
    if reply.text is not None and not isinstance(reply.text, str):
        raise ValueError(f"its text is {type(reply.text).__name__}")
    calls = tuple(_call(call) for call in reply.calls)
    return Reply(reply.text, calls, bool(reply.closing), _thought(reply.reasoning))


def _message(value: Mapping[str, Any]) -> Reply:
    unknown = sorted(set(map(str, value)) - _MESSAGE_KEYS)
    if unknown:
        raise ValueError(f"a message has no key {unknown[0]!r}")
    content = value.get("content")
    if content is not None and not isinstance(content, str):
        raise ValueError(f"its content is {type(content).__name__}")
    calls = tuple(_call(entry) for entry in value.get("tool_calls") or ())
    thought = _thought(value.get("reasoning_content") or value.get("reasoning"))
    return Reply(content, calls, bool(value.get("closing")), thought)


def _thought(value: Any) -> str | None:  # noqa: ANN401
    """What an agent thought; anything but a text is left out, as nobody is shown it."""
    return value if isinstance(value, str) else None


def _call(value: Any) -> ToolCall:  # noqa: ANN401
    """A `ToolCall`, a mapping with name and arguments, or a call of a chat message."""
    if isinstance(value, ToolCall):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"{type(value).__name__} is no call")
    inner = value.get("function", value)
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise ValueError("a call needs a name")
    given = inner.get("arguments")
    call_id = str(value.get("id") or "")
    if isinstance(given, Mapping) or given is None:
        return ToolCall(id=call_id, name=inner["name"], arguments=dict(given or {}))
    if not isinstance(given, str):
        raise ValueError(f"the arguments of {inner['name']!r} are {type(given).__name__}")
    try:
        return ToolCall(id=call_id, name=inner["name"], arguments=read_arguments(given))
    except ValueError:
        return ToolCall(id=call_id, name=inner["name"], malformed=given)
