"""Reading an object that a model wrote into text: fenced, with words behind it, without quotes."""

from __future__ import annotations

import json
import re
from typing import Any

from ragbench.simulate._storable import loads, read_arguments, storable

__all__ = ["read_loosely"]

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)


def read_loosely(text: str) -> dict[str, Any]:
    """The object in a text; an empty text is an empty object.

    Tried in order: the text as it is; the first object in it, whatever stands behind; the stretch
    from the first ``{`` to the last ``}`` as a flow mapping of YAML, where quotes may be single or
    missing. A bare word is then text, unless it is a JSON number, ``true``, ``false`` or ``null``.

    Raises:
        ValueError: there is no object.

    >>> read_loosely('{"name": "Ines"} I hope this helps')
    {'name': 'Ines'}
    >>> read_loosely("{name: Ines Varga, 'k': 5, due: 2026-03-02}")
    {'name': 'Ines Varga', 'k': 5, 'due': '2026-03-02'}
    """
    fenced = _FENCE.search(text)
    body = (fenced.group(1) if fenced else text).strip().strip("`").strip()
    try:
        return read_arguments(body)
    except ValueError:
        start = body.find("{")
    if start < 0:
        raise ValueError(f"there is no object in {body!r:.100}")
    try:
        found, _ = json.JSONDecoder(strict=False).raw_decode(body, start)
    except (ValueError, RecursionError):
        found = _flow_mapping(body[start : body.rfind("}") + 1])
    object_: dict[str, Any] = storable(found)
    return object_


def _flow_mapping(text: str) -> dict[str, Any]:
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
        found = _value(node, set())
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("it is neither JSON nor nearly so") from error
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    return found


def _value(node: Any, seen: set[int]) -> Any:  # noqa: ANN401  (a node of YAML, any JSON value)
    """What a node stands for; aliases are refused, as they can stand for a great deal."""
    import yaml

    if id(node) in seen:
        raise ValueError("it refers to itself")
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        return {_name(key): _value(value, seen) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, seen) for item in node.value]
    if not isinstance(node, yaml.ScalarNode):
        raise ValueError("it is empty")
    if node.style is not None:
        return str(node.value)
    try:
        value = loads(node.value)
    except ValueError:
        return str(node.value)
    return value if isinstance(value, bool | int | float) or value is None else str(node.value)


def _name(node: Any) -> str:  # noqa: ANN401
    if not isinstance(node.value, str):
        raise ValueError("one of its keys is no name")
    return node.value
