"""Tables of the area savings: savings, tax-free and children's accounts."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, Field

from ragbench.toolkit import Money

from .row import Row

__all__ = [
    "Allowance",
    "ChildAccount",
    "ChildPayment",
    "InterestCredit",
    "Notice",
    "SavingsTables",
    "TermClosure",
    "TransferIn",
]


class Allowance(Row):
    """What was credited to a customer's tax-free accounts with the bank in a tax year."""

    customer_id: str
    tax_year: str
    credits: Money
    corrected: Money = Decimal(0)
    reason_code: str | None = None


class Notice(Row):
    """Notice of a withdrawal. The charge is that of taking the notice back."""

    account_id: str
    amount: Money
    given: dt.date
    due: dt.date
    status: Literal["running", "served", "withdrawn"] = "running"
    withdrawn_on: dt.date | None = None
    charge: Money | None = None


class TransferIn(Row):
    """A request to fetch tax-free savings from another institution."""

    customer_id: str
    provider: str
    amount: Money
    kind_code: str
    requested: dt.date


class ChildAccount(Row):
    """The child for whom an account is held in trust, and the customers who are trustees.

    ``second_signature`` is the day on which the other trustee agreed to a payment.
    """

    account_id: str
    child: str
    born: dt.date
    trustees: list[str]
    second_signature: dt.date | None = None


class ChildPayment(Row):
    """Money that was taken out for a child."""

    account_id: str
    amount: Money
    purpose_code: str
    paid: dt.date


class InterestCredit(Row):
    """Interest that was paid beyond what the account had earned."""

    account_id: str
    amount: Money
    reason_code: str
    paid: dt.date


class TermClosure(Row):
    """A tax-free fixed term that was closed before its end."""

    account_id: str
    charge: Money
    terms_code: str
    closed: dt.date


class SavingsTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""

    allowances: dict[str, Allowance] = Field(default_factory=dict)
    notices: dict[str, Notice] = Field(default_factory=dict)
    transfers_in: dict[str, TransferIn] = Field(default_factory=dict)
    child_accounts: dict[str, ChildAccount] = Field(default_factory=dict)
    child_payments: dict[str, ChildPayment] = Field(default_factory=dict)
    interest_credits: dict[str, InterestCredit] = Field(default_factory=dict)
    term_closures: dict[str, TermClosure] = Field(default_factory=dict)
