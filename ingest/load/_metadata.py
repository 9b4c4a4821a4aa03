"""Metadata as scalars: what a manifest, a front matter or a JSON record says about a document."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Mapping
from datetime import date, time
from itertools import count
from typing import Any

__all__ = ["Scalar", "flatten", "leaves", "said", "scalar", "unused", "well_formed"]

Scalar = str | int | float | bool

_SURROGATE = re.compile("[\ud800-\udfff]")
_INT64 = 2**63
_NESTED = (list, tuple, set, Mapping)
_POSITION = re.compile(r"\[\d+\]")


def well_formed(text: str) -> str:
    r"""The same text without surrogates: pairs become their character, lone ones U+FFFD.

    Extracted text and JSON escapes may hold lone surrogates, and those cannot be written as UTF-8.

    >>> well_formed("a\ud83d\ude00b\ud800c")
    'a😀b�c'
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def scalar(value: object) -> Scalar | None:
    """The value as metadata, None when it has no scalar form.

    Dates become ISO text, numbers that no store keeps (NaN, infinities, beyond 64 bits) text, a
    list of scalars text joined by ``", "``. None and nested values have no scalar form.

    >>> scalar(["retail", 2, None, True])
    'retail, 2, true'
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else _digits(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return str(well_formed(value))
    if isinstance(value, date | time):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, list | tuple | set):
        parts = [part for part in value if part is not None]
        plain = [None if isinstance(part, _NESTED) else scalar(part) for part in parts]
        if plain and None not in plain:
            return ", ".join(map(said, plain))
    return None


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # thousands of digits
        return hex(value)


def said(value: object) -> str:
    """A scalar as text; truth as JSON writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Scalar]]:
    """Every scalar in a nested value, with the path that leads to it.

    Names are joined by a dot. A list of scalars is one of them; the items of another list are
    counted from 1.

    >>> list(leaves({"at": {"city": "Bonn"}, "fees": [{"usd": 3}, {"usd": 4}], "tags": ["a", "b"]}))
    [('at.city', 'Bonn'), ('fees[1].usd', 3), ('fees[2].usd', 4), ('tags', 'a, b')]
    """
    plain = scalar(value)
    if plain is not None:
        yield path, plain
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            name = well_formed(str(key))
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list | tuple | set):
        for position, inner in enumerate(value, start=1):
            yield from leaves(inner, f"{path}[{position}]")


def flatten(fields: Mapping[Any, object], leave: tuple[str, ...] = ()) -> dict[str, Scalar]:
    """The fields, nested ones under their paths, those named in ``leave`` apart.

    A path that two fields have is numbered for the second.

    >>> flatten({"product": "card", "owner": {"name": "x"}, "owner.name": "y", "id": 7}, ("id",))
    {'product': 'card', 'owner.name': 'x', 'owner.name (2)': 'y'}
    """
    found: dict[str, Scalar] = {}
    for path, plain in leaves(fields):
        if not _within(path, leave):
            found[unused(path, found)] = plain
    return found


def unused(name: str, taken: Container[str]) -> str:
    """The name, numbered where it is taken.

    >>> unused("note", {"note", "note (2)"})
    'note (3)'
    """
    numbers = (f"{name} ({n})" for n in count(2))
    return name if name not in taken else next(one for one in numbers if one not in taken)


def _within(path: str, names: tuple[str, ...]) -> bool:
    bare = _POSITION.sub("", path)
    return any(bare == name or path == name or bare.startswith(f"{name}.") for name in names)
