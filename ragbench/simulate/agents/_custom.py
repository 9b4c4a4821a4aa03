"""A user's own agent in a simulation: asynchronous in the event loop, else in a process."""

from __future__ import annotations

import asyncio
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from ragbench.records import LLMCall
from ragbench.simulate._roles import BadReply, Observation, Reply
from ragbench.simulate.agents._process import AgentProcess
from ragbench.simulate.agents._replies import reply_from
from ragbench.simulate.agents._report import collecting
from ragbench.simulate.agents._source import AgentBrief, AgentSource, load_source

__all__ = ["AgentFactory", "CustomAgent", "load_agent"]


class CustomAgent(ABC):
    """A user's own agent in one simulation; whatever its code raises is its own error.

    Its calls of models are its own affair, so that ``llm_calls`` is empty.
    """

    llm_calls: tuple[LLMCall, ...] = ()

    def __init__(self, source: AgentSource, brief: AgentBrief) -> None:
        self._source, self._brief = source, brief

    @property
    def name(self) -> str:
        """As it was named on the command line."""
        return self._source.spec

    @property
    def searches_itself(self) -> bool:
        """Whether it may search by means that nobody sees.

        So it is unless its code says otherwise: ``own_search = False``.
        """
        return bool(getattr(self._source.target, "own_search", True))

    @abstractmethod
    async def step(self, observation: Observation) -> Reply:
        """Answer the observation.

        Raises:
            BadReply: what the agent's code returned is no reply, or its process ended.
            Exception: whatever the agent's code raises in the event loop.
        """

    async def close(self) -> None:
        """End what the agent runs in; call it however the simulation ended."""
        return


class _InLoop(CustomAgent):
    """An asynchronous one. While it computes or blocks, every simulation waits."""

    def __init__(self, source: AgentSource, brief: AgentBrief) -> None:
        super().__init__(source, brief)
        self._step: Callable[[Observation], Any] | None = None

    async def step(self, observation: Observation) -> Reply:
        try:
            if self._step is None:
                self._step = self._source.begin(self._brief)
            with collecting() as reported:
                value = await self._step(observation)
            return reply_from(value, reported)
        except (SystemExit, asyncio.CancelledError) as error:
            # Both would go past everything else here and end the whole run.
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                raise
            raise BadReply(
                f"The agent raised {type(error).__name__}.", traceback.format_exc()
            ) from None


def _is_cancelled() -> bool:
    """Whether it is the simulation that is to end, and not something that the agent waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class _InProcess(CustomAgent):
    """A synchronous one, in a process of its own."""

    def __init__(self, source: AgentSource, brief: AgentBrief) -> None:
        super().__init__(source, brief)
        self._process: AgentProcess | None = None

    async def step(self, observation: Observation) -> Reply:
        if self._process is None:
            self._process = await AgentProcess.start(self.name, self._brief)
        answer = await self._process.ask(observation)
        if answer.reply is None:
            raise BadReply(answer.problem or "The agent gave no reply.", answer.trace)
        return answer.reply

    async def close(self) -> None:
        if self._process is not None:
            await self._process.end()


class AgentFactory:
    """Makes one agent of the user's own per simulation."""

    def __init__(self, source: AgentSource) -> None:
        self.source = source

    def __call__(self, brief: AgentBrief) -> CustomAgent:
        """An agent for one simulation; its class is made an object at its first step."""
        kind = _InLoop if self.source.waits else _InProcess
        return kind(self.source, brief)


def load_agent(spec: str) -> AgentFactory:
    """The factory of a user's own agent: ``FILE.py:NAME`` or ``MODULE:NAME``.

    Raises:
        UsageError: the spec does not parse, names nothing, or names what is no agent.
    """
    return AgentFactory(load_source(spec))
