"""A run folder survives interruption: nothing lost, nothing doubled, no other run taken."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from ragbench.config import EvalConfig
from ragbench.domains import load_domain
from ragbench.errors import DomainError, RunError, UnknownName, UsageError
from ragbench.records import Termination, Trajectory
from ragbench.runner import RunFolder, prepare, run


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


def config(store, folder, **changes) -> EvalConfig:
    base = EvalConfig(domain="mock", store=store, retrieval_config="bm25", save_to=folder)
    return replace(base, **changes)


def lines(folder) -> list[dict]:
    text = (folder / "trajectories.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_equal_runs_have_equal_scores(store, tmp_path) -> None:
    for name in ("a", "b"):
        run(prepare(config(store, tmp_path / name, seed=7, num_trials=2)))
    first, second = (tmp_path / name / "scores.jsonl" for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
    rows = map(json.loads, first.read_text(encoding="utf-8").splitlines())
    keys = [(row["task_id"], row["trial"]) for row in rows]
    assert keys == sorted(keys)
    assert len(keys) == 18  # 9 tasks, 2 trials


def test_a_finished_run_is_only_reported_and_fresh_starts_anew(store, tmp_path) -> None:
    folder = tmp_path / "run"
    first = run(prepare(config(store, folder)))
    again = run(prepare(config(store, folder)))
    assert (first.n_played, first.n_kept) == (9, 0)
    assert (again.n_played, again.n_kept) == (0, 9)
    assert again.scores == first.scores
    assert again.summary == first.summary
    anew = run(prepare(config(store, folder, fresh=True)))
    assert (anew.n_played, len(lines(folder))) == (9, 9)


def test_another_configuration_is_refused_and_named(store, tmp_path) -> None:
    folder = tmp_path / "run"
    run(prepare(config(store, folder)))
    before = (folder / "trajectories.jsonl").read_bytes()
    with pytest.raises(RunError, match=r"num_trials is 1 there, 3 here; seed is 0 there, 1 here"):
        run(prepare(config(store, folder, seed=1, num_trials=3)))
    assert (folder / "trajectories.jsonl").read_bytes() == before


def test_a_folder_that_is_no_run_is_refused_and_left_alone(store, tmp_path) -> None:
    (tmp_path / "thesis.txt").write_text("precious", encoding="utf-8")
    with pytest.raises(RunError, match=r"is no run folder: it holds 'thesis.txt'"):
        run(prepare(config(store, tmp_path)))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "thesis.txt"]


def test_a_torn_last_line_is_mended_reported_and_played_again(store, tmp_path) -> None:
    folder = tmp_path / "run"
    whole = run(prepare(config(store, folder)))
    path = folder / "trajectories.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    (folder / "summary.json").unlink()
    mended = run(prepare(config(store, folder)))
    assert mended.n_played == 1
    assert len(mended.notes) == 1
    assert "torn" in mended.notes[0]
    assert mended.scores == whole.scores
    assert len(lines(folder)) == 9


def test_a_damaged_line_in_the_middle_is_an_error_that_names_it(store, tmp_path) -> None:
    folder = tmp_path / "run"
    run(prepare(config(store, folder)))
    path = folder / "trajectories.jsonl"
    content = path.read_bytes().split(b"\n")
    content[3] = content[3][:50]
    path.write_bytes(b"\n".join(content))
    with pytest.raises(RunError, match=r"line 4 is damaged and is not the last"):
        run(prepare(config(store, folder)))


def test_a_locked_folder_is_refused(store, tmp_path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with (folder / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RunError, match="Another evaluation is writing"):
            run(prepare(config(store, folder)))


def test_infrastructure_failures_are_kept_out_of_rates_and_run_again(store, tmp_path) -> None:
    folder = tmp_path / "run"
    run(prepare(config(store, folder)))
    stored = [Trajectory.model_validate(line) for line in lines(folder)]
    broken = stored[0].model_copy(
        update={"termination": Termination.INFRASTRUCTURE_ERROR, "error": "Traceback ..."}
    )
    again = RunFolder(folder)
    again.append(broken)  # the last line of a (task, trial) holds
    (folder / "summary.json").unlink()
    result = run(prepare(config(store, folder)))
    assert result.n_played == 1
    assert result.summary["n_trials_not_scored"] == 0
    assert len(lines(folder)) == 11  # 9, the failure, and its repetition: nothing is rewritten


def test_a_crash_inside_one_task_costs_that_task_alone(store, tmp_path, monkeypatch) -> None:
    from ragbench.simulate import OracleAgent

    original = OracleAgent.step

    async def step(self, observation):
        if self._task.id == "fee_if_late":
            raise ZeroDivisionError("planted")
        return await original(self, observation)

    monkeypatch.setattr(OracleAgent, "step", step)
    result = run(prepare(config(store, tmp_path / "run")))
    by_task = {score.task_id: score for score in result.scores}
    assert by_task["fee_if_late"].score.reward is None
    assert by_task["fee_if_late"].diagnosis.attribution == "infrastructure"
    assert result.summary["n_trials_scored"] == 8
    assert result.summary["n_trials_not_scored"] == 1
    # 8 of 9 passed: between 8/9 (the ninth fails) and 1 (it passes)
    assert result.summary["reward_bounds"] == {
        "all_unscored_failed": pytest.approx(8 / 9),
        "all_unscored_passed": pytest.approx(1.0),
    }
    (failed,) = [line for line in lines(tmp_path / "run") if line["error"]]
    assert "planted" in failed["error"]


@pytest.mark.parametrize("moment", [0, 1, 7, 30])
def test_kill_9_in_the_middle_then_the_same_command_completes(store, tmp_path, moment) -> None:
    """A real process, killed once ``moment`` lines are on the disk; 9 tasks x 10 trials = 90."""
    folder = tmp_path / "run"
    command = [
        sys.executable, "-c", "from ragbench.cli import main; main()", "eval", "--domain", "mock",
        "--retrieval-config", "bm25", "--num-trials", "10", "--store", str(store),
        "--save-to", str(folder),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = folder / "trajectories.jsonl"
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if moment == 0 or (path.is_file() and path.read_bytes().count(b"\n") >= moment):
            break
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    survived = path.read_bytes().count(b"\n") if path.is_file() else 0
    assert survived < 90, "the process finished before it was killed"
    subprocess.run(command, check=True, capture_output=True)
    assert len(lines(folder)) == 90
    assert len({(line["task_id"], line["trial"]) for line in lines(folder)}) == 90
    unbroken = run(prepare(config(store, tmp_path / "unbroken", num_trials=10)))
    assert (folder / "scores.jsonl").read_bytes() == (unbroken.folder / "scores.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"domain": "bank"}, UnknownName, "No domain is called 'bank'. Known: banking_knowledge"),
        ({"domain": "./nowhere"}, UsageError, "The domain's folder './nowhere' does not exist"),
        ({"seed": -1}, UsageError, "--seed is -1; it must be at least 0"),
        ({"embedder": "nonsense"}, UnknownName, "No embedder is called 'nonsense'"),
        ({"retrieval_config": "dens"}, UnknownName, "did you mean 'dense'"),
        ({"task_ids": ("extend_sandr",)}, UnknownName, "did you mean 'extend_sander'"),
        ({"num_trials": 0}, UsageError, "--num-trials is 0; it must be at least 1"),
        ({"num_tasks": 0}, UsageError, "--num-tasks is 0"),
        ({"max_steps": 0}, UsageError, "--max-steps is 0"),
        ({"k": 51}, UsageError, "--k is 51; it must be at most 50"),
        ({"chunker": "fixd"}, UnknownName, "did you mean 'fixed'"),
        ({"embedder": "minilm(", "retrieval_config": "dense"}, None, "is not a component spec"),
    ],
)
def test_bad_input_is_one_clear_error_before_anything_is_written(
    changes, error, message, tmp_path
) -> None:
    from ragbench.errors import RagbenchError

    with pytest.raises(error or RagbenchError) as caught:
        run(prepare(config(tmp_path / "store", tmp_path / "run", **changes)))
    assert message in str(caught.value)
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "store").exists()


def broken_domain(repository, folder, change) -> None:
    """A copy of the mock domain with one task changed."""
    import shutil

    shutil.copytree(repository / "domains" / "mock", folder / "domains" / "mock")
    shutil.copytree(repository / "corpora" / "mock", folder / "corpora" / "mock")
    path = folder / "domains" / "mock" / "tasks" / "extend_sander.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    change(task)
    path.write_text(json.dumps(task), encoding="utf-8")


def _quote(task) -> None:
    task["needs"][0]["evidence"][0]["any_of"][0]["quote"] = "never written"


def _ambiguous(task) -> None:
    task["needs"][0]["evidence"][0]["any_of"][0]["quote"] = "days"


def _document(task) -> None:
    task["needs"][0]["evidence"][0]["any_of"][0]["doc_id"] = "gone.md"


def _gold(task) -> None:
    task["evaluation_criteria"]["actions"][1]["arguments"]["days"] = 99


def _unknown_field(task) -> None:
    task["difficulty_level"] = 3


def _consumer(task) -> None:
    task["needs"][0]["needed_by"] = ["extnd"]


def _empty_basis(task) -> None:
    task["evaluation_criteria"]["reward_basis"] = []


def _idle_basis(task) -> None:
    task["evaluation_criteria"]["reward_basis"] = ["DB", "NL_ASSERTION"]


def _locked(task) -> None:
    task["evaluation_criteria"]["actions"][1] = {
        "action_id": "extend",
        "name": "waive_fee_2718",
        "arguments": {"loan_id": "L-504", "ground": "FAULT"},
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_quote, "does not stand in the loaded text"),
        (_ambiguous, "times in the loaded text"),
        (_document, "the corpus has no document 'gone.md'"),
        (_gold, "the gold action 'extend' (extend_loan) fails: days must be from 1 to 30"),
        (_unknown_field, "no field is called 'difficulty_level'"),
        (_consumer, "'extnd', which is not among"),
        (_empty_basis, "reward_basis is empty"),
        (_idle_basis, "reward_basis names NL_ASSERTION, but nl_assertions is empty"),
        (_locked, "The tool is discoverable and does not exist until an earlier gold action"),
    ],
)
def test_a_malformed_task_stops_the_evaluation_and_names_the_fault(
    change, message, repository, store, tmp_path
) -> None:
    broken_domain(repository, tmp_path, change)
    domain = str(tmp_path / "domains" / "mock")
    with pytest.raises(DomainError) as caught:
        run(prepare(config(store, tmp_path / "run", domain=domain)))
    assert message in str(caught.value)
    assert "extend_sander" in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_a_domain_by_path_is_the_same_domain(repository, tmp_path) -> None:
    broken_domain(repository, tmp_path, lambda task: None)
    there = load_domain(str(tmp_path / "domains" / "mock"))
    here = load_domain("mock")
    assert [task.id for task in there.tasks] == [task.id for task in here.tasks]
    assert there.tools.keys() == here.tools.keys()


def test_a_trial_that_cannot_be_judged_is_counted_and_the_others_are_scored(
    store, tmp_path, monkeypatch
) -> None:
    from ragbench.runner import _grade

    original = _grade.score_trial

    def broken(context, review):
        if context.task.id == "fee_if_late":
            raise KeyError("planted")
        return original(context, review)

    monkeypatch.setattr(_grade, "score_trial", broken)
    result = run(prepare(config(store, tmp_path / "run")))
    score = {s.task_id: s for s in result.scores}["fee_if_late"]
    assert score.score.reward is None
    assert score.score.reason.startswith("could not be judged: KeyError: 'planted'")
    assert score.diagnosis.label is None
    assert sum(result.summary["labels"].values()) == 8
    assert (result.summary["n_trials_scored"], result.summary["n_trials_not_scored"]) == (8, 1)
    assert len(lines(tmp_path / "run")) == 9  # the conversation itself is kept


def test_a_task_without_question_or_script_is_refused_before_the_run(
    repository, store, tmp_path
) -> None:
    def no_script(task) -> None:
        task["user_scenario"]["script"] = []

    def no_question(task) -> None:
        del task["needs"][0]["question"]

    for number, (change, message) in enumerate(
        [(no_script, "has no script for the scripted user"), (no_question, "has no question")]
    ):
        broken_domain(repository, tmp_path / str(number), change)
        domain = str(tmp_path / str(number) / "domains" / "mock")
        with pytest.raises(UsageError, match=message):
            run(prepare(config(store, tmp_path / "run", domain=domain)))
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("names", [["trajectories.jsonl"], ["scores.jsonl", "notes.txt"]])
def test_fresh_deletes_nothing_in_a_folder_that_holds_no_run(store, tmp_path, names) -> None:
    for name in names:
        (tmp_path / name).write_text("precious", encoding="utf-8")
    with pytest.raises(RunError, match="is no run folder"):
        run(prepare(config(store, tmp_path, fresh=True)))
    assert all((tmp_path / name).read_text(encoding="utf-8") == "precious" for name in names)


def broken_code(repository, folder, name, old, new) -> str:
    """A copy of the mock domain with one of its files changed; its path."""
    broken_domain(repository, folder, lambda task: None)
    path = folder / "domains" / "mock" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return str(folder / "domains" / "mock")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("tools/loans.py", '@tool("write")', '@tool("wirte")', "'read' or 'write', not 'wirte'"),
        ("tools/loans.py", "import datetime as dt", "import sys; sys.exit(7)", "SystemExit: 7"),
        ("tools/loans.py", "loan.due += dt", "loan.due += dt.x.dt", "fails: AttributeError"),
        (
            "tools/loans.py", "loan.extended_days = days",
            "import random; loan.extended_days = random.randrange(10**9)",
            "playing its gold actions twice leads to different results",
        ),
        ("tools/loans.py", "def find_member", "def search_policies", "Reserved: give_tool_to_user"),
        ("rules.py", "context.succeeded", "context.nonsense", "The rule 'look_up_before_writing'"),
        ("domain.toml", "default_k", "defaultk", "did you mean 'default_k'"),
        ("domain.toml", 'name = "mock"', 'name = "a/b"', "(given: 'a/b')"),
        ("policy.md", "# Larkspur", "# Larkspur", None),
    ],
)  # fmt: skip
def test_a_fault_in_a_domain_file_is_named(
    name, old, new, message, repository, store, tmp_path
) -> None:
    domain = broken_code(repository, tmp_path, name, old, new)
    if message is None:
        (tmp_path / "domains" / "mock" / name).write_text(" \n", encoding="utf-8")
        message = "policy.md is empty"
    with pytest.raises(DomainError) as caught:
        run(prepare(config(store, tmp_path / "run", domain=domain)))
    assert message in str(caught.value)
    assert not (tmp_path / "run").exists()
