"""The work of one model: its collections one after another, and every cell over each of them.

A model is loaded once, embeds each distinct text once (the store's cache), and its cells follow its
collection. What fails is a named failure of the cells that it concerns; nothing else is lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ragbench.compare._grid import Cell
from ragbench.compare._measure import Asked, Corpus, QueryVectors, TimedIndex, ask, score
from ragbench.compare._records import CellRecord, IngestRecord
from ragbench.compare._resolve import ResolvedQuestion
from ragbench.compare._rulers import Marks
from ragbench.compare._spans import Rulers
from ragbench.compare.measures import Unit
from ragbench.config import DEFAULT_EMBEDDER, EvalConfig, IngestConfig, QuestionStyle
from ragbench.errors import RagbenchError
from ragbench.ingest.embed import EMBEDDERS, Embedder
from ragbench.ingest.index import Index, Layout, open_index
from ragbench.ingest.pipeline import IngestReport, ingest
from ragbench.ingest.progress import Progress
from ragbench.registry import spec_of
from ragbench.retrieval import parse_stack
from ragbench.runner import collection_for, prepare, run

__all__ = ["Finished", "Job", "Known", "Marked", "base_collection", "make_collection", "work"]


@dataclass(frozen=True, slots=True)
class Job:
    """What does not depend on the model.

    Attributes:
        prefix: what the names of collections begin with.
        domain: the domain whose tasks are run under every setup, None to run none.
        eval_folder: where those runs are kept.
        n_parsers: processes that parse.
    """

    store: Path
    prefix: str
    corpus: Path
    loader: str
    questions: tuple[ResolvedQuestion, ...]
    deepest_k: int
    domain: str | None
    eval_folder: Path
    style: QuestionStyle
    seed: int
    n_parsers: int


Known = dict[tuple[str, str], IngestRecord]
"""Collections whose making is on record, by name and index."""

Finished = IngestRecord | CellRecord


class Marked:
    """What measuring found out about documents, for all collections that hold the same."""

    def __init__(self) -> None:
        self._marks: dict[str, defaultdict[Unit, Marks]] = {}

    def rulers(self, corpus: Corpus) -> Rulers:
        """The rulers of a collection's documents."""
        sha256 = corpus.index.manifest.documents_sha256
        return Rulers(corpus.texts, self._marks.setdefault(sha256, defaultdict(dict)))


def base_collection(job: Job, chunker: str) -> str:
    """The name of a chunker's collection without vectors: parsed once, cut once."""
    return collection_for(job.prefix, job.corpus, job.loader, chunker, None)


def make_collection(
    job: Job,
    chunker: str,
    embedder: Embedder | None,
    lender: Index | None,
    progress: Progress | None,
) -> tuple[Index, IngestRecord, IngestReport]:
    """Ingest, open, and note what it cost.

    Raises:
        RagbenchError: as `ingest`.
    """
    spec = None if embedder is None else str(spec_of(embedder))
    name = collection_for(job.prefix, job.corpus, job.loader, chunker, spec)
    report = ingest(
        IngestConfig(
            paths=(job.corpus,),
            store=job.store,
            collection=name,
            chunker=chunker,
            embedder=spec,
            jobs=job.n_parsers,
            replace=True,
            loader=job.loader,
        ),
        progress,
        lender=lender,
        embedder=embedder,
    )
    index = open_index(job.store, name)
    record = IngestRecord(
        collection=name,
        index_id=index.index_id,
        seconds=None if report.unchanged else round(report.seconds, 4),
        n_documents=report.n_documents,
        n_chunks=report.n_chunks,
        n_tokens=report.n_tokens,
        n_embedded=report.n_embedded,
        n_cached=report.n_cached,
        n_truncated=report.n_truncated,
        index_bytes=index.n_bytes,
    )
    return index, record, report


