"""What all rows have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Row"]


class Row(BaseModel):
    """A row of a table; refuses fields that it does not know."""

    model_config = ConfigDict(extra="forbid")
