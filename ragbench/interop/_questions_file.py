"""A user's own questions, as JSON lines or CSV.

A line of JSON is an object::

    {"question": "What does a wire cost?", "evidence": [{"doc_id": "fees.md", "quote": "$25"}]}
    {"question": "...", "evidence": [{"any_of": [{"doc_id": "a.md", "quote": "..."}, ...]}]}
    {"question": "...", "relevant": ["fees.md"]}            or {"fees.md": 2, "wires.md": 1}

with ``id``, ``paraphrases`` and ``group`` if wanted. A CSV has a column ``question`` and either
``evidence`` or ``relevant``, which hold the same JSON, or ``doc_id`` and ``quote``, then
``doc_id_2`` and ``quote_2`` and so on. A question without an id is called by its line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ragbench.errors import QuestionSetError
from ragbench.interop._strict import (
    Problems,
    check_keys,
    json_lines,
    json_value,
    make_question,
    make_set,
    table_rows,
    text_of,
)
from ragbench.records import Question, QuestionSet

__all__ = ["read_questions"]

_KEYS = ("question", "id", "paraphrases", "evidence", "relevant", "group")
_JSON_CELLS = ("paraphrases", "evidence", "relevant")
_NUMBERED = re.compile(r"(doc_id|quote)(?:_[2-9]|_[1-9]\d+)?")
_SUFFIXES = (".jsonl", ".csv", ".tsv")


def read_questions(path: Path) -> QuestionSet:
    """Read a ``.jsonl``, ``.csv`` or ``.tsv`` file of questions; the set has the file's name.

    Raises:
        QuestionSetError: the file cannot be read or is empty, a line is malformed, a key or column
            is missing or unknown, or two questions have one id. The message names every such line.
    """
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise QuestionSetError(
            f"{path}: questions are read from {', '.join(_SUFFIXES)}, not from {suffix!r}."
        )
    problems = Problems()
    questions: list[Question] = []
    if suffix == ".jsonl":
        for where, entry in json_lines(path, problems):
            with problems.noted():
                questions.append(_question(entry, where))
    else:
        delimiter = "\t" if suffix == ".tsv" else ","
        for where, row in table_rows(path, delimiter, ["question"], problems):
            with problems.noted():
                questions.append(_question(_entry(row, where), where))
    problems.settle()
    return make_set(path.stem, questions)


def _question(entry: dict[str, Any], where: str) -> Question:
    check_keys(entry, _KEYS, where)
    text = text_of(entry, "question", where)
    if not text.strip():
        raise QuestionSetError(f"{where}: 'question' is empty.")
    if ("evidence" in entry) == ("relevant" in entry):
        both = "both are given" if "evidence" in entry else "neither is given"
        raise QuestionSetError(
            f"{where}: a question needs 'evidence' (quotes) or 'relevant' (documents); {both}."
        )
    line = where.rpartition(":")[2]
    fields: dict[str, Any] = {key: entry[key] for key in ("paraphrases", "group") if key in entry}
    if "evidence" in entry:
        fields["evidence"] = [_item(item, where) for item in _list(entry, "evidence", where)]
    if "relevant" in entry:
        fields["relevant"] = _grades(entry["relevant"], where)
    question_id = text_of(entry, "id", where) if "id" in entry else line
    return make_question(where, partial(_written, entry), id=question_id, text=text, **fields)


def _written(entry: dict[str, Any], place: Sequence[str | int]) -> Sequence[str | int]:
    """The place of a field as it was written: a lone passage is no list of alternatives there."""
    if place[:1] == ("text",):
        return ("question", *place[1:])
    if place[:1] == ("evidence",) and len(place) > 3 and place[2] == "any_of":
        item = entry["evidence"][place[1]]
        if "any_of" not in item:
            return ("evidence", place[1], *place[4:])
    return place


def _item(item: Any, where: str) -> Any:  # noqa: ANN401  (pydantic checks it)
    """One item of evidence: a lone passage is an item of one alternative."""
    if isinstance(item, dict) and "any_of" not in item:
        return {"any_of": [item]}
    if not isinstance(item, dict):
        raise QuestionSetError(
            f"{where}: an item of evidence is {item!r}. Write "
            '{"doc_id": ..., "quote": ...} or {"any_of": [...]}.'
        )
    return item


def _grades(value: Any, where: str) -> Any:  # noqa: ANN401  (pydantic checks it)
    """Relevant documents: a list is of grade 1; a whole number may be written 1.0."""
    if isinstance(value, dict):
        return {name: _whole(grade) for name, grade in value.items()}
    if not isinstance(value, list):
        return value
    doubled = [doc_id for doc_id in value if value.count(doc_id) > 1]
    if doubled:
        raise QuestionSetError(f"{where}: the document {doubled[0]!r} is relevant twice.")
    if not all(isinstance(doc_id, str) for doc_id in value):
        raise QuestionSetError(f"{where}: relevant documents are named by text, found {value!r}.")
    return dict.fromkeys(value, 1)


def _whole(grade: Any) -> Any:  # noqa: ANN401  (pydantic checks it)
    return int(grade) if isinstance(grade, float) and grade.is_integer() else grade


def _list(entry: dict[str, Any], key: str, where: str) -> list[Any]:
    if not isinstance(entry[key], list):
        raise QuestionSetError(f"{where}: {key!r} must be a list, found {entry[key]!r}.")
    return list(entry[key])


def _entry(row: dict[str, str], where: str) -> dict[str, Any]:
    """A row of a table as the object that a JSON line would hold; empty cells say nothing."""
    quotes = [name for name in row if _NUMBERED.fullmatch(name)]
    check_keys(dict.fromkeys(row), (*_KEYS, *(quotes or ["doc_id", "quote"])), where)
    entry: dict[str, Any] = {}
    for name, cell in row.items():
        if name not in quotes and (cell.strip() or name == "question"):
            entry[name] = json_value(cell, where) if name in _JSON_CELLS else cell
    passages = _passages(row, quotes, where)
    if passages and "evidence" in entry:
        raise QuestionSetError(f"{where}: give the evidence as JSON or as quotes, not as both.")
    return {**entry, "evidence": passages} if passages else entry


def _passages(row: dict[str, str], names: Sequence[str], where: str) -> list[dict[str, str]]:
    numbers = dict.fromkeys(name.removeprefix("doc_id").removeprefix("quote") for name in names)
    found = []
    for number in numbers:
        doc_id, quote = row.get(f"doc_id{number}", ""), row.get(f"quote{number}", "")
        if bool(doc_id.strip()) != bool(quote.strip()):
            raise QuestionSetError(
                f"{where}: doc_id{number} is {doc_id!r} and quote{number} is {quote!r}. A quote "
                "needs its document; documents without quotes belong into the column 'relevant'."
            )
        if quote.strip():
            found.append({"doc_id": doc_id, "quote": quote})
    return found
