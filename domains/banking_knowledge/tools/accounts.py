"""Current accounts: seeing them, moving money, overdrafts, changes of type."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import Money, ToolError, tool

from ..lookup import account_of, credit, customer_of, pence, shown
from ..schema import Database

__all__ = [
    "convert_account_3862",
    "list_accounts",
    "list_transactions",
    "set_arranged_overdraft",
    "set_student_overdraft_1774",
    "transfer_between_own_accounts",
]

_CODES = {"QA-01", "QP-02", "QS-03", "QB-11", "QB-12"}
_NOT_AT_ONCE = {
    "Beacon Tax-Free Fixed",
    "Lantern Bond",
    "Lantern Fixed 12",
    "Lantern Fixed 24",
    "Lantern Reserve",
    "Lantern Reserve 90",
    "Sprig Regular",
    "Sprig Saver",
}
"""Products whose money is bound by a notice, a term or a child's age."""


@tool("read")
def list_accounts(db: Database, customer_id: str) -> dict[str, Any]:
    """List a customer's current and savings accounts with balances, limits and terms."""
    customer_of(db, customer_id)
    mine = {key: row for key, row in db.accounts.items() if customer_id in row.holders}
    return {"accounts": shown(mine)}


@tool("read")
def list_transactions(db: Database, on: str, since: dt.date | None = None) -> dict[str, Any]:
    """List what was booked on an account or a card (by its id), newest first, from a date on."""
    if on not in db.accounts and on not in db.cards:
        raise ToolError(f"There is no account or card {on!r}.")
    rows = shown(db.transactions, on=on)
    newest = sorted(rows.items(), key=lambda item: (item[1]["date"], item[0]), reverse=True)
    start = since.isoformat() if since else ""
    return {"transactions": {key: row for key, row in newest if row["date"] >= start}}


@tool("write")
def transfer_between_own_accounts(
    db: Database, from_account_id: str, to_account_id: str, amount: Money
) -> dict[str, Any]:
    """Move money at once between two accounts of a customer. Not from notice or fixed accounts."""
    source, target = account_of(db, from_account_id), account_of(db, to_account_id)
    if not set(source.holders) & set(target.holders):
        raise ToolError("The two accounts have no holder in common.")
    if source.product in _NOT_AT_ONCE:
        raise ToolError(f"Money in a {source.product} cannot simply be moved.")
    if not 0 < amount <= source.balance + source.overdraft_limit:
        raise ToolError("The amount must be positive and covered by the account.")
    credit(db, from_account_id, -amount)
    credit(db, to_account_id, amount)
    return {"from_balance": source.balance, "to_balance": target.balance}


@tool("write", idempotent=True)
def set_arranged_overdraft(db: Database, account_id: str, limit: Money) -> dict[str, Any]:
    """Set the arranged overdraft of a Quay Account or Quay Plus Account to a new limit."""
    account = account_of(db, account_id)
    if account.product not in ("Quay Account", "Quay Plus Account"):
        raise ToolError(f"Not for a {account.product}.")
    account.overdraft_limit = pence(limit)
    return {"account_id": account_id, "overdraft_limit": account.overdraft_limit}


@tool("write", discoverable=True, idempotent=True)
def set_student_overdraft_1774(
    db: Database, account_id: str, limit: Money, proof_code: str
) -> dict[str, Any]:
    """Set the interest-free overdraft of a student account to a new limit."""
    account = account_of(db, account_id)
    if account.product != "Quay Student Account":
        raise ToolError(f"Not for a {account.product}.")
    if not proof_code.startswith("PE-"):
        raise ToolError(f"{proof_code!r} is no proof code.")
    account.overdraft_limit, account.overdraft_proof = pence(limit), proof_code
    return {"account_id": account_id, "overdraft_limit": account.overdraft_limit}


@tool("write", discoverable=True, idempotent=True)
def convert_account_3862(
    db: Database, account_id: str, target_code: str, effective_date: dt.date
) -> dict[str, Any]:
    """Change the type of a current account from a date on."""
    account = account_of(db, account_id)
    if target_code not in _CODES:
        raise ToolError(f"{target_code!r} is no product code for a change.")
    account.change_to, account.change_on = target_code, effective_date
    return {"account_id": account_id, "change_to": target_code, "change_on": str(effective_date)}
