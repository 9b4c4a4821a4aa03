"""The core tables: customers, accounts, cards, what is booked, and what the desk records.

A ``product`` is a name or code of the fact base; the build of the corpora checks it.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, Field

from ragbench.toolkit import FreeText, Money

from .row import Row

__all__ = [
    "Account",
    "Appointment",
    "Card",
    "Claim",
    "CoreTables",
    "Customer",
    "Decision",
    "Document",
    "Handover",
    "Loan",
    "Order",
    "Payment",
    "Refund",
    "Settlement",
    "Transaction",
]


class Document(Row):
    """A paper that the customer has handed in."""

    kind: str
    received: dt.date
    content: str


class Customer(Row):
    """A person with accounts. ``identity_checked`` is the day of the last passed check.

    ``region`` decides between the variants of documents that differ for the Isles.
    """

    name: str
    date_of_birth: dt.date
    postcode: str
    address: str
    region: Literal["mainland", "isles"] = "mainland"
    phone: str
    email: str
    documents_on_file: list[Document] = Field(default_factory=list)
    identity_checked: dt.date | None = None


class Account(Row):
    """A current or savings account. ``deposit`` and ``matures`` are set for fixed terms only."""

    holders: list[str]
    product: str
    business_name: str | None = None
    opened: dt.date
    balance: Money
    overdraft_limit: Money = Decimal(0)
    overdraft_proof: str | None = None
    rate_percent: float | None = None
    deposit: Money | None = None
    matures: dt.date | None = None
    status: Literal["open", "closed"] = "open"
    change_to: str | None = None
    change_on: dt.date | None = None


class Card(Row):
    """A debit or credit card. Limit, balance and due date are those of credit cards."""

    customer_id: str
    product: str
    account_id: str | None = None
    ends_in: str
    status: Literal["active", "frozen", "cancelled"] = "active"
    credit_limit: Money | None = None
    balance: Money | None = None
    last_payment_due: dt.date | None = None


class Transaction(Row):
    """A booked line of an account or a card; ``on`` is its id, negative amounts leave it."""

    on: str
    date: dt.date
    kind: Literal[
        "purchase", "direct debit", "standing order", "transfer", "pay-in", "cash", "fee", "refund"
    ]
    text: str
    amount: Money
    disputed: bool = False
    refunded: Money = Decimal(0)


class Loan(Row):
    """A Fellside loan; capital and interest are of today."""

    customer_id: str
    product: str
    purpose: str
    capital: Money
    accrued_interest: Money
    months_remaining: int
    instalment: Money
    free_amount_used: bool = False
    missed_payments: list[dt.date] = Field(default_factory=list)
    instalments_overdue: int = 0


class Payment(Row):
    """A payment from an account that has not been sent, or was held before it was."""

    account_id: str
    payee: str
    amount: Money
    entered: dt.datetime
    status: Literal["held", "sent", "returned"] = "held"
    hold_reason: Literal["new_payee", "name_mismatch", "fraud_signal"]
    confirmed_in_app: bool = False
    review_code: str | None = None


class Claim(Row):
    """A disputed purchase."""

    customer_id: str
    transaction_id: str
    ground_code: str
    provisional_credit: bool
    filed: dt.date
    outcome: Literal["open", "won", "lost"] = "open"


class Refund(Row):
    """A fee that was paid back."""

    transaction_id: str
    amount: Money
    reason_code: str
    reference: str
    made: dt.date


class Decision(Row):
    """A recorded decision on a request."""

    customer_id: str
    about_id: str
    decision: Literal["approved", "declined"]
    policy_code: str
    made: dt.date
    note: FreeText = ""


class Handover(Row):
    """A customer passed on to another team."""

    customer_id: str
    team: str
    reason_code: str
    made: dt.date
    summary: FreeText = ""


class Order(Row):
    """Something that is sent to a customer: a card, a certificate, a letter."""

    subject_id: str
    kind: Literal["card", "interest certificate", "balance letter"]
    delivery: str
    fee: Money
    detail: str
    ordered: dt.date


class Settlement(Row):
    """A settlement figure that was issued for a loan."""

    loan_id: str
    settlement_date: dt.date
    early_charge: Money
    figure: Money


class Appointment(Row):
    """A booked appointment at a branch."""

    customer_id: str
    branch_code: str
    date: dt.date
    time: str
    type_code: str


class CoreTables(BaseModel):
    """What every area uses, by id."""

    customers: dict[str, Customer]
    accounts: dict[str, Account]
    cards: dict[str, Card]
    transactions: dict[str, Transaction]
    loans: dict[str, Loan]
    payments: dict[str, Payment]
    claims: dict[str, Claim] = Field(default_factory=dict)
    refunds: dict[str, Refund] = Field(default_factory=dict)
    decisions: dict[str, Decision] = Field(default_factory=dict)
    handovers: dict[str, Handover] = Field(default_factory=dict)
    orders: dict[str, Order] = Field(default_factory=dict)
    settlements: dict[str, Settlement] = Field(default_factory=dict)
    appointments: dict[str, Appointment] = Field(default_factory=dict)
