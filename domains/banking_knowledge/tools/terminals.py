"""Card acceptance of firms: terminals, shops on the internet, and what is kept back for them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, credit, pence, row_of, shown
from ..schema import Database
from ..tables.business import ReservePayout

__all__ = ["end_terminal_contract_8537", "list_terminals", "release_reserve_8584"]


@tool("read")
def list_terminals(db: Database, account_id: str) -> dict[str, Any]:
    """List how a business account takes cards, and what is kept back from its card sales."""
    account_of(db, account_id)
    return {
        "terminals": shown(db.terminals, account_id=account_id),
        "kept_back": shown(db.reserves, account_id=account_id),
        "paid_out": shown(db.reserve_payouts, account_id=account_id),
    }


@tool("write", discoverable=True)
def end_terminal_contract_8537(
    db: Database, terminal_id: str, end_date: dt.date, fee: Money, ground_code: str
) -> dict[str, Any]:
    """End the contract of a card terminal on a day. The fee is in pounds, 0 if there is none."""
    terminal = row_of(db.terminals, terminal_id, "terminal")
    if terminal.status != "running":
        raise ToolError(f"The contract of {terminal_id} is ending already.")
    if not ground_code.startswith("MT-") or fee < 0:
        raise ToolError("This takes a ground code for terminals, and a fee that is 0 or more.")
    terminal.status, terminal.end_date = "ending", end_date
    terminal.fee, terminal.ground_code = pence(fee), ground_code
    return {"terminal_id": terminal_id, "end_date": end_date.isoformat(), "fee": terminal.fee}


@tool("write", discoverable=True)
def release_reserve_8584(
    db: Database, account_id: str, amount: Money, ground_code: str, context: CallContext
) -> dict[str, Any]:
    """Pay a part of what is kept back from card sales out to the account."""
    account_of(db, account_id)
    kept = sum(row.amount for row in db.reserves.values() if row.account_id == account_id)
    paid = sum(row.amount for row in db.reserve_payouts.values() if row.account_id == account_id)
    if not 0 < amount <= pence(Decimal(kept - paid)):
        raise ToolError("The amount must be positive and not more than what is kept back.")
    if not ground_code.startswith("MT-"):
        raise ToolError(f"{ground_code!r} is no ground code for card acceptance.")
    credit(db, account_id, amount)
    payout_id = context.new_id("RVP")
    db.reserve_payouts[payout_id] = ReservePayout(
        account_id=account_id,
        amount=amount,
        ground_code=ground_code,
        made=context.now.date(),
    )
    return {"payout_id": payout_id, "amount": amount}
