"""Work that waits, run to its end: at the top, inside a running loop, and interrupted there."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time

import pytest

from ragbench.config import EvalConfig
from ragbench.runner import completed, prepare, run


async def later(value: int) -> int:
    await asyncio.sleep(0)
    return value


def test_it_runs_with_and_without_a_loop() -> None:
    assert completed(later(7)) == 7

    async def cell() -> int:
        return completed(later(8))

    assert asyncio.run(cell()) == 8


def test_what_it_raises_arrives() -> None:
    async def broken() -> None:
        raise ValueError("no")

    async def cell() -> None:
        completed(broken())

    with pytest.raises(ValueError, match="no"):
        asyncio.run(cell())


def test_a_run_inside_a_loop_is_that_of_the_command_line(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def cell(name: str) -> bytes:
        config = EvalConfig(domain="mock", retrieval_config="bm25", save_to=tmp_path / name)
        return (run(prepare(config)).folder / "scores.jsonl").read_bytes()

    inside = asyncio.run(cell("inside"))
    config = EvalConfig(domain="mock", retrieval_config="bm25", save_to=tmp_path / "outside")
    outside = (run(prepare(config)).folder / "scores.jsonl").read_bytes()
    assert inside == outside
    assert inside.count(b"\n") == 9


INTERRUPTED = """
import asyncio
from ragbench.runner import completed

async def endless():
    print("begun", flush=True)
    try:
        await asyncio.sleep(60)
    finally:
        print("ended", flush=True)

async def cell():
    try:
        completed(endless())
    except KeyboardInterrupt:
        print("interrupted", flush=True)

asyncio.run(cell())
"""


def test_an_interrupt_inside_a_loop_ends_the_work_first() -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        assert process.stdout.readline() == b"begun\n"
        started = time.monotonic()
        # asyncio.run's own handler takes the first one for a wish to cancel its task.
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        rest = process.stdout.read()
        guard.cancel()
    assert b"ended\n" in rest
    assert time.monotonic() - started < 30
