"""Tables of the area lending: mortgages and loans."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, Field

from ragbench.toolkit import Money

from .row import Row

__all__ = [
    "LendingTables",
    "LoanHistory",
    "Mortgage",
    "MortgageRequest",
    "PaymentPause",
    "Valuation",
]


class Mortgage(Row):
    """A Hearth mortgage; the capital is of today.

    Rate and end of the fixed period are set for fixed products only. ``overpaid_this_year`` is what
    was paid beyond the instalments since 1 January.
    """

    borrowers: list[str]
    product: str
    opened: dt.date
    original_loan: Money
    capital: Money
    capital_january: Money
    rate_percent: float | None = None
    fixed_until: dt.date | None = None
    monthly: Money
    payment_day: int
    term_end: dt.date
    overpaid_this_year: Money = Decimal(0)
    property_value: Money
    offset_account_id: str | None = None
    offset_ends: dt.date | None = None
    instalments_overdue: int = 0


class MortgageRequest(Row):
    """Something entered for a mortgage: an overpayment, or the offer of another product."""

    mortgage_id: str
    kind: Literal["overpayment", "switch"]
    code: str
    amount: Money | None = None
    fee: Money
    start: dt.date | None = None
    made: dt.date
    status: Literal["entered", "offered", "signed"] = "entered"


class Valuation(Row):
    """An ordered valuation of a property."""

    mortgage_id: str
    kind_code: str
    fee: Money
    ordered: dt.date


class LoanHistory(Row):
    """When a loan was paid out and on which day of the month its instalment is taken."""

    loan_id: str
    paid_out: dt.date
    payment_day: int


class PaymentPause(Row):
    """Months without instalments. ``withdrawn_code`` is set when it was taken back."""

    loan_id: str
    months: int
    ground_code: str
    granted: dt.date
    withdrawn_code: str | None = None


class LendingTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""

    mortgages: dict[str, Mortgage] = Field(default_factory=dict)
    mortgage_requests: dict[str, MortgageRequest] = Field(default_factory=dict)
    valuations: dict[str, Valuation] = Field(default_factory=dict)
    loan_histories: dict[str, LoanHistory] = Field(default_factory=dict)
    payment_pauses: dict[str, PaymentPause] = Field(default_factory=dict)
