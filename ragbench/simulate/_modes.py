"""How a role's model calls tools: what a mode has to say, and what all of them share.

Three modes: function calling (`ragbench.simulate._native`), a JSON-schema action format
(`ragbench.simulate._schema`) and a text protocol (`ragbench.simulate._react`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ragbench.llm import ChatRequest, Completion
from ragbench.records import Message, ToolCall
from ragbench.simulate._environment import ToolView
from ragbench.simulate._roles import Reply

__all__ = ["Entry", "Mode", "Spoken", "Unreadable", "catalogue", "heard", "labelled", "spoken_text"]

Entry = Mapping[str, Any]
"""One message of a chat request."""


class Unreadable(ValueError):
    """A model's reply is none in its mode; the message tells the model what is wrong."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply, and what stands for it in the model's own history.

    Attributes:
        raw: its text there.
        thinking_blocks: signed thoughts, which go back to the provider with the calls after them.
    """

    reply: Reply
    raw: str | None
    thinking_blocks: tuple[Entry, ...] = ()


class Mode(Protocol):
    """One way of calling tools.

    Attributes:
        n_corrections: how often a reply that cannot be read is sent back for a better one.
    """

    n_corrections: int

    def instructions(self, tools: Sequence[ToolView]) -> str:
        """What the system prompt says about the form of a reply; empty says nothing."""
        ...

    def request(self, messages: Sequence[Entry], tools: Sequence[ToolView]) -> ChatRequest:
        """The request for the next reply."""
        ...

    def read(self, completion: Completion) -> Spoken:
        """The reply in a completion.

        Raises:
            Unreadable: it holds none.
        """
        ...

    def told(self, spoken: Spoken | None, news: Sequence[Message]) -> list[Entry]:
        """The own last reply and what came after it, as messages of the next request.

        Args:
            spoken: the last reply, None before the first.
            news: the answers to its calls, one for each and in their order, then the other side's
                words.
        """
        ...


def heard(news: Sequence[Message]) -> str | None:
    """The other side's words since the last reply, None when it said nothing."""
    texts = [message.content or "" for message in news if message.role != "tool"]
    return "\n\n".join(texts) if texts else None


def labelled(calls: Sequence[ToolCall], news: Sequence[Message], label: str, result: str) -> Entry:
    """Results and words as one message, for modes in which tools have no role of their own.

    Args:
        calls: the calls that were answered.
        news: the answers and the other side's words.
        label: who the other side is.
        result: stands before a result; ``{name}`` is the tool's.
    """
    answers = [message for message in news if message.role == "tool"]
    parts = [
        f"{result.format(name=call.name)}: {answer.content or ''}"
        for call, answer in zip(calls, answers, strict=True)
    ]
    words = heard(news)
    if words is not None:
        parts.append(f"{label}: {words}")
    return {"role": "user", "content": "\n\n".join(parts)}


def spoken_text(completion: Completion) -> str:
    """The text of a completion in which a form is looked for.

    Raises:
        Unreadable: it is empty.
    """
    text = (completion.text or "").strip()
    if text:
        return text
    if completion.finish_reason == "length":
        raise Unreadable("Your reply was cut off before it said anything. Be brief.")
    raise Unreadable("Your reply was empty.")


def catalogue(tools: Sequence[ToolView]) -> str:
    """The tools as lines of text: name, parameters, the description's first paragraph.

    >>> schema = {"properties": {"name": {"type": "string"}, "k": {"type": "integer"}},
    ...           "required": ["name"]}
    >>> catalogue([ToolView("find", "Find a member.", schema)])
    '- find(name: string, k?: integer) - Find a member.'
    """
    return "\n".join(
        f"- {tool.name}({_parameters(tool.parameters)}) - {_first_paragraph(tool.description)}"
        for tool in tools
    )


def _first_paragraph(description: str) -> str:
    return " ".join(description.split("\n\n", 1)[0].split())


def _parameters(schema: Mapping[str, Any]) -> str:
    required = set(schema.get("required", ()))
    shared = schema.get("$defs", {})
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {_type(about, shared)}"
        for name, about in schema.get("properties", {}).items()
    )


def _type(about: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """A parameter's type in few words; an unusual one as its JSON schema."""
    if "$ref" in about:
        about = shared.get(str(about["$ref"]).rpartition("/")[2], about)
    choices = about.get("enum", [about["const"]] if "const" in about else None)
    if choices is not None:
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    if "anyOf" in about:
        return " | ".join(_type(one, shared) for one in about["anyOf"])
    kind = about.get("type")
    if kind == "array" and isinstance(about.get("items"), dict):
        return f"list of {_type(about['items'], shared)}"
    if kind == "object" and about.get("properties"):
        return f"{{{_parameters({**about, '$defs': shared})}}}"
    if isinstance(kind, str):
        return f"{kind} ({about['description']})" if about.get("description") else kind
    return json.dumps(about, ensure_ascii=False)
