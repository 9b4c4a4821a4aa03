"""Whether a recorded trajectory can have come from this domain: hashes, and its calls replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ragbench.records import Message, RetrievalEvent, ToolCall, Trajectory
from ragbench.runner._prepare import Prepared
from ragbench.runner._stored import task_hash
from ragbench.score import ordered_calls, unmade_searches, unrecorded_searches
from ragbench.simulate import Environment, Outcome

__all__ = ["provenance"]


def provenance(prepared: Prepared, trajectory: Trajectory) -> tuple[str, ...]:
    """What does not agree with the domain as it is now, a sentence each; empty when all does.

    - The hashes of task and domain; a trajectory that carries none is not held against it.
    - The setup, when it gave a search tool.
    - Searches that are recorded but stand in no message, and those that stand there without record.
    - Every call: the environment is asked again, in order, and would have answered otherwise. What
      a search found is compared when the trajectory was recorded with the index at hand, unless a
      model stands behind the search.
    - A call that is recorded as failed, but whose effect stands in the replayed database.
    """
    return (
        *_hashes(prepared, trajectory),
        *_setup(prepared, trajectory),
        *_searches(prepared, trajectory),
        *_answers(prepared, trajectory),
    )


def _hashes(prepared: Prepared, trajectory: Trajectory) -> Iterator[str]:
    task, domain = prepared.task(trajectory.task_id), prepared.domain
    pairs = (
        (f"task {task.id!r}", trajectory.task_sha256, task_hash(task)),
        (f"domain {domain.name!r}", trajectory.domain_sha256, domain.sha256),
    )
    for what, then, now in pairs:
        if then is not None and then != now:
            yield f"the {what} is another than it was played on ({then[:12]}, now {now[:12]})"


def _setup(prepared: Prepared, trajectory: Trajectory) -> Iterator[str]:
    then, now = trajectory.setup, prepared.setup.name
    if trajectory.offered and then and then != now:
        yield (
            f"it was recorded under the setup {then!r}, and is diagnosed under {now!r}; give "
            f"--retrieval-config {then!r}"
        )


def _searches(prepared: Prepared, trajectory: Trajectory) -> Iterator[str]:
    for event in unmade_searches(trajectory):
        yield (
            f"the search {event.call_id} at step {event.step} ({event.tool}) is recorded, but no "
            "message makes this call, or it has a record already; nothing of it counts"
        )
    for step, call in unrecorded_searches(prepared.domain, trajectory):
        yield (
            f"call {call.id} at step {step} ({call.name}) has no record of what it delivered, so "
            "that nothing of it counts as seen, and what is missing may have come by it"
        )


def _answers(prepared: Prepared, trajectory: Trajectory) -> Iterator[str]:
    fits = trajectory.index_id == prepared.index.index_id
    fits &= trajectory.setup == prepared.setup.name
    knowledge = tuple(tool for tool in prepared.knowledge if fits and not tool.waits)
    names = {tool.name for tool in knowledge}
    task = prepared.task(trajectory.task_id)
    environment = Environment(
        prepared.domain, task, knowledge, prepared.gold[trajectory.task_id].start
    )
    events = {event.call_id: event for event in trajectory.events}
    answers = {m.tool_call_id: m for m in trajectory.messages if m.role == "tool"}
    for step, position, call in ordered_calls(trajectory):
        event = events.get(call.id)
        if call.name not in names and (event or call.name in _search_names(prepared)):
            continue  # a search that cannot be made again here
        outcome = environment.call(call, step, position)
        said = _difference(environment, call, answers[call.id], outcome)
        said = said or (_hits_differ(event, outcome) if call.name in names else None)
        if said is not None:
            yield f"call {call.id} at step {step} ({call.name}) {said}"


def _search_names(prepared: Prepared) -> set[str]:
    return {prepared.domain.retrieval_tool, *(tool.name for tool in prepared.knowledge)}


def _difference(
    environment: Environment, call: ToolCall, recorded: Message, outcome: Outcome
) -> str | None:
    """How the recorded answer differs from what the environment answers, None when it does not."""
    if recorded.error and not outcome.error:
        if call.id in environment.changes:
            return "is recorded as failed, but its effect stands in the database"
        return "is recorded as failed, but the environment answers it"
    if outcome.error and not recorded.error:
        return f"is recorded as answered, but the environment refuses it: {outcome.content}"
    if recorded.content is not None and _value(recorded.content) != _value(outcome.content):
        return "is recorded with another answer than the environment gives"
    return None


def _hits_differ(event: RetrievalEvent | None, outcome: Outcome) -> str | None:
    """Whether the recorded hits are not those that the search finds."""
    if event is None or outcome.event is None or _found(event) == _found(outcome.event):
        return None
    return "is recorded with other hits than the search finds"


def _found(event: RetrievalEvent) -> tuple[list[tuple[str, int, int]], int]:
    return [(hit.doc_id, hit.start, hit.end) for hit in event.hits], event.n_delivered


def _value(text: str) -> Any:  # noqa: ANN401  (whatever JSON holds)
    """The answer as a value: the spelling of JSON does not count."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text.strip()
