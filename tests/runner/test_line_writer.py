"""Lines appended off the event loop: on the disk when told so, together, and in an interrupt."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from ragbench.errors import RunError
from ragbench.runner._usage import Spending
from ragbench.runner._writer import LineWriter


def record(n: int) -> Spending:
    return Spending(cost_usd=n)


def costs(path: Path) -> list[float]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Spending.model_validate_json(line).cost_usd for line in lines]


def test_a_line_is_on_the_disk_when_it_is_told(tmp_path) -> None:
    path = tmp_path / "lines.jsonl"

    async def one_after_another() -> None:
        with LineWriter(path) as writer:
            for n in range(3):
                await writer.add(record(n))
                assert costs(path) == [*range(n + 1)]

    asyncio.run(one_after_another())


def test_lines_that_wait_are_synced_together(tmp_path, monkeypatch) -> None:
    """500 lines given at once need far fewer syncs than lines; every one of them is kept."""
    syncs = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (syncs.append(file), real(file)))
    path = tmp_path / "lines.jsonl"

    async def together() -> None:
        with LineWriter(path) as writer:
            async with asyncio.TaskGroup() as group:
                for n in range(500):
                    group.create_task(writer.add(record(n)))

    asyncio.run(together())
    assert sorted(costs(path)) == [*range(500)]
    assert 1 <= len(syncs) <= 50


def test_what_was_given_before_an_interrupt_is_written(tmp_path) -> None:
    path = tmp_path / "lines.jsonl"

    async def interrupted() -> None:
        with LineWriter(path) as writer:
            tasks = [asyncio.create_task(writer.add(record(n))) for n in range(20)]
            await asyncio.sleep(0)  # each has handed its line over
            for task in tasks:
                task.cancel()

    asyncio.run(interrupted())
    assert costs(path) == [*range(20)]


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/dev/full", "No space left on device"), ("/nowhere/lines.jsonl", "No such file")],
)
def test_a_file_that_cannot_be_written_is_an_error_for_every_line(path, reason) -> None:
    async def failing() -> None:
        with LineWriter(Path(path)) as writer:
            for n in range(2):
                with pytest.raises(RunError, match=f"{path} cannot be written: {reason}"):
                    await writer.add(record(n))

    asyncio.run(failing())
