"""Saving: every simulation is written once, so that the bytes grow with their number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragbench.config import EvalConfig
from ragbench.runner import prepare, run

IO = Path("/proc/self/io")


def n_written() -> int:
    """Bytes that this process has handed to the system to write."""
    counts = dict(line.split(": ") for line in IO.read_text(encoding="utf-8").splitlines())
    return int(counts["wchar"])


@pytest.mark.skipif(not IO.is_file(), reason="the system does not count the bytes written")
def test_the_bytes_written_grow_with_the_number_of_simulations(tmp_path) -> None:
    config = EvalConfig(domain="mock", retrieval_config="no_knowledge", store=tmp_path / "store")
    prepared = prepare(config)
    written, kept = [], []
    for n in (2, 4, 8):  # trials of each of 9 tasks
        folder = tmp_path / f"run-{n}"
        before = n_written()
        run(replace(prepared, config=replace(config, num_trials=n, save_to=folder)))
        written.append(n_written() - before)
        kept.append(sum(path.stat().st_size for path in folder.iterdir()))
    one, two, four = written
    # Twice as many more simulations, twice as many more bytes. A file that was written anew with
    # every simulation would make it four times as many.
    assert four - two == pytest.approx(2 * (two - one), rel=0.05)
    # All that was written is there: nothing is written twice.
    assert written == pytest.approx(kept, rel=0.02)
