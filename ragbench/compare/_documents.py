"""Document measures: from what a setup returned to a value per question, through ir_measures.

Rules fixed here: results are ranked by score, descending; equal ones by document and position,
ascending, which is the text's own order; a score that is not finite is refused; a document that
several chunks belong to stands at its first; a question without results counts 0; a result for an
unknown question is an error. ir_measures is given ranks, not scores, because trec_eval keeps scores
in single precision, would tie what is not equal, and ranks ties by id, descending.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import gt
from typing import Any, Protocol

from ragbench.compare.measures import DocumentMeasure
from ragbench.errors import QuestionSetError, UsageError

__all__ = [
    "Grades",
    "Rankings",
    "Scored",
    "document_scores",
    "rank_hits_of",
    "rank_scores",
    "run_scores",
]

Rankings = Mapping[str, Sequence[str]]
"""Question id to document ids, best first; a document may stand there once per chunk."""
Grades = Mapping[str, Mapping[str, int]]
"""Question id to document id to grade."""


class Scored(Protocol):
    """A retrieved chunk, such as a `ragbench.records.HitRecord`."""

    @property
    def doc_id(self) -> str:
        """The document that it stands in."""
        ...

    @property
    def start(self) -> int:
        """Its first character."""
        ...

    @property
    def end(self) -> int:
        """Behind its last character."""
        ...

    @property
    def score(self) -> float:
        """Higher is better."""
        ...


def rank_scores(scores: Mapping[str, float], where: str = "") -> list[str]:
    """Ids by score, descending; equal ones by id, ascending.

    Args:
        scores: id to score.
        where: what to call the place in messages, such as the setup and the question.

    Raises:
        UsageError: a score is not finite.

    >>> rank_scores({"a": 1.0, "b": 2.0, "c": 1.0})
    ['b', 'a', 'c']
    """
    _check_finite(scores, where)
    return sorted(scores, key=lambda name: (-scores[name], name))


def rank_hits_of(hits: Iterable[Scored], where: str = "") -> list[str]:
    """The document of every hit, hits by score, descending; equal ones as the text has them.

    Raises:
        UsageError: a score is not finite, or a chunk stands twice.
    """
    scores: dict[tuple[str, int, int], float] = {}
    for hit in hits:
        place = (hit.doc_id, hit.start, hit.end)
        if place in scores:
            chunk = f"{hit.doc_id}#{hit.start}-{hit.end}"
            raise UsageError(
                f"{where}{': ' if where else ''}the chunk {chunk!r} was returned twice."
            )
        scores[place] = hit.score
    _check_finite(scores, where)
    return [place[0] for place in sorted(scores, key=lambda place: (-scores[place], place))]


def _check_finite(scores: Mapping[Any, float], where: str) -> None:
    if not all(map(math.isfinite, scores.values())):
        wrong = next(name for name, score in scores.items() if not math.isfinite(score))
        name = wrong if isinstance(wrong, str) else "{}#{}-{}".format(*wrong)
        raise UsageError(
            f"{where}{': ' if where else ''}the score of {name!r} is {scores[wrong]}; a score "
            "must be a finite number. Mend the retriever."
        )


def document_scores(
    measures: Sequence[DocumentMeasure], grades: Grades, rankings: Rankings
) -> dict[DocumentMeasure, dict[str, float]]:
    """Every measure of every question that has grades, in their order.

    Args:
        measures: what to compute.
        grades: what is relevant; a document of grade 1 or more is.
        rankings: what was returned, one document id per chunk, best first. A question that is
            missing counts 0.

    Raises:
        QuestionSetError: a question has no relevant document, so that recall is undefined.
        UsageError: results for a question that has no grades.
    """
    _check(grades, rankings)
    found = {measure: dict.fromkeys(grades, 0.0) for measure in measures}
    whole = {name: _ranks(ranking) for name, ranking in rankings.items()}
    repeats = any(len(whole[name]) < len(ranking) for name, ranking in rankings.items())
    for cut, group in _groups(measures, repeats).items():
        run = whole if cut is None else _cut(rankings, *cut)
        _score(group, grades, run, found)
    return found


def run_scores(
    measures: Sequence[DocumentMeasure], grades: Grades, run: Mapping[str, Mapping[str, float]]
) -> dict[DocumentMeasure, dict[str, float]]:
    """As `document_scores`, of scored documents, such as a TREC run, instead of ranked chunks.

    Raises:
        QuestionSetError: a question has no relevant document, so that recall is undefined.
        UsageError: results for a question that has no grades, or a score that is not finite.
    """
    _check(grades, run)
    found = {measure: dict.fromkeys(grades, 0.0) for measure in measures}
    whole = {
        name: dict(scores) if _in_order(scores) else _ranks(rank_scores(scores, name))
        for name, scores in run.items()
    }
    for cut, group in _groups(measures, repeats=False).items():
        rankings = {} if cut is None else {n: rank_scores(scores) for n, scores in run.items()}
        _score(group, grades, whole if cut is None else _cut(rankings, *cut), found)
    return found


def _check(grades: Grades, results: Iterable[str]) -> None:
    for name, of_question in grades.items():
        if not any(grade > 0 for grade in of_question.values()):
            raise QuestionSetError(f"The question {name!r} has no document of grade 1 or more.")
    unknown = next((name for name in results if name not in grades), None)
    if unknown is not None:
        raise UsageError(
            f"There are results for the question {unknown!r}, which is not among the "
            f"{len(grades)} of the set. Score a run with the set that it was made for."
        )


def _in_order(scores: Mapping[str, float]) -> bool:
    """Whether the scores fall strictly, in single precision too: trec_eval then ranks as we do."""
    values = array("f", scores.values())
    ends = (*values[:1], *values[-1:])
    return all(map(gt, values, values[1:])) and all(map(math.isfinite, ends))


def _groups(
    measures: Sequence[DocumentMeasure], repeats: bool
) -> dict[tuple[str, int] | None, list[DocumentMeasure]]:
    """Measures by the results they are given: the first k chunks or documents, or None for all.

    Where no document is repeated, chunks are documents; and a measure that cuts itself at documents
    needs nobody to cut.
    """
    groups: dict[tuple[str, int] | None, list[DocumentMeasure]] = {}
    for measure in measures:
        itself = measure.cuts_itself and (measure.count == "documents" or not repeats)
        cut = None if itself or measure.k is None else (measure.count, measure.k)
        groups.setdefault(cut, []).append(measure)
    return groups


def _cut(rankings: Rankings, count: str, k: int) -> dict[str, dict[str, float]]:
    if count == "chunks":
        return {name: _ranks(ranking[:k]) for name, ranking in rankings.items()}
    return {name: _ranks(list(dict.fromkeys(ranking))[:k]) for name, ranking in rankings.items()}


_ASCENDING = tuple(map(float, range(1 << 12)))


def _ranks(ranking: Sequence[str]) -> dict[str, float]:
    """A score for each document that puts it where it first stands.

    Read from the last, so that of a repeated document the first place is what remains.
    """
    ascending = _ASCENDING if len(ranking) <= len(_ASCENDING) else map(float, range(len(ranking)))
    return dict(zip(reversed(ranking), ascending, strict=False))


def _score(
    measures: Sequence[DocumentMeasure],
    grades: Grades,
    run: Mapping[str, dict[str, float]],
    found: dict[DocumentMeasure, dict[str, float]],
) -> None:
    import ir_measures

    bases = {measure: ir_measures.parse_measure(measure.ir_name) for measure in measures}
    columns: dict[object, list[dict[str, float]]] = {}
    for measure, base in bases.items():
        columns.setdefault(base, []).append(found[measure])
    plain = {name: dict(of_question) for name, of_question in grades.items()}
    given = {name: scores for name, scores in run.items() if scores}
    by_identity = {id(base): column for base, column in columns.items()}  # hashing them is slow
    evaluator = ir_measures.pytrec_eval.evaluator(list(columns), plain)
    evaluator.qrel_qids = ()  # what it would add is the 0 of a missing question, which stands there
    for metric in evaluator.iter_calc(given):
        for column in by_identity[id(metric.measure)]:
            column[metric.query_id] = metric.value
