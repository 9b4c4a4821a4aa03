"""Question sets that need more than a file: a domain's needs, and questions cut into windows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ragbench.config import QuestionStyle
from ragbench.domains import Domain
from ragbench.errors import QuestionSetError, UsageError
from ragbench.interop import read_tau_questions
from ragbench.records import Document, Question, QuestionSet
from ragbench.retrieval import Hit, rank_hits

__all__ = ["best_of_parts", "domain_questions", "in_windows", "tau_questions"]

WINDOW_TOKENS = 128
"""Word pieces of a window, unless another size is given: half of MiniLM's."""


def domain_questions(domain: Domain, style: QuestionStyle = "desk") -> QuestionSet:
    """One question per need that has one, called ``task.need``; its group is the task.

    Needs of one task concern one customer and often one document; statistics therefore resample
    tasks. Needs without a question in that style are counted in ``left_out``.

    Raises:
        QuestionSetError: no task has a need with such a question.
    """
    kind = "natural question" if style == "natural" else "question"
    questions = [
        Question(
            id=f"{task.id}.{need.id}",
            text=text,
            paraphrases=need.paraphrases,
            evidence=need.evidence,
            group=task.id,
            where=f"{domain.name}, task {task.id!r}, need {need.id!r}",
        )
        for task in domain.tasks
        for need in task.needs
        if (text := need.asked(style)) is not None
    ]
    n_without = sum(need.asked(style) is None for task in domain.tasks for need in task.needs)
    if not questions:
        raise QuestionSetError(
            f"No task of {domain.name!r} has a need with a {kind}; needs without one: "
            f"{n_without}. Give questions in a file."
        )
    return QuestionSet(
        name=domain.name,
        questions=tuple(questions),
        loader=domain.loader,
        style=style,
        left_out={f"needs without a {kind}": n_without} if n_without else {},
    )


def tau_questions(
    folder: Path,
    query: Literal["whole", "windows"] = "whole",
    window_tokens: int = WINDOW_TOKENS,
) -> QuestionSet:
    """A tau3 domain's folder: required documents as relevance, user instructions as query.

    Args:
        folder: holds ``documents/`` and ``tasks/``.
        query: the instructions whole, of which an embedder reads no more than its window, or in
            windows, each searched on its own (`best_of_parts`).
        window_tokens: most word pieces of a window.

    Raises:
        QuestionSetError: a file is missing or malformed; the message names it.
        UsageError: the size of a window is too small.
    """
    questions = read_tau_questions(folder)
    return in_windows(questions, window_tokens) if query == "windows" else questions


def in_windows(questions: QuestionSet, size_tokens: int) -> QuestionSet:
    """The questions in parts of whole words, of at most so many word pieces each.

    A question that fits into one window stays as it is.

    Raises:
        UsageError: the size is below 8.
    """
    from ragbench.ingest.chunk import Fixed

    if size_tokens < 8:
        raise UsageError(f"A window of {size_tokens} tokens is too small; it needs at least 8.")
    cut = Fixed(size_tokens=size_tokens)
    found = []
    for question in questions.questions:
        parts = tuple(
            chunk.text for chunk in cut.chunk(Document(question.id, question.id, question.text))
        )
        found.append(question.model_copy(update={"parts": parts if len(parts) > 1 else ()}))
    return questions.model_copy(update={"questions": tuple(found)})


def best_of_parts(found: Sequence[Sequence[Hit]], n: int) -> list[Hit]:
    """The first n chunks over all parts of a question, each with the best of its scores.

    Exact when every part was asked for n hits: a chunk that is not among a part's first n cannot be
    among the first n by that part's score.
    """
    best: dict[str, Hit] = {}
    for hit in (hit for hits in found for hit in hits):
        known = best.get(hit.chunk.chunk_id)
        if known is None or hit.score > known.score:
            best[hit.chunk.chunk_id] = hit
    return rank_hits(((hit.chunk, hit.score) for hit in best.values()), n)
