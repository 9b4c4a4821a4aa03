"""What is validated: the domain as far as it can be read, its documents, and what it costs.

A domain of ragbench is indexed once, as an evaluation would; foreign tasks (tau3) bring tasks and
documents alone. Nothing here judges anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ragbench.config import EvalConfig, IngestConfig, ValidateConfig
from ragbench.domains import Domain, TaskProblem, read_domain
from ragbench.errors import DomainError, UnknownName, UsageError
from ragbench.ingest.load import Unread
from ragbench.ingest.pipeline import IngestReport, ingest
from ragbench.interop import read_tau_documents, read_tau_tasks
from ragbench.records import Document, Task
from ragbench.retrieval import setup_named
from ragbench.runner import Prepared, prepare, with_setup
from ragbench.score import Facts, facts_in
from ragbench.validate._corpus import Corpus
from ragbench.validate._values import spoken_facts

__all__ = ["SCOPES", "VERSIONS", "Ingest", "Subject", "find_subject"]

SCOPES = ("product", "region", "audience")
"""Metadata that say what a document is about."""
VERSIONS = ("version", "effective_until", "superseded_by")
"""Metadata that say which of two documents counts."""

_TAU = "tau3:"
_DISTRACTOR = "distractor of "
_ENOUGH_STEPS = 10_000
"""So many that no conversation is cut off; whether one fits into max_steps is a rule's business."""

Ingest = Callable[[IngestConfig], IngestReport]


@dataclass(slots=True)
class Replays:
    """How often gold actions or a trajectory were executed on a fresh copy of the database."""

    n: int = 0


@dataclass(frozen=True)
class Subject:
    """A domain, or foreign tasks with their documents.

    Attributes:
        folder: where it stands.
        domain: None for foreign tasks: there are neither tools nor a database.
        tasks: those that are in order; their findings are told.
        files: the file of each task, by id.
        problems: tasks and task files that are not in order.
        roles: what each document is there for, as the corpus' manifest says.
        base: the index with what an evaluation needs, without tasks; None for foreign tasks.
        unread: files of the corpus that gave no document.
    """

    config: ValidateConfig
    name: str
    folder: Path
    domain: Domain | None
    tasks: tuple[Task, ...]
    files: Mapping[str, Path]
    problems: tuple[TaskProblem, ...]
    documents: Mapping[str, Document]
    roles: Mapping[str, str] = field(default_factory=dict)
    base: Prepared | None = None
    unread: tuple[Unread, ...] = ()
    replays: Replays = field(default_factory=Replays)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents, ready to be asked."""
        return Corpus(self.documents)

    @cached_property
    def by_name(self) -> Mapping[str, str]:
        """Document ids by id and by alias."""
        found = {alias: d.doc_id for d in self.documents.values() for alias in d.aliases}
        return found | {doc_id: doc_id for doc_id in self.documents}

    @cached_property
    def policy(self) -> Facts:
        """What the policy states, and today's date, which the agent is told."""
        if self.domain is None:
            return spoken_facts("")
        return spoken_facts(f"{self.domain.policy}\n{self.domain.now.date().isoformat()}")

    @property
    def has_scopes(self) -> bool:
        """Whether the metadata of any document say what it is about or when it counts."""
        return any(set(d.metadata) & {*SCOPES, *VERSIONS} for d in self.documents.values())

    @cached_property
    def domain_policy(self) -> Facts:
        """What the policy alone states, in figures."""
        return facts_in(self.domain.policy if self.domain else "")

    def under(self, setup: str) -> Prepared:
        """An evaluation under a setup, without tasks and without a probe for causes.

        Raises:
            DomainError: foreign tasks cannot be played; rules that need it say ``native``.
        """
        if self.base is None:
            raise DomainError(f"{self.name!r} has no tools and no database.")
        if setup not in self._setups:
            self._setups[setup] = replace(with_setup(self.base, setup), probe=None)
        return self._setups[setup]

    @cached_property
    def _setups(self) -> dict[str, Prepared]:
        return {}

    def distractors_of(self, doc_id: str) -> list[str]:
        """The documents that the manifest names as distractors of a document."""
        return [name for name, role in self.roles.items() if role == _DISTRACTOR + doc_id]


