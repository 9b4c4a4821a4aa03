"""Trials that beat the reference: each may be a better agent, or a label that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ragbench.errors import RunError
from ragbench.records import NeedStatus, Trajectory, TrialScore
from ragbench.runner import RunFolder
from ragbench.score import facts_in
from ragbench.validate._rule import Flaw, Severity, domain_rule
from ragbench.validate._subject import Subject
from ragbench.validate._values import Value, states
from ragbench.validate._view import TaskView

__all__: list[str] = []

_SHOWN = 90


@domain_rule(
    "runs.beats_reference",
    Severity.WARNING,
    means="A trial succeeded on a task that the oracle fails under the same setup; it read another "
    "passage than the annotated one, asked better, or guessed.",
    remedy="Read the trial. If the passage answers the need, add it to any_of; if the value was "
    "guessed, make it harder to guess; if the agent simply asked better, nothing is wrong.",
    needs=("native", "documents"),
)
def beats_reference(subject: Subject) -> Iterator[Flaw]:
    """Trials of the given runs that beat the reference, each with what made it possible."""
    tasks = {task.id: task for task in subject.tasks}
    for path in subject.config.runs:
        folder, scores = _finished(path, subject)
        trajectories = folder.trajectories()
        for score in scores:
            if score.beats_reference and score.task_id in tasks:
                view = TaskView(subject, tasks[score.task_id])
                trajectory = trajectories[score.task_id, score.trial]
                how = "; ".join(_reasons(view, trajectory, score))
                yield Flaw(f"trial {score.trial}: {how}", path, score.task_id)


def _finished(path: Path, subject: Subject) -> tuple[RunFolder, tuple[TrialScore, ...]]:
    folder = RunFolder(path)
    if not (path / "trajectories.jsonl").is_file():
        raise RunError(
            f"{str(path)!r} is no run folder: it holds no trajectories.jsonl. Give the folder that "
            "ragbench eval names at its end."
        )
    settings = json.loads((path / "config.json").read_text(encoding="utf-8"))
    domain = settings.get("identity", {}).get("domain")
    if domain != subject.name:
        raise RunError(
            f"{str(path)!r} is a run of {domain!r}, not of {subject.name!r}. Give runs of the "
            "domain that is validated."
        )
    finished = folder.finished()
    if finished is None:
        raise RunError(
            f"The run {str(path)!r} is not finished. Continue it: ragbench eval --resume {path}"
        )
    return folder, finished[0]


def _reasons(view: TaskView, trajectory: Trajectory, score: TrialScore) -> Iterator[str]:
    """Per need whose evidence came too late or never: the passage that was read, or a guess."""
    unmet = [n.need_id for n in score.diagnosis.needs if n.status is not NeedStatus.MET]
    if not unmet:
        yield "all evidence was found, by other queries than the written ones"
    for need_id in unmet:
        passage = _passage(view, trajectory, need_id)
        yield (
            f"need {need_id!r}: read {passage}"
            if passage
            else f"need {need_id!r}: nothing that "
            "was read states its values: a guess, or knowledge of its own"
        )


def _passage(view: TaskView, trajectory: Trajectory, need_id: str) -> str:
    """A delivered passage that states all gold values of the need, empty when there is none."""
    values = _values(view, need_id)
    if not values:
        return ""
    for event in trajectory.events:
        for hit in event.delivered:
            document = view.subject.documents.get(hit.doc_id)
            text = document.text[hit.start : hit.end] if document is not None else ""
            if all(states(facts_in(text), value) for value in values):
                return f"{hit.chunk_id}: {' '.join(text.split())[:_SHOWN]!r}"
    return ""


def _values(view: TaskView, need_id: str) -> list[Value]:
    if view.missing("gold") or view.missing("located"):
        return []
    (need,) = [need for need in view.task.needs if need.id == need_id]
    return view.gold_values(need)
