"""The run folder: what is in it, and how it survives being interrupted.

``config.json`` is written before the first task, ``trajectories.jsonl`` is only appended to (one
line per simulation, flushed to disk), ``scores.jsonl`` and ``summary.json`` are written at the end
by atomic rename. A torn last line is recognised, reported, cut off and its simulation run again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragbench.errors import RunError
from ragbench.records import Trajectory, TrialScore

__all__ = ["RunFolder", "configuration_hash"]

_FILES = ("config.json", "trajectories.jsonl", "scores.jsonl", "summary.json", "report.html")


class RunFolder:
    """One run's folder.

    Args:
        path: the folder; it is made when the run opens it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn: str | None = None

    @contextmanager
    def opened(self, resolved: dict[str, Any], fresh: bool) -> Iterator[None]:
        """Lock the folder and make it hold this configuration.

        Args:
            resolved: the resolved configuration; its ``identity`` decides what is equal.
            fresh: delete an earlier run's files first.

        Raises:
            RunError: another process runs here, or the folder holds another configuration or
                files that are no run.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / ".lock").open("a")
        except OSError as error:
            raise RunError(f"The run folder {str(self.path)!r} cannot be made: {error}.") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise RunError(
                    f"Another evaluation is writing into {str(self.path)!r}. Wait for it, or "
                    "choose another folder with --save-to."
                ) from error
            if fresh:
                for name in _FILES:
                    (self.path / name).unlink(missing_ok=True)
            self._take(resolved)
            yield

    def trajectories(self) -> dict[tuple[str, int], Trajectory]:
        """The stored simulations by (task, trial); the last line of a pair holds.

        Raises:
            RunError: a line other than the last does not parse.
        """
        path = self.path / "trajectories.jsonl"
        found: dict[tuple[str, int], Trajectory] = {}
        if not path.is_file():
            return found
        lines = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                trajectory = Trajectory.model_validate_json(line)
            except ValidationError as error:
                raise RunError(
                    f"{path}, line {number} is damaged and is not the last: "
                    f"{error.errors()[0]['msg']}. Start anew with --fresh, or restore the file."
                ) from error
            found[trajectory.task_id, trajectory.trial] = trajectory
        return found

    def mend(self) -> None:
        """Cut a torn last line off the trajectories; `torn` then says so."""
        path = self.path / "trajectories.jsonl"
        if not path.is_file():
            return
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self.torn = (
                f"The last line of {path.name} was torn ({len(content) - whole} bytes); "
                "that simulation runs again."
            )
            with path.open("r+b") as file:
                file.truncate(whole)
                os.fsync(file.fileno())

    def append(self, trajectory: Trajectory) -> None:
        """Add one simulation and wait until the disk has it."""
        with (self.path / "trajectories.jsonl").open("ab") as file:
            file.write(trajectory.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

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

    def write(self, name: str, text: str) -> None:
        """Write a file so that a reader sees the old one or the new one."""
        temporary = self.path / f".{name}.tmp"
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path / name)

    def _take(self, resolved: dict[str, Any]) -> None:
        path = self.path / "config.json"
        if path.is_file():
            stored = self._stored(path)
            if stored.get("identity") != resolved["identity"]:
                differing = _differing(stored.get("identity") or {}, resolved["identity"])
                raise RunError(
                    f"{str(self.path)!r} holds a run of another configuration (different: "
                    f"{', '.join(differing)}). Choose another folder with --save-to, or start anew "
                    "with --fresh."
                )
            return
        foreign = sorted(
            p.name for p in self.path.iterdir() if p.name not in (".lock", ".config.json.tmp")
        )
        if foreign:
            raise RunError(
                f"{str(self.path)!r} is no run folder: it holds {foreign[0]!r} but no config.json. "
                "Choose another folder with --save-to."
            )
        self.write("config.json", json.dumps(resolved, indent=2, ensure_ascii=False) + "\n")

    def _stored(self, path: Path) -> dict[str, Any]:
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError(f"{path} cannot be read: {error}. Start anew with --fresh.") from error
        if not isinstance(stored, dict):
            raise RunError(f"{path} is no configuration. Start anew with --fresh.")
        return stored


def configuration_hash(identity: dict[str, Any]) -> str:
    """Ten hexadecimal digits that equal configurations share."""
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
