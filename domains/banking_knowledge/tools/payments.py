"""Held payments: seeing, confirming (the customer's part), releasing and returning them."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import ToolError, tool

from ..lookup import credit, customer_of, payment_of, shown
from ..schema import Database

__all__ = [
    "approve_held_payment_9025",
    "list_payments",
    "release_payment_hold_6203",
    "return_held_payment_6230",
]


@tool("read")
def list_payments(db: Database, customer_id: str) -> dict[str, Any]:
    """List the payments of a customer that are held, or were held and have been settled."""
    customer_of(db, customer_id)
    mine = {key for key, row in db.accounts.items() if customer_id in row.holders}
    return {"payments": shown({k: row for k, row in db.payments.items() if row.account_id in mine})}


@tool("write", discoverable=True, user=True, idempotent=True)
def approve_held_payment_9025(db: Database, payment_id: str) -> dict[str, Any]:
    """Confirm in your app that a payment that was held is really meant."""
    payment_of(db, payment_id).confirmed_in_app = True
    return {"payment_id": payment_id, "confirmed": True}


@tool("write", discoverable=True)
def release_payment_hold_6203(db: Database, payment_id: str, review_code: str) -> dict[str, Any]:
    """Send a held payment on its way."""
    payment = payment_of(db, payment_id)
    if not payment.confirmed_in_app:
        raise ToolError("The customer has not confirmed this payment in the app.")
    payment.status, payment.review_code = "sent", review_code
    return {"payment_id": payment_id, "status": payment.status}


@tool("write", discoverable=True)
def return_held_payment_6230(db: Database, payment_id: str, review_code: str) -> dict[str, Any]:
    """Send a held payment back to the customer's account."""
    payment = payment_of(db, payment_id)
    payment.status, payment.review_code = "returned", review_code
    credit(db, payment.account_id, payment.amount)
    return {"payment_id": payment_id, "status": payment.status}
