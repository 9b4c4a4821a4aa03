"""Direct debits and standing orders: seeing, ending, claiming back, leaving one payment out."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, credit, pence, row_of, shown, transaction_of
from ..schema import Database
from ..tables.payments import DebitClaim, Mandate, Skip

__all__ = [
    "cancel_mandate",
    "claim_debit_indemnity_8368",
    "list_mandates",
    "skip_standing_order_8395",
]


@tool("read")
def list_mandates(db: Database, account_id: str) -> dict[str, Any]:
    """List the direct debits and standing orders of an account."""
    account_of(db, account_id)
    return {"mandates": shown(db.mandates, account_id=account_id)}


@tool("write")
def cancel_mandate(db: Database, mandate_id: str) -> dict[str, Any]:
    """End a direct debit or a standing order for good."""
    mandate = _active(db, mandate_id)
    mandate.status, mandate.next_due = "cancelled", None
    return {"mandate_id": mandate_id, "status": mandate.status}


@tool("write", discoverable=True)
def claim_debit_indemnity_8368(
    db: Database,
    mandate_id: str,
    transaction_id: str,
    ground_code: str,
    amount: Money,
    credit_on: dt.date,
    context: CallContext,
) -> dict[str, Any]:
    """Claim back money that a company has taken by direct debit, and credit it on a day."""
    mandate = row_of(db.mandates, mandate_id, "mandate")
    taken = transaction_of(db, transaction_id)
    if taken.kind != "direct debit" or taken.on != mandate.account_id:
        raise ToolError(f"{transaction_id} was not taken under {mandate_id}.")
    if any(claim.transaction_id == transaction_id for claim in db.debit_claims.values()):
        raise ToolError(f"{transaction_id} has been claimed already.")
    if not ground_code.startswith("SO-") or not 0 < amount <= pence(-taken.amount):
        raise ToolError("This takes a ground code, and at most the amount that was taken.")
    today = context.now.date()
    if credit_on < today:
        raise ToolError("The day of the credit is over.")
    claim_id = context.new_id("DCL")
    db.debit_claims[claim_id] = DebitClaim(
        mandate_id=mandate_id,
        transaction_id=transaction_id,
        ground_code=ground_code,
        amount=amount,
        credit_on=credit_on,
        filed=today,
    )
    if credit_on == today:
        credit(db, taken.on, amount)
        taken.refunded = pence(taken.refunded + amount)
    return {"claim_id": claim_id, "amount": amount, "credit_on": credit_on.isoformat()}


@tool("write", discoverable=True)
def skip_standing_order_8395(
    db: Database, mandate_id: str, date: dt.date, reason_code: str
) -> dict[str, Any]:
    """Leave out one payment of a standing order; the order goes on afterwards."""
    mandate = _active(db, mandate_id)
    if mandate.kind != "standing order" or date.day != mandate.day_of_month:
        raise ToolError(f"{mandate_id} has no payment on {date.isoformat()}.")
    if any(skip.date == date for skip in mandate.skipped):
        raise ToolError("This payment is left out already.")
    if not reason_code.startswith("SO-"):
        raise ToolError(f"{reason_code!r} is no reason code for this.")
    mandate.skipped.append(Skip(date=date, reason_code=reason_code))
    return {"mandate_id": mandate_id, "left_out": date.isoformat()}


def _active(db: Database, mandate_id: str) -> Mandate:
    mandate = row_of(db.mandates, mandate_id, "mandate")
    if mandate.status == "cancelled":
        raise ToolError(f"{mandate_id} was cancelled.")
    return mandate
