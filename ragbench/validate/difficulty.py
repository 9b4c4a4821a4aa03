"""Difficulty: how hard a task is to retrieve for, and what makes it look easier than it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragbench.ingest.chunk import count_tokens
from ragbench.validate._corpus import content_words
from ragbench.validate._rule import Flaw, Severity, task_rule
from ragbench.validate._view import TaskView

__all__ = ["Difficulty", "difficulty_of"]

_COPIED = 0.8
"""From which share of its words in the evidence on a question is the evidence's own sentence."""
_FEWEST_WORDS = 4
_NO_SEARCH = ("no_knowledge", "golden_retrieval", "golden_passages", "full_kb")


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard a task is.

    Attributes:
        n_needs: needs of the task.
        hops: documents that its evidence stands in, the first alternatives counted.
        evidence_tokens: word pieces of that evidence; whole documents where it names no passage.
        overlap: mean share of a question's content words that stand in its evidence, in [0, 1];
            None without questions.
        solved: whether the oracle solves it, by setup; None where it cannot be played.
        level: ``no knowledge`` without needs; else ``easy``, ``medium`` or ``hard`` when it is
            solved under all, some or none of the setups with a search tool; None when not played.
    """

    task: str
    n_needs: int
    hops: int
    evidence_tokens: int
    overlap: float | None
    solved: dict[str, bool | None]
    level: str | None


def difficulty_of(view: TaskView) -> Difficulty:
    """The figures of one task."""
    texts = view.subject.documents
    first = [
        (item.any_of[0].doc_id, item.any_of[0].span) for item in view.located[0] if item.any_of
    ]
    shares = [share for _, share in _overlaps(view)]
    solved = view.oracle_success
    return Difficulty(
        task=view.task.id,
        n_needs=len(view.task.needs),
        hops=len({doc_id for doc_id, _ in first}),
        evidence_tokens=sum(
            count_tokens(texts[doc_id].text[slice(*(span or (None, None)))])
            for doc_id, span in dict.fromkeys(first)
        ),
        overlap=sum(shares) / len(shares) if shares else None,
        solved=solved,
        level=_level(bool(view.task.needs), solved),
    )


@task_rule(
    "difficulty.copied",
    Severity.WARNING,
    means="Questions and paraphrases are worded as somebody asks who does not know the documents; "
    "a question made of the evidence's words is found by any retriever.",
    remedy="Word it as a customer or a colleague would.",
    needs=("documents", "located", "questions", "spans"),
)
def copied(view: TaskView) -> Iterator[Flaw]:
    """Questions whose content words nearly all stand in the evidence."""
    for query, share in _overlaps(view):
        if share >= _COPIED:
            yield Flaw(f"{share:.0%} of the words of {query!r} stand in its evidence")


@task_rule(
    "difficulty.ungated",
    Severity.ERROR,
    means="A task with needs is not solved without knowledge: what the evidence decides is part of "
    "what is graded.",
    remedy="Let the need be needed by the write or the statement that it decides, or remove it.",
    needs=("gold", "located", "script", "questions", "judged", "solved"),
)
def ungated(view: TaskView) -> Iterator[Flaw]:
    """Tasks with needs that the oracle solves without any evidence."""
    if view.task.needs and view.oracle_success.get("no_knowledge"):
        needs = ", ".join(repr(need.id) for need in view.task.needs)
        yield Flaw(f"the oracle solves the task under no_knowledge, though it needs {needs}")


def _overlaps(view: TaskView) -> Iterator[tuple[str, float]]:
    for need in view.task.needs:
        evidence = content_words(view.evidence_text(frozenset({need.id})))
        for query in dict.fromkeys((*need.queries("desk"), *need.queries("natural"))):
            words = content_words(query)
            if len(words) >= _FEWEST_WORDS:
                yield query, len(words & evidence) / len(words)


def _level(has_needs: bool, solved: dict[str, bool | None]) -> str | None:
    if not has_needs:
        return "no knowledge"
    found = [value for setup, value in solved.items() if setup not in _NO_SEARCH]
    if not found or None in found:
        return None
    return "easy" if all(found) else "medium" if any(found) else "hard"
