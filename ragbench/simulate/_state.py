"""The database as a value: what is compared, and its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ragbench.toolkit import FREE_TEXT, canonical_json, is_free_text

__all__ = ["comparable", "merge", "state_hash"]


def comparable(value: Any) -> Any:  # noqa: ANN401  (any part of a database)
    """A database, or a part of it, without the fields marked as free text."""
    if isinstance(value, BaseModel):
        extra = {name: comparable(item) for name, item in (value.model_extra or {}).items()}
        return extra | {
            name: comparable(getattr(value, name))
            for name, field in type(value).model_fields.items()
            if FREE_TEXT not in field.metadata and not is_free_text(field.annotation)
        }
    if isinstance(value, Mapping):
        return {str(key): comparable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [comparable(item) for item in value]
    return value


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
