"""Words that users of the family bring: other names of options, lists without commas, -m."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]


@pytest.fixture
def ragbench(tmp_path):
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*RAGBENCH, *words], cwd=tmp_path, capture_output=True, text=True, env=dict(os.environ)
        )

    return call


def tasks_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [trial["task_id"] for trial in json.loads(done.stdout)["trials"]]


@pytest.mark.parametrize(
    "words",
    [
        ["--task-ids", "due_date", "waive_fault"],
        ["--task-ids", "due_date,waive_fault"],
        ["--task-ids", "due_date", "--task-ids", "waive_fault"],
        ["--task-ids=due_date,waive_fault"],
        ["--task-ids", "due_date", "waive_fault", "--seed", "0"],
    ],
)
def test_task_ids_may_stand_one_behind_the_other(ragbench, words) -> None:
    common = ("eval", "--domain", "mock", "--retriever", "bm25", "--format", "json")
    assert sorted(tasks_of(ragbench(*common, *words))) == ["due_date", "waive_fault"]


def test_task_ids_without_a_value_are_an_error(ragbench) -> None:
    done = ragbench("eval", "--domain", "mock", "--task-ids")
    assert done.returncode == 2
    assert "--task-ids" in done.stderr


def test_the_familys_name_of_a_split(ragbench) -> None:
    done = ragbench("eval", "--domain", "mock", "--retriever", "bm25", "--task-split-name", "nope")
    assert done.returncode == 2
    assert "No split of mock is called 'nope'" in done.stderr


def test_retriever_is_the_word_everywhere(ragbench) -> None:
    words = ("--domain", "mock", "--retriever", "bm25", "--k", "2", "--format", "json")
    done = ragbench("compare", *words, "--chunker", "document", "--embedder", "minilm")
    assert done.returncode == 0, done.stderr
    (setup,) = json.loads(done.stdout)["setups"]
    assert setup["name"] == "document / bm25 / k=2"


def test_python_m_is_the_command(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ragbench", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("ragbench, version ")
