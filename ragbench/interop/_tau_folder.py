"""A tau3 domain's folder as a question set: its tasks' required documents as relevance.

The query is what the task tells its user, whole; `ragbench.compare` cuts it into windows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragbench.errors import DomainError, QuestionSetError
from ragbench.interop._strict import as_object, json_value, make_question, make_set, text_of
from ragbench.interop._tau import read_tau_tasks
from ragbench.records import Document, Question, QuestionSet, Task

__all__ = ["read_tau_documents", "read_tau_questions"]

_WITHOUT = "tasks without required documents"


def read_tau_questions(folder: Path) -> QuestionSet:
    """One question per task that requires documents, of grade 1 each; its group is the task.

    Instructions that are an object give their texts, in the order of the file, a line each.

    Raises:
        QuestionSetError: there are no tasks, one is malformed or has no instructions, an id stands
            twice, or ``documents/`` lacks a required document. The message names the file.
    """
    source = folder / "tasks" if (folder / "tasks").is_dir() else folder / "tasks.json"
    files = sorted(source.glob("*.json")) if source.is_dir() else [source]
    known = {document.doc_id for document in read_tau_documents(folder)}
    questions: list[Question] = []
    n_without = 0
    for file in files:
        try:
            tasks = read_tau_tasks(file).tasks
        except DomainError as error:
            raise QuestionSetError(str(error)) from error
        for task in tasks:
            if task.required_documents:
                questions.append(_question(task, str(file), known))
            else:
                n_without += 1
    return make_set(folder.name, questions, left_out={_WITHOUT: n_without} if n_without else {})


def read_tau_documents(folder: Path) -> tuple[Document, ...]:
    """The documents of ``documents/*.json``, by file name; the id is the one that the file states.

    Raises:
        QuestionSetError: there are none, one is malformed, or an id stands twice.
    """
    found: dict[str, Document] = {}
    for file in sorted((folder / "documents").glob("*.json")):
        where = str(file)
        try:
            entry = as_object(json_value(file.read_text(encoding="utf-8"), where), where)
        except (OSError, UnicodeDecodeError) as error:
            raise QuestionSetError(f"{where} cannot be read: {error}.") from error
        doc_id = text_of(entry, "id", where)
        if doc_id in found:
            raise QuestionSetError(f"{where}: a second document has the id {doc_id!r}.")
        title, text = text_of(entry, "title", where), text_of(entry, "content", where)
        found[doc_id] = Document(doc_id, title, text)
    if not found:
        raise QuestionSetError(f"{folder} holds no document (documents/*.json).")
    return tuple(found.values())


def _question(task: Task, where: str, known: set[str]) -> Question:
    required = task.required_documents or ()
    absent = [doc_id for doc_id in required if doc_id not in known]
    if absent:
        raise QuestionSetError(
            f"{where}: the task {task.id!r} requires the document {absent[0]!r}, which documents/ "
            "does not hold."
        )
    text = "\n".join(_texts(task.user_scenario.instructions))
    if not text.strip():
        raise QuestionSetError(
            f"{where}: the task {task.id!r} has no user instructions to make a query of."
        )
    return make_question(
        where, id=task.id, text=text, relevant=dict.fromkeys(required, 1), group=task.id
    )


def _texts(value: Any) -> list[str]:  # noqa: ANN401  (JSON holds anything)
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    return [text for inner in value for text in _texts(inner)] if isinstance(value, list) else []