def work(
    job: Job,
    cells: Sequence[Cell],
    known: Known,
    progress: Progress | None = None,
    marked: Marked | None = None,
) -> Iterator[Finished]:
    """Everything of one model, piece by piece as it is finished.

    Args:
        job: what to work on.
        cells: of one embedder, those of one chunker together.
        known: collections whose making is on record already.
        progress: told how far an ingest is.
        marked: what the work of another model found out.
    """
    marked = Marked() if marked is None else marked
    vectors: QueryVectors | None = None
    spec = cells[0].embedder
    embedder = None if spec is None else EMBEDDERS.create(spec)
    try:
        for chunker, of_chunker in groupby(cells, key=lambda cell: cell.chunker):
            mine = list(of_chunker)
            try:
                with open_index(job.store, base_collection(job, chunker)) as lender:
                    index, record, _ = make_collection(
                        job, chunker, embedder, lender if embedder else None, progress
                    )
            except RagbenchError as error:
                yield from (failed(cell, error) for cell in mine)
                continue
            yield record
            record = known.get((record.collection, record.index_id), record)
            with index:
                if embedder is not None and vectors is None:
                    vectors = _query_vectors(job, embedder, index)
                yield from _cells(job, mine, index, record, vectors, marked)
    finally:
        if vectors is not None:
            vectors.close()


def _query_vectors(job: Job, embedder: Embedder, index: Index) -> QueryVectors:
    from ragbench.ingest.embed import EmbeddingCache

    return QueryVectors(embedder, EmbeddingCache(Layout(job.store, index.collection).cache))


def _cells(
    job: Job,
    cells: Sequence[Cell],
    index: Index,
    record: IngestRecord,
    vectors: QueryVectors | None,
    marked: Marked,
) -> Iterator[CellRecord]:
    timed = TimedIndex(index, vectors)
    corpus = Corpus(index)
    rulers = marked.rulers(corpus)
    for spec, of_retriever in groupby(cells, key=lambda cell: cell.retriever):
        mine = list(of_retriever)
        try:
            retriever = parse_stack(spec).open(timed.as_index())
            if vectors is not None:
                vectors.prepare(question.question.queries for question in job.questions)
            asked = list(ask(retriever, timed, job.questions, job.deepest_k))
            identity = retriever.identity
        except RagbenchError as error:
            yield from (failed(cell, error) for cell in mine)
            continue
        for cell in mine:
            try:
                yield _finished(job, cell, asked, corpus, rulers, record, identity)
            except RagbenchError as error:
                yield failed(cell, error)


def _finished(
    job: Job,
    cell: Cell,
    asked: Sequence[Asked],
    corpus: Corpus,
    rulers: Rulers,
    record: IngestRecord,
    identity: str,
) -> CellRecord:
    return CellRecord(
        **_setup(cell),
        ingest=record,
        embedder_identity=corpus.index.manifest.embedder_identity,
        retriever_identity=identity,
        questions=score(cell, asked, corpus, rulers),
        oracle={} if job.domain is None else _oracle(job, job.domain, cell),
    )


def _oracle(job: Job, domain: str, cell: Cell) -> dict[str, float | None]:
    """The oracle's reward of every task of the domain under the setup."""
    config = EvalConfig(
        domain=domain,
        store=job.store,
        retrieval_config=cell.retriever,
        chunker=cell.chunker,
        embedder=cell.embedder or DEFAULT_EMBEDDER,  # a setup without vectors ignores it
        k=cell.k,
        style=job.style,
        seed=job.seed,
        save_to=job.eval_folder / cell.cell_id,
    )
    result = run(prepare(config))
    return {score.task_id: score.score.reward for score in result.scores}


def failed(cell: Cell, error: RagbenchError) -> CellRecord:
    """The record of a cell that has no figures, with the reason."""
    return CellRecord(**_setup(cell), error=f"{type(error).__name__}: {error}")


def _setup(cell: Cell) -> dict[str, str | int | None]:
    return {
        "cell_id": cell.cell_id,
        "name": cell.name,
        "loader": cell.loader,
        "chunker": cell.chunker,
        "embedder": cell.embedder,
        "retriever": cell.retriever,
        "k": cell.k,
    }
