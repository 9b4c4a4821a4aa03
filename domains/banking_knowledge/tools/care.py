"""Customers who need care: markers, arrangements, complaints, requests about their data."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, Money, ToolError, tool

from ..lookup import customer_of, shown
from ..schema import Database
from ..tables.care import Arrangement, CareNote, Complaint, DataRequest

__all__ = [
    "list_arrangements",
    "open_complaint_8612",
    "register_data_request_8695",
    "set_care_marker_8629",
    "start_arrangement_8647",
]


@tool("read")
def list_arrangements(db: Database, customer_id: str) -> dict[str, Any]:
    """List a customer's agreed lower payments and the markers in the record, past ones too."""
    customer_of(db, customer_id)
    mine = {key for key, row in db.loans.items() if row.customer_id == customer_id}
    mine |= {key for key, row in db.cards.items() if row.customer_id == customer_id}
    agreed = {key: row for key, row in db.arrangements.items() if row.subject_id in mine}
    return {
        "arrangements": shown(agreed),
        "markers": shown(db.care_notes, customer_id=customer_id),
    }


@tool("write", discoverable=True)
def set_care_marker_8629(
    db: Database, customer_id: str, marker_code: str, until: dt.date, context: CallContext
) -> dict[str, Any]:
    """Set a marker in a customer's record."""
    customer_of(db, customer_id)
    if not marker_code.startswith("VC-") or until <= context.now.date():
        raise ToolError("This takes a code for markers, and a day that is still to come.")
    note_id = context.new_id("CNT")
    db.care_notes[note_id] = CareNote(
        customer_id=customer_id, marker_code=marker_code, until=until, made=context.now.date()
    )
    return {"note_id": note_id}


@tool("write", discoverable=True)
def start_arrangement_8647(
    db: Database, subject_id: str, monthly: Money, months: int, code: str, context: CallContext
) -> dict[str, Any]:
    """Start a lower monthly payment for a loan or a card."""
    if subject_id not in db.loans and subject_id not in db.cards:
        raise ToolError(f"There is no loan or card {subject_id!r}.")
    if monthly <= 0 or months < 1 or not code.startswith("FD-"):
        raise ToolError("This takes a positive amount, at least one month, and a code for it.")
    arrangement_id = context.new_id("ARR")
    db.arrangements[arrangement_id] = Arrangement(
        subject_id=subject_id, monthly=monthly, months=months, code=code, made=context.now.date()
    )
    return {"arrangement_id": arrangement_id}


@tool("write", discoverable=True)
def open_complaint_8612(
    db: Database, customer_id: str, topic_code: str, redress: Money, context: CallContext
) -> dict[str, Any]:
    """Open a complaint and settle it with an amount in pounds, or 0."""
    customer_of(db, customer_id)
    if not topic_code.startswith("CO-") or redress < 0:
        raise ToolError("This takes a code for complaints, and an amount that is not negative.")
    complaint_id = context.new_id("CMP")
    db.complaints[complaint_id] = Complaint(
        customer_id=customer_id, topic_code=topic_code, redress=redress, made=context.now.date()
    )
    return {"complaint_id": complaint_id}


@tool("write", discoverable=True)
def register_data_request_8695(
    db: Database, customer_id: str, kind_code: str, due_date: dt.date, context: CallContext
) -> dict[str, Any]:
    """Register a request about a customer's data, with the day by which it is answered."""
    customer_of(db, customer_id)
    if not kind_code.startswith("DT-") or due_date <= context.now.date():
        raise ToolError("This takes a code for requests, and a day that is still to come.")
    request_id = context.new_id("DRQ")
    db.data_requests[request_id] = DataRequest(
        customer_id=customer_id, kind_code=kind_code, due_date=due_date, made=context.now.date()
    )
    return {"request_id": request_id}
