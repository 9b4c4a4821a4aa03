"""What an agent of the user's own may return from ``step``, made a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.llm import joined_thoughts, spoken_and_thought, whole_text
from ragbench.records import Message, ToolCall
from ragbench.retrieval import hit_fields
from ragbench.simulate._roles import OWN_SEARCH, BadReply, Reply, Retrieved
from ragbench.simulate._storable import read_arguments, storable_call

__all__ = ["reply_from"]

_ALLOWED = (
    "Allowed: a text, a call such as {'name': 'find_member', 'arguments': {'name': 'Ines'}}, a "
    "list of calls, a chat message such as {'content': ..., 'tool_calls': [...]}, or a "
    "ragbench.simulate.Reply."
)
_MESSAGE_KEYS = {
    "role", "content", "tool_calls", "refusal", "annotations", "audio", "function_call",
    "closing", "retrieved", "reasoning_content", "reasoning", "reasoning_details",
    "thinking_blocks", "provider_specific_fields",
}  # fmt: skip


def reply_from(value: Any, reported: Sequence[Retrieved] = ()) -> Reply:  # noqa: ANN401
    """The reply that a returned value stands for.

    Args:
        value: whatever a user's code returns.
        reported: searches of its own that it told of meanwhile.

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
        searches = tuple(_search(one) for one in (*reported, *reply.retrieved))
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
        searches,
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
        return Reply(value.content, value.tool_calls, value.closing, reasoning=value.reasoning)
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
    return Reply(
        reply.text, calls, bool(reply.closing), tuple(reply.retrieved), _thought(reply.reasoning)
    )


def _search(given: Retrieved) -> Retrieved:
    """A search of the agent's own with hits that can be stored."""
    if not isinstance(given, Retrieved) or not isinstance(given.query, str):
        raise ValueError(f"{given!r:.120} is no Retrieved(query, hits)")
    if not given.query.strip() or not isinstance(given.tool, str):
        raise ValueError(f"a search that was reported has the query {given.query!r}")
    hits = tuple(hit_fields(hit) for hit in given.hits)
    return Retrieved(whole_text(given.query), hits, given.tool)


def _message(value: Mapping[str, Any]) -> Reply:
    unknown = sorted(set(map(str, value)) - _MESSAGE_KEYS)
    if unknown:
        raise ValueError(f"a message has no key {unknown[0]!r}")
    content = value.get("content")
    if content is not None and not isinstance(content, str):
        raise ValueError(f"its content is {type(content).__name__}")
    calls = tuple(_call(entry) for entry in value.get("tool_calls") or ())
    thought = _thought(value.get("reasoning_content") or value.get("reasoning"))
    searches = tuple(_retrieved(entry) for entry in value.get("retrieved") or ())
    return Reply(content, calls, bool(value.get("closing")), searches, thought)


def _retrieved(value: Any) -> Retrieved:  # noqa: ANN401
    if isinstance(value, Retrieved):
        return value
    if not isinstance(value, Mapping) or "query" not in value:
        raise ValueError("what is retrieved needs a query, and hits")
    return Retrieved(value["query"], tuple(value.get("hits") or ()), value.get("tool", OWN_SEARCH))


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
