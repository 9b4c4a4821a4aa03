"""Finding rows by id, with the message that the caller gets when there is none."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import BaseModel

from ragbench.toolkit import Money, ToolError

from .schema import Database
from .tables.core import Account, Card, Customer, Loan, Payment, Transaction

__all__ = [
    "account_of",
    "card_of",
    "credit",
    "customer_of",
    "loan_of",
    "payment_of",
    "pence",
    "row_of",
    "shown",
    "transaction_of",
]

_Row = TypeVar("_Row", bound=BaseModel)


def customer_of(db: Database, customer_id: str) -> Customer:
    """The customer, or a ToolError."""
    return row_of(db.customers, customer_id, "customer")


def account_of(db: Database, account_id: str) -> Account:
    """The account if it is open, or a ToolError."""
    account = row_of(db.accounts, account_id, "account")
    if account.status == "closed":
        raise ToolError(f"The account {account_id} is closed.")
    return account


def card_of(db: Database, card_id: str) -> Card:
    """The card, or a ToolError."""
    return row_of(db.cards, card_id, "card")


def transaction_of(db: Database, transaction_id: str) -> Transaction:
    """The transaction, or a ToolError."""
    return row_of(db.transactions, transaction_id, "transaction")


def loan_of(db: Database, loan_id: str) -> Loan:
    """The loan, or a ToolError."""
    return row_of(db.loans, loan_id, "loan")


def payment_of(db: Database, payment_id: str) -> Payment:
    """The payment if it is held, or a ToolError."""
    payment = row_of(db.payments, payment_id, "payment")
    if payment.status != "held":
        raise ToolError(f"The payment {payment_id} is not held; it was {payment.status}.")
    return payment


def credit(db: Database, on: str, amount: Money) -> None:
    """Book an amount in the customer's favour (or, negative, against) on an account or card."""
    if on in db.accounts:
        account = db.accounts[on]
        account.balance = pence(account.balance + amount)
    else:
        card = card_of(db, on)
        card.balance = pence((card.balance or Decimal(0)) - amount)


def pence(amount: Money) -> Money:
    """The amount in whole pence."""
    return round(amount, 2)


def shown(rows: Mapping[str, BaseModel], **wanted: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401
    """The rows whose fields have the wanted values, as JSON values by id, without unset fields."""
    return {
        key: row.model_dump(mode="json", exclude_none=True)
        for key, row in rows.items()
        if all(getattr(row, name) == value for name, value in wanted.items())
    }


def row_of(rows: Mapping[str, _Row], key: str, what: str) -> _Row:
    """The row of that id, or a ToolError that says what there is none of."""
    if key not in rows:
        raise ToolError(f"There is no {what} {key!r}.")
    return rows[key]
