"""What a domain's own files need: tools, free text, generated ids, policy rules.

A tool is a typed function whose first parameter is the database::

    @tool("write")
    def waive_fee(db: Database, account_id: str, note: FreeText, context: CallContext) -> str:
        '''Waive the last fee of an account.'''

Its parameters (all but ``db`` and ``context``) become the schema the agent sees; its docstring the
description. Raising `ToolError` answers the agent with that message. Tools, rules and the database
models live in a domain's folder; calling them is `ragbench.simulate`'s business.
"""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import inspect
import json
import re
import typing
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema, create_model
from pydantic_core import to_jsonable_python

from ragbench.records import Requestor, ToolCall

__all__ = [
    "FREE_TEXT",
    "GIVE_TOOL",
    "RESERVED_TOOLS",
    "UNLOCK_TOOL",
    "CallContext",
    "FreeText",
    "Money",
    "PastCall",
    "Rule",
    "RuleContext",
    "Tool",
    "ToolError",
    "canonical_json",
    "derived_id",
    "folded_query",
    "is_free_text",
    "rule",
    "tool",
]

UNLOCK_TOOL = "unlock_tool"
GIVE_TOOL = "give_tool_to_user"
RESERVED_TOOLS = (UNLOCK_TOOL, GIVE_TOOL)
"""Tools that the environment gives an agent whose domain has discoverable ones."""

FREE_TEXT = "ragbench:free-text"
"""Annotation mark of values that are never compared: wording chosen by the agent."""

FreeText = Annotated[str, FREE_TEXT]
"""A string that is left out of state hashes, argument comparison and generated ids."""


Money = Annotated[
    Decimal,
    PlainSerializer(float, return_type=float, when_used="json"),
    WithJsonSchema({"type": "number"}),
]
"""An amount of money, exact: 0.3 + 0.2 + 0.1 and 0.1 + 0.2 + 0.3 are equal, as floats are not.

In JSON, and so for the agent, it is a number.
"""


