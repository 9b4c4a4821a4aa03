"""Necessity: what a need is about can be had from its evidence alone.

With the evidence documents of a need taken away, nothing that is left may state its gold values
near its subject, and no passage may be like its evidence, unless the document is marked: as an
alternative (an ``any_of`` of the item), or as a distractor, in the need or in the manifest.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragbench.records import Need
from ragbench.validate._corpus import ALIKE, Segment, content_words, segments_of
from ragbench.validate._rule import Flaw, Severity, task_rule
from ragbench.validate._values import Value, spoken_facts, states
from ragbench.validate._view import TaskView

__all__: list[str] = []

_NEAR = 0.5
"""Share of the content words of the evidence passage that must stand around the value."""
_FEWEST_WORDS = 2
_FEWEST_TOKENS = 5
"""A shorter passage is like many, and means nothing."""
_SHOWN = 90


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
    for need in view.task.needs:
        told: set[str] = set()
        for wanted, words in _wanted(view, need):
            for doc_id, around in view.subject.corpus.near(wanted):
                shared = words & content_words(around)
                if doc_id not in told | _known(view, need) and len(shared) >= max(
                    _FEWEST_WORDS, _NEAR * len(words)
                ):
                    told.add(doc_id)
                    yield Flaw(
                        f"need {need.id!r}: {doc_id} states {_written(wanted)} near "
                        f"{', '.join(sorted(shared)[:6])}: {_cut(around)!r}"
                    )


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
    for need in view.task.needs:
        told = _known(view, need)
        for segment in _evidence_segments(view, need):
            for other in view.subject.corpus.alike(segment):
                if other.doc_id not in told:
                    told = told | {other.doc_id}
                    yield Flaw(
                        f"need {need.id!r}: {other.doc_id} has a passage at least "
                        f"{ALIKE:.0%} like its evidence: {_cut(other.text)!r}"
                    )


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


def _known(view: TaskView, need: Need) -> set[str]:
    """The documents of the need's evidence, and those that are marked."""
    documents = {doc_id for i in view.located[0] if i.need_id == need.id for doc_id in i.doc_ids}
    marked = {view.subject.by_name.get(mark.doc_id, mark.doc_id) for mark in need.distractors}
    for doc_id in documents:
        marked |= set(view.subject.distractors_of(doc_id))
    return documents | marked


def _written(wanted: Value) -> str:
    if wanted.number is not None:
        return f"{wanted.number.normalize():f} {wanted.unit}".strip()
    return wanted.date.isoformat() if wanted.date else repr(wanted.text)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
