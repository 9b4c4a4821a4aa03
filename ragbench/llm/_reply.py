"""What LiteLLM returns, plain or streamed, taken apart: text, calls, tokens, cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ragbench.llm._litellm import litellm
from ragbench.llm._types import RawCall

__all__ = ["NoReply", "Reply", "cost_usd", "plain", "streamed", "whole_text"]


class NoReply(Exception):
    """A reply that is no chat completion; ``usage`` is what it was charged for, if it says so."""

    def __init__(self, message: str, usage: object = None) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True, slots=True)
class Reply:
    """A completion's content; ``usage`` is LiteLLM's object, None when the provider sent none."""

    text: str | None
    calls: tuple[RawCall, ...]
    finish_reason: str | None
    usage: Any

    def tokens(self) -> tuple[int | None, int | None, int | None]:
        """Of the prompt, of the completion, and the cached ones; None where it is not said."""
        if self.usage is None:
            return None, None, None
        details = getattr(self.usage, "prompt_tokens_details", None)
        cached = getattr(details, "cached_tokens", None)
        return self.usage.prompt_tokens, self.usage.completion_tokens, cached


def whole_text(text: str) -> str:
    r"""The text with U+FFFD for what UTF-8 cannot hold; halves of a pair that meet are joined.

    >>> whole_text("a\ud83d\ude00b\ud83d") == "a\U0001F600b\ufffd"
    True
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def plain(response: Any) -> Reply:  # noqa: ANN401
    """A completion that came in one piece.

    Raises:
        NoReply: it has no choices.
    """
    usage = _known(getattr(response, "usage", None))
    choices = getattr(response, "choices", None)
    if not choices:
        raise NoReply("the reply has no choices", usage)
    message = choices[0].message
    calls = tuple(
        _call(call.id, call.function.name, call.function.arguments)
        for call in message.tool_calls or ()
        if getattr(call, "function", None) is not None
    )
    return Reply(_text(message.content), calls, choices[0].finish_reason, usage)


def _call(call_id: object, name: object, arguments: object) -> RawCall:
    given = arguments if isinstance(arguments, str) else ""
    return RawCall(whole_text(str(call_id or "")), whole_text(str(name or "")), whole_text(given))


def _text(content: object) -> str | None:
    if isinstance(content, str):
        return whole_text(content)
    if isinstance(content, Sequence):  # parts, as some servers send them
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return whole_text("".join(part for part in parts if isinstance(part, str)))
    return None


def _known(usage: Any) -> Any:  # noqa: ANN401
    """The usage, None for the zeros that stand for an absent one."""
    return usage if getattr(usage, "prompt_tokens", None) else None


async def streamed(stream: Any) -> Reply:  # noqa: ANN401
    """A completion that comes in pieces, put together.

    Raises:
        NoReply: the stream held no completion, or ended before it was complete.
    """
    texts: list[Any] = []
    entries: dict[int, list[Any]] = {}
    finish_reason: str | None = None
    async for chunk in stream:
        for choice in chunk.choices[:1]:
            texts.append(choice.delta.content)
            for part in choice.delta.tool_calls or ():
                _merge(entries, part)
            finish_reason = choice.finish_reason or finish_reason
    received = getattr(stream, "chunks", [])
    # LiteLLM ends every stream with a reason of its own, also one that held nothing.
    if not received or getattr(stream, "received_finish_reason", finish_reason) is None:
        raise NoReply("the stream holds no completion, or ended before it was complete")
    usages = [_known(getattr(chunk, "usage", None)) for chunk in received]
    pieces = [text for text in texts if isinstance(text, str)]
    return Reply(
        whole_text("".join(pieces)) if pieces else None,
        tuple(
            _call(call_id, name, "".join(parts))
            for _, (call_id, name, parts) in sorted(entries.items())
        ),
        finish_reason,
        next((usage for usage in reversed(usages) if usage is not None), None),
    )


def _merge(entries: dict[int, list[Any]], part: Any) -> None:  # noqa: ANN401
    """Add a piece of a tool call: id and name come once, arguments in pieces."""
    entry = entries.setdefault(part.index or 0, [None, None, []])
    entry[0] = entry[0] or part.id
    entry[1] = entry[1] or part.function.name
    if isinstance(part.function.arguments, str):
        entry[2].append(part.function.arguments)


@lru_cache(maxsize=256)
def _has_price(model: str) -> bool:
    """Whether LiteLLM's table knows the price of a token; a free model has a price of 0."""
    module = litellm()
    unknown = (module.exceptions.ModelNotMappedError, module.exceptions.BadRequestError)
    try:
        key = module.get_model_info(model)["key"]
    except unknown:
        return False
    return "input_cost_per_token" in module.model_cost.get(key, {})


def cost_usd(model: str, usage: Any) -> float | None:  # noqa: ANN401
    """What a call cost by LiteLLM's table; None when the model or the usage is not known."""
    if usage is None or not _has_price(model):
        return None
    parts = litellm().cost_per_token(model=model, usage_object=usage)
    return float(sum(parts))