class ToolError(Exception):
    """The call cannot be done; the message goes to the agent and the database stays as it was."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool may know beyond its arguments.

    Attributes:
        now: the domain's fixed clock.
        requestor: who called.
        new_id: makes an id from a prefix. It derives from the tool, the compared arguments and an
            ordinal among equal calls, so that equal solutions get equal ids.
    """

    now: dt.datetime
    requestor: Requestor
    new_id: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a domain; made by the decorator `tool`.

    Attributes:
        kind: ``read`` leaves no trace in the database; ``write`` may.
        discoverable: absent until unlocked by name; the name stands only in the corpus.
        requestor: whose tool it is.
        idempotent: repeating the call with equal arguments changes nothing more.
        arguments: pydantic model of the parameters; refuses unknown ones.
        free_text: parameters that are never compared.
    """

    name: str
    description: str
    kind: Literal["read", "write"]
    discoverable: bool
    requestor: Requestor
    idempotent: bool
    function: Callable[..., Any]
    arguments: type[BaseModel]
    free_text: frozenset[str]
    wants_context: bool

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as JSON schema; made once, not to be changed."""
        return _schema_of(self.arguments)

    def normalised(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the tool would receive them, as JSON; as given if they are invalid.

        ``"25"`` for an integer parameter becomes ``25``, and a parameter left out has its default,
        so that spelling does not decide a score.
        """
        try:
            parsed = self.arguments.model_validate(dict(arguments))
        except ValueError:
            return dict(arguments)
        return {name: _jsonable(getattr(parsed, name)) for name in type(parsed).model_fields}


@functools.cache
def _schema_of(arguments: type[BaseModel]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    return schema


def tool(
    kind: Literal["read", "write"],
    *,
    discoverable: bool = False,
    user: bool = False,
    idempotent: bool = False,
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool.

    Args:
        kind: ``read`` or ``write``.
        discoverable: the agent must unlock it by a name that only the corpus gives.
        user: the tool is the customer's, not the agent's.
        idempotent: see `Tool`.

    Raises:
        ValueError: the kind is neither, or the function has no docstring, no ``db`` first, or a
            parameter without type.
    """
    if kind not in ("read", "write"):
        raise ValueError(f"The kind of a tool is 'read' or 'write', not {kind!r}")

    def make(function: Callable[..., Any]) -> Tool:
        name = function.__name__
        description = inspect.getdoc(function) or ""
        if not description:
            raise ValueError(f"The tool {name!r} has no docstring; it is what the agent reads")
        parameters = list(inspect.signature(function).parameters.values())
        if not parameters or parameters[0].name != "db":
            raise ValueError(f"The first parameter of the tool {name!r} must be 'db'")
        hints = typing.get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in parameters[1:]:
            if parameter.name == "context":
                continue
            if parameter.name not in hints:
                raise ValueError(f"The parameter {parameter.name!r} of {name!r} has no type")
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[parameter.name] = (hints[parameter.name], default)
        return Tool(
            name=name,
            description=description,
            kind=kind,
            discoverable=discoverable,
            requestor="user" if user else "assistant",
            idempotent=idempotent,
            function=function,
            arguments=create_model(name, __config__=ConfigDict(extra="forbid"), **fields),
            free_text=frozenset(key for key, (hint, _) in fields.items() if is_free_text(hint)),
            wants_context=any(parameter.name == "context" for parameter in parameters),
        )

    return make


def is_free_text(hint: Any) -> bool:  # noqa: ANN401  (a type hint can be anything)
    """Whether a type hint is `FreeText`, also inside an optional.

    >>> is_free_text(FreeText), is_free_text(FreeText | None), is_free_text(str)
    (True, True, False)
    """
    if FREE_TEXT in getattr(hint, "__metadata__", ()):
        return True
    return any(is_free_text(part) for part in typing.get_args(hint))


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call that was executed: what it answered, and whether it failed.

    The arguments are as the tool received them, or as given when the call failed.
    """

    call: ToolCall
    step: int
    content: str
    error: bool


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a policy rule looks at, after each call that succeeded.

    Attributes:
        call: the call just made, its arguments as the tool received them (`Tool.normalised`).
        tool: the tool called.
        result: what the tool returned.
        before: the database before the call; the same object as ``db`` for a read.
        db: the database after it.
        earlier: the calls before this one, in order.
        now: the domain's fixed clock.
    """

    call: ToolCall
    tool: Tool
    result: Any
    before: Any
    db: Any
    earlier: tuple[PastCall, ...]
    now: dt.datetime

    def succeeded(self, name: str, /, **arguments: Any) -> bool:  # noqa: ANN401
        """Whether an earlier call of the tool with (at least) these arguments succeeded."""
        return any(
            not past.error
            and past.call.name == name
            and all(past.call.arguments.get(key) == value for key, value in arguments.items())
            for past in self.earlier
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """A policy rule that a program can check; made by the decorator `rule`.

    ``check`` returns what was broken, or None. A hard rule broken makes the reward 0.
    """

    name: str
    hard: bool
    description: str
    check: Callable[[RuleContext], str | None] = field(repr=False)


def rule(*, hard: bool) -> Callable[[Callable[[RuleContext], str | None]], Rule]:
    """Make a function ``(RuleContext) -> str | None`` a policy rule of the domain."""

    def make(function: Callable[[RuleContext], str | None]) -> Rule:
        return Rule(function.__name__, hard, inspect.getdoc(function) or "", function)

    return make


def canonical_json(value: Any) -> str:  # noqa: ANN401  (any JSON value)
    """JSON with sorted keys in which equal numbers read the same, whatever their type.

    >>> canonical_json({"b": 25.0, "a": [True, None]})
    '{"a": [true, null], "b": 25}'
    >>> canonical_json([Decimal("25.50"), Decimal("25.5"), 25.5, Decimal("25.00"), 25])
    '[25.5, 25.5, 25.5, 25, 25]'
    """
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False)


def folded_query(query: str) -> str:
    """A query as it is compared: NFKC, case-folded, runs of punctuation and space made one space.

    >>> folded_query("  Wire-fee,  LIMIT?") == folded_query("wire fee limit")
    True
    """
    text = unicodedata.normalize("NFKC", query).casefold()
    return re.sub(r"[\W_]+", " ", text).strip()


def derived_id(
    prefix: str, tool_name: str, compared: Mapping[str, Any], ordinal: int, nth: int = 0
) -> str:
    """An id that equal calls share and unequal ones do not: prefix and eight hexadecimal digits.

    Args:
        prefix: stands before the digits.
        tool_name: the tool that makes the id.
        compared: the call's compared arguments.
        ordinal: how many equal calls came before this one.
        nth: how many ids this call has made before this one.
    """
    source = canonical_json([tool_name, dict(compared), ordinal, *([nth] if nth else [])])
    return f"{prefix}-{hashlib.sha256(source.encode()).hexdigest()[:8].upper()}"


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=canonical_json)
    if isinstance(value, BaseModel):
        return {name: _plain(item) for name, item in value}
    if isinstance(value, dt.date):
        return value.isoformat()
    return str(value)


def _number(value: Decimal) -> int | float | str:
    """A decimal as a JSON number; as text where no float has its value."""
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else format(value.normalize(), "f")


def _jsonable(value: Any) -> Any:  # noqa: ANN401
    """An argument as JSON, decimals as numbers."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, BaseModel):
        return {name: _jsonable(item) for name, item in value}
    return to_jsonable_python(value)
