"""``ragbench compare`` from the outside: exit codes, streams, formats, grid files, gates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragbench.cli._main import cli
from ragbench.cli.compare import command
from ragbench.errors import RagbenchError, UnknownName, UsageError

SMALL = "fixed(size_tokens=24)"
GRID = ["--domain", "mock", "--chunkers", SMALL, "--retrievers", "bm25", "--k", "1,3"]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> str:
    return str(tmp_path_factory.mktemp("store"))


@pytest.fixture
def compare(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str):
        # standalone_mode is off in the real entry point, which turns the value into the exit code
        result = CliRunner().invoke(
            cli, ["compare", *arguments, "--store", store], standalone_mode=False
        )
        if result.exception is not None:
            raise result.exception
        return result

    return invoke


def test_a_grid_prints_sentences_and_a_table_and_leaves_its_files(compare) -> None:
    result = compare(*GRID)
    assert result.return_value == 0
    assert result.stdout.startswith("Take k=")
    assert "has the highest span_recall" in result.stdout
    assert f"[2/2] {SMALL} / bm25 / k=3: done" in result.stderr
    (folder,) = Path("runs").iterdir()
    assert folder.name.startswith("compare-mock-")
    assert {path.name for path in folder.iterdir()} >= {
        "config.json", "questions.jsonl", "ingests.jsonl", "cells.jsonl", "compare.html",
        "results.csv", "results.json", "table.md", "trec",
    }  # fmt: skip
    again = compare(*GRID)
    assert "All 2 setups were finished already; nothing ran." in again.stderr
    assert again.stdout == result.stdout


def test_at_80_columns_no_word_is_broken_and_wide_shows_every_column(compare, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    narrow = compare(*GRID).stdout
    table = narrow[narrow.index("\n\n") :].strip().splitlines()
    assert max(map(len, table[:-1])) <= 80
    words = set(narrow.split())
    assert {"take,", "span_recall", "k=1", "k=3"} <= words
    assert "Left out here:" in narrow
    wide = compare(*GRID, "--wide").stdout
    assert "Left out here:" not in wide
    assert {"span_precision", "precision_omega", "nDCG", "p95"} <= set(wide.split())


@pytest.mark.parametrize(
    ("form", "begins"),
    [("json", "{"), ("csv", "cell_id,name,"), ("markdown", "- "), ("table", "Take bm25")],
)
def test_results_alone_go_to_stdout(form, begins, compare) -> None:
    result = compare("--domain", "mock", "--retrievers", "bm25", "--format", form)
    assert result.stdout.startswith(begins)
    if form == "json":
        assert len(json.loads(result.stdout)["setups"]) == 1


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["--fail-under", "R@3=0.5"], 0),
        (["--fail-under", "span_recall@1=0.999"], 4),
        (["--fail-under", "span_recall@1=0.999", "--fail-under", "R@3=0.1"], 4),
        (["--fail-under", "R@1=0.999", "--fail-under-setup", "k=3"], None),  # no setup has k=1
        (["--fail-under", "RR@3=0.1", "--fail-under-setup", "k=3"], 0),
    ],
)
def test_a_gate_closes_with_4_and_says_which(gates, code, compare) -> None:
    if code is None:
        with pytest.raises(UsageError, match=r"no setup measures that\. Measured: R@3"):
            compare(*GRID, *gates)
        return
    result = compare(*GRID, *gates)
    assert result.return_value == code
    assert (f"Gate closed: {SMALL} / bm25 / k=1: span_recall@1 is" in result.stderr) == (code == 4)


def test_a_cell_that_fails_gives_3_and_its_reason(compare) -> None:
    result = compare(
        "--domain", "mock", "--retrievers", "bm25,dense", "--embedders", "st(model=/nowhere/model)"
    )
    assert result.return_value == 3
    assert "FAILED: ModelUnavailable" in result.stderr
    assert "Failed: recursive / st(model=/nowhere/model) / dense / k=5" in result.stdout


def test_a_closed_gate_counts_for_more_than_a_failed_cell(compare) -> None:
    result = compare(
        "--domain", "mock", "--retrievers", "bm25,dense", "--embedders", "st(model=/nowhere/model)",
        "--fail-under", "R@5=0.1",
    )  # fmt: skip
    assert result.return_value == 4
    assert "is undefined, the floor is 0.1" in result.stderr


def test_a_grid_file_gives_the_axes_and_the_command_line_replaces_them(compare, tmp_path) -> None:
    (tmp_path / "grid.toml").write_text(
        'domain = "mock"\nchunkers = ["document", "fixed(size_tokens=24, overlap_tokens=0)"]\n'
        'retrievers = ["bm25"]\nk = [1, 3]\nmetric = "R"\nfail_under = ["R@1=0.1"]\n'
    )
    result = compare("--grid", "grid.toml", "--k", "2", "--fail-under", "R@2=0.1")
    assert result.return_value == 0
    assert "2 setups, 14 questions" in result.stderr
    assert "the highest R," in result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("chunker = ['x']", "'chunker' is not known.*did you mean 'chunkers'"),
        ("chunkers = [1]", "chunkers must be a list of strs"),
        ("k = ['5']", "k must be a list of ints"),
        ("seed = 'x'", "seed must be of type int"),
        ("seed = ", "is not valid TOML"),
    ],
)
def test_a_wrong_grid_file_is_refused(content, message, compare, tmp_path) -> None:
    (tmp_path / "grid.toml").write_text(content)
    with pytest.raises(UsageError, match=message):
        compare("--grid", "grid.toml")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--domain", "mok"], UnknownName, "No domain is called 'mok'"),
        ([], UsageError, "--corpus is missing"),
        (["--domain", "tau3:nowhere"], UsageError, "'nowhere' is no folder"),
        (["--domain", "mock", "--k", "x"], UsageError, "--k holds 'x'"),
        (["--domain", "mock", "--chunkers", "fixed,,page"], RagbenchError, "'' is not a component"),
        (["--grid", "none.toml"], UsageError, "cannot be read"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(arguments, error, message, compare) -> None:
    with pytest.raises(error, match=message):
        compare(*arguments)
    assert not Path("runs").exists()


def test_every_option_has_help() -> None:
    assert [option.name for option in command.params if not getattr(option, "help", "x")] == []
