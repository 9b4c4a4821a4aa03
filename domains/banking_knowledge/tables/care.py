"""Tables of the area care: people who need care: authority, difficulty, complaints, estates."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import BaseModel, Field

from ragbench.toolkit import Money

from .row import Row

__all__ = [
    "Arrangement",
    "CareNote",
    "CareTables",
    "CompanionCard",
    "Complaint",
    "DataRequest",
    "FailedCheck",
    "MandateOfAuthority",
]


class MandateOfAuthority(Row):
    """A registered power: ``customer_id`` gave it, ``attorney`` holds it."""

    customer_id: str
    attorney: str
    kind: Literal["household power", "standing power", "business power"]
    restrictions: list[str]
    together_with: str | None = None
    seal: Literal["none", "registrar of the Isles"] = "none"
    registered: dt.date
    status: Literal["active", "ended"] = "active"


class CareNote(Row):
    """A marker in a customer's record, with the day on which it ends or is looked at again."""

    customer_id: str
    marker_code: str
    until: dt.date
    made: dt.date


class Arrangement(Row):
    """A lower payment that was agreed for a loan or card for some months."""

    subject_id: str
    monthly: Money
    months: int
    code: str
    made: dt.date


class Complaint(Row):
    """A complaint that the desk has opened, with the redress that the customer gets."""

    customer_id: str
    topic_code: str
    redress: Money
    made: dt.date


class DataRequest(Row):
    """A request about a customer's data, to be answered by a day."""

    customer_id: str
    kind_code: str
    due_date: dt.date
    made: dt.date


class FailedCheck(Row):
    """An identity check that failed or was not made."""

    customer_id: str
    detail_code: str
    made: dt.date


class CompanionCard(Row):
    """A second card with a weekly limit, for somebody who shops for the customer."""

    account_id: str
    helper: str
    weekly_limit: Money
    ordered: dt.date


class CareTables(BaseModel):
    """The area's tables by id."""

    mandates_of_authority: dict[str, MandateOfAuthority] = Field(default_factory=dict)
    care_notes: dict[str, CareNote] = Field(default_factory=dict)
    arrangements: dict[str, Arrangement] = Field(default_factory=dict)
    complaints: dict[str, Complaint] = Field(default_factory=dict)
    data_requests: dict[str, DataRequest] = Field(default_factory=dict)
    failed_checks: dict[str, FailedCheck] = Field(default_factory=dict)
    companion_cards: dict[str, CompanionCard] = Field(default_factory=dict)
