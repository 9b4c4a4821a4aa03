"""The orchestrator: half-duplex turns between agent and user, one step at a time.

A step is one message of the agent or the user, with its calls. Results of calls go back to the
caller, who then has the next step; text alone passes the turn to the other side.
Whatever a role says is made storable first: UTF-8 text, plain JSON.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from ragbench.llm import whole_text
from ragbench.records import (
    InlinedSpan,
    Message,
    Requestor,
    RetrievalEvent,
    Task,
    Termination,
    ToolCall,
    Trajectory,
)
from ragbench.simulate._environment import Environment, Outcome
from ragbench.simulate._roles import (
    OUT_OF_SCOPE,
    STOP,
    TRANSFER,
    Agent,
    BadReply,
    Observation,
    Reply,
    Retrieved,
    User,
)
from ragbench.simulate._storable import storable_call

__all__ = ["Orchestrator"]

ReadReport = Callable[[Retrieved, int, int], RetrievalEvent]

_TOKENS = {
    STOP: Termination.USER_STOP,
    TRANSFER: Termination.TRANSFER,
    OUT_OF_SCOPE: Termination.OUT_OF_SCOPE,
}


@dataclass(slots=True)
class Orchestrator:
    """Plays one simulation; `step` can also be driven from outside.

    Attributes:
        max_steps: assistant and user messages after which the simulation ends.
        max_errors: failed calls in a row after which it ends.
        read_report: makes an event of a search that the agent reports, given its step and position;
            None leaves reports out.
        termination: None while it runs.
        speaking: the side that is being asked for its reply, None in between.
    """

    environment: Environment
    agent: Agent
    user: User
    max_steps: int = 200
    max_errors: int = 10
    read_report: ReadReport | None = None
    messages: list[Message] = field(default_factory=list)
    events: list[RetrievalEvent] = field(default_factory=list)
    termination: Termination | None = None
    speaking: Requestor | None = None
    _turn: Requestor = "user"
    _n_steps: int = 0
    _errors_in_row: int = 0
    _told: dict[Requestor, int] = field(default_factory=lambda: {"assistant": 0, "user": 0})
    _shown: dict[Requestor, int] = field(default_factory=lambda: {"assistant": 0, "user": 0})
    _ids: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Play until the simulation ends."""
        while self.termination is None:
            await self.step()

    async def step(self) -> None:
        """Let the side whose turn it is send one message, and execute its calls."""
        if self._n_steps >= self.max_steps:
            self.termination = Termination.MAX_STEPS
            return
        side = self._turn
        role = self.agent if side == "assistant" else self.user
        self.speaking = side
        reply = _storable(await role.step(self._observation(side)))
        self.speaking = None
        if not reply.calls and not (reply.text or "").strip():
            self.termination = (
                Termination.AGENT_ERROR if side == "assistant" else Termination.USER_ERROR
            )
            return
        step, self._n_steps = self._n_steps, self._n_steps + 1
        calls = tuple(self._numbered(call, side, step, i) for i, call in enumerate(reply.calls))
        self._record(side, reply, calls, step)
        if side == "assistant":
            self._report(reply.retrieved, step - 1)
        if side == "user" and self.termination is None:
            self.termination = self._token(reply.text or "")
        if self.termination is None:
            for position, call in enumerate(calls):
                await self._execute(call, step, position)
                if self.termination is not None:  # the calls after it are not made
                    return
            if not calls:
                self._turn = "assistant" if side == "user" else "user"

    def trajectory(
        self,
        task: Task,
        *,
        trial: int,
        seed: int,
        setup: str,
        offered: bool,
        index_id: str | None,
        inlined: tuple[InlinedSpan, ...],
        started: float,
    ) -> Trajectory:
        """What happened so far as a record.

        Raises:
            ValueError: the simulation is still running.
        """
        if self.termination is None:
            raise ValueError("the simulation has not ended")
        return Trajectory(
            task_id=task.id,
            trial=trial,
            seed=seed,
            agent=self.agent.name,
            user=self.user.name,
            setup=setup,
            offered=offered,
            index_id=index_id,
            inlined=inlined,
            messages=tuple(self.messages),
            events=tuple(self.events),
            violations=tuple(self.environment.violations),
            termination=self.termination,
            script_delivered=self.user.script_delivered,
            timing={"seconds": round(time.perf_counter() - started, 6)},
        )

    def _observation(self, side: Requestor) -> Observation:
        new = self.messages[self._told[side] :]
        self._told[side] = len(self.messages)
        events = self.events[self._shown[side] :] if side == "assistant" else []
        self._shown[side] = len(self.events)
        return Observation(
            messages=tuple(_seen(message) for message in new if _concerns(message, side)),
            events=tuple(events),
            tools=tuple(self.environment.tools(side)),
            step=self._n_steps,
        )

    def _numbered(self, call: ToolCall, side: Requestor, step: int, position: int) -> ToolCall:
        """The call with a unique id and the requestor that really made it."""
        made = f"call-{step}-{position}"
        names = itertools.chain((call.id, made), (f"{made}-{n}" for n in itertools.count(2)))
        name = next(name for name in names if name and name not in self._ids)
        self._ids.add(name)
        return call.model_copy(update={"id": name, "requestor": side})

    def _record(
        self, side: Requestor, reply: Reply, calls: tuple[ToolCall, ...], step: int
    ) -> None:
        self.messages.append(
            Message(
                role=side,
                content=reply.text,
                tool_calls=calls,
                step=step,
                closing=reply.closing,
                reasoning=reply.reasoning,
            )
        )

    def _report(self, searches: Sequence[Retrieved], step: int) -> None:
        """Record searches of the agent's own: made before its reply, so that this has seen them."""
        if self.read_report is None:
            return
        position = sum(event.step == step for event in self.events)
        for number, search in enumerate(searches, position):
            self.events.append(self.read_report(search, step, number))
        self._shown["assistant"] = len(self.events)  # it knows them

    async def _execute(self, call: ToolCall, step: int, position: int) -> None:
        if self.environment.waits(call):
            outcome = await _in_a_thread(partial(self.environment.call, call, step, position))
        else:
            outcome = self.environment.call(call, step, position)
        if outcome.event is not None:
            self.events.append(outcome.event)
        self.messages.append(
            Message(
                role="tool",
                content=outcome.content,
                step=step,
                tool_call_id=call.id,
                requestor=call.requestor,
                error=outcome.error,
            )
        )
        self._errors_in_row = self._errors_in_row + 1 if outcome.error else 0
        if self._errors_in_row >= self.max_errors:
            self.termination = Termination.MAX_ERRORS

    def _token(self, text: str) -> Termination | None:
        for token, termination in _TOKENS.items():
            if token in text:
                return termination
        return None


def _concerns(message: Message, side: Requestor) -> bool:
    """Whether the side gets to read the message: the other's words, its own calls' results."""
    if message.role == "tool":
        return message.requestor == side
    return message.role != side and message.content is not None


def _seen(message: Message) -> Message:
    """The message as the other side sees it: words, no calls and no thoughts."""
    if not message.tool_calls and message.reasoning is None:
        return message
    return message.model_copy(update={"tool_calls": (), "reasoning": None})


def _storable(reply: Reply) -> Reply:
    try:
        calls = tuple(storable_call(call) for call in reply.calls)
    except ValueError as error:
        raise BadReply(f"The arguments of a call cannot be stored: {error}.") from error
    text, thought = (
        None if part is None else whole_text(part) for part in (reply.text, reply.reasoning)
    )
    return Reply(text, calls, reply.closing, reply.retrieved, thought)


async def _in_a_thread(call: Callable[[], Outcome]) -> Outcome:
    """What a call that waits answers; a thread for each, as a shared pool would queue them."""
    threads = ThreadPoolExecutor(max_workers=1)
    try:
        return await asyncio.get_running_loop().run_in_executor(threads, call)
    finally:
        threads.shutdown(wait=False)
