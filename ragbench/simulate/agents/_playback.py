"""An agent that plays given replies: for recorded examples and tests of what a trajectory means."""

from __future__ import annotations

from collections.abc import Iterable

from ragbench.records import LLMCall
from ragbench.simulate._roles import Observation, Reply

__all__ = ["PlaybackAgent"]


class PlaybackAgent:
    """Plays its replies in order, whatever it is told, then closes.

    Args:
        replies: what to say and call, message by message.
    """

    name = "playback"
    llm_calls: tuple[LLMCall, ...] = ()

    def __init__(self, replies: Iterable[Reply]) -> None:
        self._replies = iter(replies)

    async def step(self, observation: Observation) -> Reply:
        """The next reply."""
        return next(self._replies, Reply(text="Goodbye.", closing=True))
