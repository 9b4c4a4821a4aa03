"""Tables of the area business: business accounts, cash, payroll, cards for staff."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import BaseModel, Field

from ragbench.toolkit import Money

from .row import Row

__all__ = [
    "BusinessTables",
    "CashOrder",
    "PayrollFile",
    "ReservePayout",
    "ReserveSlice",
    "Signatory",
    "StaffCard",
    "Terminal",
]


class Signatory(Row):
    """A person who may act for a business account, and how far."""

    account_id: str
    name: str
    right_code: str
    since: dt.date
    status: Literal["active", "ended"] = "active"


class PayrollFile(Row):
    """A file of wages. ``paid_on`` is the day on which they are, or will be, booked."""

    account_id: str
    people: int
    total: Money
    pay_day: dt.date
    prepared_by: str
    status: Literal["held", "released", "paid"] = "held"
    hold_reason: (
        Literal["total_above_usual", "new_people", "same_as_before", "no_comparison"] | None
    ) = None
    countersigned: bool = False
    released: dt.date | None = None
    ground_code: str | None = None
    paid_on: dt.date | None = None


class Terminal(Row):
    """A way of taking cards: a rented device or a shop on the internet."""

    account_id: str
    product: str
    place: str
    model: str
    rented_since: dt.date
    status: Literal["running", "ending"] = "running"
    end_date: dt.date | None = None
    ground_code: str | None = None
    fee: Money | None = None


class ReserveSlice(Row):
    """What was kept back from the card sales of one month."""

    account_id: str
    month: str
    amount: Money


class ReservePayout(Row):
    """A part of the reserve that was paid out to the account."""

    account_id: str
    amount: Money
    ground_code: str
    made: dt.date


class CashOrder(Row):
    """Change that was ordered for a branch."""

    account_id: str
    branch_code: str
    date: dt.date
    mix_code: str
    ordered: dt.date


class StaffCard(Row):
    """A card of a firm that an employee carries. ``card_year_from`` is when its fee was taken."""

    account_id: str
    product: str
    holder: str
    ends_in: str
    monthly_limit: Money
    card_year_from: dt.date
    status: Literal["active", "ended"] = "active"
    reason_code: str | None = None
    refund: Money | None = None


class BusinessTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""

    signatories: dict[str, Signatory] = Field(default_factory=dict)
    payroll_files: dict[str, PayrollFile] = Field(default_factory=dict)
    terminals: dict[str, Terminal] = Field(default_factory=dict)
    reserves: dict[str, ReserveSlice] = Field(default_factory=dict)
    reserve_payouts: dict[str, ReservePayout] = Field(default_factory=dict)
    cash_orders: dict[str, CashOrder] = Field(default_factory=dict)
    staff_cards: dict[str, StaffCard] = Field(default_factory=dict)
