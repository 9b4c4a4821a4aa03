"""Tables of the area cards: credit, debit and charge cards."""

from __future__ import annotations

from pydantic import BaseModel

__all__ = ["CardsTables"]


class CardsTables(BaseModel):
    """The area's tables by id; a default for each, ``Field(default_factory=dict)``."""
