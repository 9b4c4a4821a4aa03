"""A BEIR folder: ``corpus.jsonl``, ``queries.jsonl`` and graded ``qrels/*.tsv``.

Source of the format: Thakur et al. 2021 (arXiv 2104.08663). BEIR's own evaluation drops every hit
whose document id equals the query's id, which gives a perfect run 0.90 on sets where a query is
itself a relevant document. Nothing is dropped here; who wants that on the sets it is made for
(ArguAna, Quora) asks for it by name: `ragbench.compare.without_self_hits`, which counts them.

A grade below 0 is judged and not relevant, as in trec_eval; a whole number may be written ``1.0``.
A document is its title and its text, as BEIR searches it. One that has neither cannot be found; a
question that it is relevant to keeps it, so that its recall says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any, TypeVar

from ragbench.errors import QuestionSetError, UnknownName
from ragbench.interop._strict import json_lines, make_question, make_set, table_rows, text_of
from ragbench.records import Document, QuestionSet

__all__ = ["read_beir", "read_beir_documents"]

_TEXTS = ("title", "text")
_COLUMNS = ("query-id", "corpus-id", "score")
_Kept = TypeVar("_Kept")
_GRADE = re.compile(r"\s*([+-]?\d+)(?:\.0*)?\s*")


def read_beir(folder: Path, split: str = "test") -> QuestionSet:
    """The judged queries of one split, in the order of ``queries.jsonl``.

    Queries that the split does not judge, and those that it judges no document relevant to, are no
    questions; they are counted in ``left_out``.

    Raises:
        UnknownName: the folder has no such split.
        QuestionSetError: a file is missing, empty or malformed, an id stands twice, or a judgement
            names a query or a document that is not there. The message names the line.
    """
    splits = {path.stem: path for path in sorted((folder / "qrels").glob("*.tsv"))}
    if not splits:
        raise QuestionSetError(f"{folder} holds no judgements (qrels/*.tsv).")
    if split not in splits:
        raise UnknownName(f"split of {folder.name}", split, splits)
    queries = _by_id(folder / "queries.jsonl", _whole)
    corpus = _by_id(folder / "corpus.jsonl", _has_text)
    grades = _grades(splits[split], queries, corpus)
    relevant = {query_id: any(g > 0 for g in found.values()) for query_id, found in grades.items()}
    left_out = {
        f"not judged in {split}.tsv": sum(query_id not in grades for query_id in queries),
        "without a relevant document": sum(not one for one in relevant.values()),
    }
    questions = [
        make_question(
            where, id=query_id, text=text_of(entry, "text", where), relevant=grades[query_id]
        )
        for query_id, (where, entry) in queries.items()
        if relevant.get(query_id)
    ]
    named = {doc_id for one in questions for doc_id in one.relevant}
    return make_set(
        folder.name,
        questions,
        left_out={k: n for k, n in left_out.items() if n},
        without_text=tuple(name for name, (_, has) in corpus.items() if not has and name in named),
    )


def _whole(entry: dict[str, Any]) -> dict[str, Any]:
    return entry


def _has_text(entry: dict[str, Any]) -> bool:
    return any(isinstance(one := entry.get(key), str) and one.strip() for key in _TEXTS)


def read_beir_documents(folder: Path) -> Iterator[Document]:
    """The documents of ``corpus.jsonl`` with any text, one by one; the id is theirs.

    A document's text is its title, an empty line and its text.

    Metadata that is neither text, number nor truth value is kept as JSON text.

    Raises:
        QuestionSetError: the file cannot be read or is empty, a line is malformed, or an id stands
            twice. The message names the line.
    """
    seen: set[str] = set()
    for where, entry in json_lines(folder / "corpus.jsonl"):
        doc_id = text_of(entry, "_id", where)
        if doc_id in seen:
            raise QuestionSetError(f"{where}: a second document has the id {doc_id!r}.")
        seen.add(doc_id)
        title = text_of(entry, "title", where) if "title" in entry else ""
        text = "\n\n".join(filter(str.strip, (title, text_of(entry, "text", where))))
        if not text:
            continue
        metadata = {key: _scalar(value) for key, value in (entry.get("metadata") or {}).items()}
        yield Document(doc_id, title or doc_id, text, metadata)


def _by_id(path: Path, kept: Callable[[dict[str, Any]], _Kept]) -> dict[str, tuple[str, _Kept]]:
    """Place by id, with what is kept of the object: little, of a large corpus."""
    found: dict[str, tuple[str, _Kept]] = {}
    for where, entry in json_lines(path):
        name = text_of(entry, "_id", where)
        if name in found:
            raise QuestionSetError(f"{where}: the id {name!r} stands at {found[name][0]} already.")
        found[name] = (where, kept(entry))
    return found


def _grades(
    path: Path,
    queries: Container[str],
    corpus: Container[str],
) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for where, row in table_rows(path, "\t", _COLUMNS):
        query_id, doc_id, score = (row[name] for name in _COLUMNS)
        if query_id not in queries:
            raise QuestionSetError(f"{where}: queries.jsonl has no query {query_id!r}.")
        if doc_id not in corpus:
            raise QuestionSetError(f"{where}: corpus.jsonl has no document {doc_id!r}.")
        grade = _GRADE.fullmatch(score)
        if grade is None:
            raise QuestionSetError(
                f"{where}: the grade {score!r} is not a whole number. Above 0 is relevant, 0 and "
                "below is not."
            )
        of_query = grades.setdefault(query_id, {})
        if doc_id in of_query:
            raise QuestionSetError(
                f"{where}: the document {doc_id!r} is judged twice for the query {query_id!r}."
            )
        of_query[doc_id] = int(grade.group(1))
    return grades


def _scalar(value: Any) -> str | int | float | bool:  # noqa: ANN401  (JSON holds anything)
    if isinstance(value, str | int | float | bool):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
