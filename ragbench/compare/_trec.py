"""Runs and judgements as TREC files, and the one thing that BEIR does to a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from ragbench.compare._documents import Grades, Rankings

__all__ = ["trec_names", "trec_qrels", "trec_run", "without_self_hits"]

Name = Callable[[str], str]


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


def trec_names(names: Iterable[str]) -> Name:
    """How names stand in TREC files, whose fields end at white space: as they are where they can.

    White space is percent-encoded, the percent sign with it. Where that would make two names one,
    the percent sign is encoded in every name.

    >>> name = trec_names(["my fees.md", "100%.md"])
    >>> name("my fees.md"), name("100%.md")
    ('my%20fees.md', '100%.md')
    >>> name = trec_names(["a b", "a%20b"])
    >>> name("a b"), name("a%20b")
    ('a%20b', 'a%2520b')
    """
    distinct = set(names)
    plain = {name for name in distinct if not re.search(r"\s", name)}
    if any(_field(name) in plain for name in distinct - plain):
        return _field
    return lambda name: name if not re.search(r"\s", name) else _field(name)


def trec_run(rankings: Rankings, tag: str, name: Name | None = None) -> str:
    """The rankings as a TREC run: distinct documents, with scores that fall strictly.

    Args:
        rankings: what was found.
        tag: what the run is called.
        name: how names are written; None makes it of the names that are here.

    >>> print(trec_run({"q": ["my fees.md", "a.md", "my fees.md"]}, "bm25"), end="")
    q Q0 my%20fees.md 1 2 bm25
    q Q0 a.md 2 1 bm25
    """
    name = name or trec_names([*rankings, *(doc for found in rankings.values() for doc in found)])
    lines = []
    for question, ranking in rankings.items():
        documents = dict.fromkeys(ranking)
        for rank, doc_id in enumerate(documents, start=1):
            score = str(len(documents) - rank + 1)
            lines.append((name(question), "Q0", name(doc_id), str(rank), score, _field(tag)))
    return _lines(lines)


def trec_qrels(grades: Grades, name: Name | None = None) -> str:
    r"""The grades as TREC qrels, names written as in `trec_run`.

    >>> trec_qrels({"q": {"a.md": 1}})
    'q 0 a.md 1\n'
    """
    name = name or trec_names([*grades, *(doc for found in grades.values() for doc in found)])
    return _lines(
        (name(question), "0", name(doc_id), str(grade))
        for question, of_question in grades.items()
        for doc_id, grade in of_question.items()
    )


def _lines(lines: Iterable[Sequence[str]]) -> str:
    return "".join(" ".join(fields) + "\n" for fields in lines)


def _field(value: str) -> str:
    return re.sub(r"[\s%]", lambda found: quote(found.group(), safe=""), value)
