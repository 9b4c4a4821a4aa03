"""The run folder of an evaluation: what is in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from ragbench.errors import RunError
from ragbench.records import Trajectory, TrialScore
from ragbench.runner._append_folder import AppendFolder

__all__ = [
    "OTHER_SETUPS",
    "REVIEWS",
    "SPENDING",
    "TRAJECTORIES",
    "RunFolder",
    "configuration_hash",
    "reviews_of",
    "trajectories_of",
]

TRAJECTORIES, REVIEWS, SPENDING = "trajectories.jsonl", "reviews.jsonl", "spending.jsonl"
OTHER_SETUPS = ("no_knowledge", "golden_retrieval")
"""What a run's own agent can be held against: its tasks with nothing, and with the documents."""


def trajectories_of(setup: str | None) -> str:
    """The file of the simulations under another setup; None is the run's own."""
    return TRAJECTORIES if setup is None else f"{setup}.jsonl"


def reviews_of(setup: str | None) -> str:
    """The file of their reviews."""
    return REVIEWS if setup is None else f"{setup}.reviews.jsonl"


class RunFolder(AppendFolder):
    """The folder of one evaluation: trajectories, scores, summary, report.

    Simulations of the same tasks under another setup (`OTHER_SETUPS`) and the judge's reviews stand
    in files of their own.

    Args:
        path: the folder; it is made when the run opens it.
    """

    lines = (
        TRAJECTORIES,
        REVIEWS,
        SPENDING,
        *(trajectories_of(name) for name in OTHER_SETUPS),
        *(reviews_of(name) for name in OTHER_SETUPS),
    )
    files = ("config.json", "scores.jsonl", "summary.json", "report.html", *lines)
    work = "evaluation"
    line_is = "piece of work"

    def trajectories(self, name: str = TRAJECTORIES) -> dict[tuple[str, int], Trajectory]:
        """The stored simulations by (task, trial); the last line of a pair holds.

        Raises:
            RunError: a line other than the last does not parse.
        """
        stored = self.stored(name, Trajectory)
        return {(trajectory.task_id, trajectory.trial): trajectory for trajectory in stored}

    def append(self, trajectory: Trajectory) -> None:
        """Add one simulation and wait until the disk has it."""
        self.add(TRAJECTORIES, trajectory)

    def retract(self) -> None:
        """Take back the summary: what it says holds no longer once more work is stored."""
        (self.path / "summary.json").unlink(missing_ok=True)

    def finished(self) -> tuple[tuple[TrialScore, ...], dict[str, Any]] | None:
        """Scores and summary of a run that was finished, None when either is not there.

        Raises:
            RunError: one of the files does not parse.
        """
        scores, summary = self.path / "scores.jsonl", self.path / "summary.json"
        if not (scores.is_file() and summary.is_file()):
            return None
        try:
            lines = scores.read_text(encoding="utf-8").splitlines()
            found = tuple(TrialScore.model_validate_json(line) for line in lines)
            return found, json.loads(summary.read_text(encoding="utf-8"))
        except ValueError as error:
            raise RunError(
                f"The results in {str(self.path)!r} are damaged: {error}. Delete scores.jsonl and "
                "summary.json there and run the same command: the trajectories are graded again."
            ) from error

    def write_scores(self, scores: Iterable[TrialScore]) -> None:
        """Write ``scores.jsonl``, sorted by (task, trial)."""
        ordered = sorted(scores, key=lambda score: (score.task_id, score.trial))
        self.write("scores.jsonl", "".join(score.model_dump_json() + "\n" for score in ordered))


def configuration_hash(identity: dict[str, Any]) -> str:
    """Ten hexadecimal digits that equal configurations share."""
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:10]
