"""A grid that is killed, with real processes: the same command loses and repeats nothing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

MAIN = "from ragbench.cli import main; main()"
GRID = (
    "compare", "--domain", "mock", "--chunkers", "recursive(size_tokens=64),document",
    "--retrievers", "bm25,dense,hybrid", "--k", "1,3",
)  # fmt: skip
N_CELLS = 12  # 2 chunkers x 3 retrievers x 2 k, one embedder


def start(folder: Path, jobs: int) -> subprocess.Popen:
    command = [sys.executable, "-c", MAIN, *GRID, "--jobs", str(jobs), "--save-to", "run"]
    return subprocess.Popen(
        command, cwd=folder, env=dict(os.environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip


def cells(folder: Path) -> list[dict]:
    path = folder / "run" / "cells.jsonl"
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def group_members(group: int) -> list[int]:
    """Processes of a session that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == group and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def figures(folder: Path) -> dict[str, list]:
    return {
        cell["cell_id"]: [(q["id"], q["values"], q["hits"]) for q in cell["questions"]]
        for cell in cells(folder)
    }


def n_vectors(folder: Path) -> int:
    with sqlite3.connect(folder / ".ragbench" / "embeddings.sqlite") as db:
        return db.execute("SELECT count(*) FROM embeddings").fetchone()[0]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    process = start(folder, 1)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_again_and_again_it_loses_and_repeats_nothing(jobs, whole, tmp_path) -> None:
    for n_wanted in (1, 3, 7):
        process = start(tmp_path, jobs)
        deadline = time.monotonic() + 100
        while len(cells(tmp_path)) < n_wanted and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        ended = time.monotonic() + 10
        while group_members(process.pid):  # workers end with the process that started them
            assert time.monotonic() < ended, group_members(process.pid)
            time.sleep(0.05)
    path = tmp_path / "run" / "cells.jsonl"
    kept = len(cells(tmp_path))
    with path.open("ab") as file:  # as if the power had gone while a line was written
        file.write(b'{"schema_version":1,"cell_id":"tor')
    process = start(tmp_path, jobs)
    out, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    assert "that cell runs again" in errors
    if 0 < kept < N_CELLS:
        assert f"Continued: {kept} setups were finished already." in errors
    counts = Counter(cell["cell_id"] for cell in cells(tmp_path))
    assert len(counts) == N_CELLS
    assert set(counts.values()) == {1}
    assert figures(tmp_path) == figures(whole)
    assert n_vectors(tmp_path) == n_vectors(whole)
    ingests = (tmp_path / "run" / "ingests.jsonl").read_text().splitlines()
    assert len({json.loads(line)["collection"] for line in ingests}) == len(ingests) == 4
    table = (tmp_path / "run" / "results.csv").read_text().splitlines()
    assert len(table) == 1 + N_CELLS
    assert "Report: run/compare.html" in out


@pytest.mark.slow
def test_two_models_side_by_side_give_what_one_after_the_other_gives(whole, tmp_path) -> None:
    process = start(tmp_path, 2)
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    assert figures(tmp_path) == figures(whole)
