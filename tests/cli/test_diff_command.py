"""``ragbench diff``: two comparisons or two evaluations, paired; others are refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragbench.cli._main import cli
from ragbench.compare import compare, diff_runs, plan_grid
from ragbench.config import CompareConfig, EvalConfig
from ragbench.errors import RunError, UnknownName, UsageError
from ragbench.runner import prepare, run


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """Comparisons ``good`` and ``two``; evaluations ``bm25`` and ``none`` of the same tasks."""
    folder = tmp_path_factory.mktemp("runs")
    base = CompareConfig(
        domain="mock", store=folder / "store", save_to=folder / "good", retrievers=("bm25",), k=(5,)
    )
    compare(plan_grid(base))
    compare(plan_grid(replace(base, save_to=folder / "two", k=(1, 3))))
    for name, setup in (("bm25", "bm25"), ("none", "no_knowledge")):
        config = EvalConfig(
            domain="mock", store=folder / "store", retrieval_config=setup, save_to=folder / name
        )
        run(prepare(config))
    return folder


def spoiled(runs: Path, folder: Path, value: float) -> Path:
    """The run ``good`` with the span recall of every question set."""
    shutil.copytree(runs / "good", folder)
    cell = json.loads((folder / "cells.jsonl").read_text())
    for question in cell["questions"]:
        question["values"]["span_recall@5"] = value
    (folder / "cells.jsonl").write_text(json.dumps(cell) + "\n")
    return folder


def diff(*arguments: object):
    result = CliRunner().invoke(cli, ["diff", *map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def test_a_run_and_itself_cannot_be_told_apart(runs) -> None:
    result = diff(runs / "good", runs / "good", "--fail-on-regression")
    assert result.return_value == 0
    assert result.stdout.startswith("good and good cannot be told apart on 14 questions.")


def test_a_regression_closes_the_gate_only_when_it_is_asked_to(runs, tmp_path) -> None:
    perfect = spoiled(runs, tmp_path / "perfect", 1.0)
    empty = spoiled(runs, tmp_path / "empty", 0.0)
    # 14 questions of 7 tasks fell from 1 to 0: of 2^7 sign patterns 2 reach that, p = 1/64.
    # The tasks have 3, 3, 2, 2, 2, 1, 1: they are worth 14^2 / 32 = 6.125 tasks, and the interval
    # begins at 2 x 6.125 / (6.125 + 3.8415) - 1 = 0.229.
    result = diff(perfect, empty)
    assert result.return_value == 0
    assert result.stdout.startswith(
        "perfect beats empty by 100.0 points of span_recall, 95 % interval 22.9 to 100.0."
    )
    assert "0 better, 14 worse of 14 questions; p 0.0156" in result.stdout
    gate = diff(perfect, empty, "--fail-on-regression")
    assert gate.return_value == 4
    assert "Regression: recursive / bm25 / k=5" in gate.stderr
    assert diff(empty, perfect, "--fail-on-regression").return_value == 0  # it became better


def test_a_setup_that_fails_in_the_second_run_is_a_regression(runs, tmp_path) -> None:
    failed = tmp_path / "failed"
    shutil.copytree(runs / "good", failed)
    cell = json.loads((failed / "cells.jsonl").read_text())
    cell |= {"error": "ModelUnavailable: gone", "questions": [], "ingest": None}
    (failed / "cells.jsonl").write_text(json.dumps(cell) + "\n")
    result = diff(runs / "good", failed)
    assert result.return_value == 3
    assert "it failed in the second run: ModelUnavailable: gone." in result.stdout
    assert diff(runs / "good", failed, "--fail-on-regression").return_value == 4


def test_single_setups_of_two_runs_are_paired_whatever_they_are(runs, tmp_path) -> None:
    other = CompareConfig(
        domain="mock", store=runs / "store", save_to=tmp_path / "document",
        chunkers=("document",), retrievers=("bm25",), k=(5,),
    )  # fmt: skip
    compare(plan_grid(other))
    found = diff_runs(runs / "good", tmp_path / "document")
    (one,) = found.differences
    assert one.name == "recursive / bm25 / k=5 -> document / bm25 / k=5"
    assert one.paired.n_groups == 7


def test_two_evaluations_are_paired_by_task(runs) -> None:
    result = diff(runs / "bm25", runs / "none", "--format", "json")
    shown = json.loads(result.stdout)
    assert (shown["unit"], shown["metric"]) == ("task", "reward")
    (one,) = shown["differences"]
    assert one["n_better"] == 0
    assert one["n_worse"] == round((one["before"] - one["after"]) * 9)  # 9 tasks, rewards 0 or 1
    assert "retriever" in shown["notes"][0]


def test_lower_is_better_for_under_retrieval(runs) -> None:
    found = diff_runs(runs / "bm25", runs / "none", "under_retrieval")
    (one,) = found.differences
    assert one.after == 1.0  # without a search tool nothing is found
    assert one.paired.difference < 0  # worse
    assert one.n_worse > 0
    assert "(lower is better)" in one.sentence or "told apart" in one.sentence


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("good", "bm25", "is a comparison and .* is an evaluation"),
        ("good", "nowhere", "is no run folder: it has no config.json"),
        ("good", "two", "they have no setup in common"),
    ],
)
def test_what_cannot_be_compared_is_refused(first, second, message, runs) -> None:
    with pytest.raises(RunError, match=message):
        diff_runs(runs / first, runs / second)


def test_other_questions_are_refused_and_one_is_named(runs, tmp_path) -> None:
    other = tmp_path / "other"
    shutil.copytree(runs / "good", other)
    lines = (other / "questions.jsonl").read_text().splitlines()
    (other / "questions.jsonl").write_text("\n".join(lines[1:]) + "\n")
    with pytest.raises(RunError, match=r"is in the first run only \(1 such\)"):
        diff_runs(runs / "good", other)


def test_other_tasks_and_other_measures_are_refused(runs, tmp_path) -> None:
    with pytest.raises(UnknownName, match="No measure of two evaluations is called 'R'"):
        diff_runs(runs / "bm25", runs / "none", "R")
    config = EvalConfig(
        domain="mock", store=runs / "store", retrieval_config="bm25", save_to=tmp_path / "some",
        num_tasks=2,
    )  # fmt: skip
    run(prepare(config))
    with pytest.raises(RunError, match=r"is in one of them only \(7 such\)"):
        diff_runs(runs / "bm25", tmp_path / "some")
    (tmp_path / "some" / "summary.json").unlink()
    with pytest.raises(RunError, match="is not finished"):
        diff_runs(runs / "bm25", tmp_path / "some")


def test_a_run_against_itself_is_not_shown_to_be_equal_by_few_tasks(runs) -> None:
    # 9 tasks without a single difference: 1 - 9 / (9 + 3.8415) = 0.2991, so the new run may be 29.9
    # points worse; a margin of 30 points is shown, one of 29 is not.
    narrow = diff(runs / "bm25", runs / "bm25", "--non-inferior", 29)
    assert narrow.return_value == 4
    assert narrow.stderr == (
        "mock: not shown to be within 29 points: it may be 29.9 points worse\n"
    )
    assert narrow.stderr.strip() in narrow.stdout
    wide = diff(runs / "bm25", runs / "bm25", "--non-inferior", 30)
    assert (wide.return_value, wide.stderr) == (0, "")
    assert "mock: shown to be within 30 points: at most 29.9 points worse." in wide.stdout


def test_both_gates_can_be_asked_for_and_each_closes(runs) -> None:
    found = diff(
        runs / "bm25",
        runs / "none",
        "--non-inferior",
        5,
        "--fail-on-regression",
        "--format",
        "json",
    )
    assert found.return_value == 4
    assert "not shown to be within 5 points" in found.stderr
    (one,) = json.loads(found.stdout)["non_inferior"]
    assert one["is_shown"] is False
    # The other way round it became better, which is shown whatever the margin.
    assert diff(runs / "none", runs / "bm25", "--non-inferior", 5).return_value == 0


def test_a_failed_setup_is_not_shown_to_be_anything(runs, tmp_path) -> None:
    failed = tmp_path / "failed"
    shutil.copytree(runs / "good", failed)
    cell = json.loads((failed / "cells.jsonl").read_text())
    cell |= {"error": "ModelUnavailable: gone", "questions": [], "ingest": None}
    (failed / "cells.jsonl").write_text(json.dumps(cell) + "\n")
    found = diff(runs / "good", failed, "--non-inferior", 99)
    assert found.return_value == 4
    assert "nothing could be compared" in found.stderr


@pytest.mark.parametrize("margin", ["0", "-5", "100", "nan"])
def test_a_margin_that_is_none(runs, margin) -> None:
    with pytest.raises(UsageError, match="points is none"):
        diff(runs / "bm25", runs / "none", "--non-inferior", margin)
