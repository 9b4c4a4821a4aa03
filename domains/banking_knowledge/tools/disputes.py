"""Claims for money that a merchant has taken. Both functions are found in the documents only."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, ToolError, tool

from ..lookup import credit, transaction_of
from ..schema import Database
from ..tables.core import Claim, Transaction

__all__ = ["file_chargeback_claim_4471", "file_debit_claim_4417"]


@tool("write", discoverable=True)
def file_chargeback_claim_4471(
    db: Database,
    transaction_id: str,
    ground_code: str,
    provisional_credit: bool,
    context: CallContext,
) -> dict[str, Any]:
    """File a claim for a purchase made with a credit card."""
    purchase = _purchase(db, transaction_id)
    if purchase.on not in db.cards or not ground_code.startswith("CR-"):
        raise ToolError(
            "This needs a purchase with a credit card and a ground code for credit cards."
        )
    if provisional_credit:
        credit(db, purchase.on, -purchase.amount)
    owner = db.cards[purchase.on].customer_id
    return _filed(db, transaction_id, owner, ground_code, provisional_credit, context)


@tool("write", discoverable=True)
def file_debit_claim_4417(
    db: Database,
    transaction_id: str,
    ground_code: str,
    context: CallContext,
    merchant_contacted_on: dt.date | None = None,
) -> dict[str, Any]:
    """File a claim for a purchase made with a debit card."""
    purchase = _purchase(db, transaction_id)
    if purchase.on not in db.accounts or not ground_code.startswith("DR-"):
        raise ToolError(
            "This needs a purchase with a debit card and a ground code for debit cards."
        )
    owner = db.accounts[purchase.on].holders[0]
    return _filed(db, transaction_id, owner, ground_code, False, context)


def _purchase(db: Database, transaction_id: str) -> Transaction:
    purchase = transaction_of(db, transaction_id)
    if purchase.disputed:
        raise ToolError(f"{transaction_id} is disputed already.")
    if purchase.kind not in ("purchase", "cash"):
        raise ToolError(f"{transaction_id} is a {purchase.kind} and no purchase.")
    return purchase


def _filed(
    db: Database,
    transaction_id: str,
    owner: str,
    ground_code: str,
    provisional: bool,
    context: CallContext,
) -> dict[str, Any]:
    db.transactions[transaction_id].disputed = True
    claim_id = context.new_id("CLM")
    db.claims[claim_id] = Claim(
        customer_id=owner,
        transaction_id=transaction_id,
        ground_code=ground_code,
        provisional_credit=provisional,
        filed=context.now.date(),
    )
    return {"claim_id": claim_id, "transaction_id": transaction_id}
