"""A folder of results that survives being interrupted.

``config.json`` is written before the work begins, files of lines are only appended to (one line per
finished piece of work, flushed to disk), results are written at the end by atomic rename. A torn
last line is recognised, reported, cut off and its piece of work done again. The folder of an
evaluation is `RunFolder`; a grid of retrieval setups has its own (`ragbench.compare`).
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ragbench.errors import RunError

__all__ = ["AppendFolder"]

R = TypeVar("R", bound=BaseModel)


class AppendFolder:
    """A folder with ``config.json``, files of results, and files of lines that only grow.

    Args:
        path: the folder; it is made when it is opened.
    """

    files: tuple[str, ...] = ("config.json",)
    """Every file and folder that may be in it."""
    lines: tuple[str, ...] = ()
    """Those that are appended to."""
    work = "run"
    """What writes it, for messages."""
    line_is = "line"
    """What one line holds, for messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn: str | None = None

    @contextmanager
    def opened(self, resolved: dict[str, Any], fresh: bool) -> Iterator[None]:
        """Lock the folder and make it hold this configuration.

        Args:
            resolved: the resolved configuration; its ``identity`` decides what is equal.
            fresh: delete an earlier run's files first; in a folder that holds no run, nothing is.

        Raises:
            RunError: another process runs here, or the folder holds another configuration or
                files that are no run.
        """
        with self.locked():
            if fresh:
                self._clear()
            self._take(resolved)
            yield

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing into the folder; it is made where it is missing.

        Raises:
            RunError: another process writes here, or the folder cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / ".lock").open("a")
        except OSError as error:
            reason = "a file stands there" if self.path.is_file() else error.strerror
            raise RunError(
                f"The run folder {str(self.path)!r} cannot be made: {reason}. Choose another with "
                "--save-to."
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise RunError(
                    f"Another {self.work} is writing into {str(self.path)!r}. Wait for it, or "
                    "choose another folder with --save-to."
                ) from error
            yield

    def _clear(self) -> None:
        """Delete an earlier run's files, and nothing in a folder that holds no run."""
        path = self.path / "config.json"
        if not path.is_file() or "identity" not in self._configuration(path):
            return
        for name in self.files:
            if (self.path / name).is_dir():
                shutil.rmtree(self.path / name)
            else:
                (self.path / name).unlink(missing_ok=True)

    def mend(self) -> None:
        """Cut a torn last line off the files of lines; `torn` then says so."""
        for name in self.lines:
            self._mend(self.path / name)

    def _mend(self, path: Path) -> None:
        if not path.is_file():
            return
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self.torn = (
                f"The last line of {path.name} was torn ({len(content) - whole} bytes); "
                f"that {self.line_is} runs again."
            )
            with path.open("r+b") as file:
                file.truncate(whole)
                os.fsync(file.fileno())

    def stored(self, name: str, record: type[R]) -> Iterator[R]:
        """The records of a file of lines, in their order.

        Raises:
            RunError: a line does not parse.
        """
        path = self.path / name
        if not path.is_file():
            return
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if not line:
                continue
            try:
                yield record.model_validate_json(line)
            except ValidationError as error:
                raise RunError(
                    f"{path}, line {number} is damaged and is not the last: "
                    f"{error.errors()[0]['msg']}. Start anew with --fresh, or restore the file."
                ) from error

    def add(self, name: str, record: BaseModel) -> None:
        """Append one record as a line and wait until the disk has it."""
        with (self.path / name).open("ab") as file:
            file.write(record.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def write(self, name: str, text: str) -> None:
        """Write a file so that a reader sees the old one or the new one."""
        target = self.path / name
        temporary = target.with_name(f".{target.name}.tmp")
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)

    def _take(self, resolved: dict[str, Any]) -> None:
        path = self.path / "config.json"
        if path.is_file():
            stored = self._configuration(path)
            if stored.get("identity") != resolved["identity"]:
                differing = _differing(stored.get("identity") or {}, resolved["identity"])
                raise RunError(
                    f"{str(self.path)!r} holds a run of another configuration: "
                    f"{'; '.join(differing)}. Give the options of that run, choose another folder "
                    "with --save-to, or start anew with --fresh."
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

    def configuration(self) -> dict[str, Any]:
        """The content of ``config.json``.

        Raises:
            RunError: it cannot be read.
        """
        return self._configuration(self.path / "config.json")

    def _configuration(self, path: Path) -> dict[str, Any]:
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError(
                f"{path} cannot be read: {error}. Choose another folder with --save-to."
            ) from error
        if not isinstance(stored, dict):
            raise RunError(f"{path} is no configuration. Choose another folder with --save-to.")
        return stored


def _differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    keys = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    return [f"{key} is {_short(old.get(key))} there, {_short(new.get(key))} here" for key in keys]


def _short(value: Any) -> str:  # noqa: ANN401  (any JSON value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
