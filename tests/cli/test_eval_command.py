"""``ragbench eval`` as a person types it: real processes over the mock domain."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.cli import main

RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]
EVAL = ["eval", "--domain", "mock", "--retrieval-config", "bm25"]


@pytest.fixture
def ragbench(tmp_path):
    def run(*args):
        return subprocess.run(
            [*RAGBENCH, *map(str, args)], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )

    return run


@pytest.fixture
def own_domain(tmp_path, repository):
    """A copy of the mock domain with its corpus, to be changed."""
    shutil.copytree(repository / "domains" / "mock", tmp_path / "domains" / "mock")
    shutil.copytree(repository / "corpora" / "mock", tmp_path / "corpora" / "mock")
    return tmp_path / "domains" / "mock"


def test_table_words_and_the_run_folder(ragbench, tmp_path):
    done = ragbench(*EVAL, "--save-to", "one")
    assert done.returncode == 0, done.stderr
    head, _, *rows = done.stdout.split("\n\n")[0].splitlines()
    assert head.split()[:3] == ["task", "reward", "label"]
    assert len(rows) == 9
    assert all(row.split()[1] in ("1.0", "0.0") for row in rows)
    assert "0.0 % by design" in done.stdout
    assert "All trials are equal by construction, so only pass^1 is shown." in done.stdout
    assert "It is a reference, no upper bound" in done.stdout
    assert done.stdout.endswith("Report: one/report.html\n")
    assert "Index: 6 documents, " in done.stderr
    assert "[9/9] task " in done.stderr
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        ".lock", "config.json", "report.html", "scores.jsonl", "summary.json", "trajectories.jsonl",
    ]  # fmt: skip
    page = (tmp_path / "one" / "report.html").read_bytes()
    assert str(tmp_path).encode() not in page

    again = ragbench(*EVAL, "--resume", "one")
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "All 9 simulations were stored already; nothing ran." in again.stderr
    assert (tmp_path / "one" / "report.html").read_bytes() == page

    other = ragbench(*EVAL, "--save-to", "two")
    assert other.returncode == 0
    assert (tmp_path / "two" / "report.html").read_bytes() == page


def reworded(domain, n_without):
    """Give every need of the domain but so many a natural question."""
    needs = []
    tasks = {path: json.loads(path.read_text()) for path in sorted(domain.glob("tasks/*.json"))}
    for task in tasks.values():
        needs += task["needs"]
    for need in needs:
        need["natural"] = f"At the Lindgren Tool Library: {need['question']}"
    for need in needs[:n_without]:
        del need["natural"]
    for path, task in tasks.items():
        path.write_text(json.dumps(task))
    return len(needs)


def test_the_oracle_is_a_reference_in_both_styles(ragbench, own_domain, tmp_path):
    some = ["eval", "--domain", "domains/mock", "--retrieval-config", "bm25", "--format", "json"]
    n_needs = reworded(own_domain, 2)
    found = json.loads(ragbench(*some).stdout)["summary"]["oracle"]
    assert found["natural"]["oracle_success"]["mean"] is None
    assert found["natural"]["item_recall"]["mean"] is None
    assert found["natural"]["missing"] == f"2 of {n_needs} needs have no natural question."
    assert found["desk"]["missing"] is None
    refused = ragbench(*some, "--style", "natural")
    assert refused.returncode == 2
    assert "has no natural question, so the oracle cannot ask in that style" in refused.stderr

    reworded(own_domain, 0)
    desk = json.loads(ragbench(*some).stdout)
    natural = json.loads(ragbench(*some, "--style", "natural").stdout)
    assert desk["folder"] != natural["folder"]  # another style is another run
    assert natural["config"]["style"] == "natural"
    for style, run in (("desk", desk), ("natural", natural)):
        # the run's own trials are its reference in that style, and the same in the other's
        figures, summary = run["summary"]["oracle"][style], run["summary"]
        assert figures["oracle_success"]["mean"] == summary["reward"]["mean"]
        assert figures["item_recall"]["mean"] == summary["by_task"]["evidence_recall"]["mean"]
        assert figures["missing"] is None
    assert desk["summary"]["oracle"] == natural["summary"]["oracle"]
    queries = (tmp_path / natural["folder"] / "trajectories.jsonl").read_text()
    assert "At the Lindgren Tool Library: " in queries


def test_a_style_is_the_oracles(ragbench):
    done = ragbench("eval", "--domain", "mock", "--agent", "x.py:A", "--style", "natural")
    assert done.returncode == 2
    assert "--style natural is how the oracle asks, but the agent is 'x.py:A'." in done.stderr


CRASHING = """
class Agent:
    own_search = False

    def __init__(self, brief):
        pass

    def step(self, observation):
        {body}
