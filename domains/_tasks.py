"""The task files of a domain folder: every task that is in order, every one that is not and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragbench.errors import DomainError
from ragbench.records import (
    Derivation,
    Distractor,
    EvaluationCriteria,
    EvidenceItem,
    GoldAction,
    InitialState,
    Need,
    Passage,
    RewardBasis,
    ScriptTurn,
    Statement,
    Task,
    UserScenario,
    explain,
)

__all__ = ["TaskProblem", "read_tasks", "read_text"]

_TASK_FIELDS = {
    field.alias or name
    for model in (
        Task, UserScenario, ScriptTurn, InitialState, EvaluationCriteria, GoldAction, Need,
        EvidenceItem, Passage, Distractor, Derivation, Statement,
    )
    for name, field in model.model_fields.items()
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TaskProblem:
    """A task, or a whole file of tasks, that cannot be used.

    Attributes:
        task_id: the id that the entry states, None when it states none or the file is no JSON.
        message: what is wrong, without the file's name.
    """

    file: Path
    task_id: str | None
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.message}"


def read_tasks(folder: Path) -> tuple[dict[str, tuple[Task, Path]], tuple[TaskProblem, ...]]:
    """Every task of the folder's ``*.json`` by its id, with its file; and what could not be used.

    One malformed entry hides no other.
    """
    tasks: dict[str, tuple[Task, Path]] = {}
    problems: list[TaskProblem] = []
    for path in sorted(folder.glob("*.json")):
        try:
            entries = list(_entries(path))
        except DomainError as error:
            problems.append(TaskProblem(path, None, str(error)))
            continue
        for entry in entries:
            stated = entry.get("id") if isinstance(entry, dict) else None
            task_id = stated if isinstance(stated, str) else None
            try:
                task = Task.model_validate(entry)
                _check_native(task)
                if task.id in tasks:
                    raise DomainError(f"a second task is called {task.id!r}")
                tasks[task.id] = (task, path)
            except ValidationError as error:
                problems.append(TaskProblem(path, task_id, explain(error, _TASK_FIELDS)))
            except DomainError as error:
                problems.append(TaskProblem(path, task_id, str(error)))
    return tasks, tuple(problems)


def read_text(path: Path) -> str:
    """The text of a file of the domain.

    Raises:
        DomainError: it does not exist or cannot be read; the message names it.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise DomainError(
            f"{path} does not exist. A domain needs it; see docs/domains.md."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError(f"{path} cannot be read: {error}") from error


def _entries(path: Path) -> Iterator[Any]:
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise DomainError(f"not valid JSON at line {error.lineno}: {error.msg}") from error
    yield from content if isinstance(content, list) else [content]


def _check_native(task: Task) -> None:
    """What a task of ours must keep to beyond its form; foreign tasks may not."""
    criteria = task.evaluation_criteria
    if task.extra_fields:
        raise DomainError("extra_fields is for foreign files only")
    if not criteria.reward_basis:
        raise DomainError("reward_basis is empty, so that any trial would pass; name at least DB")
    if task.required_documents and not task.needs:
        raise DomainError(
            "required_documents names documents, but no need says what must be known of them and "
            "for what, so that every search would count as unneeded. Write needs; evidence with a "
            "doc_id alone is the whole document. Or leave out required_documents"
        )
    asked = {
        RewardBasis.ENV_ASSERTION: ("env_assertions", criteria.env_assertions),
        RewardBasis.NL_ASSERTION: ("nl_assertions", criteria.nl_assertions),
        RewardBasis.ACTION: ("actions", criteria.actions),
    }
    for basis, (name, entries) in asked.items():
        if basis in criteria.reward_basis and not entries:
            raise DomainError(f"reward_basis names {basis.value}, but {name} is empty")
