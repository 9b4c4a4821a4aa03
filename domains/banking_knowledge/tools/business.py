"""Firms and charities: who may act, wages, change for the till, cards of the staff."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import account_of, credit, pence, row_of, shown
from ..schema import Database
from ..tables.business import CashOrder, PayrollFile, Signatory

__all__ = [
    "add_signatory_8519",
    "countersign_payroll_8562",
    "end_staff_card_8595",
    "list_payroll_files",
    "list_signatories",
    "list_staff_cards",
    "order_change_money_8571",
    "release_payroll_file_8553",
]


@tool("read")
def list_signatories(db: Database, account_id: str) -> dict[str, Any]:
    """List who may act for a business account, with the code of each person's right."""
    account_of(db, account_id)
    return {"signatories": shown(db.signatories, account_id=account_id)}


@tool("read")
def list_payroll_files(db: Database, account_id: str) -> dict[str, Any]:
    """List the wage files of a business account, paid ones included."""
    account_of(db, account_id)
    return {"payroll_files": shown(db.payroll_files, account_id=account_id)}


@tool("read")
def list_staff_cards(db: Database, account_id: str) -> dict[str, Any]:
    """List the cards that a business account has for its staff."""
    account_of(db, account_id)
    return {"staff_cards": shown(db.staff_cards, account_id=account_id)}


@tool("write", discoverable=True)
def add_signatory_8519(
    db: Database,
    account_id: str,
    name: str,
    right_code: str,
    context: CallContext,
    replaces: str = "",
) -> dict[str, Any]:
    """Enter a person who may act for a business account; ``replaces`` is who leaves, if any."""
    account_of(db, account_id)
    present = {
        row.name: row
        for row in db.signatories.values()
        if row.account_id == account_id and row.status == "active"
    }
    if name in present:
        raise ToolError(f"{name} is entered for {account_id} already.")
    if replaces and replaces not in present:
        raise ToolError(f"There is no {replaces!r} entered for {account_id}.")
    if not right_code.startswith("SG-"):
        raise ToolError(f"{right_code!r} is no code of a right.")
    if replaces:
        present[replaces].status = "ended"
    signatory_id = context.new_id("SGN")
    db.signatories[signatory_id] = Signatory(
        account_id=account_id, name=name, right_code=right_code, since=context.now.date()
    )
    return {"signatory_id": signatory_id, "right_code": right_code}


@tool("write", discoverable=True, user=True, idempotent=True)
def countersign_payroll_8562(db: Database, file_id: str) -> dict[str, Any]:
    """Countersign in your app a wage file that somebody else has prepared."""
    _held(db, file_id).countersigned = True
    return {"file_id": file_id, "countersigned": True}


@tool("write", discoverable=True)
def release_payroll_file_8553(
    db: Database, file_id: str, ground_code: str, pay_date: dt.date
) -> dict[str, Any]:
    """Release a held wage file, to be paid on a day."""
    file = _held(db, file_id)
    if not file.countersigned:
        raise ToolError("The file has not been countersigned.")
    if not ground_code.startswith("PY-"):
        raise ToolError(f"{ground_code!r} is no ground code for wage files.")
    file.status, file.ground_code, file.paid_on = "released", ground_code, pay_date
    return {"file_id": file_id, "status": file.status, "pay_date": pay_date.isoformat()}


@tool("write", discoverable=True)
def order_change_money_8571(
    db: Database,
    account_id: str,
    branch_code: str,
    date: dt.date,
    mix_code: str,
    context: CallContext,
) -> dict[str, Any]:
    """Order change for the till, to be collected at a branch on a day."""
    account_of(db, account_id)
    if not mix_code.startswith("CB-"):
        raise ToolError(f"{mix_code!r} is no code of a mix.")
    order_id = context.new_id("CHG")
    db.cash_orders[order_id] = CashOrder(
        account_id=account_id,
        branch_code=branch_code,
        date=date,
        mix_code=mix_code,
        ordered=context.now.date(),
    )
    return {"order_id": order_id, "date": date.isoformat()}


@tool("write", discoverable=True)
def end_staff_card_8595(
    db: Database, staff_card_id: str, reason_code: str, refund: Money
) -> dict[str, Any]:
    """End an employee's card for good. The refund is in pounds, 0 if there is none."""
    card = row_of(db.staff_cards, staff_card_id, "staff card")
    if card.status != "active":
        raise ToolError(f"The card {staff_card_id} has ended already.")
    if not reason_code.startswith("CB-") or refund < 0:
        raise ToolError("This takes a reason code for staff cards, and a refund of 0 or more.")
    card.status, card.reason_code, card.refund = "ended", reason_code, pence(refund)
    credit(db, card.account_id, card.refund)
    return {"staff_card_id": staff_card_id, "refund": card.refund}


def _held(db: Database, file_id: str) -> PayrollFile:
    file = row_of(db.payroll_files, file_id, "wage file")
    if file.status != "held":
        raise ToolError(f"The file {file_id} is not held; it was {file.status}.")
    return file
