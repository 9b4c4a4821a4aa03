"""The tools of the ticket office."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ragbench.toolkit import CallContext, FreeText, Money, ToolError, tool

from ..schema import Booking, Database, Refusal  # noqa: TID252  (a package under a private name)


@tool("read")
def find_booking(db: Database, name: str) -> dict[str, Any]:
    """Look a passenger's booking up by full name."""
    for booking_id, booking in db.bookings.items():
        if booking.name.casefold() == name.casefold().strip():
            return {"booking_id": booking_id, **booking.model_dump(mode="json", exclude={"note"})}
    raise ToolError(f"No booking stands under {name!r}.")


@tool("write", idempotent=True)
def move_booking(db: Database, booking_id: str, day: dt.date) -> dict[str, Any]:
    """Move a booking to another day."""
    _booking(db, booking_id).day = day
    return {"booking_id": booking_id, "day": day.isoformat()}


@tool("write")
def add_bicycles(db: Database, booking_id: str, number: int, fee: Money) -> dict[str, Any]:
    """Put bicycles on a booking that has none, with the fee for all of them in pounds."""
    booking = _booking(db, booking_id)
    if booking.bicycles:
        raise ToolError(f"{booking_id} has bicycles already.")
    booking.bicycles, booking.bicycle_fee = number, fee
    return {"booking_id": booking_id, "bicycles": number}


@tool("write")
def record_refusal(
    db: Database, booking_id: str, code: str, context: CallContext, note: FreeText = ""
) -> dict[str, Any]:
    """Record that a request was turned down, with the code that the documents give."""
    _booking(db, booking_id)
    refusal_id = context.new_id("R")
    db.refusals[refusal_id] = Refusal(booking_id=booking_id, code=code, note=note)
    return {"refusal_id": refusal_id}


@tool("write")
def book_cabin(db: Database, booking_id: str, cabin: str) -> dict[str, Any]:
    """Book a cabin, after the passenger has confirmed it in the app."""
    booking = _booking(db, booking_id)
    if not booking.cabin_confirmed or booking.cabin:
        raise ToolError("The passenger has not confirmed, or has a cabin.")
    booking.cabin = cabin
    return {"booking_id": booking_id, "cabin": cabin}


@tool("write", discoverable=True)
def refund_fare_5512(
    db: Database, booking_id: str, amount: Money, code: str, note: FreeText = ""
) -> dict[str, Any]:
    """Pay a fare back, or a part of it. A booking is refunded once."""
    booking = _booking(db, booking_id)
    if booking.refunded or not 0 < amount <= booking.fare:
        raise ToolError("The booking was refunded already, or the amount is above the fare.")
    booking.refunded, booking.refund_code, booking.note = amount, code, note
    return {"booking_id": booking_id, "done": True}


@tool("write", discoverable=True, user=True, idempotent=True)
def confirm_cabin_31(db: Database, booking_id: str) -> dict[str, Any]:
    """Confirm in the app that you want a cabin."""
    _booking(db, booking_id).cabin_confirmed = True
    return {"booking_id": booking_id, "confirmed": True}


def _booking(db: Database, booking_id: str) -> Booking:
    if booking_id not in db.bookings:
        raise ToolError(f"There is no booking {booking_id!r}.")
    return db.bookings[booking_id]
