"""Accounts held in trust for children: whose they are, and taking money out."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, credit, pence, shown
from ..schema import Database
from ..tables.savings import ChildAccount, ChildPayment

__all__ = ["get_child_account", "pay_from_child_account_8492", "sign_child_payment_8484"]


@tool("read")
def get_child_account(db: Database, account_id: str) -> dict[str, Any]:
    """Show the child for whom an account is held, the trustees, and what was taken out."""
    _in_trust(db, account_id)
    return {
        "in_trust": shown(db.child_accounts, account_id=account_id),
        "payments": shown(db.child_payments, account_id=account_id),
    }


@tool("write", discoverable=True, user=True, idempotent=True)
def sign_child_payment_8484(db: Database, account_id: str, context: CallContext) -> dict[str, Any]:
    """Agree, as the other trustee, to a payment from a child's account."""
    _in_trust(db, account_id).second_signature = context.now.date()
    return {"account_id": account_id, "signed": True}


@tool("write", discoverable=True)
def pay_from_child_account_8492(
    db: Database, account_id: str, amount: Money, purpose_code: str, context: CallContext
) -> dict[str, Any]:
    """Pay money out of a child's account for a purpose."""
    account = account_of(db, account_id)
    _in_trust(db, account_id)
    if not 0 < amount <= account.balance or not purpose_code.startswith("SP-"):
        raise ToolError("This takes an amount that the account covers, and a code of purposes.")
    credit(db, account_id, -amount)
    payment_id = context.new_id("CP")
    db.child_payments[payment_id] = ChildPayment(
        account_id=account_id,
        amount=pence(amount),
        purpose_code=purpose_code,
        paid=context.now.date(),
    )
    return {"payment_id": payment_id, "balance": account.balance}


def _in_trust(db: Database, account_id: str) -> ChildAccount:
    account_of(db, account_id)
    for row in db.child_accounts.values():
        if row.account_id == account_id:
            return row
    raise ToolError(f"{account_id} is not held for a child.")
