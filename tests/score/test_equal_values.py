"""Equal values are equal whatever their type, in states and in arguments."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import BaseModel

from ragbench.simulate import state_hash
from ragbench.toolkit import Money, canonical_json, tool


class Purse(BaseModel):
    holds: Decimal


class Wallet(BaseModel):
    holds: Money = Decimal(0)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (Decimal("25.5"), Decimal("25.50"), True),
        (Decimal("25.00"), 25, True),
        (25.0, 25, True),
        (Decimal("0.1"), 0.1, True),
        (Decimal("25.5"), 25.5, True),
        (Decimal("25.5"), Decimal("25.51"), False),
        (Decimal("12345678901234567.89"), Decimal("12345678901234567.88"), False),  # one float
        (0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, False),  # 0.6000000000000001 and 0.6: hence Money
        (sum(map(Decimal, ("0.1", "0.2", "0.3"))), sum(map(Decimal, ("0.3", "0.2", "0.1"))), True),
    ],
)
def test_numbers_are_compared_by_value(one, other, equal) -> None:
    assert (canonical_json({"a": [one]}) == canonical_json({"a": [other]})) is equal


@pytest.mark.parametrize("model", [Purse, Wallet])
def test_states_of_equal_decimals_have_one_hash(model) -> None:
    assert state_hash(model(holds="25.50")) == state_hash(model(holds=25.5))
    assert state_hash(model(holds="25.50")) != state_hash(model(holds="25.51"))


def test_money_added_in_another_order_is_the_same() -> None:
    first, second = Wallet(), Wallet()
    for amount in (0.1, 0.2, 0.3):
        first.holds += Wallet(holds=amount).holds
    for amount in (0.3, 0.2, 0.1):
        second.holds += Wallet(holds=amount).holds
    assert state_hash(first) == state_hash(second)
    assert first.model_dump_json() == '{"holds":0.6}'


@pytest.mark.parametrize("kind", [Decimal, Money, float])
def test_arguments_of_equal_value_are_equal(kind) -> None:
    def pay(db: BaseModel, amount: kind, parts: list[kind]) -> str:
        """Pay."""
        return ""

    pay.__annotations__ = {"db": BaseModel, "amount": kind, "parts": list[kind], "return": str}
    made = tool("write")(pay)
    spelled = [{"amount": a, "parts": [a]} for a in ("25.50", 25.5, "25.5")]
    assert [made.normalised(one) for one in spelled] == [{"amount": 25.5, "parts": [25.5]}] * 3


def test_money_is_a_number_to_the_agent() -> None:
    schema = Wallet.model_json_schema()["properties"]["holds"]
    assert schema["type"] == "number"
    assert "anyOf" not in schema
