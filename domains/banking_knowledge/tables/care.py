"""Tables of the area care: people who need care: authority, difficulty, complaints, estates."""

from __future__ import annotations

from pydantic import BaseModel

__all__ = ["CareTables"]


class CareTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""
