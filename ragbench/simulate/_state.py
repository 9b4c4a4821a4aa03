"""The database as a value: copies, what is compared, and its hash."""

from __future__ import annotations

import copy
import datetime as dt
import functools
import hashlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import BaseModel

from ragbench.toolkit import FREE_TEXT, canonical_json, is_free_text

__all__ = [
    "IMMUTABLE",
    "clone",
    "comparable",
    "compared_names",
    "compared_parts",
    "merge",
    "state_hash",
    "twin",
]

M = TypeVar("M", bound=BaseModel)

IMMUTABLE = (str, int, float, bool, type(None), dt.date, dt.time, dt.timedelta, Decimal)
"""Values that cannot be changed, and need no copy."""
_NEVER_COPIED = frozenset({*IMMUTABLE, dt.datetime})
"""The same as exact types: most values of a database are of one of these."""
_COPY, _set = BaseModel.__copy__, object.__setattr__


def clone(value: Any) -> Any:  # noqa: ANN401  (any part of a database)
    """A copy that shares nothing that can be changed; several times as fast as `copy.deepcopy`.

    A value that stands in two places of a database becomes two values.
    """
    kind = type(value)
    if kind in _NEVER_COPIED:
        return value
    if isinstance(value, BaseModel):
        return twin(value, clone)
    if kind is dict:
        return {key: clone(item) for key, item in value.items()}
    if kind is list:
        return [clone(item) for item in value]
    return value if isinstance(value, IMMUTABLE) else copy.deepcopy(value)


def twin(model: M, copied: Callable[[Any], Any]) -> M:
    """A model of the same class and fields.

    Args:
        model: the model.
        copied: makes the copy of a field's value that can be changed.
    """
    kind = type(model)
    if kind.__copy__ is not _COPY:
        made = model.model_copy()
        fields = made.__dict__
    else:  # the same, slot by slot, in little more than half the time
        made, fields = kind.__new__(kind), model.__dict__.copy()
        _set(made, "__dict__", fields)
        _set(made, "__pydantic_fields_set__", model.__pydantic_fields_set__.copy())
        _set(made, "__pydantic_extra__", None)
        _set(made, "__pydantic_private__", None)
    if not _NEVER_COPIED.issuperset(map(type, fields.values())):
        for name, value in fields.items():
            if type(value) not in _NEVER_COPIED:
                fields[name] = copied(value)
    if model.__pydantic_extra__ is not None:
        _set(made, "__pydantic_extra__", clone(model.__pydantic_extra__))
    if model.__pydantic_private__ is not None:
        _set(made, "__pydantic_private__", copy.deepcopy(model.__pydantic_private__))
    return made


def comparable(value: Any) -> Any:  # noqa: ANN401  (any part of a database)
    """A database, or a part of it, without the fields marked as free text."""
    if type(value) in _NEVER_COPIED:
        return value
    parts = compared_parts(value)
    if parts is not None:
        return {name: comparable(item) for name, item in parts.items()}
    if isinstance(value, list | tuple):
        return [comparable(item) for item in value]
    return value


def compared_parts(value: Any) -> dict[str, Any] | None:  # noqa: ANN401  (any part of a database)
    """What a model or mapping is compared by, as it stands; None for another value."""
    if isinstance(value, BaseModel):
        return {**(value.model_extra or {}), **_compared_fields(value)}
    if isinstance(value, dict):  # of a `Table` nothing is handed out, so nothing is copied
        return {str(key): item for key, item in dict.items(value)}
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    return None


def _compared_fields(model: BaseModel) -> dict[str, Any]:
    return {name: getattr(model, name) for name in compared_names(type(model))}


@functools.cache
def compared_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model that are not free text."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if FREE_TEXT not in field.metadata and not is_free_text(field.annotation)
    )


def state_hash(database: BaseModel) -> str:
    """SHA-256 of the comparable state; equal numbers are equal, key order does not matter."""
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
