"""One simulation from prepared parts; its score and diagnosis are in `ragbench.runner._grade`.

An exception ends its own simulation, as part of the trajectory. Whose fault it is decides the
termination reason; see `play_trial`.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from functools import partial

from ragbench.errors import LLMError
from ragbench.llm import summed, without_secrets
from ragbench.records import RetrievalEvent, Task, Termination, Trajectory
from ragbench.retrieval import SpanFinder, inlined_spans
from ragbench.runner._prepare import Prepared
from ragbench.runner._roles import ORACLE, Roles, Seat
from ragbench.runner._stored import task_hash
from ragbench.simulate import (
    Agent,
    BadReply,
    CustomAgent,
    Environment,
    Orchestrator,
    Retrieved,
)

__all__ = ["play_trial"]


async def play_trial(
    prepared: Prepared, task: Task, trial: int, roles: Roles = ORACLE
) -> Trajectory:
    """Simulate one trial; whatever goes wrong inside becomes part of the trajectory.

    What ends a simulation before its conversation ended, with the traceback or message in
    ``error``:

    - no room left in a model's context: ``context_overflow``;
    - the agent's model gave no reply that can be read, or an agent of the user's own raised, ended
      its process, or returned what is no reply: ``agent_error``; for the user, ``user_error``;
    - the limit of seconds: ``timeout``;
    - anything else, such as a model that cannot be reached, a tool's code or the index:
      ``infrastructure_error``.

    Raises:
        LLMError: of kind ``auth`` or ``budget``: the run is to stop, and this simulation is not
            stored.
        DomainError: the task's start cannot be played.
    """
    await asyncio.sleep(0)  # agents without a model never wait; here an interrupt gets through
    started = time.perf_counter()
    config, knowledge = prepared.config, prepared.knowledge
    inlined = inlined_spans(prepared.setup, task, prepared.items[task.id], prepared.documents)
    environment = Environment(prepared.domain, task, knowledge, prepared.gold[task.id].start)
    seat = Seat(prepared, task, trial, environment, inlined)
    orchestrator = Orchestrator(
        environment=environment,
        agent=roles.make_agent(seat),
        user=roles.make_user(seat),
        max_steps=config.max_steps,
        max_errors=config.max_errors,
        read_report=partial(_reported, prepared.finder),
    )
    limit_s = config.timeout_s if roles.limit_s is None else roles.limit_s
    error = await _played(orchestrator, limit_s)
    trajectory = orchestrator.trajectory(
        task,
        trial=trial,
        seed=seat.seed,
        setup=prepared.setup.name,
        offered=bool(knowledge) or any(event.reported for event in orchestrator.events),
        index_id=prepared.index.index_id,
        inlined=inlined,
        started=started,
    )
    calls = (*orchestrator.agent.llm_calls, *orchestrator.user.llm_calls)
    ordered = sorted(calls, key=lambda call: -1 if call.step is None else call.step)
    return trajectory.model_copy(
        update={
            "error": None if error is None else without_secrets(error),
            "llm_calls": tuple(ordered),
            "usage": summed(ordered),
            "task_sha256": task_hash(task),
            "domain_sha256": prepared.domain.sha256 or None,
            "searches_seen": bool(orchestrator.events) or not _searches_itself(orchestrator.agent),
        }
    )


def _searches_itself(agent: Agent) -> bool:
    return isinstance(agent, CustomAgent) and agent.searches_itself


def _reported(finder: SpanFinder, search: Retrieved, step: int, position: int) -> RetrievalEvent:
    return finder.event(search.query, search.hits, search.tool, step=step, position=position)


async def _played(orchestrator: Orchestrator, limit_s: float | None) -> str | None:
    """Play to the end; what ended it when that was no end of the conversation."""
    try:
        async with asyncio.timeout(limit_s) as clock:
            await orchestrator.run()
    except Exception as error:  # the one boundary around a task; the traceback is kept
        if isinstance(error, LLMError) and error.stops_run:
            raise
        if isinstance(error, TimeoutError) and clock.expired():
            orchestrator.termination = Termination.TIMEOUT
            return f"The simulation was ended: it took longer than {limit_s:g} s."
        orchestrator.termination, text = _failure(orchestrator, error)
        return text
    finally:
        if isinstance(orchestrator.agent, CustomAgent):
            await orchestrator.agent.close()
    return None


def _failure(orchestrator: Orchestrator, error: Exception) -> tuple[Termination, str]:
    """The termination reason for an exception, and what is stored about it."""
    side = orchestrator.speaking
    if isinstance(error, LLMError):
        overflow = error.kind == "context_overflow" and side is not None
        kind = Termination.CONTEXT_OVERFLOW if overflow else Termination.INFRASTRUCTURE_ERROR
        return kind, f"LLMError ({error.kind}), {side or 'tool'}: {error}"
    if isinstance(error, BadReply):
        kind = Termination.USER_ERROR if side == "user" else Termination.AGENT_ERROR
        return kind, error.trace or str(error)
    trace = "".join(traceback.format_exception(error))
    if side == "assistant" and isinstance(orchestrator.agent, CustomAgent):
        return Termination.AGENT_ERROR, trace
    return Termination.INFRASTRUCTURE_ERROR, trace
