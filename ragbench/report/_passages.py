"""The passages behind the numbers: where evidence stands, and what each search delivered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ragbench.evidence import LocatedItem, intersect
from ragbench.records import HitRecord, Review, Trajectory
from ragbench.runner import Prepared

__all__ = ["Delivered", "Passages", "passages_of"]

_MOST_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Delivered:
    """A hit that reached the agent: where it stands, and which items' evidence it touches."""

    rank: int
    where: str
    touches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passages:
    """What a report shows beside the diagnosis.

    Attributes:
        evidence: by (task, need, item), each alternative as (where it stands, its text).
        hits: by (task, trial, call id), the delivered hits.
        reviews: by (task, trial), what a judge said.
    """

    evidence: dict[tuple[str, str, int], list[tuple[str, str]]] = field(default_factory=dict)
    hits: dict[tuple[str, int, str], list[Delivered]] = field(default_factory=dict)
    reviews: dict[tuple[str, int], Review] = field(default_factory=dict)


def passages_of(
    prepared: Prepared, trajectories: Iterable[Trajectory], reviews: Iterable[Review] = ()
) -> Passages:
    """The passages of a run's tasks and trials, read from the documents it was run on."""
    found = Passages(reviews={(review.task_id, review.trial): review for review in reviews})
    for task_id, items in prepared.items.items():
        for item in items:
            found.evidence[task_id, item.need_id, item.index] = _alternatives(prepared, item)
    for trajectory in trajectories:
        for event in trajectory.events:
            key = (trajectory.task_id, trajectory.trial, event.call_id)
            items = prepared.items.get(trajectory.task_id, ())  # none when the task is gone
            found.hits[key] = [_delivered(prepared, hit, items) for hit in event.delivered]
    return found


def _alternatives(prepared: Prepared, item: LocatedItem) -> list[tuple[str, str]]:
    shown = []
    for passage in item.any_of:
        document = prepared.documents[passage.doc_id]
        start, end = passage.span or (0, len(document.text))
        text = " ".join(document.text[start:end].split())
        if len(text) > _MOST_CHARACTERS:
            text = text[: _MOST_CHARACTERS - 4] + " ..."
        shown.append((_where(prepared, passage.doc_id, start, end), text))
    return shown


def _delivered(prepared: Prepared, hit: HitRecord, items: Iterable[LocatedItem]) -> Delivered:
    touched = [
        f"{item.need_id} {item.index + 1}"
        for item in items
        if any(
            passage.doc_id == hit.doc_id
            and (passage.span is None or intersect([passage.span], [(hit.start, hit.end)]))
            for passage in item.any_of
        )
    ]
    return Delivered(hit.rank, _where(prepared, hit.doc_id, hit.start, hit.end), tuple(touched))


def _where(prepared: Prepared, doc_id: str, start: int, end: int) -> str:
    document = prepared.documents.get(doc_id)
    place = document.where(start, end) if document is not None else ""
    return f"{doc_id}, {place}" if place else doc_id
