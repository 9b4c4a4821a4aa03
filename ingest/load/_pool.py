"""Many sources to documents, in their order, with heavy formats in guarded child processes.

Rules fixed here: small Markdown, text and JSON files are parsed in this process, and files of many
records as their documents are taken, one record in memory at a time; everything else goes to
workers with a time and a memory limit, started when first needed. A worker that hangs, eats its
memory or dies costs the one file that it had and is replaced. Results come in the order of the
sources, and no more than a few are held, however many sources there are.
"""

from __future__ import annotations

import selectors
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from ragbench.errors import DocumentUnreadable, ModelUnavailable, UsageError
from ragbench.ingest.load._files import Loader
from ragbench.ingest.load._process import Worker
from ragbench.ingest.load._records import Records
from ragbench.ingest.load._sources import RECORD_SUFFIXES, Source, Unread
from ragbench.ingest.load._wire import document_from
from ragbench.records import Document
from ragbench.registry import spec_of

__all__ = ["MEMORY_MB", "TIMEOUT_S", "ParserPool", "load_guarded", "load_many"]

TIMEOUT_S = 60.0
MEMORY_MB = 2048

Loaded = list[Document] | Records

_IN_PROCESS_SUFFIXES = {".md", ".markdown", ".txt", ".json"}
_IN_PROCESS_BYTES = 1_000_000
_AHEAD = 4
"""Sources taken on per worker before the oldest result has been fetched, whatever their size."""
_AHEAD_MOST = 128
_AHEAD_BYTES = 16_000_000
"""More are taken on while their files are no larger than this together, lest one slow file leave
the other workers idle."""


def load_many(
    sources: Iterable[Source], loader: Loader, jobs: int = 1, passwords: Sequence[str] = ()
) -> Iterator[tuple[Source, Loaded | Unread]]:
    """Each source with its documents, or with the reason why it has none, in the given order.

    Args:
        sources: taken as they are needed.
        loader: a registered loader.
        jobs: processes that parse; they are started when the first heavy file comes.
        passwords: tried on encrypted files.

    Raises:
        UsageError: ``jobs`` is less than 1.
        ModelUnavailable: the loader needs a package that is not installed.
    """
    with ParserPool(loader, jobs, passwords=passwords) as pool:
        yield from pool.load_many(sources)


def load_guarded(
    loader: Loader, source: Source, timeout_s: float = TIMEOUT_S, memory_mb: int = MEMORY_MB
) -> Loaded:
    """The documents of one source, parsed in a child process unless it is a file of records.

    Raises:
        DocumentUnreadable: as the loader's ``load``; also ``timeout``, ``memory`` and ``crashed``.
    """
    with ParserPool(loader, 1, timeout_s, memory_mb, small_in_process=False) as pool:
        ((_, result),) = pool.load_many([source])
    if isinstance(result, Unread):
        raise DocumentUnreadable(result.reason, result.detail)
    return result


@dataclass(slots=True)
class _Slot:
    source: Source
    n_bytes: int = 0
    result: Loaded | Unread | None = None


