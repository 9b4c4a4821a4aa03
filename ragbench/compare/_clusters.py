"""Which questions are independent observations: those of one group are not, nor are equal ones.

Two questions are equal when their text is, but for case, punctuation and white space, and so is
what they have to find: a file in which one question stands twenty times has one observation of it.
Groups that share a question become one cluster.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.compare._records import QuestionRecord
from ragbench.toolkit import folded_query

__all__ = ["clusters"]


def clusters(questions: Sequence[QuestionRecord]) -> dict[str, str]:
    """The cluster of every question, by id; it is called as the first group in it.

    >>> def asked(name, text, group):
    ...     return QuestionRecord(id=name, text=text, group=group, grades={"a": 1}, evidence=())
    >>> clusters([asked("1", "Open?", "x"), asked("2", "open", "y"), asked("3", "When?", "y")])
    {'1': 'x', '2': 'x', '3': 'x'}
    >>> clusters([asked("1", "Open?", "x"), asked("2", "Closed?", "y")])
    {'1': 'x', '2': 'y'}
    """
    parents = {question.group: question.group for question in questions}

    def first_of(group: str) -> str:
        while parents[group] != group:
            group = parents[group]
        return group

    order = {group: number for number, group in enumerate(parents)}
    known: dict[object, str] = {}
    for question in questions:
        equal = known.setdefault(_key(question), question.group)
        ends = (first_of(question.group), first_of(equal))
        early, late = sorted(ends, key=order.__getitem__)
        parents[late] = early
    return {question.id: first_of(question.group) for question in questions}


def _key(question: QuestionRecord) -> object:
    return (
        folded_query(question.text) or question.text,
        frozenset(question.evidence),
        frozenset(question.grades.items()),
    )
