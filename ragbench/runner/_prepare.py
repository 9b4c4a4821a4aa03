"""Everything that an evaluation needs before its first task: domain, index, evidence, gold.

Whatever is wrong with the domain, the setup or the index is found here, before anything is written
into a run folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragbench.config import EvalConfig, IngestConfig
from ragbench.domains import Domain, load_domain
from ragbench.errors import DomainError, UnknownName, UsageError, did_you_mean
from ragbench.evidence import NOT_IN_INDEX, LocatedItem, locate
from ragbench.ingest.chunk import CHUNKERS
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.index import Index, open_index
from ragbench.ingest.load import LOADERS
from ragbench.ingest.pipeline import IngestReport, ingest
from ragbench.llm import Models
from ragbench.records import Document, Task
from ragbench.registry import spec_of
from ragbench.retrieval import (
    GrepTool,
    KnowledgeTool,
    Setup,
    SpanFinder,
    grep_tool_name,
    setup_named,
)
from ragbench.runner._check import check_ranges, check_roles
from ragbench.runner._models import models_for
from ragbench.runner._probe import IndexProbe, probe_of
from ragbench.simulate import GoldPlay, play_gold

__all__ = ["Prepared", "collection_for", "prepare", "with_setup"]

Ingest = Callable[[IngestConfig], IngestReport]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A domain ready to be played under one setup.

    Attributes:
        tasks: the selected tasks, in file order.
        gold: the played gold actions by task id.
        items: the located evidence by task id.
        knowledge: the retrieval tools; the first takes words unless the setup has none that does.
        retrieval: what the results of these tools depend on besides the index; None without tools.
        report: what the ingest of the corpus did.
        models: the run's models, used or not.
        finder: finds in the documents what an agent reports of searches of its own.
    """

    config: EvalConfig
    domain: Domain
    setup: Setup
    index: Index
    documents: dict[str, Document]
    tasks: tuple[Task, ...]
    gold: dict[str, GoldPlay]
    items: dict[str, tuple[LocatedItem, ...]]
    knowledge: tuple[KnowledgeTool, ...]
    retrieval: str | None
    probe: IndexProbe | None
    report: IngestReport
    models: Models
    finder: SpanFinder

    @property
    def search_tool(self) -> str | None:
        """Name of the retrieval tool that takes words."""
        return next((tool.name for tool in self.knowledge if tool.queries == "words"), None)

    def task(self, task_id: str) -> Task:
        """The selected task of that id.

        Raises:
            UnknownName: none is called so.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise UnknownName(f"task of {self.domain.name}", task_id, [t.id for t in self.tasks])


def prepare(
    config: EvalConfig,
    run_ingest: Ingest = ingest,
    domain: Domain | None = None,
    *,
    models: Models | None = None,
    to_play: bool = True,
) -> Prepared:
    """Load, index, locate and replay; nothing is simulated yet.

    Args:
        config: the evaluation.
        run_ingest: how to ingest; the command line passes one with a progress bar.
        domain: the domain when it is loaded already.
        models: the run's models, which parts of the setup may use; None makes them as the
            configuration says.
        to_play: whether agent and user will play the tasks, and must be able to; grading stored
            trajectories needs neither.

    Raises:
        RagbenchError: an unknown name, a value out of range, a malformed domain or task, evidence
            that does not resolve, gold actions that fail, or an index that cannot be built.
    """
    check_ranges(config)
    domain = domain or load_domain(config.domain)
    setup = setup_named(config.retrieval_config or domain.default_setup)
    tasks = _selected(config, domain)
    if to_play:
        check_roles(config, setup, tasks)
    models = models or models_for(config)
    gold = {task.id: play_gold(domain, task) for task in tasks}
    _check_setup(setup, domain)
    collection = _collection(config, domain, setup)
    report = run_ingest(
        IngestConfig(
            paths=(domain.corpus,),
            store=config.store,
            collection=collection,
            chunker=config.chunker,
            embedder=config.embedder if setup.vectors else None,
            replace=True,
            loader=domain.loader,
        )
    )
    index = open_index(config.store, collection)
    index.ensure_readable(vectors=setup.vectors)
    documents = dict(index.documents)
    items = {task.id: _evidence(task, documents, domain, report) for task in tasks}
    knowledge = _tools(config, domain, setup, index, models)
    return Prepared(
        config=config,
        domain=domain,
        setup=setup,
        index=index,
        documents=documents,
        tasks=tasks,
        gold=gold,
        items=items,
        knowledge=knowledge,
        retrieval=", ".join(f"{t.name}: {t.retriever.identity}" for t in knowledge) or None,
        probe=probe_of(knowledge, index),
        report=report,
        models=models,
        finder=SpanFinder(index),
    )


def with_setup(prepared: Prepared, name: str) -> Prepared:
    """The same over the same index, under another setup.

    Raises:
        UnknownName, SpecError: no setup is called so.
        StoreError: the setup needs vectors and the index has none.
    """
    setup = setup_named(name)
    _check_setup(setup, prepared.domain)
    prepared.index.ensure_readable(vectors=setup.vectors)
    knowledge = _tools(prepared.config, prepared.domain, setup, prepared.index, prepared.models)
    return replace(
        prepared,
        setup=setup,
        knowledge=knowledge,
        retrieval=", ".join(f"{t.name}: {t.retriever.identity}" for t in knowledge) or None,
        probe=probe_of(knowledge, prepared.index),
    )


def _check_setup(setup: Setup, domain: Domain) -> None:
    """Find now what would otherwise fail after the ingest."""
    if setup.stack is not None:
        setup.stack.check()
    name = grep_tool_name(domain.retrieval_tool)
    if setup.grep is not None and name in domain.tools:
        raise DomainError(
            f"The domain {domain.name!r} has a tool {name!r}, which is what the setup "
            f"{setup.name!r} calls its own. Rename the domain's."
        )


def _tools(
    config: EvalConfig, domain: Domain, setup: Setup, index: Index, models: Models
) -> tuple[KnowledgeTool, ...]:
    """The setup's retrieval tools over the index."""
    shared: dict[str, Any] = {
        "documents": index.documents,
        "index_id": index.index_id,
        "k": config.k or domain.default_k,
    }
    tools: list[KnowledgeTool] = []
    if setup.stack is not None:
        retriever = setup.stack.open(index, models)
        tools.append(KnowledgeTool(domain.retrieval_tool, retriever, **shared))
    if setup.grep is not None:
        name = grep_tool_name(domain.retrieval_tool)
        tools.append(GrepTool(name, setup.grep.open(index), **shared))
    return tuple(tools)


