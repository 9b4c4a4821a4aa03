"""Progress on stderr: a bar on a terminal, a plain line per stage elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from ragbench.ingest.progress import Progress

__all__ = ["duration", "shown_progress"]

_LINES = 5
"""Plain lines per stage: one for every fifth of it."""


@contextlib.contextmanager
def shown_progress() -> Iterator[Progress]:
    """What an ingest reports its progress to, as fits where stderr goes."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar)


class _Bar:
    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task: TaskID | None = None

    def stage(self, name: str, total: int) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(name, total=total)

    def advance(self, n: int = 1) -> None:
        if self._task is not None:
            self._bar.advance(self._task, n)


class _Lines:
    def __init__(self) -> None:
        self._name, self._total, self._done, self._said = "", 0, 0, 0

    def stage(self, name: str, total: int) -> None:
        self._name, self._total, self._done, self._said = name, total, 0, 0

    def advance(self, n: int = 1) -> None:
        self._done += n
        part = _LINES * self._done // self._total if self._total else 0
        if part > self._said:
            self._said = part
            click.echo(f"{self._name}: {self._done:,} of {self._total:,}", err=True)


def duration(seconds: float) -> str:
    """A length of time for people.

    >>> duration(12.3), duration(600), duration(7200)
    ('12 s', '10 min', '2.0 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
