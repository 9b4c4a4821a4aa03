"""A grid for programs: JSON, CSV, Markdown, and TREC run and qrels files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragbench.compare import (
    CellRecord,
    GridFolder,
    QuestionRecord,
    Results,
    Row,
    conclusions,
    trec_names,
    trec_qrels,
    trec_run,
)
from ragbench.report.compare._html import render_compare_html
from ragbench.report.compare._table import markdown_table

__all__ = ["compare_csv", "compare_json", "write_compare_files"]

_SETUP = ("cell_id", "name", "loader", "chunker", "embedder", "retriever", "k", "error")
_INGEST = ("seconds", "n_documents", "n_chunks", "n_embedded", "n_cached", "n_truncated",
           "index_bytes")  # fmt: skip
_PAIRED = ("difference", "low", "high", "p", "n", "n_groups", "n_undefined")


def write_compare_files(
    folder: Path,
    subject: str,
    questions: Sequence[QuestionRecord],
    results: Results,
    environment: dict[str, Any],
) -> Path:
    """Write every file that is made of a grid's cells; returns the page's path.

    Args:
        folder: of the grid.
        subject: name of the corpus with its questions.
        questions: what was asked.
        results: the table.
        environment: versions, as ``config.json`` has them.
    """
    grid = GridFolder(folder)
    grid.write("results.json", compare_json(results))
    grid.write("results.csv", compare_csv(results))
    grid.write("table.md", markdown_table(results))
    (folder / "trec").mkdir(exist_ok=True)
    for name, text in _trec_files(questions, [row.cell for row in results.rows]).items():
        grid.write(f"trec/{name}", text)
    grid.write("compare.html", render_compare_html(subject, questions, results, environment))
    return folder / "compare.html"


def compare_json(results: Results) -> str:
    """One object: the conclusions, then every setup with all of its figures."""
    shown = {
        "schema_version": 1,
        "metric": results.metric,
        "baseline": results.baseline,
        "seed": results.seed,
        "n_questions": results.n_questions,
        "n_groups": results.n_groups,
        "conclusions": conclusions(results),
        "recommendation": asdict(results.recommendation) if results.recommendation else None,
        "tested": results.tested,
        "pairs": [asdict(pair) | {"is_told": pair.is_told} for pair in results.pairs],
        "slices": None if results.slices is None else asdict(results.slices),
        "correlations": {name: asdict(found) for name, found in results.correlations.items()},
        "setups": [_entry(row) for row in results.rows],
    }
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"


def _entry(row: Row) -> dict[str, Any]:
    cell = row.cell
    return {
        **{name: getattr(cell, name) for name in _SETUP},
        "is_baseline": row.is_baseline,
        "is_taken": row.is_taken,
        "is_best": row.is_best,
        "on_front": row.on_front,
        "figures": {name: asdict(figure) for name, figure in row.figures.items()},
        "latency_ms": {"search": asdict(row.search), "with_embedding": asdict(row.whole)},
        "ingest": cell.ingest.model_dump() if cell.ingest else None,
        "embedder_identity": cell.embedder_identity,
        "retriever_identity": cell.retriever_identity,
        "against_baseline": None
        if row.paired is None
        else {**asdict(row.paired), "p_holm": row.p_holm, "verdict": row.sentence},
    }


def compare_csv(results: Results) -> str:
    """A row per setup; an empty cell is undefined."""
    names = ["context_tokens", *(["oracle_success"] if results.correlations else [])]
    columns = [*results.measures, *names]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([
        *_SETUP, "is_baseline", "is_taken", "is_best", "on_front",
        *(f"{name}{end}" for name in columns for end in ("", " low", " high")),
        "search_p50_ms", "search_p95_ms", "p50_ms", "p95_ms",
        *(f"ingest_{name}" for name in _INGEST), *(f"against_baseline_{n}" for n in _PAIRED),
        "p_holm",
    ])  # fmt: skip
    for row in results.rows:
        writer.writerow([*_csv_head(row), *_csv_figures(row, columns), *_csv_tail(row)])
    return out.getvalue()


def _csv_head(row: Row) -> list[Any]:
    flags = [row.is_baseline, row.is_taken, row.is_best, row.on_front]
    return [*(getattr(row.cell, name) for name in _SETUP), *flags]


def _csv_figures(row: Row, columns: Sequence[str]) -> list[float | None]:
    found: list[float | None] = []
    for name in columns:
        figure = row.figures.get(name)
        found += [None] * 3 if figure is None else [figure.mean, figure.low, figure.high]
    return found


def _csv_tail(row: Row) -> list[Any]:
    ingest, paired = row.cell.ingest, row.paired
    return [
        row.search.p50, row.search.p95, row.whole.p50, row.whole.p95,
        *(None if ingest is None else getattr(ingest, name) for name in _INGEST),
        *(None if paired is None else getattr(paired, name) for name in _PAIRED),
        row.p_holm,
    ]  # fmt: skip


def _trec_files(questions: Sequence[QuestionRecord], cells: Sequence[CellRecord]) -> dict[str, str]:
    """``qrels.txt``, and two runs per setup that has results, for the two ways to count k.

    ``<cell>.k5-chunks.run`` ranks the documents of the first k chunks, ``<cell>.k5-documents.run``
    the first k distinct documents. ``trec_eval -c`` gives the table's figures at k from them.
    """
    of_file = _shorter([
        *(doc_id for question in questions for doc_id in question.grades),
        *(doc_id for cell in cells for answer in cell.questions for doc_id in answer.documents),
    ])  # fmt: skip
    ids = [question.id for question in questions]
    name = trec_names([*ids, *of_file.values()])
    grades = {
        question.id: {of_file[doc_id]: grade for doc_id, grade in question.grades.items()}
        for question in questions
    }
    files = {"qrels.txt": trec_qrels(grades, name)}
    for cell in cells:
        if cell.error is None:
            chunks = {q.id: [of_file[hit[0]] for hit in q.hits] for q in cell.questions}
            documents = {q.id: [of_file[doc] for doc in q.documents] for q in cell.questions}
            for what, rankings in (("chunks", chunks), ("documents", documents)):
                text = trec_run(rankings, cell.cell_id, name)
                files[f"{cell.cell_id}.k{cell.k}-{what}.run"] = text
    return files


def _shorter(doc_ids: Sequence[str]) -> dict[str, str]:
    """Ids as TREC files have them: records of one file go by their own ids, as in its judgements.

    >>> _shorter(["corpus.jsonl::d1", "corpus.jsonl::x::y", "d9"])
    {'corpus.jsonl::d1': 'd1', 'corpus.jsonl::x::y': 'x::y', 'd9': 'd9'}
    >>> _shorter(["a.jsonl::d1", "b.jsonl::d1"])
    {'a.jsonl::d1': 'a.jsonl::d1', 'b.jsonl::d1': 'b.jsonl::d1'}
    """
    short = {doc_id: doc_id.partition("::")[2] or doc_id for doc_id in doc_ids}
    return short if len(set(short.values())) == len(short) else {name: name for name in short}
