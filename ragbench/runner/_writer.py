"""Lines that many simulations append to one file, off the event loop.

Lines that come while the disk is at work are written together and synced once, so that five hundred
simulations do not wait for five hundred disks. A line counts only when the disk has it.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from pathlib import Path
from types import TracebackType

from pydantic import BaseModel

from ragbench.errors import RunError

__all__ = ["LineWriter"]

_Item = tuple[BaseModel, "asyncio.Future[None]"]


class LineWriter:
    """Appends records to a file, each as one line; a context manager.

    Leaving it waits for every line that was given, also of tasks that were cancelled meanwhile.

    Args:
        path: the file; it is made with the first line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._given: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._failure: OSError | None = None

    def __enter__(self) -> LineWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._thread is not None:
            self._given.put(None)
            self._thread.join()
            self._thread = None

    async def add(self, record: BaseModel) -> None:
        """Append one record; returns when the disk has it.

        Raises:
            RunError: the file cannot be written.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="line-writer")
            self._thread.start()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._given.put((record, done))
        await done

    def _write_all(self) -> None:
        file = -1
        while (batch := self._batch()) is not None:
            if self._failure is None:  # else what follows a torn line would be lost with it
                try:
                    if file < 0:
                        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
                    self._write(file, [record for record, _ in batch])
                except OSError as error:
                    self._failure = error
            for _, done in batch:
                done.get_loop().call_soon_threadsafe(self._tell, done)
        if file >= 0:
            os.close(file)

    def _write(self, file: int, records: list[BaseModel]) -> None:
        content = b"".join(record.model_dump_json().encode() + b"\n" for record in records)
        while content:
            content = content[os.write(file, content) :]
        os.fsync(file)

    def _batch(self) -> list[_Item] | None:
        """Everything that is waiting, at least one record; None when there will be no more."""
        first = self._given.get()
        if first is None:
            return None
        batch = [first]
        while True:
            try:
                item = self._given.get_nowait()
            except queue.Empty:
                return batch
            if item is None:
                self._given.put(None)
                return batch
            batch.append(item)

    def _tell(self, done: asyncio.Future[None]) -> None:
        if done.done():  # its task was cancelled
            return
        if self._failure is None:
            done.set_result(None)
        else:
            done.set_exception(
                RunError(
                    f"{self._path} cannot be written: {self._failure.strerror}. What is in it is "
                    "kept; the same command goes on when there is room again."
                )
            )
