"""Notice accounts: the notices that are running, giving and taking back; interest made good."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, credit, pence, row_of, shown
from ..schema import Database
from ..tables.savings import InterestCredit, Notice

__all__ = [
    "credit_interest_8449",
    "list_notices",
    "record_notice_8416",
    "withdraw_notice_8461",
]


@tool("read")
def list_notices(db: Database, account_id: str) -> dict[str, Any]:
    """List the notices of withdrawal on an account, with those that are over."""
    account_of(db, account_id)
    return {"notices": shown(db.notices, account_id=account_id)}


@tool("write", discoverable=True)
def record_notice_8416(
    db: Database, account_id: str, amount: Money, due_date: dt.date, context: CallContext
) -> dict[str, Any]:
    """Record a customer's notice of withdrawal, with the day on which the money is moved."""
    account = account_of(db, account_id)
    if account.product != "Lantern Reserve 90":
        raise ToolError(f"Not for a {account.product}.")
    if not 0 < amount <= account.balance or due_date <= context.now.date():
        raise ToolError("The amount must be covered by the account, and the day must be ahead.")
    notice_id = context.new_id("NT")
    db.notices[notice_id] = Notice(
        account_id=account_id, amount=pence(amount), given=context.now.date(), due=due_date
    )
    return {"notice_id": notice_id, "due": due_date.isoformat()}


@tool("write", discoverable=True)
def withdraw_notice_8461(
    db: Database, account_id: str, notice_id: str, charge: Money, context: CallContext
) -> dict[str, Any]:
    """Take back a notice of withdrawal that is running. The charge is taken from the account."""
    account = account_of(db, account_id)
    notice = row_of(db.notices, notice_id, "notice")
    if notice.account_id != account_id or notice.status != "running":
        raise ToolError(f"{notice_id} is no running notice on {account_id}.")
    if not 0 <= charge <= account.balance:
        raise ToolError("The charge is given as a positive amount, or 0.")
    notice.status, notice.withdrawn_on = "withdrawn", context.now.date()
    notice.charge = pence(charge)
    credit(db, account_id, -charge)
    return {"notice_id": notice_id, "status": notice.status}


@tool("write", discoverable=True)
def credit_interest_8449(
    db: Database, account_id: str, amount: Money, reason_code: str, context: CallContext
) -> dict[str, Any]:
    """Credit interest to a savings account that the account has not earned by itself."""
    account_of(db, account_id)
    if amount <= 0 or not reason_code.startswith("RB-"):
        raise ToolError("This takes a positive amount and a code for interest.")
    credit(db, account_id, amount)
    credit_id = context.new_id("IC")
    db.interest_credits[credit_id] = InterestCredit(
        account_id=account_id,
        amount=pence(amount),
        reason_code=reason_code,
        paid=context.now.date(),
    )
    return {"credit_id": credit_id}