class ParserPool:
    """Worker processes that parse sources; a context manager that ends them.

    Args:
        loader: a registered loader; workers build it from its spec.
        jobs: how many processes at most.
        timeout_s: wall-clock seconds that one file may take.
        memory_mb: address space that a worker may have.
        small_in_process: parse small files of the light formats in this process.
        passwords: tried on encrypted files; workers are told on their standard input.
    """

    def __init__(
        self,
        loader: Loader,
        jobs: int = 1,
        timeout_s: float = TIMEOUT_S,
        memory_mb: int = MEMORY_MB,
        *,
        small_in_process: bool = True,
        passwords: Sequence[str] = (),
    ) -> None:
        if jobs < 1:
            raise UsageError(f"The number of parsing processes is {jobs!r}; it must be at least 1.")
        self.loader, self.jobs = loader, jobs
        self.timeout_s, self.memory_mb = timeout_s, memory_mb
        self.small_in_process = small_in_process
        self._passwords = tuple(passwords)
        self._idle: list[Worker] = []
        self._busy: dict[Worker, _Slot] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all workers."""
        for worker in (*self._idle, *self._busy):
            worker.close()
        self._idle.clear()
        self._busy.clear()

    def load_many(self, sources: Iterable[Source]) -> Iterator[tuple[Source, Loaded | Unread]]:
        """As the function `load_many`; one call at a time."""
        remaining = iter(sources)
        window: deque[_Slot] = deque()  # in the order of the sources
        waiting: deque[_Slot] = deque()  # of these, the ones for workers that none has yet
        while True:
            self._take_on(remaining, window, waiting)
            while waiting and len(self._busy) < self.jobs:
                self._hand_over(waiting.popleft())  # so that workers go on while a result is used
            if not window:
                return
            result = window[0].result
            if result is None:
                self._wait()
            else:
                yield window.popleft().source, result

    def _take_on(
        self, remaining: Iterator[Source], window: deque[_Slot], waiting: deque[_Slot]
    ) -> None:
        while len(window) < _AHEAD * self.jobs or (
            len(window) < _AHEAD_MOST and sum(slot.n_bytes for slot in window) < _AHEAD_BYTES
        ):
            source = next(remaining, None)
            if source is None:
                return
            slot = _Slot(source, _size(source))
            window.append(slot)
            if self._is_light(slot):
                slot.result = self._load_here(source)
            else:
                waiting.append(slot)

    def _is_light(self, slot: _Slot) -> bool:
        suffix = slot.source.suffix
        if suffix in RECORD_SUFFIXES:
            return True
        light = self.small_in_process and suffix in _IN_PROCESS_SUFFIXES
        return light and slot.n_bytes <= _IN_PROCESS_BYTES

    def _load_here(self, source: Source) -> Loaded | Unread:
        try:
            return self.loader.load(source, self._passwords)
        except DocumentUnreadable as error:
            return Unread(source.doc_id, error.reason, error.detail)

    def _hand_over(self, slot: _Slot) -> None:
        worker = self._idle.pop() if self._idle else None
        if worker is not None and not worker.is_alive():
            worker.close()
            worker = None
        if worker is None:
            spec = str(spec_of(self.loader))
            worker = Worker(spec, self.timeout_s, self.memory_mb, self._passwords)
        self._busy[worker] = slot
        worker.send(slot.source)

    def _wait(self) -> None:
        """Until a worker has answered or is overdue."""
        with selectors.DefaultSelector() as selector:
            for worker in self._busy:
                selector.register(worker, selectors.EVENT_READ)
            patience = min(worker.seconds_left() for worker in self._busy)
            readable = {key.fileobj for key, _ in selector.select(max(0.0, patience))}
        for worker in list(self._busy):
            if worker in readable:
                answer = worker.receive()
            elif worker.seconds_left() <= 0:
                answer = worker.overdue()
            else:
                continue
            if answer is not None:
                self._finish(worker, answer)

    def _finish(self, worker: Worker, answer: dict[str, Any]) -> None:
        slot = self._busy.pop(worker)
        if answer.get("ended") or answer.get("reason") == "memory":
            worker.close()  # after running out of memory what is left is too fragmented to trust
        else:
            self._idle.append(worker)
        if "unavailable" in answer:
            raise ModelUnavailable(answer["unavailable"])
        if "reason" in answer:
            slot.result = Unread(slot.source.doc_id, answer["reason"], answer["detail"])
        else:
            documents = [document_from(fields) for fields in answer["documents"]]
            unread = [Unread(*entry) for entry in answer["unread"]]
            slot.result = (
                Records(slot.source.doc_id, (*unread, *documents)) if unread else documents
            )


def _size(source: Source) -> int:
    try:
        return source.path.stat().st_size
    except OSError:
        return 0  # loading it will say why
