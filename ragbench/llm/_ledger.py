"""What the calls of a run have cost, and when that is enough."""

from __future__ import annotations

import threading

from ragbench.errors import LLMError

__all__ = ["Ledger"]

_UNSEEN = "The budget does not see calls whose price is not known, and there are such; they go on."


class Ledger:
    """The sum of known costs, how many are unknown, and what a person should be told.

    Args:
        budget_usd: what may be spent; None sets no limit.

    Attributes:
        earlier_usd: what earlier starts of the same run have cost; it counts against the budget.
    """

    def __init__(self, budget_usd: float | None) -> None:
        self.budget_usd = budget_usd
        self.spent_usd = 0.0
        self.earlier_usd = 0.0
        self.n_unpriced = 0
        self._notes: dict[str, None] = {}
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """Each once, in the order in which they came up."""
        return tuple(self._notes)

    def add(self, cost_usd: float | None) -> None:
        """Enter one reply's cost, None when it is not known."""
        with self._lock:
            if cost_usd is None:
                self.n_unpriced += 1
                if self.budget_usd is not None:
                    self.tell(_UNSEEN)
            else:
                self.spent_usd += cost_usd

    def tell(self, note: str) -> None:
        """Keep a note; the same one again is kept once."""
        self._notes[note] = None

    def check(self) -> None:
        """Refuse a further call when the budget is spent.

        Raises:
            LLMError: ``budget``.
        """
        spent_usd = self.earlier_usd + self.spent_usd
        if self.budget_usd is not None and spent_usd >= self.budget_usd:
            raise LLMError(
                "budget",
                f"The budget of {self.budget_usd:g} USD is spent ({spent_usd:.4f} USD): no "
                "further call is made. Give a larger --budget-usd to go on.",
            )