def _collection(config: EvalConfig, domain: Domain, setup: Setup) -> str:
    embedder = config.embedder if setup.vectors else None
    name = f"domain-{domain.path.name}"
    return collection_for(name, domain.corpus, domain.loader, config.chunker, embedder)


def collection_for(
    prefix: str, corpus: Path, loader: str, chunker: str, embedder: str | None
) -> str:
    """A name for an index; another corpus, loader, chunker or embedder has another name.

    Raises:
        UnknownName, SpecError: a spec names no component or is refused by it.
    """
    specs = [
        str(spec_of(LOADERS.create(loader))),
        str(spec_of(CHUNKERS.create(chunker))),
        "none" if embedder is None else str(spec_of(EMBEDDERS.create(embedder))),
    ]
    identity = "\n".join([str(corpus.resolve()), *specs])
    return f"{prefix}-{hashlib.sha256(identity.encode()).hexdigest()[:10]}"


def _selected(config: EvalConfig, domain: Domain) -> tuple[Task, ...]:
    known = {task.id: task for task in domain.tasks}
    for task_id in config.task_ids:
        if task_id not in known:
            raise UnknownName(f"task of {domain.name}", task_id, known)
    splits = {name for task in domain.tasks for name in task.splits}
    if config.split is not None and config.split not in splits:
        raise UnknownName(f"split of {domain.name}", config.split, splits)
    tasks = [
        task
        for task in domain.tasks
        if (not config.task_ids or task.id in config.task_ids)
        and (config.split is None or config.split in task.splits)
    ]
    if not tasks and config.split is not None:
        raise UsageError(
            f"None of the tasks {', '.join(config.task_ids)} is in the split {config.split!r}. "
            "Leave out --split or --task-ids."
        )
    return tuple(tasks[: config.num_tasks])


def _evidence(
    task: Task, documents: dict[str, Document], domain: Domain, report: IngestReport
) -> tuple[LocatedItem, ...]:
    try:
        items = locate(task.needs, documents, domain.loader, own_loader=True)
    except DomainError as error:
        raise type(error)(f"Task {task.id!r}: {error}") from error
    unread = {entry.name for entry in report.unread}
    for item in items:
        if item.problem == NOT_IN_INDEX:
            need = next(need for need in task.needs if need.id == item.need_id)
            absent = [p.doc_id for p in need.evidence[item.index].any_of if p.doc_id not in unread]
            if absent:
                raise DomainError(
                    f"Task {task.id!r}, need {item.need_id!r}: the corpus has no document "
                    f"{absent[0]!r}{did_you_mean(absent[0], documents)}. Document ids are paths "
                    f"below {domain.corpus.name}/."
                )
    return items
