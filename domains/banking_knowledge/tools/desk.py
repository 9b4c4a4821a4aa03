"""What the desk itself keeps: decisions, handovers to other teams, appointments."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from ragbench.toolkit import CallContext, FreeText, tool

from ..lookup import customer_of
from ..schema import Database
from ..tables.core import Appointment, Decision, Handover

__all__ = ["book_appointment", "record_decision", "transfer_to_team"]


@tool("write")
def record_decision(
    db: Database,
    customer_id: str,
    about_id: str,
    decision: Literal["approved", "declined"],
    policy_code: str,
    context: CallContext,
    note: FreeText = "",
) -> dict[str, Any]:
    """Record the decision on a request, with the code that the documents give for it.

    ``about_id`` is the number of what is concerned: an account, card, loan, mortgage, payment,
    transaction, transfer, mandate, wage file, staff card or power of attorney.
    """
    customer_of(db, customer_id)
    decision_id = context.new_id("DEC")
    db.decisions[decision_id] = Decision(
        customer_id=customer_id,
        about_id=about_id,
        decision=decision,
        policy_code=policy_code,
        made=context.now.date(),
        note=note,
    )
    return {"decision_id": decision_id}


@tool("write")
def transfer_to_team(
    db: Database,
    customer_id: str,
    team: Literal[
        "collections",
        "complaints",
        "estates",
        "payment_protection",
        "home_finance",
        "card_services",
        "payments_abroad",
        "savings_operations",
        "business_advisers",
        "customer_care",
        "data_protection",
    ],
    reason_code: str,
    context: CallContext,
    summary: FreeText = "",
) -> dict[str, Any]:
    """Pass the customer on to another team, with the reason code that the documents give."""
    customer_of(db, customer_id)
    handover_id = context.new_id("HND")
    db.handovers[handover_id] = Handover(
        customer_id=customer_id,
        team=team,
        reason_code=reason_code,
        made=context.now.date(),
        summary=summary,
    )
    return {"handover_id": handover_id, "team": team}


@tool("write")
def book_appointment(
    db: Database,
    customer_id: str,
    branch_code: str,
    date: dt.date,
    time: str,
    type_code: str,
    context: CallContext,
) -> dict[str, Any]:
    """Book an appointment at a branch. The time has the form HH:MM."""
    customer_of(db, customer_id)
    appointment_id = context.new_id("APP")
    db.appointments[appointment_id] = Appointment(
        customer_id=customer_id, branch_code=branch_code, date=date, time=time, type_code=type_code
    )
    return {"appointment_id": appointment_id}
