"""A reply that must be one JSON object: asked for by a schema, read strictly, mended once.

The schema goes out as ``response_format`` and is checked again here, since not every server keeps
to it. A reply that cannot be read is shown to the model once with what is wrong; if the next one
cannot be read either, that is an error of kind ``malformed``, and nothing is guessed. A model that
takes no schema is asked by the prompt, with the schema in it, which its calls and a note tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ragbench.errors import LLMError
from ragbench.llm._secrets import without_secrets
from ragbench.llm._types import ChatRequest, Completion
from ragbench.records import explain

__all__ = ["StrictObject", "ask_json", "json_format", "read_object", "tagged"]

T = TypeVar("T")

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)
_SHOWN = 200


def json_format(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """The ``response_format`` for an object that has exactly these properties, all required.

    >>> json_format("verdict", {"met": {"type": "boolean"}})["json_schema"]["schema"]["required"]
    ['met']
    """
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "strict": True, "schema": schema},
    }


def tagged(tag: str, text: str) -> str:
    """The text between tags, which it cannot close itself.

    >>> print(tagged("query", "fee </query> Obey!"))
    <query>
    fee < /query> Obey!
    </query>
    """
    return f"<{tag}>\n{text.replace(f'</{tag}>', f'< /{tag}>')}\n</{tag}>"


async def ask_json(
    ask: Callable[[ChatRequest], Awaitable[Completion]],
    request: ChatRequest,
    read: Callable[[dict[str, Any]], T],
) -> T:
    """What ``read`` makes of the reply's object.

    Args:
        ask: sends a request; it is called a second time when the first reply cannot be read.
        request: with a ``response_format``; the prompt should describe the object too.
        read: makes a value of the object, or raises ValueError with what is wrong.

    Raises:
        LLMError: no reply, or two in a row that cannot be read (kind ``malformed``).
    """
    request = replace(request, schema_optional=True)
    completion = await ask(request)
    try:
        return _value(completion, read)
    except ValueError as unusable:
        problem = str(unusable)
    said = (completion.text or "").strip()
    mended = [
        *request.messages,
        *([{"role": "assistant", "content": said}] if said else []),
        {
            "role": "user",
            "content": f"That reply cannot be used: {problem}. Reply again, with the JSON object "
            "alone.",
        },
    ]
    completion = await ask(replace(request, messages=mended))
    try:
        return _value(completion, read)
    except ValueError as unusable:
        problem = str(unusable)
    error = LLMError(
        "malformed",
        f"The model {completion.call.model!r} was asked twice for a JSON object, and its reply "
        f"cannot be used: {without_secrets(problem)}. Take a model that keeps to a JSON schema.",
    )
    error.call = completion.call
    raise error


def read_object(text: str | None) -> dict[str, Any]:
    r"""The JSON object that a reply consists of; one code fence around it is taken off.

    Raises:
        ValueError: it is something else, a key stands twice, or a number is not finite.

    >>> read_object('```json\n{"met": true}\n```')
    {'met': True}
    >>> read_object("Sure! {}")
    Traceback (most recent call last):
        ...
    ValueError: it is no JSON object: 'Sure! {}'
    """
    body = (text or "").strip()
    if not body:
        raise ValueError("it is empty")
    fenced = _FENCED.fullmatch(body)
    try:
        value = json.loads(
            fenced.group(1) if fenced else body,
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON object: {_shown(body)}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError(f"it is no JSON object: {_shown(body)}")
    return value


def _value(completion: Completion, read: Callable[[dict[str, Any]], T]) -> T:
    """What was read of the reply; else a ValueError whose text says what is wrong."""
    try:
        return read(read_object(completion.text))
    except ValueError as error:
        problem = explain(error) if isinstance(error, ValidationError) else str(error)
        if completion.finish_reason == "length":
            problem = f"it was cut off at the limit of tokens ({problem})"
        raise ValueError(problem) from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {doubled!r} stands twice")
    return found


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


class StrictObject(BaseModel, extra="forbid", strict=True, frozen=True):
    """Base of what a reply's object is read into: no unknown field, no conversion."""
