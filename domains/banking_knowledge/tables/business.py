"""Tables of the area business: business accounts, cash, payroll, cards for staff."""

from __future__ import annotations

from pydantic import BaseModel

__all__ = ["BusinessTables"]


class BusinessTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""
