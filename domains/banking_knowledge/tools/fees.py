"""Refunds of fees."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import credit, pence, transaction_of
from ..schema import Database
from ..tables.core import Refund

__all__ = ["refund_fee"]


@tool("write")
def refund_fee(
    db: Database,
    transaction_id: str,
    amount: Money,
    reason_code: str,
    context: CallContext,
    reference: str = "",
) -> dict[str, Any]:
    """Refund a fee that was charged, by the number of the fee's own transaction.

    The amount is positive and in pounds. Reason code and reference are those that the documents
    prescribe for the case; the reference is left empty where they prescribe none.
    """
    fee = transaction_of(db, transaction_id)
    if fee.kind != "fee":
        raise ToolError(f"{transaction_id} is a {fee.kind} and no fee.")
    if not 0 < amount <= pence(-fee.amount - fee.refunded):
        raise ToolError("The amount must be positive and not more than what is left of the fee.")
    fee.refunded = pence(fee.refunded + amount)
    credit(db, fee.on, amount)
    refund_id = context.new_id("REF")
    db.refunds[refund_id] = Refund(
        transaction_id=transaction_id,
        amount=amount,
        reason_code=reason_code,
        reference=reference,
        made=context.now.date(),
    )
    return {"refund_id": refund_id, "refunded": amount}
