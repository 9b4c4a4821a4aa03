"""A completion that comes in pieces, put together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.llm._reply import (
    INCOMPLETE,
    NoReply,
    Reply,
    call_of,
    content_of,
    known_usage,
    reply_of,
)

__all__ = ["streamed"]


async def streamed(stream: Any) -> Reply:  # noqa: ANN401  (LiteLLM's)
    """The whole completion.

    Raises:
        NoReply: the stream held no completion, or ended before it was complete.
    """
    said: list[str] = []
    thought: list[str] = []
    blocks: list[dict[str, Any]] = []
    calls = _Calls()
    finish_reason: str | None = None
    async for chunk in stream:
        for choice in chunk.choices[:1]:
            delta = choice.delta
            for texts, piece in zip((said, thought), content_of(delta), strict=True):
                texts += [] if piece is None else [piece]
            _add_blocks(blocks, getattr(delta, "thinking_blocks", None) or ())
            for part in delta.tool_calls or ():
                calls.add(part)
            finish_reason = choice.finish_reason or finish_reason
    received = getattr(stream, "chunks", [])
    # LiteLLM ends every stream with a reason of its own, also one that held nothing.
    if not received or getattr(stream, "received_finish_reason", finish_reason) is None:
        raise NoReply(INCOMPLETE)
    usages = [known_usage(getattr(chunk, "usage", None)) for chunk in received]
    return reply_of(
        "".join(said) if said else None,
        "".join(thought) if thought else None,
        blocks,
        tuple(call_of(made.id, made.name, "".join(made.parts)) for made in calls.in_order()),
        finish_reason,
        next((usage for usage in reversed(usages) if usage is not None), None),
    )


def _add_blocks(blocks: list[dict[str, Any]], parts: Sequence[Any]) -> None:
    """Add pieces of signed thoughts; the signature ends the one that it came behind."""
    for part in parts:
        piece = dict(part)
        last = blocks[-1] if blocks else {}
        goes_on = "signature" not in last and last.get("type") == piece.get("type") == "thinking"
        if not goes_on:
            blocks.append({})
        block = blocks[-1]
        text = f"{block.get('thinking', '')}{piece.get('thinking') or ''}"
        block |= {name: value for name, value in piece.items() if value}
        if piece.get("type") == "thinking":
            block["thinking"] = text


@dataclass(slots=True)
class _Made:
    """One call so far."""

    index: int
    id: str | None
    name: str | None
    parts: list[str] = field(default_factory=list)

    def is_whole(self) -> bool:
        try:
            json.loads("".join(self.parts))
        except ValueError:
            return False
        return True


class _Calls:
    """The calls of one reply: id and name come once, arguments in pieces.

    The index tells calls apart, where a server sends one that does. Where calls share it, as with
    servers that leave it out, they are told apart by their ids, and without ids a name after whole
    arguments begins the next one.
    """

    def __init__(self) -> None:
        self._made: list[_Made] = []

    def add(self, part: Any) -> None:  # noqa: ANN401  (LiteLLM's)
        """Take in one piece."""
        function = getattr(part, "function", None)
        name = getattr(function, "name", None) or None
        given = getattr(function, "arguments", None)
        given = given if isinstance(given, str) else ""
        made = self._of(part.index or 0, part.id or None, name, given)
        made.id = made.id or part.id
        made.name = made.name or name
        made.parts.append(given)

    def _of(self, index: int, call_id: str | None, name: str | None, given: str) -> _Made:
        """The call that a piece belongs to."""
        same = [made for made in self._made if made.index == index]
        # A server may number the calls of each event anew, and name the one that goes on.
        among = self._made if name is None else same
        named = [made for made in among if call_id is not None and made.id == call_id]
        candidates = named or same
        if candidates:
            last = candidates[-1]
            other_id = call_id is not None and last.id is not None and not named
            again = name is not None and last.name is not None
            if not (again and (other_id or (given and last.is_whole()))):
                return last
        made = _Made(index, call_id, name)
        self._made.append(made)
        return made

    def in_order(self) -> list[_Made]:
        """By index, those that share one as they began."""
        return sorted(self._made, key=lambda made: made.index)
