"""Foreign tasks: what can be checked is, what cannot is said, and the command does not fail."""

from __future__ import annotations

import json

import pytest

from ragbench.config import ValidateConfig
from ragbench.errors import UsageError
from ragbench.validate import RULES, Severity, validate


def make_folder(folder, required):
    (folder / "documents").mkdir(parents=True)
    (folder / "tasks").mkdir()
    document = {"id": "doc_1", "title": "Cards", "content": "A card costs $5."}
    (folder / "documents" / "doc_1.json").write_text(json.dumps(document), encoding="utf-8")
    task = {
        "id": "t1",
        "user_scenario": {"instructions": "Ask for the price."},
        "evaluation_criteria": {"actions": [], "communicate_info": ["$5"]},
        "required_documents": required,
    }
    (folder / "tasks" / "t1.json").write_text(json.dumps(task), encoding="utf-8")


def test_what_cannot_be_checked_is_said_for_every_rule(tmp_path) -> None:
    make_folder(tmp_path / "tau", ["doc_1"])
    report = validate(ValidateConfig(f"tau3:{tmp_path / 'tau'}"))
    assert report.findings == ()
    assert report.n_replays == 0
    unchecked = {entry.rule for entry in report.not_checked}
    checked = set(RULES) - unchecked
    assert {"form.task", "form.unique_id", "form.split", "form.document"} <= checked
    assert {rule for rule in RULES if rule.split(".")[0] in ("replay", "mutation")} <= unchecked
    assert all("foreign tasks" in e.reason for e in report.not_checked if "replay" in e.rule)
    (difficulty,) = report.difficulties
    assert (difficulty.hops, difficulty.level, difficulty.solved) == (1, None, {})


def test_what_is_wrong_is_a_warning(tmp_path) -> None:
    make_folder(tmp_path / "tau", ["doc_1", "doc_2"])
    (tmp_path / "tau" / "tasks" / "torn.json").write_text("{", encoding="utf-8")
    report = validate(ValidateConfig(f"tau3:{tmp_path / 'tau'}"))
    assert [(f.rule, f.severity) for f in report.findings] == [
        ("form.task", Severity.WARNING),
        ("form.document", Severity.WARNING),
    ]
    assert "'doc_2'" in report.findings[1].message
    assert report.n_errors == 0


def test_no_folder_is_a_usage_error(tmp_path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        validate(ValidateConfig(f"tau3:{tmp_path / 'absent'}"))


@pytest.mark.shared_data
def test_the_tau3_banking_tasks(shared_data) -> None:
    report = validate(ValidateConfig(f"tau3:{shared_data / 'tau3_banking'}"))
    assert (report.n_tasks, report.n_documents, report.n_errors) == (49, 698, 0)
    reasons = {entry.rule: entry.reason for entry in report.not_checked}
    assert "foreign tasks" in reasons["mutation.drop"]
    assert "no document carries a version" in reasons["contradiction.value"]
    files = (shared_data / "tau3_banking" / "tasks").glob("*.json")
    tasks = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    named = {task["id"]: len(set(task["required_documents"])) for task in tasks}
    assert {one.task: one.hops for one in report.difficulties} == named
