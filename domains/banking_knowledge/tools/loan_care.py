"""Running loans and mortgages: their history, the day of payment, pauses."""

from __future__ import annotations

from typing import Any

from ragbench.toolkit import CallContext, ToolError, tool

from ..lookup import loan_of, shown
from ..schema import Database
from ..tables.lending import PaymentPause

__all__ = ["change_payment_day", "get_loan_history", "grant_payment_pause_8139"]


@tool("read")
def get_loan_history(db: Database, loan_id: str) -> dict[str, Any]:
    """Show when a loan was paid out, on which day it is collected, and earlier pauses."""
    loan_of(db, loan_id)
    return {
        "history": shown(db.loan_histories, loan_id=loan_id),
        "pauses": shown(db.payment_pauses, loan_id=loan_id),
    }


@tool("write", idempotent=True)
def change_payment_day(db: Database, contract_id: str, day: int) -> dict[str, Any]:
    """Change the day of the month, 1 to 28, on which the instalment of a contract is collected.

    ``contract_id`` is the number of a loan or of a mortgage.
    """
    if not 1 <= day <= 28:
        raise ToolError("The day lies between 1 and 28.")
    if contract_id in db.mortgages:
        db.mortgages[contract_id].payment_day = day
        return {"contract_id": contract_id, "payment_day": day}
    loan_of(db, contract_id)
    for history in db.loan_histories.values():
        if history.loan_id == contract_id:
            history.payment_day = day
            return {"contract_id": contract_id, "payment_day": day}
    raise ToolError(f"The day of the loan {contract_id} is kept by Lending Operations.")


@tool("write", discoverable=True)
def grant_payment_pause_8139(
    db: Database, loan_id: str, months: int, ground_code: str, context: CallContext
) -> dict[str, Any]:
    """Enter months without instalments for a loan."""
    loan_of(db, loan_id)
    if months < 0 or not ground_code.startswith("LN-"):
        raise ToolError("This takes a number of months and an LN code.")
    today = context.now.date()
    if months == 0:
        for key, pause in db.payment_pauses.items():
            if pause.loan_id == loan_id and pause.granted == today and not pause.withdrawn_code:
                pause.withdrawn_code = ground_code
                return {"pause_id": key, "status": "withdrawn"}
        raise ToolError(f"There is no pause of today for the loan {loan_id}.")
    pause_id = context.new_id("PAU")
    db.payment_pauses[pause_id] = PaymentPause(
        loan_id=loan_id, months=months, ground_code=ground_code, granted=today
    )
    return {"pause_id": pause_id, "months": months}
