"""What LiteLLM returns, taken apart: text, thoughts, calls, tokens, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ragbench.llm._litellm import litellm
from ragbench.llm._price import Price
from ragbench.llm._reasoning import joined_thoughts
from ragbench.llm._types import RawCall

__all__ = [
    "INCOMPLETE",
    "NoReply",
    "Reply",
    "call_of",
    "content_of",
    "cost_usd",
    "known_usage",
    "plain",
    "reply_of",
    "tokens_of",
    "whole_text",
]

INCOMPLETE = "the reply holds no completion, or ended before it was complete"
_PRIVATE_PARTS = {"thinking", "reasoning", "reasoning_text"}


class NoReply(Exception):
    """A reply that is no chat completion; ``usage`` is what it was charged for, if it says so."""

    def __init__(self, message: str, usage: object = None) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True, slots=True)
class Reply:
    """A completion's content.

    Attributes:
        usage: LiteLLM's object, None when the provider sent none.
        reasoning: thoughts that the server kept apart; those between tags are in the text.
        thinking_blocks: the same as signed objects, which their provider wants back unchanged.
    """

    text: str | None
    calls: tuple[RawCall, ...]
    finish_reason: str | None
    usage: Any
    reasoning: str | None = None
    thinking_blocks: tuple[Mapping[str, Any], ...] = ()

    def tokens(self) -> tuple[int | None, int | None, int | None]:
        """Of the prompt, of the completion, and the cached ones; None where it is not said."""
        return tokens_of(self.usage)


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
    usage = known_usage(getattr(response, "usage", None))
    choices = getattr(response, "choices", None)
    if not choices:
        raise NoReply(INCOMPLETE, usage)
    message = choices[0].message
    calls = tuple(
        call_of(call.id, call.function.name, call.function.arguments)
        for call in message.tool_calls or ()
        if getattr(call, "function", None) is not None
    )
    said, thought = content_of(message)
    blocks = [dict(block) for block in getattr(message, "thinking_blocks", None) or ()]
    return reply_of(said, thought, blocks, calls, choices[0].finish_reason, usage)


def reply_of(
    said: str | None,
    thought: str | None,
    blocks: Sequence[Mapping[str, Any]],
    calls: tuple[RawCall, ...],
    finish_reason: str | None,
    usage: Any,  # noqa: ANN401  (LiteLLM's)
) -> Reply:
    """The reply of its whole parts, the same whether they came in one piece or in many."""
    if thought is None:
        thought = "".join(str(block.get("thinking") or "") for block in blocks)
    return Reply(
        None if said is None else whole_text(said),
        calls,
        finish_reason,
        usage,
        joined_thoughts([whole_text(thought)]),
        tuple(blocks),
    )


def call_of(call_id: object, name: object, arguments: object) -> RawCall:
    """A call of its parts, whatever a server sends for them."""
    given = arguments if isinstance(arguments, str) else ""
    return RawCall(whole_text(str(call_id or "")), whole_text(str(name or "")), whole_text(given))


def content_of(message: Any) -> tuple[str | None, str | None]:  # noqa: ANN401
    """What a message, or a piece of one, says and what it thinks; None where it has no such part.

    Thoughts that a server keeps apart stand in fields of their own, or in parts of the content;
    those between tags in the text are still in it.
    """
    content = message.content
    thoughts = [
        field
        for name in ("reasoning_content", "reasoning")
        if isinstance(field := getattr(message, name, None), str)
    ][:1]
    if isinstance(content, str):
        return content, thoughts[0] if thoughts else None
    said: list[str] = []
    if isinstance(content, Sequence):  # parts, as some servers send them
        for part in content:
            if isinstance(part, Mapping):
                _enter_part(part, said, thoughts)
    return "".join(said) if said else None, "".join(thoughts) if thoughts else None


def _enter_part(part: Mapping[str, Any], said: list[str], thoughts: list[str]) -> None:
    private = part.get("type") in _PRIVATE_PARTS
    text = part.get("thinking", part.get("text")) if private else part.get("text")
    inner = text if isinstance(text, Sequence) and not isinstance(text, str) else [{"text": text}]
    texts = [one.get("text") for one in inner if isinstance(one, Mapping)]
    (thoughts if private else said).extend(one for one in texts if isinstance(one, str))


def known_usage(usage: Any) -> Any:  # noqa: ANN401
    """The usage, None for the zeros that stand for an absent one."""
    return usage if getattr(usage, "prompt_tokens", None) else None


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


def tokens_of(usage: Any) -> tuple[int | None, int | None, int | None]:  # noqa: ANN401
    """Of the prompt, of the completion, and the cached ones; None where it is not said."""
    if usage is None:
        return None, None, None
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None)
    return usage.prompt_tokens, usage.completion_tokens, cached


def cost_usd(model: str, usage: Any, price: Price | None = None) -> float | None:  # noqa: ANN401
    """What a call cost; None when its price or the usage is not known.

    Args:
        model: found in LiteLLM's table where no price is given.
        usage: LiteLLM's object.
        price: the one that a person gave, which wins over the table.
    """
    if price is not None:
        prompt, completion, cached = tokens_of(usage)
        return None if prompt is None else price.cost_usd(prompt, completion or 0, cached or 0)
    if usage is None or not _has_price(model):
        return None
    parts = litellm().cost_per_token(model=model, usage_object=usage)
    return float(sum(parts))
