"""Leaving savings accounts early. All of these are found in the documents only."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ragbench.toolkit import Money, ToolError, tool

from ..lookup import account_of, credit, pence
from ..schema import Database
from ..tables.core import Account

__all__ = ["break_fixed_term_2958", "pay_out_reserve_2976", "waive_reserve_charge_2985"]


@tool("write", discoverable=True)
def break_fixed_term_2958(
    db: Database, account_id: str, charge: Money, pay_to_account_id: str
) -> dict[str, Any]:
    """Close a fixed term early and pay the deposit, less the charge, to a current account."""
    account, target = account_of(db, account_id), account_of(db, pay_to_account_id)
    if account.deposit is None:
        raise ToolError(f"{account_id} is a {account.product} and no fixed term.")
    if account.product.startswith("Beacon"):
        raise ToolError(f"Not for a {account.product}.")
    if charge < 0:
        raise ToolError("The charge is given as a positive amount, or 0.")
    _common_holder(account, target)
    paid = pence(account.deposit - charge)
    account.status, account.balance = "closed", Decimal(0)
    credit(db, pay_to_account_id, paid)
    return {"account_id": account_id, "paid_out_before_interest": paid}


@tool("write", discoverable=True)
def pay_out_reserve_2976(
    db: Database, account_id: str, amount: Money, charge: Money
) -> dict[str, Any]:
    """Pay out money from a Lantern Reserve without notice, less a charge."""
    return _pay_out(db, account_id, amount, charge)


@tool("write", discoverable=True)
def waive_reserve_charge_2985(
    db: Database, account_id: str, amount: Money, case_code: str
) -> dict[str, Any]:
    """Pay out money from a Lantern Reserve without notice and without a charge."""
    if not case_code.startswith("NG-"):
        raise ToolError(f"{case_code!r} is no case code.")
    return _pay_out(db, account_id, amount, Decimal(0))


def _pay_out(db: Database, account_id: str, amount: Money, charge: Money) -> dict[str, Any]:
    account = account_of(db, account_id)
    if account.product != "Lantern Reserve":
        raise ToolError(f"{account_id} is a {account.product}.")
    if not 0 <= charge < amount <= account.balance:
        raise ToolError("The amount must be covered by the account, the charge by the amount.")
    linked = next(
        (key for key, row in db.accounts.items()
         if row.product.startswith("Quay") and set(row.holders) & set(account.holders)),
        None,
    )  # fmt: skip
    if linked is None:
        raise ToolError("The customer has no current account that the money could go to.")
    credit(db, account_id, -amount)
    credit(db, linked, amount - charge)
    return {"account_id": account_id, "paid_to": linked, "paid": pence(amount - charge)}


def _common_holder(account: Account, target: Account) -> None:
    if not target.product.startswith("Quay") or not set(account.holders) & set(target.holders):
        raise ToolError("The money must go to a current account of the same customer.")
