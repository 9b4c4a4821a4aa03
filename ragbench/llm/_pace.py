"""How fast a provider is asked: its requests a minute, and a pause that all its calls share."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from threading import Lock

__all__ = ["Pace", "Paces", "Waits"]


@dataclass(frozen=True)
class Waits:
    """The clock and the sleep of paces and retries; tests give others.

    Attributes:
        clock: seconds that only grow.
        sleep: waits so many seconds.
        spread: a number between two bounds, so that clients do not come back together.
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    spread: Callable[[float, float], float] = field(
        default_factory=lambda: random.SystemRandom().uniform
    )


class Pace:
    """One provider's pace, for any number of tasks and event loops."""

    def __init__(self, waits: Waits) -> None:
        self.waits = waits
        self.n_served = 0
        """Replies so far: a call that was refused meanwhile knows that others get through."""
        self._gap_s = 0.0
        self._next_s = 0.0
        self._open_s = 0.0
        self._pause_s = 0.0
        self._lock = Lock()

    def limit(self, rpm: int | None) -> None:
        """Ask no more often than this; the lowest of several limits holds."""
        if rpm:
            self._gap_s = max(self._gap_s, 60.0 / rpm)

    async def turn(self) -> None:
        """Wait until this call may be made."""
        while True:
            now, at_s = self._slot()
            if at_s > now:
                await self.waits.sleep(at_s - now)
            if self._open_s <= at_s:
                return  # else another call was refused meanwhile

    def _slot(self) -> tuple[float, float]:
        """Now, and when a call may begin."""
        with self._lock:
            now = self.waits.clock()
            at_s = max(now, self._open_s)
            if self._gap_s:
                at_s = max(at_s, self._next_s)
                self._next_s = at_s + self._gap_s
            elif self._open_s > now:
                # Those that wait do not all come back at the same time.
                at_s += self.waits.spread(0.0, self._pause_s / 4)
            return now, at_s

    def pause(self, seconds: float) -> None:
        """Let no call of this provider begin for so long."""
        with self._lock:
            until_s = self.waits.clock() + seconds
            if until_s > self._open_s:
                self._open_s, self._pause_s = until_s, seconds


class Paces:
    """The pace of each provider of a run.

    Args:
        waits: clock and sleep.
    """

    def __init__(self, waits: Waits) -> None:
        self.waits = waits
        self._by_provider: dict[tuple[str, ...], Pace] = {}

    def of(self, *provider: str) -> Pace:
        """The one of a provider: its name, address and the name of the key."""
        return self._by_provider.setdefault(provider, Pace(self.waits))
