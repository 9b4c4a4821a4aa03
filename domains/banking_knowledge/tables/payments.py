"""Tables of the area payments: payments at home and abroad, currency accounts."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import BaseModel, Field

from ragbench.toolkit import Money

from .row import Row

__all__ = [
    "DebitClaim",
    "LimitRaise",
    "Mandate",
    "PaymentsTables",
    "Skip",
    "Trace",
    "TransferAbroad",
]


class TransferAbroad(Row):
    """A payment in a foreign currency that was sent or stopped. The fee is that of its recall.

    ``banks_between`` counts the banks on the way; ``stop_mark`` is what the screening has noted.
    """

    account_id: str
    payee: str
    currency: str
    amount: Money
    sent: dt.date
    banks_between: int | None = None
    status: Literal["sent", "recalled", "stopped"] = "sent"
    stop_mark: str | None = None
    reason_code: str | None = None
    fee: Money | None = None


class Skip(Row):
    """A payment of a standing order that was left out."""

    date: dt.date
    reason_code: str


class Mandate(Row):
    """A direct debit or a standing order; amount and day are those of standing orders."""

    account_id: str
    kind: Literal["direct debit", "standing order"]
    payee: str
    since: dt.date
    amount: Money | None = None
    day_of_month: int | None = None
    next_due: dt.date | None = None
    skipped: list[Skip] = Field(default_factory=list)
    status: Literal["active", "cancelled"] = "active"


class DebitClaim(Row):
    """Money that was taken by direct debit and is given back, at once or on a later day."""

    mandate_id: str
    transaction_id: str
    ground_code: str
    amount: Money
    credit_on: dt.date
    filed: dt.date


class Trace(Row):
    """An inquiry about a payment: a transfer abroad, or a booked line at home."""

    payment_id: str
    trace_code: str
    fee: Money
    opened: dt.date


class LimitRaise(Row):
    """A daily limit that is raised for a time; the customer confirms it first."""

    account_id: str
    confirmed: dt.date
    limit: Money | None = None
    until: dt.date | None = None


class PaymentsTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""

    transfers_abroad: dict[str, TransferAbroad] = Field(default_factory=dict)
    mandates: dict[str, Mandate] = Field(default_factory=dict)
    debit_claims: dict[str, DebitClaim] = Field(default_factory=dict)
    traces: dict[str, Trace] = Field(default_factory=dict)
    limit_raises: dict[str, LimitRaise] = Field(default_factory=dict)
