"""Tables of the area lending: mortgages and loans."""

from __future__ import annotations

from pydantic import BaseModel

__all__ = ["LendingTables"]


class LendingTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""
