"""Tables of the area savings: savings, tax-free and children's accounts."""

from __future__ import annotations

from pydantic import BaseModel

__all__ = ["SavingsTables"]


class SavingsTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""
