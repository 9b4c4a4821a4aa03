"""Models at work side by side: one process per model, as many at a time as was asked for.

One process alone does everything in this one. A worker ends when this process does, however that
ends: it watches the pipe that only this process holds open.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from ragbench.compare._grid import Cell
from ragbench.compare._work import Finished, Job, Known, Marked, failed, work
from ragbench.errors import RagbenchError
from ragbench.ingest.progress import Progress

__all__ = ["work_all"]

_DIED = 70


def work_all(
    job: Job,
    groups: Sequence[Sequence[Cell]],
    known: Known,
    n_jobs: int,
    progress: Progress | None = None,
) -> Iterator[Finished]:
    """Everything of all models, piece by piece as it is finished, in any order.

    Args:
        job: what to work on.
        groups: the cells of each model.
        known: collections whose making is on record already.
        n_jobs: models at a time.
        progress: told how far an ingest is, where there is one at a time.
    """
    if n_jobs == 1 or len(groups) == 1:
        marked = Marked()
        for group in groups:
            yield from work(job, group, known, progress, marked)
        return
    waiting = list(reversed(groups))
    running: dict[Connection, _Worker] = {}
    try:
        while waiting or running:
            while waiting and len(running) < n_jobs:
                worker = _Worker(job, waiting.pop(), known)
                running[worker.results] = worker
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                worker = running[ready]
                yield from worker.take()
                if worker.is_done:
                    del running[ready]
    finally:
        for worker in running.values():
            worker.stop()


class _Worker:
    """One model's process."""

    def __init__(self, job: Job, cells: Sequence[Cell], known: Known) -> None:
        context = multiprocessing.get_context("spawn")
        self.results, theirs = context.Pipe(duplex=False)
        watched, self._alive = context.Pipe(duplex=False)
        self._process: BaseProcess = context.Process(
            target=_run, args=(job, cells, known, theirs, watched)
        )
        self._process.start()
        theirs.close()
        watched.close()
        self._left = {cell.cell_id: cell for cell in cells}
        self.is_done = False

    def take(self) -> list[Finished]:
        """What it sent; when it has ended, the failure of every cell that it did not finish."""
        try:
            piece: Finished | None = self.results.recv()
        except EOFError:
            return self._ended()
        if piece is None:
            self.stop()
            return []
        self._left.pop(getattr(piece, "cell_id", ""), None)
        return [piece]

    def stop(self) -> None:
        """End it."""
        self.is_done = True
        self._alive.close()
        self._process.join()
        self.results.close()

    def _ended(self) -> list[Finished]:
        self.stop()
        error = RagbenchError(
            f"The process that worked on it ended with exit code {self._process.exitcode}. "
            "Run the same command again, with --jobs 1 if memory is short."
        )
        return [failed(cell, error) for cell in self._left.values()]


def _run(
    job: Job, cells: Sequence[Cell], known: Known, results: Connection, watched: Connection
) -> None:
    threading.Thread(target=_end_with, args=(watched,), daemon=True).start()
    for piece in work(job, cells, known):
        results.send(piece)
    results.send(None)


def _end_with(watched: Connection) -> None:
    """End this process as soon as the other end of the pipe is gone."""
    try:
        watched.recv()
    except (EOFError, OSError):
        os._exit(_DIED)
