"""What is wrong with a record, in words: place, offending value, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from ragbench.errors import did_you_mean

__all__ = ["explain"]

_MOST = 3


def explain(error: ValidationError, known: Iterable[str] = ()) -> str:
    """The first problems of a validation, each with its place and the value that was given.

    Args:
        error: what pydantic found.
        known: field names to suggest for an unknown one.
    """
    known = tuple(known)
    shown = [_one(detail, known) for detail in error.errors()[:_MOST]]
    more = error.error_count() - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")


def _one(detail: Mapping[str, Any], known: tuple[str, ...]) -> str:
    place = ".".join(str(part) for part in detail["loc"])
    where = f"{place}: " if place else ""
    if detail["type"] == "extra_forbidden":
        name = str(detail["loc"][-1])
        return f"{where}no field is called {name!r}{did_you_mean(name, known)}"
    if detail["type"] == "missing":
        return f"{where}this field is missing"
    message = str(detail["msg"]).removeprefix("Value error, ")
    value = repr(detail["input"])
    if len(value) > 60:
        value = value[:57] + "..."
    given = "" if detail["type"] == "value_error" else f" (given: {value})"
    return f"{where}{message}{given}"
