"""Tables of the area payments: payments at home and abroad, currency accounts."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import BaseModel, Field

from .row import Row

__all__ = ["PaymentsTables", "TransferAbroad"]


class TransferAbroad(Row):
    """A payment in a foreign currency that has left the bank. The fee is that of its recall."""

    account_id: str
    payee: str
    currency: str
    amount: float
    sent: dt.date
    status: Literal["sent", "recalled"] = "sent"
    reason_code: str | None = None
    fee: float | None = None


class PaymentsTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""

    transfers_abroad: dict[str, TransferAbroad] = Field(default_factory=dict)