"""
BODIES = {
    "agent_error": "raise RuntimeError('planted')",
    "timeout": "import time; time.sleep(60)",
}


@pytest.mark.parametrize("termination", BODIES)
def test_a_crashing_agent_is_no_agent_that_should_search_more(ragbench, tmp_path, termination):
    (tmp_path / "crash.py").write_text(CRASHING.format(body=BODIES[termination]))
    some = ["--task-ids", "extend_sander,waive_fault,fee_if_late"]
    agent = ["--agent", "crash.py:Agent", "--timeout", 3]
    done = ragbench(*EVAL, *some, *agent, "--save-to", "run")
    assert done.returncode == 3
    assert f"No simulation came to its end (3 by {termination})" in done.stderr
    assert "Every trial broke off, so nothing can be said of how the agent searches." in " ".join(
        done.stdout.split()
    )
    page = (tmp_path / "run" / "report.html").read_text()
    for text in (done.stdout, page.split("What the words mean")[0]):
        assert "make the agent search before it acts" not in text
    assert "3 missed_retrieval" not in done.stdout
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["labels"], summary["causes"]) == ({}, {})
    assert summary["labels_broken_off"] == {"missed_retrieval": 3}
    assert summary["attributions"] == {termination: 3}
    assert (summary["searching"]["verdict"], summary["searching"]["n_broken_off"]) == (None, 3)
    assert ragbench("score", "run").returncode == 3


def test_one_trial_that_came_to_its_end_is_enough(ragbench, tmp_path):
    body = (
        "if 'sander' not in str(observation): raise RuntimeError('planted')\n"
        "        from ragbench.simulate import Reply\n"
        "        return Reply('No.', closing=True)"
    )
    (tmp_path / "crash.py").write_text(CRASHING.format(body=body))
    agent = ["--task-ids", "extend_sander,due_date", "--agent", "crash.py:Agent"]
    done = ragbench(*EVAL, *agent, "--save-to", "run")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["labels"] == {"missed_retrieval": 1}
    assert summary["causes"] == {"not_searched": 1}
    assert summary["searching"]["verdict"] == "too little"
    assert "; 1 trial that broke off left out." in " ".join(done.stdout.split())


def test_json_and_csv(ragbench):
    some = ["--task-ids", "due_date, waive_fault", "--task-ids", "one_more_day"]
    done = ragbench(*EVAL, *some, "--num-trials", 2, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["summary"]["n_trials_expected"] == 6  # 3 tasks, 2 trials
    pairs = [(trial["task_id"], trial["trial"]) for trial in found["trials"]]
    assert pairs == [(t, n) for t in ("due_date", "one_more_day", "waive_fault") for n in (0, 1)]
    assert Path(found["folder"]).parts[0] == "runs"

    done = ragbench(*EVAL, *some, "--num-trials", 2, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["task_id"], int(row["trial"])) for row in rows] == pairs
    assert "All 6 simulations were stored already" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--num-trials", "0"], 2, "Error: --num-trials is 0; it must be at least 1."),
        (["--task-ids", "waive_falt"], 2, "did you mean 'waive_fault'?"),
        (["--split", "bases"], 2, "No split of mock is called 'bases'. Known: base; did you mean"),
        (["--retrieval-config", "bm26"], 2, "did you mean 'bm25'?"),
        (["--resume", "a", "--save-to", "b"], 2, "--resume and --save-to exclude each other"),
        (["--resume", "a", "--fresh"], 2, "--resume and --fresh exclude each other"),
        (["--resume", "nowhere"], 1, "There is no run 'nowhere': no folder"),
    ],
)
def test_what_cannot_be_says_so_and_writes_nothing(ragbench, tmp_path, options, code, message):
    done = ragbench(*EVAL, *options)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_resume_takes_the_name_below_runs(ragbench, tmp_path):
    assert ragbench(*EVAL, "--num-tasks", 1).returncode == 0
    (folder,) = (tmp_path / "runs").iterdir()
    assert ragbench("eval", "--resume", folder.name).returncode == 0
    other = ragbench(*EVAL, "--num-tasks", 2, "--resume", folder.name)
    assert other.returncode == 1
    assert "holds a run of another configuration: task_ids is " in other.stderr
    assert '["due_date"] there, ["due_date", "extend_sander"] here' in other.stderr


def test_interrupted_says_how_to_continue(ragbench, own_domain, tmp_path):
    tools = own_domain / "tools" / "loans.py"
    text = tools.read_text()
    name = "def find_member("
    assert name in text
    body = text.index(":\n", text.index(name)) + 2
    docstring_end = text.index('"""', text.index('"""', body) + 3) + 3
    slow = "\n    import time\n\n    time.sleep(0.5)"
    tools.write_text(text[:docstring_end] + slow + text[docstring_end:])
    command = ["eval", "--domain", "./domains/mock", "--retrieval-config", "bm25"]
    command += ["--save-to", "run", "--max-concurrency", "1"]
    with subprocess.Popen(
        [*RAGBENCH, *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stderr:
            if line.startswith("[1/9]"):
                os.kill(process.pid, signal.SIGINT)
                break
        rest = process.stderr.read()
        assert process.stdout.read() == ""
    assert process.returncode == 130
    assert "Interrupted: " in rest
    assert "of 9 simulations are stored; run the same command again to continue." in rest
    assert "Traceback" not in rest
    stored = (tmp_path / "run" / "trajectories.jsonl").read_text().count("\n")
    assert 1 <= stored < 9

    done = ragbench(*command)
    assert done.returncode == 0, done.stderr
    assert f"Continued: {stored} simulations were stored already." in done.stderr
    assert (tmp_path / "run" / "trajectories.jsonl").read_text().count("\n") == 9


def test_a_split_takes_its_tasks_only(ragbench, own_domain):
    for name in ("due_date", "waive_fault"):
        path = own_domain / "tasks" / f"{name}.json"
        task = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**task, "splits": ["base", "few"]}), encoding="utf-8")
    own = ["eval", "--domain", "./domains/mock", "--retrieval-config", "bm25"]
    done = ragbench(*own, "--split", "few", "--format", "json")
    assert [trial["task_id"] for trial in json.loads(done.stdout)["trials"]] == [
        "due_date",
        "waive_fault",
    ]
    other = ragbench(*own, "--split", "few", "--task-ids", "one_more_day")
    assert other.returncode == 2
    assert "None of the tasks one_more_day is in the split 'few'" in other.stderr


def test_an_unreadable_document_is_listed_and_the_rest_runs(ragbench, own_domain, tmp_path):
    (tmp_path / "corpora" / "mock" / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    done = ragbench("eval", "--domain", "./domains/mock", "--retrieval-config", "bm25")
    assert done.returncode == 3
    assert "1 file of the corpus could not be read:\n  broken.pdf: malformed: " in done.stderr
    assert "9 of 9 trials scored" in done.stdout


def test_an_infrastructure_error_is_shown_counted_and_run_again(tmp_path, monkeypatch, capsys):
    from ragbench.retrieval import Bm25Retriever

    def fail(self, query, n, where=None):
        raise OSError("the disk is gone")

    def run():
        with pytest.raises(SystemExit) as leave:
            main([*EVAL, "--task-ids", "due_date,waive_fault", "--save-to", "run"])
        captured = capsys.readouterr()
        return leave.value.code, captured.out, captured.err

    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as broken:
        broken.setattr(Bm25Retriever, "retrieve", fail)
        code, out, err = run()
    assert code == 3
    assert "Infrastructure error in task waive_fault: OSError: the disk is gone" in err
    assert "1 of 2 trials scored" in out
    # One of two passed: 1/2 if the other had failed, 2/2 if it had passed.
    assert "if all had failed, mean reward 50.0 %; if all had passed, 100.0 %." in out
    code, out, _ = run()
    assert code == 0
    assert "2 of 2 trials scored" in out


def test_an_exception_nobody_expected_keeps_its_traceback(tmp_path, monkeypatch, capsys):
    import ragbench.runner

    def crash(*args):
        raise ZeroDivisionError("one by nothing")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(ragbench.runner, "run", crash)
    with pytest.raises(SystemExit) as leave:
        main(EVAL)
    assert leave.value.code == 1
    (kept,) = tmp_path.glob("ragbench-*.txt")
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == (
        "Error: this should not have happened: ZeroDivisionError: one by nothing. "
        f"The traceback is in {kept}; RAGBENCH_DEBUG=1 prints it instead."
    )
    assert "in crash" in kept.read_text()
    monkeypatch.setenv("RAGBENCH_DEBUG", "1")
    with pytest.raises(SystemExit):
        main(EVAL)
    assert "ZeroDivisionError: one by nothing" in capsys.readouterr().err.splitlines()[-1]
    assert len(list(tmp_path.glob("ragbench-*.txt"))) == 1


def test_help_needs_only_click(ragbench):
    code = (
        "import sys\nfrom ragbench.cli import main\n"
        "try:\n    main(['eval', '--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'rich', 'numpy', 'chromadb'} & set(sys.modules)\nprint(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "[default: 200]" in done.stdout
