"""The database of the ticket office."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel

from ragbench.toolkit import FreeText, Money


class Booking(BaseModel):
    name: str
    route: Literal["river", "sea"]
    day: dt.date
    fare: Money
    bicycles: int = 0
    bicycle_fee: Money = Decimal(0)
    cabin: str | None = None
    cabin_confirmed: bool = False
    refunded: Money = Decimal(0)
    refund_code: str | None = None
    note: FreeText = ""


class Refusal(BaseModel):
    booking_id: str
    code: str
    note: FreeText = ""


class Database(BaseModel):
    bookings: dict[str, Booking]
    refusals: dict[str, Refusal] = {}
