"""What is wrong with a record, in words: place, offending value, what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ragbench.errors import did_you_mean

__all__ = ["explain"]

Step = str | int

_MOST = 3
_MUST_BE = {
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
}
"""What pydantic's kinds of problem are for somebody who wrote a file."""


def explain(
    error: ValidationError,
    known: Iterable[str] = (),
    written: Callable[[Sequence[Step]], Sequence[Step]] = tuple,
) -> str:
    """The first problems of a validation, each with its place and the value that was given.

    Args:
        error: what pydantic found.
        known: field names to suggest for an unknown one.
        written: the place in the record as it stood in the file, where that had another form.
    """
    known = tuple(known)
    details = error.errors()
    # A list whose only entry is malformed counts as empty: that is no second problem.
    details = [one for one in details if one["type"] != "too_short" or not _within(one, details)]
    shown = [_one(detail, known, written) for detail in details[:_MOST]]
    more = len(details) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")


def _one(
    detail: Mapping[str, Any],
    known: tuple[str, ...],
    written: Callable[[Sequence[Step]], Sequence[Step]],
) -> str:
    place = _place(written(detail["loc"]))
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
    if detail["type"] in _MUST_BE:
        message = f"must be {_MUST_BE[detail['type']]}"
    elif detail["type"] in ("literal_error", "enum"):
        message = f"must be {detail['ctx']['expected']}"
    return f"{where}{message}{given}"


def _within(outer: Mapping[str, Any], details: Sequence[Mapping[str, Any]]) -> bool:
    """Whether another problem lies inside the place of this one."""
    place = outer["loc"]
    return any(one["loc"][: len(place)] == place for one in details if one is not outer)


def _place(steps: Sequence[Step]) -> str:
    """The place as people write it.

    >>> _place(("needs", 0, "evidence", 1, "quote"))
    'needs[0].evidence[1].quote'
    """
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
