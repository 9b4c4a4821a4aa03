"""The database of the tool library: members and their loans."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ragbench.toolkit import FreeText, Money

__all__ = ["Database", "Loan", "Member"]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Member(_Row):
    """A member and their plan."""

    name: str
    plan: Literal["Neighbour", "Household", "Patron"]


class Loan(_Row):
    """A tool that is out, or came back late. ``fee_usd`` is what is owed for it."""

    member_id: str
    tool: str
    tool_class: Literal["hand tool", "garden tool", "power tool", "heavy machine"]
    due: dt.date
    returned: dt.date | None = None
    extended_days: int = 0
    fee_usd: Money = Decimal(0)
    waived_because: str | None = None
    note: FreeText = ""


class Database(_Row):
    """Everything the library stores, by id."""

    members: dict[str, Member]
    loans: dict[str, Loan]
