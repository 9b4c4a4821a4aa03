"""Metadata as scalars: what a manifest, a front matter or a JSON record says about a document."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, time

__all__ = ["Scalar", "flatten", "scalar", "well_formed"]

Scalar = str | int | float | bool

_SURROGATE = re.compile("[\ud800-\udfff]")
_INT64 = 2**63


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

    >>> scalar(["retail", 2])
    'retail, 2'
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, date | time):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, list | tuple | set):
        parts = [None if isinstance(part, list | tuple | set) else scalar(part) for part in value]
        if parts and all(part is not None for part in parts):
            return ", ".join(str(part) for part in parts)
    return None


def flatten(fields: Mapping[object, object], leave: tuple[str, ...] = ()) -> dict[str, Scalar]:
    """The fields that have a scalar form, those named in ``leave`` apart.

    >>> flatten({"product": "card", "tags": ["a", "b"], "owner": {"name": "x"}, "id": 7}, ("id",))
    {'product': 'card', 'tags': 'a, b'}
    """
    found: dict[str, Scalar] = {}
    for key, value in fields.items():
        plain = scalar(value)
        if plain is not None and str(key) not in leave:
            found[well_formed(str(key))] = plain
    return found
