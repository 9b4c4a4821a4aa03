"""An event loop in a thread of its own, for code that waits for a model and has no loop."""

from __future__ import annotations

import asyncio
import atexit
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["Background"]

T = TypeVar("T")

_PATIENCE_S = 5.0


class Background:
    """Runs coroutines for callers that are not coroutines, in whatever thread they are.

    The thread begins with the first call and ends with this object, or with the process.

    Args:
        closing: called on the loop before it ends, to close its connections.
    """

    def __init__(self, closing: Callable[[], Awaitable[None]]) -> None:
        self._closing = closing
        self._lock = threading.Lock()
        self._serving: _Serving | None = None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result; an interrupt of the caller cancels it."""
        with self._lock:
            if self._serving is None:
                self._serving = _Serving(self._closing)
                # Wherever the garbage is collected, nothing may wait; the process may, at its end.
                weakref.finalize(self, self._serving.end).atexit = False
                atexit.register(self._serving.end_and_wait)
        future = asyncio.run_coroutine_threadsafe(coroutine, self._serving.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


class _Serving:
    """The thread with its loop, which must not hold the object that it ends with."""

    def __init__(self, closing: Callable[[], Awaitable[None]]) -> None:
        self._closing = closing
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(ready)), name="ragbench-llm", daemon=True
        )
        self._thread.start()
        ready.wait()

    async def _serve(self, ready: threading.Event) -> None:
        self.loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        ready.set()
        await self._over.wait()
        await self._closing()

    def end(self) -> None:
        """Let the loop close its connections and end."""
        atexit.unregister(self.end_and_wait)
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self._over.set)

    def end_and_wait(self) -> None:
        """The same, and wait for it."""
        self.end()
        self._thread.join(_PATIENCE_S)
