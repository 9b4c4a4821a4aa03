"""What a role says and calls as values that can be stored and sent: UTF-8 text and plain JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from ragbench.llm import whole_text
from ragbench.records import ToolCall

__all__ = ["MAX_DEPTH", "loads", "read_arguments", "storable", "storable_call"]

MAX_DEPTH = 64
"""Arguments nested deeper are refused: readers of stored lines give up at some depth."""


def storable(value: Any, depth: int = 0) -> Any:  # noqa: ANN401  (any JSON value)
    """The value with `whole_text` applied to every string in it.

    Raises:
        ValueError: it is no JSON (NaN and infinity are none), or nested deeper than `MAX_DEPTH`.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        return whole_text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no JSON number")
        return value
    if isinstance(value, dict):
        return {whole_text(_key(key)): storable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item, depth + 1) for item in value]
    raise ValueError(f"{type(value).__name__} is no JSON type")


def _key(key: Any) -> str:  # noqa: ANN401
    if not isinstance(key, str):
        raise ValueError(f"the key {key!r} is no string")
    return key


def storable_call(call: ToolCall) -> ToolCall:
    """The call with `storable` applied to its fields.

    Raises:
        ValueError: its arguments cannot be stored.
    """
    return call.model_copy(
        update={
            "id": whole_text(call.id),
            "name": whole_text(call.name),
            "arguments": storable(call.arguments),
            "malformed": None if call.malformed is None else whole_text(call.malformed),
        }
    )


def read_arguments(text: str) -> dict[str, Any]:
    r"""The arguments of a call as a model wrote them.

    An empty text and ``null`` mean no arguments. A JSON string that holds JSON is decoded, as some
    models encode their arguments twice. Values are taken as they are: whether ``25`` may stand for
    ``"25"`` is for the tool's own parameter types to say.

    Raises:
        ValueError: it is no JSON object that can be stored.

    >>> read_arguments('{"k": 5}'), read_arguments('"{\\"k\\": 5}"'), read_arguments("")
    ({'k': 5}, {'k': 5}, {})
    """
    value: Any = text
    for _ in range(3):
        if not isinstance(value, str):
            break
        value = loads(value) if value.strip() else {}
    value = {} if value is None else value
    if not isinstance(value, dict):
        raise ValueError(f"a JSON object is wanted, not {type(value).__name__}")
    found: dict[str, Any] = storable(value)
    return found


def loads(text: str) -> Any:  # noqa: ANN401  (any JSON value)
    """`json.loads` that refuses what JSON does not know, with ValueError for every fault."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
