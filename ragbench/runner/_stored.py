"""What a run folder holds, read once and kept up to date while the run is at work."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from ragbench.errors import RunError
from ragbench.records import Review, Task, Termination, Trajectory
from ragbench.runner._folder import (
    OTHER_SETUPS,
    SPENDING,
    RunFolder,
    reviews_of,
    trajectories_of,
)
from ragbench.runner._usage import Account, Spending

__all__ = ["Key", "Stored", "is_done", "task_hash"]

Key = tuple[str, int]
"""A task's id and the trial."""

OWN = None
"""Stands for the run's own setup where another could be named."""


def task_hash(task: Task) -> str:
    """Hash of everything that a task says."""
    return hashlib.sha256(task.model_dump_json().encode()).hexdigest()


def is_done(trajectory: Trajectory | None) -> bool:
    """Whether there is a simulation that did not fail for infrastructure."""
    if trajectory is None:
        return False
    return trajectory.termination is not Termination.INFRASTRUCTURE_ERROR


class Stored:
    """The simulations and reviews of a run, of its own setup and of the others.

    Args:
        folder: opened and mended.

    Attributes:
        account: the calls of everything stored, also of simulations that ran again.

    Raises:
        RunError: a line does not parse.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder, self.account = folder, Account()
        self._trajectories: dict[str | None, dict[Key, Trajectory]] = {}
        self._reviews: dict[str | None, dict[Key, Review]] = {}
        for setup in (OWN, *OTHER_SETUPS):
            self._trajectories[setup], self._reviews[setup] = {}, {}
            for trajectory in folder.stored(trajectories_of(setup), Trajectory):
                self.keep(trajectory, setup)
            for review in folder.stored(reviews_of(setup), Review):
                self.keep(review, setup)
        self.account.add_spending(folder.stored(SPENDING, Spending))

    def keep(self, made: Trajectory | Review, setup: str | None = OWN) -> None:
        """Take in what has just been stored; the last of a (task, trial) holds."""
        if isinstance(made, Trajectory):
            self._trajectories[setup][made.task_id, made.trial] = made
            self.account.add(setup or "simulations", made.llm_calls)
        else:
            self._reviews[setup][made.task_id, made.trial] = made
            self.account.add("reviews", made.llm_calls)

    def trajectories(self, setup: str | None = OWN) -> Mapping[Key, Trajectory]:
        """The simulations under a setup, by task and trial."""
        return self._trajectories[setup]

    def reviews(self, setup: str | None = OWN) -> Mapping[Key, Review]:
        """Their reviews."""
        return self._reviews[setup]

    def missing(self, wanted: Iterable[Key], setup: str | None = OWN) -> list[Key]:
        """The trials of which no simulation is stored, or one that failed for infrastructure."""
        return [key for key in wanted if not is_done(self._trajectories[setup].get(key))]

    def unreviewed(
        self, judge: str, tasks: Iterable[Task], setup: str | None = OWN
    ) -> list[Trajectory]:
        """The simulations of these tasks that this judge has not read without an error of its own.

        Verdicts on assertions that a task no longer makes, or did not make then, count as none.
        """
        assertions = {task.id: task.evaluation_criteria.nl_assertions for task in tasks}
        return [
            trajectory
            for key, trajectory in self._trajectories[setup].items()
            if is_done(trajectory)
            and key[0] in assertions
            and not _is_read(self._reviews[setup].get(key), judge, assertions[key[0]])
        ]

    def check_tasks(self, tasks: Iterable[Task]) -> None:
        """Refuse simulations that stand under the ids of other tasks.

        A trajectory carries the hash of the task that was played; one from elsewhere may not, and
        is then known by the customer's first words where they are written in a script.

        Raises:
            RunError: a simulation was played on another task than it says.
        """
        tasks = tuple(tasks)
        by_hash = {task_hash(task): task.id for task in tasks}
        for setup, found in self._trajectories.items():
            for trajectory in found.values():
                played = _played(trajectory, tasks, by_hash)
                if played is not None and played != trajectory.task_id:
                    raise RunError(
                        f"{self.folder.path / trajectories_of(setup)}: the simulation of task "
                        f"{trajectory.task_id!r}, trial {trajectory.trial}, was played on "
                        f"{played!r}. Its ids have been mixed up, and every score would be that "
                        "of another task. Restore the file, or run again with --fresh."
                    )


def _is_read(review: Review | None, judge: str, assertions: Sequence[str]) -> bool:
    if review is None or review.error is not None or review.judge != judge:
        return False
    return [one.assertion for one in review.assertions] == [*assertions]


def _played(
    trajectory: Trajectory, tasks: tuple[Task, ...], by_hash: Mapping[str, str]
) -> str | None:
    """The task that was played, None where that cannot be told."""
    if trajectory.task_sha256 is not None:
        return by_hash.get(trajectory.task_sha256)
    said = next((m.content for m in trajectory.messages if m.role == "user"), None)
    if trajectory.user != "scripted" or said is None:
        return None
    opened = [task.id for task in tasks if said == _opening(task)]
    return opened[0] if len(opened) == 1 else None


def _opening(task: Task) -> str | None:
    turns = task.user_scenario.script
    return next((turn.say for turn in turns if turn.when == "opening"), None)
