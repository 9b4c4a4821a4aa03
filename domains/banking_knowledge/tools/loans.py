"""Loans: seeing them and issuing settlement figures."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import customer_of, loan_of, pence, shown
from ..schema import Database
from ..tables.core import Settlement

__all__ = ["issue_settlement_figure_8146", "list_loans"]


@tool("read")
def list_loans(db: Database, customer_id: str) -> dict[str, Any]:
    """List a customer's loans: product, purpose, capital, interest accrued up to today, term."""
    customer_of(db, customer_id)
    return {"loans": shown(db.loans, customer_id=customer_id)}


@tool("write", discoverable=True)
def issue_settlement_figure_8146(
    db: Database,
    loan_id: str,
    settlement_date: dt.date,
    early_charge: Money,
    context: CallContext,
) -> dict[str, Any]:
    """Issue a settlement figure for a loan in writing."""
    loan = loan_of(db, loan_id)
    if early_charge < 0:
        raise ToolError("The charge is given as a positive amount, or 0.")
    figure = pence(loan.capital + loan.accrued_interest + early_charge)
    settlement_id = context.new_id("SET")
    db.settlements[settlement_id] = Settlement(
        loan_id=loan_id,
        settlement_date=settlement_date,
        early_charge=early_charge,
        figure=figure,
    )
    return {"settlement_id": settlement_id, "figure": figure}
