"""How an ingest tells how far it is; what is shown, and where, is the caller's business."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Told of every stage and of every step in it."""

    def stage(self, name: str, total: int) -> None:
        """A stage of ``total`` steps begins; the one before has ended."""
        ...

    def advance(self, n: int = 1) -> None:
        """``n`` more steps of the stage are done."""
        ...


class Silent:
    """Shows nothing."""

    def stage(self, name: str, total: int) -> None:
        """Do nothing."""

    def advance(self, n: int = 1) -> None:
        """Do nothing."""
