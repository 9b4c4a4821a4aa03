"""Tools, values that are compared, generated ids, policy rules."""

import datetime as dt
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any

import pytest
from pydantic import BaseModel

from ragbench.records import ToolCall
from ragbench.toolkit import (
    CallContext,
    FreeText,
    PastCall,
    RuleContext,
    canonical_json,
    derived_id,
    folded_query,
    rule,
    tool,
)


class Row(BaseModel):
    amount: float


class Colour(StrEnum):
    RED = "red"


class Level(Enum):
    LOW = 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 25.0, "a": [True, None]}, '{"a": [true, null], "b": 25}'),
        (25, "25"),
        (25.5, "25.5"),
        (-0.0, "0"),
        (Decimal("25.00"), "25"),
        (Decimal("0.10"), "0.1"),
        ("25", '"25"'),  # a string is no number
        (True, "true"),  # and true is not 1
        (1, "1"),
        ((1, 2), "[1, 2]"),
        ({3, 1, 2}, "[1, 2, 3]"),
        (frozenset({"b", "a"}), '["a", "b"]'),
        ({1: "x"}, '{"1": "x"}'),
        (Row(amount=5.0), '{"amount": 5}'),
        (dt.date(2026, 3, 3), '"2026-03-03"'),
        (dt.datetime(2026, 3, 3, 10, tzinfo=dt.UTC), '"2026-03-03T10:00:00+00:00"'),
        (Colour.RED, '"red"'),
        (Level.LOW, '"Level.LOW"'),
        ("é", '"é"'),
    ],
)
def test_canonical_json(value, expected):
    assert canonical_json(value) == expected


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("Wire-fee,  LIMIT?", " wire fee limit ", True),
        ("ＷＩＲＥ fee", "wire fee", True),
        ("wire_fee", "wire fee", True),
        ("STRASSE", "straße", True),
        ("wire fees", "wire fee", False),
        ("fee wire", "wire fee", False),
        ("$5", "5", True),  # punctuation only
        ("電信、手数料", "電信 手数料", True),
    ],
)
def test_folded_query(left, right, equal):
    assert (folded_query(left) == folded_query(right)) is equal


def test_derived_ids():
    first = derived_id("CASE", "open_case", {"amount": 25}, 0)
    assert first == derived_id("CASE", "open_case", {"amount": 25.0}, 0)
    others = [
        derived_id("CASE", "open_case", {"amount": 25}, 1),  # the second equal call
        derived_id("CASE", "open_case", {"amount": 25}, 0, 1),  # the second id of one call
        derived_id("CASE", "open_case", {"amount": 26}, 0),
        derived_id("CASE", "close_case", {"amount": 25}, 0),
    ]
    assert len({first, *others}) == 5
    assert first.startswith("CASE-")
    assert len(first) == len("CASE-") + 8


@tool("write", idempotent=True)
def pay(
    db: Any,
    amount: int,
    currency: str = "USD",
    note: FreeText | None = None,
    *,
    context: CallContext,
) -> None:
    """Pay an amount."""


def test_a_function_becomes_a_tool():
    assert (pay.name, pay.description, pay.kind, pay.requestor) == (
        "pay", "Pay an amount.", "write", "assistant",
    )  # fmt: skip
    assert pay.idempotent
    assert not pay.discoverable
    assert pay.wants_context
    assert pay.free_text == {"note"}
    assert set(pay.schema["properties"]) == {"amount", "currency", "note"}
    assert pay.schema["required"] == ["amount"]
    assert pay.schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"amount": "25"}, {"amount": 25, "currency": "USD", "note": None}),
        ({"amount": 25.0}, {"amount": 25, "currency": "USD", "note": None}),
        ({"amount": 25, "currency": "EUR"}, {"amount": 25, "currency": "EUR", "note": None}),
        ({"amount": 25.5}, {"amount": 25.5}),  # invalid: as given
        ({"amount": 25, "colour": "red"}, {"amount": 25, "colour": "red"}),
        ({}, {}),
    ],
)
def test_arguments_as_the_tool_would_receive_them(given, expected):
    assert pay.normalised(given) == expected


def test_tool_refuses():
    def silent(db: Any) -> None: ...

    def no_db(amount: int) -> None:
        """No database."""

    def untyped(db: Any, amount) -> None:
        """No type."""

    with pytest.raises(ValueError, match="'silent' has no docstring"):
        tool("read")(silent)
    with pytest.raises(ValueError, match="first parameter of the tool 'no_db' must be 'db'"):
        tool("read")(no_db)
    with pytest.raises(ValueError, match="parameter 'amount' of 'untyped' has no type"):
        tool("read")(untyped)


def test_rules_see_earlier_calls():
    @rule(hard=True)
    def looked_up(context: RuleContext) -> str | None:
        """Look up first."""
        return None if context.succeeded("find", name="Ann") else "not looked up"

    def context(*earlier: PastCall) -> RuleContext:
        call = ToolCall(id="c", name="pay")
        return RuleContext(
            call, pay, None, None, None, earlier, dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        )

    ann = ToolCall(id="a", name="find", arguments={"name": "Ann", "k": 1})
    assert (looked_up.name, looked_up.hard, looked_up.description) == (
        "looked_up", True, "Look up first.",
    )  # fmt: skip
    assert looked_up.check(context()) == "not looked up"
    assert looked_up.check(context(PastCall(ann, 0, "", error=True))) == "not looked up"
    assert looked_up.check(context(PastCall(ann, 0, "", error=False))) is None
