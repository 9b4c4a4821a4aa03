"""Hearth mortgages: seeing them, overpayments, changes of product, valuations, offset links."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import customer_of, row_of
from ..schema import Database
from ..tables.lending import Mortgage, MortgageRequest, Valuation

__all__ = [
    "book_overpayment_8117",
    "list_mortgages",
    "order_revaluation_8172",
    "sign_product_offer_8186",
    "switch_mortgage_product_8164",
    "unlink_offset_account_8158",
]


@tool("read")
def list_mortgages(db: Database, customer_id: str) -> dict[str, Any]:
    """List a customer's mortgages: product, capital, dates, instalment, value of the property."""
    customer_of(db, customer_id)
    return {
        "mortgages": {
            key: row.model_dump(mode="json", exclude_none=True)
            for key, row in db.mortgages.items()
            if customer_id in row.borrowers
        }
    }


@tool("write", discoverable=True)
def book_overpayment_8117(
    db: Database,
    mortgage_id: str,
    amount: Money,
    effect_code: str,
    charge: Money,
    context: CallContext,
) -> dict[str, Any]:
    """Enter a payment beyond the instalments of a mortgage. The charge is in pounds, or 0."""
    _mortgage_of(db, mortgage_id)
    if amount <= 0 or charge < 0 or not effect_code.startswith("HM-"):
        raise ToolError("This takes a positive amount, an HM code, and a charge in pounds or 0.")
    request_id = context.new_id("MRQ")
    db.mortgage_requests[request_id] = MortgageRequest(
        mortgage_id=mortgage_id,
        kind="overpayment",
        code=effect_code,
        amount=amount,
        fee=charge,
        made=context.now.date(),
    )
    return {"request_id": request_id, "status": "entered"}


@tool("write", discoverable=True)
def switch_mortgage_product_8164(
    db: Database,
    mortgage_id: str,
    target_code: str,
    start_date: dt.date,
    fee: Money,
    context: CallContext,
) -> dict[str, Any]:
    """Make the offer of another product for a mortgage. The fee is in pounds, or 0."""
    _mortgage_of(db, mortgage_id)
    if not target_code.startswith("HM-") or fee < 0:
        raise ToolError("This takes an HM code, a day, and a fee in pounds or 0.")
    if start_date <= context.now.date():
        raise ToolError("The new product starts on a day to come.")
    request_id = context.new_id("MRQ")
    db.mortgage_requests[request_id] = MortgageRequest(
        mortgage_id=mortgage_id,
        kind="switch",
        code=target_code,
        fee=fee,
        start=start_date,
        made=context.now.date(),
        status="offered",
    )
    return {"request_id": request_id, "status": "offered"}


@tool("write", discoverable=True, user=True)
def sign_product_offer_8186(db: Database, mortgage_id: str) -> dict[str, Any]:
    """Sign in your app the offer of another product for your mortgage."""
    for key, request in db.mortgage_requests.items():
        if request.mortgage_id == mortgage_id and request.status == "offered":
            request.status = "signed"
            return {"request_id": key, "status": request.status}
    raise ToolError(f"There is no offer to sign for the mortgage {mortgage_id}.")


@tool("write", discoverable=True)
def order_revaluation_8172(
    db: Database, mortgage_id: str, kind_code: str, fee: Money, context: CallContext
) -> dict[str, Any]:
    """Order a valuation of the property behind a mortgage. The fee is in pounds, or 0."""
    _mortgage_of(db, mortgage_id)
    if not kind_code.startswith("VL-") or fee < 0:
        raise ToolError("This takes a VL code, and a fee in pounds or 0.")
    valuation_id = context.new_id("VAL")
    db.valuations[valuation_id] = Valuation(
        mortgage_id=mortgage_id, kind_code=kind_code, fee=fee, ordered=context.now.date()
    )
    return {"valuation_id": valuation_id}


@tool("write", discoverable=True, idempotent=True)
def unlink_offset_account_8158(
    db: Database, mortgage_id: str, effective_date: dt.date
) -> dict[str, Any]:
    """End the link between a mortgage and a savings account on a day to come."""
    mortgage = _mortgage_of(db, mortgage_id)
    if mortgage.offset_account_id is None:
        raise ToolError(f"No account is linked to the mortgage {mortgage_id}.")
    mortgage.offset_ends = effective_date
    return {"mortgage_id": mortgage_id, "offset_ends": effective_date.isoformat()}


def _mortgage_of(db: Database, mortgage_id: str) -> Mortgage:
    return row_of(db.mortgages, mortgage_id, "mortgage")
