"""Payments that went abroad: seeing them, asking for them back, and inquiring after payments."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, row_of, shown
from ..schema import Database
from ..tables.payments import Trace

__all__ = ["list_transfers_abroad", "open_payment_trace_8327", "recall_transfer_8351"]


@tool("read")
def list_transfers_abroad(db: Database, account_id: str) -> dict[str, Any]:
    """List the payments in foreign currencies that were sent from an account."""
    account_of(db, account_id)
    return {"transfers": shown(db.transfers_abroad, account_id=account_id)}


@tool("write", discoverable=True)
def recall_transfer_8351(
    db: Database, transfer_id: str, reason_code: str, fee: Money
) -> dict[str, Any]:
    """Ask the bank abroad to send a payment back. The fee is in pounds."""
    transfer = row_of(db.transfers_abroad, transfer_id, "transfer")
    if transfer.status != "sent":
        raise ToolError(f"The transfer {transfer_id} was {transfer.status} already.")
    if not reason_code.startswith("RC-") or fee < 0:
        raise ToolError("This takes a code for recalls, and the fee as a positive amount or 0.")
    transfer.status, transfer.reason_code, transfer.fee = "recalled", reason_code, fee
    return {"transfer_id": transfer_id, "status": transfer.status}


@tool("write", discoverable=True)
def open_payment_trace_8327(
    db: Database, payment_id: str, trace_code: str, fee: Money, context: CallContext
) -> dict[str, Any]:
    """Open an inquiry about a payment. The fee is in pounds."""
    if payment_id in db.transfers_abroad:
        if db.transfers_abroad[payment_id].status != "sent":
            raise ToolError(f"The transfer {payment_id} is not on its way.")
    elif row_of(db.transactions, payment_id, "transfer or transaction").kind != "transfer":
        raise ToolError(f"{payment_id} is no transfer.")
    if any(trace.payment_id == payment_id for trace in db.traces.values()):
        raise ToolError(f"There is an inquiry about {payment_id} already.")
    if not trace_code.startswith("TF-") or fee < 0:
        raise ToolError("This takes a code for inquiries, and the fee as a positive amount or 0.")
    trace_id = context.new_id("TRC")
    db.traces[trace_id] = Trace(
        payment_id=payment_id, trace_code=trace_code, fee=fee, opened=context.now.date()
    )
    return {"trace_id": trace_id, "payment_id": payment_id}
