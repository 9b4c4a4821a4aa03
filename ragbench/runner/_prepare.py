"""Everything that an evaluation needs before its first task: domain, index, evidence, gold.

Whatever is wrong with the domain, the setup or the index is found here, before anything is written
into a run folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from ragbench.config import MAX_K, EvalConfig, IngestConfig
from ragbench.domains import Domain, load_domain
from ragbench.errors import DomainError, UnknownName, UsageError
from ragbench.evidence import NOT_IN_INDEX, LocatedItem, Span, locate
from ragbench.ingest.index import Index, open_index
from ragbench.ingest.pipeline import IngestReport, ingest
from ragbench.records import Document, HitRecord, Task
from ragbench.retrieval import (
    KnowledgeTool,
    Retriever,
    Setup,
    hit_record,
    open_retriever,
    setup_named,
)
from ragbench.simulate import GoldPlay, OracleAgent, ScriptedUser, play_gold

__all__ = ["IndexProbe", "Prepared", "prepare"]

Ingest = Callable[[IngestConfig], IngestReport]


@dataclass(slots=True)
class IndexProbe:
    """Answers the diagnosis' questions about the run's index; equal questions are asked once.

    Attributes:
        k: hits of a call that names no k.
    """

    index: Index
    retriever: Retriever
    k: int
    _asked: dict[tuple[str, int], list[HitRecord]] = field(default_factory=dict)

    def hits(self, query: str, depth: int) -> list[HitRecord]:
        """The first hits of a query, unfiltered, best first."""
        key = (query, depth)
        if key not in self._asked:
            self._asked[key] = [hit_record(hit) for hit in self.retriever.retrieve(query, depth)]
        return self._asked[key]

    def chunk_spans(self, doc_id: str) -> list[Span]:
        """The spans of a document's chunks."""
        return [(chunk.start, chunk.end) for chunk in self.index.chunks_by_document.get(doc_id, ())]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A domain ready to be played under one setup.

    Attributes:
        tasks: the selected tasks, in file order.
        gold: the played gold actions by task id.
        items: the located evidence by task id.
        knowledge: the retrieval tool, None when the setup offers none.
        report: what the ingest of the corpus did.
    """

    config: EvalConfig
    domain: Domain
    setup: Setup
    index: Index
    documents: dict[str, Document]
    tasks: tuple[Task, ...]
    gold: dict[str, GoldPlay]
    items: dict[str, tuple[LocatedItem, ...]]
    knowledge: KnowledgeTool | None
    probe: IndexProbe | None
    report: IngestReport


def prepare(config: EvalConfig, run_ingest: Ingest = ingest) -> Prepared:
    """Load, index, locate and replay; nothing is simulated yet.

    Args:
        config: the evaluation.
        run_ingest: how to ingest; the command line passes one with a progress bar.

    Raises:
        RagbenchError: an unknown name, a value out of range, a malformed domain or task, evidence
            that does not resolve, gold actions that fail, or an index that cannot be built.
    """
    _check_ranges(config)
    domain = load_domain(config.domain)
    setup = setup_named(config.retrieval_config or domain.default_setup)
    tasks = _selected(config, domain)
    for task in tasks:
        OracleAgent.check(task)
        ScriptedUser.check(task)
    gold = {task.id: play_gold(domain, task) for task in tasks}
    collection = _collection(config, domain, setup)
    report = run_ingest(
        IngestConfig(
            paths=(domain.corpus,),
            store=config.store,
            collection=collection,
            chunker=config.chunker,
            embedder=config.embedder if setup.vectors else None,
            replace=True,
        )
    )
    index = open_index(config.store, collection)
    documents = dict(index.documents)
    items = {task.id: _evidence(task, documents, domain, report) for task in tasks}
    knowledge, probe = _retrieval(config, domain, setup, index)
    return Prepared(
        config, domain, setup, index, documents, tasks, gold, items, knowledge, probe, report
    )


def _retrieval(
    config: EvalConfig, domain: Domain, setup: Setup, index: Index
) -> tuple[KnowledgeTool | None, IndexProbe | None]:
    if setup.retriever is None:
        return None, None
    retriever = open_retriever(setup.retriever, index)
    k = config.k or domain.default_k
    knowledge = KnowledgeTool(
        name=domain.retrieval_tool,
        retriever=retriever,
        documents=index.documents,
        index_id=index.index_id,
        k=k,
    )
    return knowledge, IndexProbe(index, retriever, k)


def _collection(config: EvalConfig, domain: Domain, setup: Setup) -> str:
    """A name for the domain's index; another corpus, chunker or embedder has another name."""
    embedder = config.embedder if setup.vectors else "none"
    identity = "\n".join([str(domain.corpus), config.chunker, embedder, domain.loader])
    return f"domain-{domain.path.name}-{hashlib.sha256(identity.encode()).hexdigest()[:10]}"


def _selected(config: EvalConfig, domain: Domain) -> tuple[Task, ...]:
    known = {task.id: task for task in domain.tasks}
    for task_id in config.task_ids:
        if task_id not in known:
            raise UnknownName(f"task of {domain.name}", task_id, known)
    tasks = [t for t in domain.tasks if not config.task_ids or t.id in config.task_ids]
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
                    f"{absent[0]!r}. Document ids are paths below {domain.corpus.name}/."
                )
    return items


def _check_ranges(config: EvalConfig) -> None:
    least = {
        "num_trials": config.num_trials,
        "max_steps": config.max_steps,
        "max_errors": config.max_errors,
        "max_concurrency": config.max_concurrency,
    }
    if config.k is not None:
        least["k"] = config.k
    if config.num_tasks is not None:
        least["num_tasks"] = config.num_tasks
    for name, value in least.items():
        if value < 1:
            raise UsageError(f"--{name.replace('_', '-')} is {value}; it must be at least 1.")
    if config.k is not None and config.k > MAX_K:
        raise UsageError(f"--k is {config.k}; it must be at most {MAX_K}.")
    if config.agent != "oracle":
        raise UnknownName("agent", config.agent, ["oracle"])
    if config.user != "scripted":
        raise UnknownName("user", config.user, ["scripted"])
