"""Calls, tokens, cost and latency of the models of a run, by role.

What is unknown is counted and never taken for 0: a cost is that of the priced calls, beside the
number of calls without a price.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from ragbench.llm import summed
from ragbench.records import LLMCall, Usage

__all__ = ["Account", "Spending", "percentile"]

_TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens")


class Spending(BaseModel):
    """What one start of a run spent outside of stored work: a line of ``spending.jsonl``.

    Attributes:
        cost_usd: of what was dropped, beside the searches; ``n_unpriced`` likewise.
        searches: the calls of rewriters and rerankers, which serve all simulations.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cost_usd: float
    n_unpriced: int = 0
    searches: tuple[LLMCall, ...] = ()


@dataclass(slots=True)
class Account:
    """The calls of a run: those of every stored line, also of simulations that ran again.

    Attributes:
        parts: sums by kind of work: ``simulations``, those under another setup, ``reviews``,
            ``searches``, ``elsewhere``.
    """

    calls: dict[str, list[LLMCall]] = field(default_factory=dict)
    turns_ms: dict[str, list[float]] = field(default_factory=dict)
    parts: dict[str, Usage] = field(default_factory=dict)

    def add(self, part: str, calls: Sequence[LLMCall]) -> None:
        """Enter the calls of one stored piece of work."""
        turns: dict[tuple[str, int | None], float] = {}
        for call in calls:
            self.calls.setdefault(call.role, []).append(call)
            if call.error is None and call.latency_ms is not None:
                turn = (call.role, call.step)
                turns[turn] = turns.get(turn, 0.0) + call.latency_ms
        for (role, _), latency_ms in turns.items():
            self.turns_ms.setdefault(role, []).append(latency_ms)
        for usage in summed(calls).values():
            self._enter(part, usage.cost_usd, usage.n_unpriced, usage.n_calls)

    def add_spending(self, spending: Iterable[Spending]) -> None:
        """Enter what was spent on calls that stand in no stored piece of work."""
        for entry in spending:
            for call in entry.searches:
                self.add("searches", [call])  # each is a turn of its own
            if entry.cost_usd or entry.n_unpriced:
                self._enter("elsewhere", entry.cost_usd, entry.n_unpriced, 0)

    def _enter(self, part: str, cost: float | None, n_unpriced: int, n_calls: int) -> None:
        before = self.parts.get(part, Usage())
        known = [usd for usd in (before.cost_usd, cost) if usd is not None]
        self.parts[part] = Usage(
            n_calls=before.n_calls + n_calls,
            cost_usd=math.fsum(known) if known else None,
            n_unpriced=before.n_unpriced + n_unpriced,
        )

    @property
    def known_usd(self) -> float | None:
        """The cost of the priced calls, None when no call has a price."""
        known = [part.cost_usd for part in self.parts.values() if part.cost_usd is not None]
        return math.fsum(known) if known else None

    @property
    def n_unpriced(self) -> int:
        """How many calls have no known cost."""
        return sum(part.n_unpriced for part in self.parts.values())

    def summary(self) -> dict[str, Any]:
        """The accounting as it stands in ``summary.json``; without calls it is empty."""
        if not self.parts:
            return {}
        return {
            "roles": {role: self._role(role, calls) for role, calls in self.calls.items()},
            "cost_usd": self.known_usd,
            "n_unpriced": self.n_unpriced,
            "parts": {
                name: {"n_calls": p.n_calls, "cost_usd": p.cost_usd, "n_unpriced": p.n_unpriced}
                for name, p in self.parts.items()
            },
        }

    def _role(self, role: str, calls: Sequence[LLMCall]) -> dict[str, Any]:
        usage = summed(calls)[role]
        turns = self.turns_ms.get(role, [])
        return {
            "models": sorted({call.model for call in calls}),
            "n_calls": len(calls),
            "n_failed": sum(call.error is not None for call in calls),
            "n_repeated": sum(max(call.n_attempts - 1, 0) for call in calls),
            **{name: _known(calls, name) for name in _TOKENS},
            "n_without_tokens": sum(
                call.error is None and call.prompt_tokens is None for call in calls
            ),
            "n_without_schema": sum(call.without_schema for call in calls),
            "cost_usd": usage.cost_usd,
            "n_unpriced": usage.n_unpriced,
            "n_turns": len(turns),
            "turn_ms_p50": percentile(turns, 50),
            "turn_ms_p95": percentile(turns, 95),
        }


def _known(calls: Iterable[LLMCall], name: str) -> int | None:
    """The sum of what is known, None when nothing is."""
    known = [value for call in calls if (value := getattr(call, name)) is not None]
    return sum(known) if known else None


def percentile(values: Sequence[float], share: int) -> float | None:
    """The smallest value that at least ``share`` percent of the values do not exceed.

    >>> percentile([5.0, 1.0, 3.0, 2.0], 50), percentile([], 95) is None
    (2.0, True)
    """
    if not values:
        return None
    return sorted(values)[max(math.ceil(share / 100 * len(values)) - 1, 0)]
