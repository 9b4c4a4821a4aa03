"""Foreign tasks load as they are; what is unknown is kept and listed."""

from __future__ import annotations

import json

import pytest

from ragbench.errors import DomainError
from ragbench.interop import read_tau_tasks, task_from_tau

TASK = {
    "id": "t1",
    "ticket": "a foreign key",
    "user_scenario": {"persona": None, "instructions": {"domain": "x"}, "mood": "calm"},
    "evaluation_criteria": {
        "actions": [{"action_id": "a", "name": "pay", "arguments": {"n": 1}, "requestor": "user"}],
        "communicate_info": ["$5"],
        "env_assertions": None,
    },
    "initial_state": None,
    "required_documents": ["d1", "d2"],
}


def test_required_documents_become_one_need_needed_by_all() -> None:
    task = task_from_tau(TASK)
    (need,) = task.needs
    assert need.question is None
    assert need.needed_by == ("a", "communicate:0")
    assert [item.any_of[0].doc_id for item in need.evidence] == ["d1", "d2"]
    assert [item.any_of[0].quote for item in need.evidence] == [None, None]


def test_unknown_keys_are_kept_under_their_path() -> None:
    assert task_from_tau(TASK).extra_fields == {
        "ticket": "a foreign key",
        "user_scenario.mood": "calm",
    }


def test_a_doubled_id_and_bad_json_are_errors(tmp_path) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps([TASK, TASK]), encoding="utf-8")
    with pytest.raises(DomainError, match="a second task is called 't1'"):
        read_tau_tasks(tmp_path)
    (tmp_path / "tasks.json").write_text("{", encoding="utf-8")
    with pytest.raises(DomainError, match="cannot be read as JSON"):
        read_tau_tasks(tmp_path)


@pytest.mark.shared_data
def test_the_tau3_banking_tasks_load_unchanged(shared_data) -> None:
    found = read_tau_tasks(shared_data / "tau3_banking" / "tasks")
    assert len(found.tasks) == 49
    # One task puts two tables beside agent_data, where tau3 itself does not read them.
    assert found.foreign_keys == {
        "initial_state.initialization_data.accounts": 1,
        "initial_state.initialization_data.users": 1,
    }
    named = sum(len(task.required_documents or ()) for task in found.tasks)
    needed = sum(len(task.needs[0].evidence) for task in found.tasks if task.needs)
    idle = [t for t in found.tasks if t.id in found.without_consumer]
    assert needed == named - sum(len(task.required_documents or ()) for task in idle)


HISTORY = [
    {"role": "user", "content": "Please open a task.", "turn_idx": 0, "cost": None,
     "usage": None, "tool_calls": None},
    {"role": "assistant", "content": None, "turn_idx": 1, "tool_calls": [
        {"id": "c1", "name": "open_task", "arguments": {"title": "A"}, "requestor": "assistant",
         "audio": 1}]},
    {"role": "tool", "id": "c1", "content": "opened", "requestor": "assistant", "error": False,
     "turn_idx": 2},
]  # fmt: skip


def test_a_history_keeps_its_unknown_keys_apart():
    task = task_from_tau(
        {"id": "t1", "user_scenario": {"instructions": "Ask."},
         "initial_state": {"message_history": HISTORY}}
    )  # fmt: skip
    asked, called, answered = task.initial_state.message_history
    assert (asked.content, asked.tool_calls) == ("Please open a task.", ())
    assert [(call.id, call.name) for call in called.tool_calls] == [("c1", "open_task")]
    assert (answered.tool_call_id, answered.content) == ("c1", "opened")
    path = "initial_state.message_history."
    assert task.extra_fields[f"{path}turn_idx"] == [0, 1, 2]
    assert task.extra_fields[f"{path}cost"] == [None]
    assert task.extra_fields[f"{path}tool_calls.audio"] == [1]


@pytest.mark.shared_data
def test_a_history_that_was_met(shared_data):
    found = read_tau_tasks(shared_data / "cases" / "tau_history" / "tasks.json")
    (task,) = found.tasks
    assert len(task.initial_state.message_history) == 3
    assert "initial_state.message_history.turn_idx" in task.extra_fields
