"""Runs and judgements as TREC files, and the one thing that BEIR does to a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from ragbench.compare._documents import Grades, Rankings

__all__ = ["trec_qrels", "trec_run", "without_self_hits"]


def without_self_hits(
    scores: Mapping[str, Mapping[str, float]],
) -> tuple[dict[str, dict[str, float]], int]:
    """Results without the document that is called as the question, and how many those were.

    BEIR does this always and in silence; it is right only where queries are documents themselves.

    >>> without_self_hits({"q": {"q": 2.0, "d": 1.0}})
    ({'q': {'d': 1.0}}, 1)
    """
    kept = {
        name: {doc_id: score for doc_id, score in of_question.items() if doc_id != name}
        for name, of_question in scores.items()
    }
    return kept, sum(map(len, scores.values())) - sum(map(len, kept.values()))


def trec_run(rankings: Rankings, tag: str) -> str:
    """The rankings as a TREC run: distinct documents, with scores that keep their order.

    White space in names, which would end a field, is percent-encoded, as is the percent sign.

    >>> print(trec_run({"q": ["my fees.md", "a.md", "my fees.md"]}, "bm25"), end="")
    q Q0 my%20fees.md 1 2 bm25
    q Q0 a.md 2 1 bm25
    """
    lines = []
    for name, ranking in rankings.items():
        documents = dict.fromkeys(ranking)
        for rank, doc_id in enumerate(documents, start=1):
            lines.append((name, "Q0", doc_id, str(rank), str(len(documents) - rank + 1), tag))
    return _trec(lines)


def trec_qrels(grades: Grades) -> str:
    r"""The grades as TREC qrels, names written as in `trec_run`.

    >>> trec_qrels({"q": {"a.md": 1}})
    'q 0 a.md 1\n'
    """
    return _trec(
        (name, "0", doc_id, str(grade))
        for name, of_question in grades.items()
        for doc_id, grade in of_question.items()
    )


def _trec(lines: Iterable[Sequence[str]]) -> str:
    return "".join(" ".join(map(_field, fields)) + "\n" for fields in lines)


def _field(value: str) -> str:
    return re.sub(r"[\s%]", lambda found: quote(found.group(), safe=""), value)
