"""Running a coroutine to its end from code that is not asynchronous, also inside a running loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["completed"]

T = TypeVar("T")


def completed(work: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns.

    A notebook's cell runs inside a loop, where another cannot be started: then it runs in a loop of
    its own, in a thread, and an interrupt of the waiting thread cancels it.

    Raises:
        KeyboardInterrupt: an interrupt came; the coroutine has ended before.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def noted() -> T:
        task = asyncio.ensure_future(work)
        begun.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ragbench-loop") as threads:
        future = threads.submit(asyncio.run, noted())
        try:
            return future.result()
        except KeyboardInterrupt:
            for loop, task in begun:
                loop.call_soon_threadsafe(task.cancel)
            with suppress(asyncio.CancelledError):
                future.result()
            raise
