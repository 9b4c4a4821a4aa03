"""One simulation from prepared parts, and its score and diagnosis."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ragbench.diagnose import NOT_DIAGNOSED, diagnose_trial
from ragbench.records import (
    Diagnosis,
    InlinedSpan,
    Score,
    Task,
    Termination,
    Trajectory,
    TrialScore,
)
from ragbench.retrieval import Setup, inlined_spans, setup_named
from ragbench.runner._prepare import Prepared
from ragbench.score import TrialContext, replay, score_trial
from ragbench.simulate import Agent, Environment, OracleAgent, Orchestrator, ScriptedUser

__all__ = ["grade", "play_trial", "reference_rewards"]

MakeAgent = Callable[[Prepared, Task, tuple[InlinedSpan, ...]], Agent]


def oracle_for(prepared: Prepared, task: Task, inlined: tuple[InlinedSpan, ...]) -> Agent:
    """The evidence-gated oracle of a task."""
    return OracleAgent(
        task=task,
        gold=prepared.gold[task.id],
        items=prepared.items[task.id],
        texts={doc_id: document.text for doc_id, document in prepared.documents.items()},
        inlined=inlined,
        search_tool=prepared.search_tool,
    )


async def play_trial(
    prepared: Prepared, task: Task, trial: int, make_agent: MakeAgent = oracle_for
) -> Trajectory:
    """Simulate one trial; whatever goes wrong inside becomes part of the trajectory.

    An exception of the agent, the user, a tool's code or the index ends this simulation as an
    infrastructure error with its traceback, and no other.
    """
    await asyncio.sleep(0)  # agents without a model never wait; here an interrupt gets through
    started = time.perf_counter()
    config, knowledge = prepared.config, prepared.knowledge
    inlined = inlined_spans(prepared.setup, task, prepared.items[task.id], prepared.documents)
    environment = Environment(prepared.domain, task, knowledge)
    orchestrator = Orchestrator(
        environment=environment,
        agent=make_agent(prepared, task, inlined),
        user=ScriptedUser(task, prepared.gold[task.id], environment),
        max_steps=config.max_steps,
        max_errors=config.max_errors,
    )
    error = None
    try:
        await orchestrator.run()
    except Exception:  # noqa: BLE001  (the one boundary around a task; the traceback is kept)
        orchestrator.termination = Termination.INFRASTRUCTURE_ERROR
        error = traceback.format_exc()
    trajectory = orchestrator.trajectory(
        task,
        trial=trial,
        seed=config.seed + trial,
        setup=prepared.setup.name,
        offered=bool(knowledge),
        index_id=prepared.index.index_id,
        inlined=inlined,
        started=started,
    )
    return trajectory.model_copy(update={"error": error})


def grade(prepared: Prepared, trajectory: Trajectory) -> TrialScore:
    """Score and diagnose a stored trajectory; the trajectory itself is not changed.

    When a domain's own code raises in it, the trial is not judged, and its reason says so.
    """
    try:
        return _graded(prepared, trajectory)
    except Exception as error:  # noqa: BLE001  (the other end of the boundary around a task)
        trace = traceback.format_exception_only(error)[-1].strip()
        where = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"could not be judged: {trace} ({Path(where.filename).name}, line {where.lineno})"
        return TrialScore(
            task_id=trajectory.task_id,
            trial=trajectory.trial,
            termination=trajectory.termination,
            n_steps=trajectory.n_steps,
            score=Score(reward=None, reason=reason),
            diagnosis=Diagnosis(label=NOT_DIAGNOSED, attribution="infrastructure"),
        )


def _graded(prepared: Prepared, trajectory: Trajectory) -> TrialScore:
    task = next(task for task in prepared.tasks if task.id == trajectory.task_id)
    context = TrialContext(
        domain=prepared.domain,
        task=task,
        gold=prepared.gold[task.id],
        trajectory=trajectory,
        items=prepared.items[task.id],
        documents=prepared.documents,
        replayed=replay(prepared.domain, task, trajectory),
    )
    score = score_trial(context)
    return TrialScore(
        task_id=task.id,
        trial=trajectory.trial,
        termination=trajectory.termination,
        n_steps=trajectory.n_steps,
        score=score,
        diagnosis=diagnose_trial(context, score, prepared.probe),
    )


async def reference_rewards(prepared: Prepared, setup_name: str | None) -> dict[str, float | None]:
    """The oracle's reward per task under another setup of the same index.

    Args:
        prepared: the evaluation.
        setup_name: a setup without search tool, or None for the evaluation's own.
    """
    if setup_name is not None:
        setup: Setup = setup_named(setup_name)
        prepared = replace(prepared, setup=setup, knowledge=(), probe=None)
    rewards = {}
    for task in prepared.tasks:
        rewards[task.id] = grade(prepared, await play_trial(prepared, task, 0)).score.reward
    return rewards
