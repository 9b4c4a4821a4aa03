"""Necessity: what a need is about can be had from its evidence alone.

With the evidence documents of a need taken away, nothing that is left may state its gold values
near its subject, and no passage may be like its evidence, unless the document is marked: as an
alternative (an ``any_of`` of the item), or as a distractor, in the need or in the manifest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragbench.records import Need
from ragbench.validate._corpus import ALIKE, Segment, content_words, segments_of
from ragbench.validate._rule import Flaw, Severity, task_rule
from ragbench.validate._values import Value, spoken_facts, states
from ragbench.validate._view import TaskView

__all__ = ["NearHit", "near_hits"]

_NEAR = 0.5
"""Share of the content words of the evidence passage that must stand around the value."""
_FEWEST_WORDS = 2
_FEWEST_TOKENS = 5
"""A shorter passage is like many, and means nothing."""
_SHOWN = 90


@dataclass(frozen=True, slots=True)
class NearHit:
    """A document beside the evidence of a need that a reader could take for it.

    Attributes:
        found: what it states or holds, with the passage.
        mark: as what it is marked and where, None for one that is not marked.
    """

    need_id: str
    doc_id: str
    found: str
    mark: str | None


@task_rule(
    "necessity.value",
    Severity.ERROR,
    means="No unmarked document states a gold value of a need near the words of its evidence: it "
    "might answer as well, or contradict.",
    remedy="Add the passage to any_of when it answers the need, else mark the document under the "
    "need's distractors (or as the distractor of the evidence in manifest.json).",
    needs=("native", "documents", "located", "gold", "script", "spans"),
)
def value(view: TaskView) -> Iterator[Flaw]:
    """Other documents that give the value away."""
    for hit in _values(view):
        if hit.mark is None:
            yield Flaw(f"need {hit.need_id!r}: {hit.doc_id} {hit.found}")


@task_rule(
    "necessity.passage",
    Severity.ERROR,
    means="No unmarked document holds a passage that is at least 80 % like the evidence of a need.",
    remedy="Add the passage to any_of when it answers the need, else mark the document under the "
    "need's distractors (or as the distractor of the evidence in manifest.json).",
    needs=("native", "documents", "located", "spans"),
)
def passage(view: TaskView) -> Iterator[Flaw]:
    """Passages of other documents that look like the evidence."""
    for hit in _passages(view):
        if hit.mark is None:
            yield Flaw(f"need {hit.need_id!r}: {hit.doc_id} {hit.found}")


def near_hits(view: TaskView) -> Iterator[NearHit]:
    """Every document that comes near a need of the task, marked or not; none twice for a need.

    The view must have what the rules of this module need.
    """
    told: set[tuple[str, str]] = set()
    for hit in (*_values(view), *_passages(view)):
        if (hit.need_id, hit.doc_id) not in told:
            told.add((hit.need_id, hit.doc_id))
            yield hit


def _values(view: TaskView) -> Iterator[NearHit]:
    """Per need, the documents that state a gold value near the words of its evidence."""
    for need in view.task.needs:
        marks, told = _marks(view, need), _evidence_documents(view, need)
        for wanted, words in _wanted(view, need):
            for doc_id, around in view.subject.corpus.near(wanted):
                shared = words & content_words(around)
                if doc_id not in told and len(shared) >= max(_FEWEST_WORDS, _NEAR * len(words)):
                    told.add(doc_id)
                    near = ", ".join(sorted(shared)[:6])
                    found = f"states {_written(wanted)} near {near}: {_cut(around)!r}"
                    yield NearHit(need.id, doc_id, found, marks.get(doc_id))


def _passages(view: TaskView) -> Iterator[NearHit]:
    """Per need, the documents with a passage like its evidence."""
    for need in view.task.needs:
        marks, told = _marks(view, need), _evidence_documents(view, need)
        for segment in _evidence_segments(view, need):
            for other in view.subject.corpus.alike(segment):
                if other.doc_id not in told:
                    told.add(other.doc_id)
                    found = (
                        f"has a passage at least {ALIKE:.0%} like its evidence: "
                        f"{_cut(other.text)!r}"
                    )
                    yield NearHit(need.id, other.doc_id, found, marks.get(other.doc_id))


def _wanted(view: TaskView, need: Need) -> Iterator[tuple[Value, frozenset[str]]]:
    """The gold values that the need's evidence states, each with the words of its passage."""
    segments = list(_evidence_segments(view, need, fewest=0))
    for wanted in view.gold_values(need):
        for segment in segments:
            if states(spoken_facts(segment.text), wanted):
                yield wanted, segment.words


def _evidence_segments(
    view: TaskView, need: Need, fewest: int = _FEWEST_TOKENS
) -> Iterator[Segment]:
    for segment in segments_of(view.evidence_text(frozenset({need.id}))):
        if len(segment.tokens) >= fewest:
            yield segment


def _evidence_documents(view: TaskView, need: Need) -> set[str]:
    """The documents of the need's evidence, alternatives included."""
    return {doc_id for i in view.located[0] if i.need_id == need.id for doc_id in i.doc_ids}


def _marks(view: TaskView, need: Need) -> dict[str, str]:
    """The documents that are marked as distractors of the need, and where that was done."""
    marks = {
        other: f"distractor of {doc_id} in the manifest"
        for doc_id in sorted(_evidence_documents(view, need))
        for other in view.subject.distractors_of(doc_id)
    }
    for mark in need.distractors:
        why = f": {mark.why}" if mark.why else ""
        marks[view.subject.by_name.get(mark.doc_id, mark.doc_id)] = f"distractor of the need{why}"
    return marks


def _written(wanted: Value) -> str:
    if wanted.number is not None:
        return f"{wanted.number.normalize():f} {wanted.unit}".strip()
    return wanted.date.isoformat() if wanted.date else repr(wanted.text)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
