"""Certificates and letters. Both functions are found in the documents only."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Literal

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, credit
from ..schema import Database
from ..tables.core import Order

__all__ = ["reissue_interest_certificate_5390", "write_balance_letter_5417"]

_POST = ("DL-2", "DL-3")


@tool("write", discoverable=True)
def reissue_interest_certificate_5390(
    db: Database, account_id: str, tax_year: str, delivery_code: str, context: CallContext
) -> dict[str, Any]:
    """Issue an interest certificate again. A charge for post is taken from the account."""
    if account_of(db, account_id).rate_percent is None:
        raise ToolError(f"The account {account_id} bears no interest.")
    fee = Decimal(6) if delivery_code in _POST else Decimal(0)
    return _ordered(db, account_id, "interest certificate", tax_year, delivery_code, fee, context)


@tool("write", discoverable=True)
def write_balance_letter_5417(
    db: Database,
    account_id: str,
    balance_date: dt.date,
    delivery_code: str,
    context: CallContext,
) -> dict[str, Any]:
    """Write a letter that confirms a balance. A charge for post is taken from the account."""
    account_of(db, account_id)
    fee = Decimal(10) if delivery_code in _POST else Decimal(0)
    day = balance_date.isoformat()
    return _ordered(db, account_id, "balance letter", day, delivery_code, fee, context)


def _ordered(
    db: Database,
    account_id: str,
    kind: Literal["interest certificate", "balance letter"],
    detail: str,
    delivery: str,
    fee: Money,
    context: CallContext,
) -> dict[str, Any]:
    if not delivery.startswith("DL-"):
        raise ToolError(f"{delivery!r} is no delivery code.")
    credit(db, account_id, -fee)
    order_id = context.new_id("ORD")
    db.orders[order_id] = Order(
        subject_id=account_id,
        kind=kind,
        delivery=delivery,
        fee=fee,
        detail=detail,
        ordered=context.now.date(),
    )
    return {"order_id": order_id, "fee": fee}
