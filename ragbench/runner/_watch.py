"""What a run tells while it is at work; the command line shows it."""

from __future__ import annotations

from typing import Protocol

from ragbench.records import Review, Trajectory

__all__ = ["Silent", "Watcher"]


class Watcher(Protocol):
    """Is told what happens. Every call comes on the run's own thread."""

    def begins(self, work: str, n_done: int, n_wanted: int) -> None:
        """A phase begins: ``simulations``, those under another setup, or ``reviews``.

        Args:
            work: its name.
            n_done: pieces that were stored already.
            n_wanted: pieces with these.
        """
        ...

    def started(self) -> None:
        """A piece of work was begun."""
        ...

    def ended(self, made: Trajectory | Review) -> None:
        """A piece of work is stored."""
        ...

    def dropped(self) -> None:
        """A piece of work was given up and is not stored."""
        ...

    def note(self, text: str) -> None:
        """Something that a person should know now, such as what the next phase may cost."""
        ...


class Silent:
    """A watcher that shows nothing."""

    def begins(self, work: str, n_done: int, n_wanted: int) -> None:
        """Nothing."""

    def started(self) -> None:
        """Nothing."""

    def ended(self, made: Trajectory | Review) -> None:
        """Nothing."""

    def dropped(self) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""
