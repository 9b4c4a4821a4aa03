"""Values as they are written: numbers that a float or an integer would spell anew stay text.

Shared by JSON and front matters. ``12.5`` is a number; ``12.50``, ``1e3``, ``NaN`` and integers
beyond 64 bits are `Written`. A key that an object has twice, with two values, is found by
`doubled_key`, since nothing says which of them counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Doubled", "Written", "doubled_key", "json_value", "number"]

_INT64 = 2**63


class Written(str):
    """A number as the file writes it."""

    __slots__ = ()


class Doubled(dict[str, Any]):
    """An object that has a key twice, with two values.

    Attributes:
        key: the first such key.
    """

    key: str = ""


def number(text: str, read: Callable[[str], int | float]) -> int | float | Written:
    """The number, or its text where the number would be written otherwise.

    >>> number("12.5", float), number("12.50", float), number("7", int), number("-0", int)
    (12.5, '12.50', 7, '-0')
    """
    found = read(text)
    fits = isinstance(found, float) or -_INT64 <= found < _INT64
    return found if fits and str(found) == text else Written(text)


def json_value(text: str) -> Any:  # noqa: ANN401
    """What a JSON text says.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(
        text,
        parse_int=lambda written: number(written, int),
        parse_float=lambda written: number(written, float),
        parse_constant=Written,
        object_pairs_hook=_object,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    doubled = Doubled()
    for key, value in pairs:
        if key in found and found[key] != value and not doubled.key:
            doubled.key = key
        found[key] = value
    if not doubled.key:
        return found
    doubled.update(found)
    return doubled


def doubled_key(value: object) -> str | None:
    """A key that some object within the value has twice, None without one."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, Doubled):
            return one.key
        if isinstance(one, Mapping):
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
    return None
