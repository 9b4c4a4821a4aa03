"""The three tools of the counter."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Literal

from ragbench.toolkit import FreeText, ToolError, tool

from ..schema import Database, Loan

__all__ = ["extend_loan", "find_member", "waive_fee_2718"]


@tool("read")
def find_member(db: Database, name: str) -> dict[str, Any]:
    """Look a member up by full name: id, plan and loans."""
    for member_id, member in db.members.items():
        if member.name.casefold() == name.casefold().strip():
            loans = {
                loan_id: loan.model_dump(mode="json", exclude={"member_id", "note"})
                for loan_id, loan in db.loans.items()
                if loan.member_id == member_id
            }
            return {"member_id": member_id, "plan": member.plan, "loans": loans}
    raise ToolError(f"No member is called {name!r}. Ask for the full name.")


@tool("write")
def extend_loan(db: Database, loan_id: str, days: int) -> dict[str, Any]:
    """Move the due date of a loan that is still out. A loan can be extended once."""
    loan = _loan(db, loan_id)
    if loan.returned is not None:
        raise ToolError(f"Loan {loan_id} was returned on {loan.returned}.")
    if loan.extended_days:
        raise ToolError(f"Loan {loan_id} was already extended by {loan.extended_days} days.")
    if not 1 <= days <= 30:
        raise ToolError("days must be from 1 to 30.")
    loan.extended_days = days
    loan.due += dt.timedelta(days=days)
    return {"loan_id": loan_id, "due": loan.due.isoformat()}


@tool("write", discoverable=True)
def waive_fee_2718(
    db: Database, loan_id: str, ground: Literal["HOSPITAL", "CLOSURE", "FAULT"], note: FreeText = ""
) -> dict[str, Any]:
    """Take the whole late fee off a loan."""
    loan = _loan(db, loan_id)
    if not loan.fee_usd:
        raise ToolError(f"Loan {loan_id} carries no fee.")
    waived, loan.fee_usd = loan.fee_usd, Decimal(0)
    loan.waived_because, loan.note = ground, note
    return {"loan_id": loan_id, "waived_usd": waived}


def _loan(db: Database, loan_id: str) -> Loan:
    if loan_id not in db.loans:
        raise ToolError(f"No loan has the number {loan_id!r}.")
    return db.loans[loan_id]
