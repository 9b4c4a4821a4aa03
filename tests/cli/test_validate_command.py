"""``ragbench validate`` as a command: exit codes, formats, one task, usage errors."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.validate import RULES

FERRY = Path(__file__).parents[1] / "validate" / "ferry"
COMMAND = [sys.executable, "-c", "from ragbench.cli import main; main()", "validate"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def validated(store, tmp_path):
    folder = Path(shutil.copytree(FERRY, tmp_path / "ferry"))

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        words = [*COMMAND, str(folder), "--store", str(store), *arguments]
        return subprocess.run(words, capture_output=True, text=True)

    call.folder = folder
    return call


def test_a_clean_domain_ends_with_0(validated) -> None:
    done = validated()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ferry: 6 tasks, 6 documents\n")
    assert "Not checked" not in done.stdout
    assert "  two_bicycles  easy          1      1     " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("0 errors, 0 warnings; ")


def test_an_error_ends_with_5_and_hides_no_other(validated) -> None:
    (validated.folder / "tasks" / "storm.json").write_text("{", encoding="utf-8")
    late = validated.folder / "tasks" / "too_late.json"
    late.write_text(late.read_text(encoding="utf-8").replace('"NO-7"', '"NO-8"'), encoding="utf-8")
    done = validated("--format", "json")
    assert done.returncode == 5
    report = json.loads(done.stdout)
    assert [(f["rule"], f["task"]) for f in report["findings"]] == [
        ("form.task", None),
        ("sufficiency.argument", "too_late"),
    ]
    assert report["findings"][0]["file"].endswith("storm.json")
    assert report["findings"][1]["severity"] == "error"
    assert report["findings"][1]["remedy"] == RULES["sufficiency.argument"].remedy
    assert (report["n_errors"], report["n_tasks"]) == (2, 5)
    assert set(report["rules"]) == set(RULES)


def test_the_table_names_rule_task_file_and_what_to_do(validated) -> None:
    late = validated.folder / "tasks" / "too_late.json"
    late.write_text(late.read_text(encoding="utf-8").replace('"NO-7"', '"NO-8"'), encoding="utf-8")
    done = validated()
    assert done.returncode == 5
    assert f"error sufficiency.argument: too_late ({late})" in done.stdout
    assert "refuse.code = 'NO-8' can be known from nowhere" in done.stdout
    assert "To do: Add the evidence" in done.stdout


def test_a_warning_alone_ends_with_0(validated) -> None:
    path = validated.folder / "tasks" / "which_day.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    del task["user_scenario"]["script"]
    path.write_text(json.dumps(task), encoding="utf-8")
    done = validated()
    assert done.returncode == 0
    assert "warning form.script: which_day" in done.stdout
    assert "the task has no script (1 task: which_day)" in done.stdout


def test_one_task_has_the_findings_of_that_task(validated) -> None:
    for name in ("too_late", "storm"):
        path = validated.folder / "tasks" / f"{name}.json"
        task = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(task | {"splits": []}), encoding="utf-8")
    report = json.loads(validated("--task", "storm", "--format", "json").stdout)
    assert [(f["rule"], f["task"]) for f in report["findings"]] == [("form.split", "storm")]
    assert [one["task"] for one in report["difficulties"]] == ["storm"]


def test_unknown_tasks_and_domains_are_usage_errors(validated) -> None:
    done = validated("--task", "strom")
    assert done.returncode == 2
    assert "No task of ferry is called 'strom'" in done.stderr
    assert "did you mean 'storm'?" in done.stderr
    done = subprocess.run([*COMMAND, "ferry"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "No domain is called 'ferry'" in done.stderr


def test_a_malformed_task_can_be_asked_for_by_its_id(validated) -> None:
    path = validated.folder / "tasks" / "storm.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(task | {"unknown": 1}), encoding="utf-8")
    done = validated("--task", "storm", "--format", "json")
    assert done.returncode == 5
    assert [f["rule"] for f in json.loads(done.stdout)["findings"]] == ["form.task"]
