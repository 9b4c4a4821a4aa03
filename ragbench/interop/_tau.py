"""Read the tasks of the tau-bench family (tau2, tau3) as they are.

Their task JSON is a subset of ours but for keys that we do not know; those are kept in the task's
``extra_fields`` under their path, never dropped and never guessed at. ``required_documents`` become
one need without question, one document-level item per id, needed by everything the task expects.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ragbench.errors import DomainError
from ragbench.records import (
    EvaluationCriteria,
    EvidenceItem,
    GoldAction,
    InitialState,
    Message,
    Need,
    Passage,
    Task,
    ToolCall,
    UserScenario,
)

__all__ = ["ForeignTasks", "read_tau_tasks", "task_from_tau"]

_INITIALIZATION = {"agent_data", "user_data"}


@dataclass(frozen=True, slots=True)
class ForeignTasks:
    """Tasks of a foreign file.

    Attributes:
        foreign_keys: how many tasks carry each key that ragbench does not know.
        without_consumer: ids of tasks that name documents but expect no action and no statement, so
            that nothing needs the documents; they have no need.
    """

    tasks: tuple[Task, ...]
    foreign_keys: dict[str, int]
    without_consumer: tuple[str, ...]


def read_tau_tasks(path: Path) -> ForeignTasks:
    """Read a task file (an object or a list) or a folder of them, sorted by name.

    Raises:
        DomainError: a file is unreadable or no JSON, or a task is malformed or doubled.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise DomainError(f"{str(path)!r} holds no task (*.json).")
    tasks: dict[str, Task] = {}
    for file in files:
        for entry in _entries(file):
            try:
                task = task_from_tau(entry)
            except ValidationError as error:
                detail = error.errors()[0]
                place = ".".join(str(part) for part in detail["loc"])
                raise DomainError(f"{file}: {place}: {detail['msg']}") from error
            if task.id in tasks:
                raise DomainError(f"{file}: a second task is called {task.id!r}.")
            tasks[task.id] = task
    keys = Counter(key for task in tasks.values() for key in task.extra_fields)
    idle = tuple(t.id for t in tasks.values() if t.required_documents and not t.needs)
    return ForeignTasks(tuple(tasks.values()), dict(sorted(keys.items())), idle)


def task_from_tau(entry: Mapping[str, Any]) -> Task:
    """One task; unknown keys go to ``extra_fields`` by their path.

    Raises:
        pydantic.ValidationError: what is left does not make a task.
    """
    extra: dict[str, Any] = {}
    known = _known(entry, Task, "", extra)
    nested: dict[str, type[BaseModel]] = {
        "user_scenario": UserScenario,
        "evaluation_criteria": EvaluationCriteria,
        "initial_state": InitialState,
    }
    for key, model in nested.items():
        if isinstance(known.get(key), Mapping):
            known[key] = _known(known[key], model, f"{key}.", extra)
        elif known.get(key) is None:
            known.pop(key, None)
    criteria = known.get("evaluation_criteria", {})
    criteria["actions"] = [
        _known(action, GoldAction, "evaluation_criteria.actions.", extra)
        for action in criteria.get("actions") or []
    ]
    state = known.get("initial_state", {})
    data = state.get("initialization_data") or {}
    for key in sorted(set(data) - _INITIALIZATION):
        extra[f"initial_state.initialization_data.{key}"] = data[key]
    if data:
        state["initialization_data"] = {k: v for k, v in data.items() if k in _INITIALIZATION}
    if state.get("message_history"):
        state["message_history"] = [
            _message(message, extra) for message in state["message_history"]
        ]
    task = Task.model_validate({**known, "extra_fields": extra})
    return task.model_copy(update={"needs": _needs(task)})


def _message(entry: Any, extra: dict[str, Any]) -> Any:  # noqa: ANN401  (JSON)
    """A message of a history: their id of a result is that of the call that it answers.

    A key that stands in several messages is kept as the list of its values, in their order.
    """
    if not isinstance(entry, Mapping):
        return entry
    path = "initial_state.message_history."
    foreign: dict[str, Any] = {}
    given = dict(entry)
    if given.get("role") == "tool" and "id" in given:
        given.setdefault("tool_call_id", given.pop("id"))
    known = _known(given, Message, path, foreign)
    calls = [
        _known(call, ToolCall, f"{path}tool_calls.", foreign) if isinstance(call, Mapping) else call
        for call in known.get("tool_calls") or ()
    ]
    for key, value in foreign.items():
        extra.setdefault(key, []).append(value)
    kept = {key: value for key, value in known.items() if value is not None}
    return {**kept, "tool_calls": calls}


def _needs(task: Task) -> tuple[Need, ...]:
    consumers = [action.action_id for action in task.evaluation_criteria.actions]
    n_said = len(task.evaluation_criteria.communicate_info)
    consumers += [f"communicate:{index}" for index in range(n_said)]
    if not task.required_documents or not consumers:
        return ()
    items = tuple(
        EvidenceItem(any_of=(Passage(doc_id=doc_id),)) for doc_id in task.required_documents
    )
    return (Need(id="required_documents", evidence=items, needed_by=tuple(consumers)),)


def _known(
    entry: Mapping[str, Any], model: type[BaseModel], path: str, extra: dict[str, Any]
) -> dict[str, Any]:
    fields = set(model.model_fields) - {"extra_fields"}
    for key in sorted(set(entry) - fields):
        extra[f"{path}{key}"] = entry[key]
    return {key: value for key, value in entry.items() if key in fields}


def _entries(path: Path) -> list[Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DomainError(f"{path} cannot be read as JSON: {error}") from error
    return content if isinstance(content, list) else [content]
