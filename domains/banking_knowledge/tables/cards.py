"""Tables of the area cards: credit, debit, charge and prepaid cards."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import BaseModel, Field

from ragbench.toolkit import Money

from .row import Row

__all__ = [
    "AdditionalCard",
    "CardAgreement",
    "CardsTables",
    "LimitChange",
    "Plan",
    "Redemption",
    "Wallet",
]


class CardAgreement(Row):
    """The agreement behind a card."""

    card_id: str
    opened: dt.date
    yearly_income: Money | None = None
    late_payments: list[dt.date] = Field(default_factory=list)
    """The due dates that were missed."""


class LimitChange(Row):
    """A change of a credit limit; a rise is offered first and counts when it is accepted."""

    card_id: str
    former: Money
    limit: Money
    ground_code: str
    status: Literal["applied", "offered", "accepted"]
    made: dt.date


class Plan(Row):
    """A purchase that is paid in instalments. ``still_to_bill`` is not yet in the balance."""

    card_id: str
    transaction_id: str
    months: int
    plan_code: str
    started: dt.date
    still_to_bill: Money | None = None


class AdditionalCard(Row):
    """A card for somebody else on the holder's agreement."""

    card_id: str
    name: str
    fee: Money
    ordered: dt.date


class Wallet(Row):
    """A card that was put on a device."""

    card_id: str
    device: str
    added: dt.date
    status: Literal["active", "removed"] = "active"
    reason_code: str | None = None


class Redemption(Row):
    """The money of a prepaid card that is paid out when the card ends."""

    card_id: str
    pay_to_account_id: str
    amount: Money
    fee: Money
    made: dt.date


class CardsTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""

    card_agreements: dict[str, CardAgreement] = Field(default_factory=dict)
    limit_changes: dict[str, LimitChange] = Field(default_factory=dict)
    plans: dict[str, Plan] = Field(default_factory=dict)
    additional_cards: dict[str, AdditionalCard] = Field(default_factory=dict)
    wallets: dict[str, Wallet] = Field(default_factory=dict)
    redemptions: dict[str, Redemption] = Field(default_factory=dict)
