"""A file of trajectories: its lines read, and what each line says held against the documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragbench.errors import RunError, UsageError

if TYPE_CHECKING:
    from ragbench.records import Trajectory
    from ragbench.runner import Prepared

__all__ = ["Numbered", "check_places", "read_trajectories", "tell_doubled"]

_BOM = b"\xef\xbb\xbf"

Numbered = tuple[int, "Trajectory"]
"""A trajectory and the number of its line, from 1."""


def read_trajectories(path: Path) -> list[Numbered]:
    """Every trajectory of the file.

    Raises:
        UsageError: the file cannot be read, or holds none.
        RunError: a line is no trajectory.
    """
    from pydantic import ValidationError

    from ragbench.records import Trajectory

    try:
        lines = path.read_bytes().removeprefix(_BOM).splitlines()
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    found: list[Numbered] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append((number, Trajectory.model_validate_json(line)))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise RunError(
                f"{path}, line {number} is no trajectory: {place + ': ' if place else ''}"
                f"{first['msg']}. A line is what a run writes into trajectories.jsonl; mend or "
                "remove it."
            ) from error
    if not found:
        raise UsageError(f"{str(path)!r} holds no trajectory: it is empty. Give a run's file.")
    return found


def check_places(trajectory: Trajectory, prepared: Prepared, where: str) -> None:
    """Refuse spans that the documents do not have: the measures would be of another text.

    Raises:
        RunError: a document is unknown, or shorter than a span says; a span holds nothing, or more
            hits were delivered than found.
    """
    for event in trajectory.events:
        if not 0 <= event.n_delivered <= len(event.hits):
            raise RunError(
                f"{where}: the search {event.call_id} has {len(event.hits)} hits, of which "
                f"{event.n_delivered} are said to have been delivered. Correct n_delivered."
            )
    for doc_id, start, end in _places(trajectory):
        document = prepared.documents.get(doc_id)
        if document is None:
            raise RunError(
                f"{where} saw the document {doc_id!r}, which the corpus of {prepared.domain.name} "
                f"does not hold. Known: {', '.join(sorted(prepared.documents)[:10])}"
                f"{', ...' if len(prepared.documents) > 10 else ''}"
            )
        if start < 0 or start > end or (start == end and document.text):
            raise RunError(
                f"{where} saw {doc_id!r} from character {start} to {end}, which is no stretch of "
                "text. Correct start and end; they count from 0, the end excluded."
            )
        if end > len(document.text):
            raise RunError(
                f"{where} saw {doc_id!r} up to character {end}, but it has {len(document.text)}. "
                "It was recorded from another text; diagnose it with the corpus of its run."
            )


def _places(trajectory: Trajectory) -> Iterator[tuple[str, int, int]]:
    yield from ((span.doc_id, span.start, span.end) for span in trajectory.inlined)
    hits = (hit for event in trajectory.events for hit in event.hits)
    yield from ((hit.doc_id, hit.start, hit.end) for hit in hits)


def tell_doubled(numbered: Sequence[Numbered], path: Path) -> None:
    """Warn of a task's trial that stands on an earlier line: figures over both count it twice."""
    lines: dict[tuple[str, int], int] = {}
    for number, trajectory in numbered:
        key = (trajectory.task_id, trajectory.trial)
        first = lines.setdefault(key, number)
        if first != number:
            click.echo(
                f"warning: {path}, line {number}: trial {key[1]} of the task {key[0]!r} stands on "
                f"line {first} already; both are diagnosed. Remove one, or number the trials.",
                err=True,
            )
