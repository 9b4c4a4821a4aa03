"""Run a grid into its folder, continue where an earlier run stopped, and hand back its cells.

The order: names on every axis, the question set's files, the documents (parsed once, cut once per
chunker), the evidence in them; only then the folder is written to and a model is loaded.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ragbench
from ragbench.compare._clock import CellDone, Clock
from ragbench.compare._folder import GridFolder, questions_hash
from ragbench.compare._gate import Gate, at_k, measure_head, parse_gates
from ragbench.compare._grid import Cell, Grid, make_grid, select
from ragbench.compare._pairs import PAIRS
from ragbench.compare._pool import work_all
from ragbench.compare._records import CellRecord, IngestRecord, QuestionRecord
from ragbench.compare._resolve import ResolvedQuestion, resolve
from ragbench.compare._results import ORACLE
from ragbench.compare._slices import labels_of
from ragbench.compare._subject import Subject, find_subject
from ragbench.compare._work import Job, base_collection, failed, make_collection
from ragbench.config import CompareConfig
from ragbench.errors import ModelUnavailable, UnknownName, UsageError
from ragbench.ingest.load import Unread
from ragbench.ingest.progress import Progress
from ragbench.records import Document
from ragbench.runner import configuration_hash

__all__ = ["GridResult", "OnCell", "Planned", "compare", "plan_grid"]

_PACKAGES = ("chromadb", "bm25s", "ir-measures", "numpy", "onnxruntime", "scipy", "tokenizers")
_RUNS = Path("runs")


@dataclass(frozen=True, slots=True)
class Planned:
    """A grid of which everything that needs no document has been checked."""

    config: CompareConfig
    subject: Subject
    grid: Grid
    gates: tuple[Gate, ...]
    baseline: Cell
    metric: str | None


@dataclass(frozen=True, slots=True)
class GridResult:
    """A finished grid.

    Attributes:
        folder: where it is stored.
        resolved: content of ``config.json``.
        cells: in the order of the grid, failed ones too.
        baseline: id of the cell that the others are compared with.
        metric: the measure that is tested, without its cutoff: each setup has its own k.
        n_worked: cells that this call worked on.
        unread: files of the corpus that could not be read.
        notes: what a person should be told, such as a torn line that was mended.
    """

    folder: Path
    resolved: dict[str, Any]
    questions: tuple[QuestionRecord, ...]
    cells: tuple[CellRecord, ...]
    baseline: str
    metric: str
    seed: int
    n_worked: int
    unread: tuple[Unread, ...]
    notes: tuple[str, ...]


OnCell = Callable[[CellDone], None]


def plan_grid(config: CompareConfig) -> Planned:
    """Check every name, number and file that needs no document.

    Raises:
        UsageError, UnknownName, SpecError: something of the configuration.
        DomainError, QuestionSetError: a file of the domain or of the questions; its line is named.
    """
    if config.jobs < 1:
        raise UsageError(f"--jobs is {config.jobs}; it must be at least 1.")
    if config.pairs not in PAIRS:
        raise UnknownName("choice of pairs", config.pairs, PAIRS)
    make_grid(config, config.loader or "files")  # names first: they cost nothing
    subject = find_subject(config)
    grid = make_grid(config, subject.loader)
    metric = None if config.metric is None else _head(config.metric, grid, config.end_to_end)
    baseline = grid.cells[0]
    if config.baseline is not None:
        found = select(grid.cells, config.baseline, "--baseline")
        if len(found) > 1:
            raise UsageError(
                f"--baseline {config.baseline!r} picks out {len(found)} setups: "
                f"{'; '.join(cell.name for cell in found)}. Name more of its parts."
            )
        baseline = found[0]
    gated = grid.cells
    if config.fail_under_setup is not None:
        gated = tuple(select(grid.cells, config.fail_under_setup, "--fail-under-setup"))
    gates = parse_gates(config.fail_under, gated)
    return Planned(config, subject, grid, gates, baseline, metric)


def _head(metric: str, grid: Grid, end_to_end: bool) -> str:
    """The measure without its cutoff, which each setup has at its own k."""
    if metric == ORACLE:
        if not end_to_end:
            raise UsageError(f"--metric {ORACLE} needs the tasks to be played. Add --end-to-end.")
        return metric
    head = measure_head(metric)
    wrong = [cell.k for cell in grid.cells if at_k(head, cell.k) != metric]
    if "@" in metric and wrong:
        raise UsageError(
            f"--metric {metric!r} is of another k than the setups with k={wrong[0]}. Give "
            f"{head!r}: it is measured at every setup's own k."
        )
    return head


def compare(
    planned: Planned,
    on_cell: OnCell | None = None,
    progress: Progress | None = None,
) -> GridResult:
    """Work on every cell that is not finished, and hand back all of them.

    Raises:
        EvidenceError, QuestionSetError: evidence that does not resolve; its line is named.
        RunError: the folder is locked, damaged or holds another grid.
        RagbenchError: the corpus cannot be read, or the store not be written.
    """
    run = _Run(planned, on_cell, progress)
    return run.run()


class _Run:
    """One run of one grid."""

    def __init__(self, planned: Planned, on_cell: OnCell | None, progress: Progress | None) -> None:
        self.planned, self.config, self.grid = planned, planned.config, planned.grid
        self.on_cell, self.progress = on_cell, progress
        self.subject = planned.subject
        self.job = Job(
            store=self.config.store,
            prefix=self.subject.prefix,
            corpus=self.subject.corpus,
            loader=self.grid.loader,
            questions=(),
            deepest_k=self.grid.deepest_k,
            domain=self.config.domain if self.config.end_to_end else None,
            eval_folder=Path(),
            style=self.config.style,
            seed=self.config.seed,
            n_parsers=self.config.jobs,
        )
        self.bases: list[IngestRecord] = []
        self.unread: tuple[Unread, ...] = ()
        self.broken: dict[str, ModelUnavailable] = {}
        self.corpus_sha256 = ""

    def run(self) -> GridResult:
        documents = self._documents()
        questions = resolve(
            self.subject.questions,
            documents,
            self.grid.loader,
            unread={entry.name for entry in self.unread},
        )
        recorded = tuple(_recorded(question, documents) for question in questions)
        resolved = self._resolved(recorded)
        name = f"compare-{self.subject.name}-{configuration_hash(resolved['identity'])}"
        folder = GridFolder(self.config.save_to or _RUNS / name)
        with folder.opened(resolved, self.config.fresh):
            folder.mend()
            if not (folder.path / "questions.jsonl").is_file():
                folder.write_questions(recorded)
            self.job = replace(self.job, questions=questions, eval_folder=folder.path / "eval")
            cells, n_worked = self._work(folder)
        return GridResult(
            folder=folder.path,
            resolved=resolved,
            questions=recorded,
            cells=cells,
            baseline=self.planned.baseline.cell_id,
            metric=self._metric(questions),
            seed=self.config.seed,
            n_worked=n_worked,
            unread=self.unread,
            notes=(folder.torn,) if folder.torn else (),
        )

    def _documents(self) -> Mapping[str, Document]:
        """Parse the corpus, once; cut it, once per chunker. The documents of any of them."""
        documents: Mapping[str, Document] | None = None
        lender = None
        for chunker in self.grid.chunkers:
            try:
                index, record, report = make_collection(
                    self.job, chunker, None, lender, self.progress
                )
            except ModelUnavailable as error:  # a chunker that embeds
                self.broken[chunker] = error
                continue
            self.bases.append(record)
            if documents is None:
                documents, lender, self.unread = index.documents, index, report.unread
                self.corpus_sha256 = index.manifest.documents_sha256
            else:
                index.close()
        if lender is not None:
            lender.close()
        if documents is None:
            raise next(iter(self.broken.values()))
        return documents

    def _work(self, folder: GridFolder) -> tuple[tuple[CellRecord, ...], int]:
        stored = folder.cells()
        known = folder.ingests()
        for record in self.bases:
            if (record.collection, record.index_id) not in known:
                folder.add("ingests.jsonl", record)
                known[record.collection, record.index_id] = record
        missing = [
            cell
            for cell in self.grid.cells
            if cell.cell_id not in stored or stored[cell.cell_id].error is not None
        ]
        sizes = {
            chunker: base.n_chunks
            for base in self.bases
            for chunker in self.grid.chunkers
            if base.collection == base_collection(self.job, chunker)
        }
        clock = Clock(missing, len(self.grid.cells), sizes)
        for cell in [cell for cell in missing if cell.chunker in self.broken]:
            self._finish(folder, failed(cell, self.broken[cell.chunker]), stored, clock)
        groups = _by_embedder([cell for cell in missing if cell.chunker not in self.broken])
        for piece in work_all(self.job, groups, known, self.config.jobs, self.progress):
            if isinstance(piece, CellRecord):
                self._finish(folder, piece, stored, clock)
            elif (piece.collection, piece.index_id) not in known:
                folder.add("ingests.jsonl", piece)
        return tuple(stored[cell.cell_id] for cell in self.grid.cells), len(missing)

    def _finish(
        self, folder: GridFolder, record: CellRecord, stored: dict[str, CellRecord], clock: Clock
    ) -> None:
        folder.add("cells.jsonl", record)
        stored[record.cell_id] = record
        done = clock.done(record)
        if self.on_cell is not None:
            self.on_cell(done)

    def _metric(self, questions: Sequence[ResolvedQuestion]) -> str:
        """The measure that is tested, without its cutoff."""
        if self.planned.metric is not None:
            return self.planned.metric
        has_spans = any(question.items is not None for question in questions)
        return "span_recall" if has_spans else "R"

    def _resolved(self, questions: tuple[QuestionRecord, ...]) -> dict[str, Any]:
        return {
            "schema_version": 1,
            "kind": "comparison",
            "identity": {
                "ragbench": ragbench.__version__,
                "subject": self.subject.name,
                "corpus_sha256": self.corpus_sha256,
                "questions_sha256": questions_hash(questions),
                "n_questions": len(questions),
                "style": self.subject.questions.style,
                "windows": self.config.windows,
                "loader": self.grid.loader,
                "setups": [cell.name for cell in self.grid.cells],
                "grid": configuration_hash({cell.cell_id: cell.k for cell in self.grid.cells}),
                "end_to_end": self.config.end_to_end,
            },
            "cells": [_cell_entry(cell) for cell in self.grid.cells],
            "environment": {
                "python": platform.python_version(),
                "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
                "jobs": self.config.jobs,
            },
        }


def _by_embedder(cells: Iterable[Cell]) -> list[list[Cell]]:
    groups: dict[str | None, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.embedder, []).append(cell)
    return list(groups.values())


def _cell_entry(cell: Cell) -> dict[str, Any]:
    return {
        "cell_id": cell.cell_id,
        "name": cell.name,
        "chunker": cell.chunker,
        "embedder": cell.embedder,
        "retriever": cell.retriever,
        "k": cell.k,
    }


def _recorded(question: ResolvedQuestion, documents: Mapping[str, Document]) -> QuestionRecord:
    evidence: list[tuple[str, int | None, int | None, str]] = []
    items = question.question.evidence
    for number, located in enumerate(question.located):
        if not located.any_of:
            quote = items[number].any_of[0].quote if items else None
            name = items[number].any_of[0].doc_id if items else _relevant(question, number)
            evidence.append((name, None, None, quote or ""))
            continue
        first = located.any_of[0]
        start, end = first.span or (None, None)
        text = documents[first.doc_id].title if first.span is None else ""
        evidence.append((first.doc_id, start, end, text or documents[first.doc_id].text[start:end]))
    asked = question.question
    return QuestionRecord(
        id=asked.id,
        text=asked.text,
        group=asked.group,
        where=asked.where,
        grades=question.grades,
        evidence=tuple(evidence),
        labels=labels_of(
            [doc_id for doc_id, grade in question.grades.items() if grade > 0],
            documents,
            asked.group,
        ),
    )


def _relevant(question: ResolvedQuestion, number: int) -> str:
    return list(question.question.relevant)[number]
