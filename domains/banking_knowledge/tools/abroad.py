"""Payments that went abroad: seeing them, and asking for them back."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import ToolError, tool

from ..lookup import account_of, row_of, shown
from ..schema import Database

__all__ = ["list_transfers_abroad", "recall_transfer_8351"]


@tool("read")
def list_transfers_abroad(db: Database, account_id: str) -> dict[str, Any]:
    """List the payments in foreign currencies that were sent from an account."""
    account_of(db, account_id)
    return {"transfers": shown(db.transfers_abroad, account_id=account_id)}


@tool("write", discoverable=True)
def recall_transfer_8351(
    db: Database, transfer_id: str, reason_code: str, fee: float
) -> dict[str, Any]:
    """Ask the bank abroad to send a payment back. The fee is in pounds."""
    transfer = row_of(db.transfers_abroad, transfer_id, "transfer")
    if transfer.status != "sent":
        raise ToolError(f"The transfer {transfer_id} was {transfer.status} already.")
    if not reason_code.startswith("RC-") or fee < 0:
        raise ToolError("This takes a code for recalls, and the fee as a positive amount or 0.")
    transfer.status, transfer.reason_code, transfer.fee = "recalled", reason_code, fee
    return {"transfer_id": transfer_id, "status": transfer.status}
