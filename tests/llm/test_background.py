"""An event loop for code that has none: whatever thread calls, and whenever it is dropped."""

from __future__ import annotations

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbench.llm import Background


async def nothing():
    """Nothing to close."""


def served():
    return [thread for thread in threading.enumerate() if thread.name == "ragbench-llm"]


def test_all_callers_share_one_loop_also_inside_of_another():
    background = Background(nothing)

    async def loop():
        return asyncio.get_running_loop()

    async def outside():
        return background.run(loop())  # as the diagnosis does, on the run's own loop

    with ThreadPoolExecutor(4) as pool:
        loops = list(pool.map(lambda _: background.run(loop()), range(8)))
    assert {*loops, asyncio.run(outside())} == {loops[0]}


def test_what_is_raised_comes_out():
    async def fail():
        raise KeyError("fee")

    with pytest.raises(KeyError, match="fee"):
        Background(nothing).run(fail())


def test_it_closes_on_its_loop_and_ends_when_nobody_has_it():
    gc.collect()
    before, closed = set(served()), []

    async def closing():
        closed.append(asyncio.get_running_loop())

    async def loop():
        return asyncio.get_running_loop()

    background = Background(closing)
    assert set(served()) == before  # no thread before the first call
    own = background.run(loop())
    (thread,) = set(served()) - before
    del background
    gc.collect()
    thread.join(5)
    assert not thread.is_alive()
    assert closed == [own]
    assert own.is_closed()


def test_an_interrupted_caller_cancels_what_it_waits_for():
    background = Background(nothing)
    started, cancelled = threading.Event(), threading.Event()

    async def wait():
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    class Interrupt(BaseException):
        """As of Ctrl-C."""

    class Future:
        def __init__(self, future):
            self.future = future

        def result(self):
            assert started.wait(5)
            raise Interrupt

        def cancel(self):
            self.future.cancel()

    real = asyncio.run_coroutine_threadsafe
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(asyncio, "run_coroutine_threadsafe", lambda *a: Future(real(*a)))
        with pytest.raises(Interrupt):
            background.run(wait())
    background.run(asyncio.sleep(0))
    assert cancelled.wait(5)
