"""The database as a value: copies, what is compared, and its hash."""

from __future__ import annotations

import copy
import datetime as dt
import functools
import hashlib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ragbench.toolkit import FREE_TEXT, canonical_json, is_free_text

__all__ = ["clone", "comparable", "merge", "state_hash"]

_SHARED = (str, int, float, bool, type(None), dt.date, dt.time, dt.timedelta)
"""Values that cannot be changed, and need no copy."""


def clone(value: Any) -> Any:  # noqa: ANN401  (any part of a database)
    """A copy that shares nothing that can be changed; several times as fast as `copy.deepcopy`.

    A value that stands in two places of a database becomes two values.
    """
    if isinstance(value, _SHARED):
        return value
    if isinstance(value, BaseModel):
        twin = value.model_copy()
        fields = {name: clone(item) for name, item in value.__dict__.items()}
        object.__setattr__(twin, "__dict__", fields)
        if value.__pydantic_extra__:
            object.__setattr__(twin, "__pydantic_extra__", clone(value.__pydantic_extra__))
        if value.__pydantic_private__:
            private = copy.deepcopy(value.__pydantic_private__)
            object.__setattr__(twin, "__pydantic_private__", private)
        return twin
    if type(value) is dict:
        return {key: clone(item) for key, item in value.items()}
    if type(value) is list:
        return [clone(item) for item in value]
    return copy.deepcopy(value)


def comparable(value: Any) -> Any:  # noqa: ANN401  (any part of a database)
    """A database, or a part of it, without the fields marked as free text."""
    if isinstance(value, BaseModel):
        extra = {name: comparable(item) for name, item in (value.model_extra or {}).items()}
        return extra | {name: comparable(getattr(value, name)) for name in _compared(type(value))}
    if isinstance(value, Mapping):
        return {str(key): comparable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [comparable(item) for item in value]
    return value


@functools.cache
def _compared(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model that are not free text."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if FREE_TEXT not in field.metadata and not is_free_text(field.annotation)
    )


def state_hash(database: BaseModel) -> str:
    """SHA-256 of the comparable state; ``25`` and ``25.0`` are equal, key order does not matter."""
    return hashlib.sha256(canonical_json(comparable(database)).encode()).hexdigest()


def merge(database: BaseModel, changes: Mapping[str, Any]) -> BaseModel:
    """A new database with the changes merged in, mapping by mapping; other values are replaced.

    Raises:
        pydantic.ValidationError: the result is not a valid database.
    """
    return type(database).model_validate(_merged(database.model_dump(mode="json"), changes))


def _merged(old: Any, new: Any) -> Any:  # noqa: ANN401
    if isinstance(old, dict) and isinstance(new, Mapping):
        return old | {key: _merged(old.get(key), value) for key, value in new.items()}
    return new
