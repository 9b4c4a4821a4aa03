"""Tax-free savings: the year's allowance, transfers from elsewhere, fixed terms."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, credit, customer_of, pence, shown
from ..schema import Database
from ..tables.savings import TermClosure, TransferIn

__all__ = [
    "close_tax_free_term_8452",
    "get_allowance",
    "restore_allowance_8478",
    "transfer_tax_free_in_8433",
]


@tool("read")
def get_allowance(db: Database, customer_id: str) -> dict[str, Any]:
    """Show the register of a customer's tax-free credits with the bank, by tax year."""
    customer_of(db, customer_id)
    return {"allowances": shown(db.allowances, customer_id=customer_id)}


@tool("write", discoverable=True)
def transfer_tax_free_in_8433(
    db: Database,
    customer_id: str,
    provider: str,
    amount: Money,
    kind_code: str,
    context: CallContext,
) -> dict[str, Any]:
    """Ask another institution to send a customer's tax-free savings."""
    customer_of(db, customer_id)
    if amount <= 0 or not kind_code.startswith("IS-"):
        raise ToolError("This takes a positive amount and a code for transfers.")
    transfer_id = context.new_id("TI")
    db.transfers_in[transfer_id] = TransferIn(
        customer_id=customer_id,
        provider=provider.strip().upper(),
        amount=pence(amount),
        kind_code=kind_code,
        requested=context.now.date(),
    )
    return {"transfer_id": transfer_id}


@tool("write", discoverable=True)
def restore_allowance_8478(
    db: Database, customer_id: str, amount: Money, reason_code: str
) -> dict[str, Any]:
    """Take an amount off a customer's tax-free credits of the current tax year."""
    customer_of(db, customer_id)
    rows = [row for row in db.allowances.values() if row.customer_id == customer_id]
    if not rows:
        raise ToolError("The register holds no tax-free credits of this customer.")
    row = max(rows, key=lambda item: item.tax_year)
    if not 0 < amount <= row.credits - row.corrected or not reason_code.startswith("IS-"):
        raise ToolError("This takes an amount within the credits, and a code for corrections.")
    row.corrected, row.reason_code = pence(row.corrected + amount), reason_code
    return {"tax_year": row.tax_year, "credits": row.credits, "corrected": row.corrected}


@tool("write", discoverable=True)
def close_tax_free_term_8452(
    db: Database,
    account_id: str,
    charge: Money,
    terms_code: str,
    pay_to_account_id: str,
    context: CallContext,
) -> dict[str, Any]:
    """Close a tax-free fixed term early and pay the deposit, less the charge, to an account."""
    account, target = account_of(db, account_id), account_of(db, pay_to_account_id)
    if account.product != "Beacon Tax-Free Fixed" or account.deposit is None:
        raise ToolError(f"{account_id} is a {account.product} and no tax-free fixed term.")
    if not 0 <= charge < account.deposit or not terms_code.startswith("RB-"):
        raise ToolError("This takes the charge as a positive amount or 0, and a code of terms.")
    if not set(account.holders) & set(target.holders):
        raise ToolError("The money must go to an account of the same customer.")
    paid = pence(account.deposit - charge)
    account.status, account.balance = "closed", Decimal(0)
    credit(db, pay_to_account_id, paid)
    db.term_closures[context.new_id("TC")] = TermClosure(
        account_id=account_id, charge=charge, terms_code=terms_code, closed=context.now.date()
    )
    return {"account_id": account_id, "paid_out_before_interest": paid}