def find_subject(config: ValidateConfig, run_ingest: Ingest = ingest) -> Subject:
    """Read what the configuration names, and index its documents.

    Raises:
        UsageError, UnknownName: no such domain, folder, setup or task.
        DomainError: the domain cannot be read beyond its tasks: a tool, the policy, the database.
        RagbenchError: the documents cannot be indexed.
    """
    for setup in config.setups:
        setup_named(setup)
    if config.domain.startswith(_TAU):
        subject = _foreign(config, Path(config.domain.removeprefix(_TAU)))
    else:
        subject = _native(config, run_ingest)
    return _selected(subject)


def _native(config: ValidateConfig, run_ingest: Ingest) -> Subject:
    reading = read_domain(config.domain)
    domain = reading.domain
    vectors = [name for name in config.setups if setup_named(name).vectors]
    base = prepare(
        EvalConfig(
            domain=config.domain,
            store=config.store,
            retrieval_config=vectors[0] if vectors else "golden_retrieval",
            max_steps=_ENOUGH_STEPS,
        ),
        run_ingest,
        replace(domain, tasks=()),
    )
    return Subject(
        config=config,
        name=domain.name,
        folder=domain.path,
        domain=domain,
        tasks=domain.tasks,
        files=reading.files,
        problems=reading.problems,
        documents=base.documents,
        roles=_roles(domain.corpus / "manifest.json"),
        base=base,
        unread=base.report.unread,
    )


def _foreign(config: ValidateConfig, folder: Path) -> Subject:
    if not folder.is_dir():
        raise UsageError(
            f"{config.domain!r}: {str(folder)!r} is no folder. Name one that holds documents/ and "
            "tasks/."
        )
    source = folder / "tasks" if (folder / "tasks").is_dir() else folder / "tasks.json"
    tasks: dict[str, Task] = {}
    files: dict[str, Path] = {}
    problems: list[TaskProblem] = []
    for file in sorted(source.glob("*.json")) if source.is_dir() else [source]:
        try:
            found = read_tau_tasks(file).tasks
        except DomainError as error:
            problems.append(TaskProblem(file, None, str(error).removeprefix(f"{file}: ")))
            continue
        for task in found:
            if task.id in tasks:
                problems.append(TaskProblem(file, task.id, f"a second task is called {task.id!r}"))
                continue
            tasks[task.id], files[task.id] = task, file
    return Subject(
        config=config,
        name=folder.name,
        folder=folder,
        domain=None,
        tasks=tuple(tasks.values()),
        files=files,
        problems=tuple(problems),
        documents={document.doc_id: document for document in read_tau_documents(folder)},
    )


def _selected(subject: Subject) -> Subject:
    wanted = subject.config.task_id
    if wanted is None:
        return subject
    known = {*subject.files, *(p.task_id for p in subject.problems if p.task_id is not None)}
    if wanted not in known:
        raise UnknownName(f"task of {subject.name}", wanted, known)
    return replace(
        subject,
        tasks=tuple(task for task in subject.tasks if task.id == wanted),
        problems=tuple(p for p in subject.problems if p.task_id in (wanted, None)),
    )


def _roles(manifest: Path) -> dict[str, str]:
    """``roles`` of the corpus' manifest: document id to ``evidence`` or ``distractor of <id>``.

    Raises:
        DomainError: it is there and is no object of texts.
    """
    if not manifest.is_file():
        return {}
    roles = json.loads(manifest.read_text(encoding="utf-8-sig")).get("roles", {})
    if not isinstance(roles, dict) or not all(isinstance(role, str) for role in roles.values()):
        raise DomainError(
            f"{manifest}: 'roles' is no object of texts. The form is "
            '{"roles": {"fees-2024.md": "distractor of fees.md", "fees.md": "evidence"}}.'
        )
    return roles
