"""``ragbench eval`` with models and ``ragbench score``, as a person types them."""

from __future__ import annotations

import json
import os
import pty
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

clerk = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "clerk.py")))
server = clerk.server

RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]
KEY = "sk-dotenv-0123456789abcdef"


@pytest.fixture
def clean(monkeypatch):
    """No key in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def ragbench(tmp_path):
    def run(*args):
        return subprocess.run(
            [*RAGBENCH, *map(str, args)], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )

    return run


@pytest.fixture
def running():
    with server.ModelServer(clerk.answer) as one:
        yield one


def identity(folder) -> dict:
    return json.loads((folder / "config.json").read_text(encoding="utf-8"))["identity"]


TOML = """\
domain = "mock"
retrieval-config = "bm25"
task_ids = ["due_date", "fee_if_late"]
num_trials = 2
agent_llm = "openai/gpt-4.1"
agent_base_url = "{url}"
agent_llm_args = {{ top_p = 0.5 }}
llm_cache = ["record", "tape.jsonl"]
save_to = "run"
"""
YAML = """\
domain: mock
retrieval_config: bm25
task-ids: [due_date, fee_if_late]
num_trials: 2
agent_llm: openai/gpt-4.1
agent_base_url: {url}
agent_llm_args: {{top_p: 0.5}}
llm_cache: [record, tape.jsonl]
save_to: run
"""


@pytest.mark.parametrize(("name", "text"), [("eval.toml", TOML), ("eval.yaml", YAML)])
def test_a_file_of_options_and_a_key_from_env(ragbench, tmp_path, running, clean, name, text):
    """The command line wins over the file; the key comes from .env and is shown nowhere."""
    (tmp_path / name).write_text(text.format(url=running.url), encoding="utf-8")
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n", encoding="utf-8")
    done = ragbench("eval", "--config", name, "--num-trials", 1)
    assert done.returncode == 0, done.stderr
    assert running.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in done.stdout + done.stderr
    found = identity(tmp_path / "run")
    assert (found["agent"], found["num_trials"]) == ("llm", 1)
    assert found["task_ids"] == ["due_date", "fee_if_late"]
    assert found["agent_llm"]["args"] == {"temperature": 0.0, "top_p": 0.5}
    assert (tmp_path / "tape.jsonl").read_text().count("\n") == len(running.requests) == 4
    assert "agent openai/gpt-4.1 (native tool calls), user scripted" in " ".join(
        done.stdout.split()
    )
    assert "Models      agent, openai/gpt-4.1: 4 calls;" in done.stdout

    # 4 replies from the tape: nobody is asked, and there is nothing to load.
    again = ragbench(
        "eval", "--config", name, "--num-trials", 1, "--save-to", "again",
        "--llm-cache", "replay", "tape.jsonl",
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert len(running.requests) == 4
    scores = [(tmp_path / folder / "scores.jsonl").read_bytes() for folder in ("run", "again")]
    assert scores[0] == scores[1]


def test_the_environment_wins_over_env(ragbench, tmp_path, running, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-set-before-0123456789")
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n", encoding="utf-8")
    done = ragbench(
        "eval", "--domain", "mock", "--retrieval-config", "bm25", "--task-ids", "due_date",
        "--agent-llm", "openai/gpt-4.1", "--agent-base-url", running.url,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert running.requests[0].headers["authorization"] == "Bearer sk-set-before-0123456789"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "num_trails = 3", "'num_trails' is no option of eval"),
        ("a.toml", "num_trails = 3", "did you mean 'num_trials'?"),
        ("a.toml", "num_trials = 1.5", "a.toml: num_trials: '1.5' is not a valid integer"),
        ("a.toml", "resume = 'x'", "'resume' is no option of eval"),
        ("a.toml", "num_trials = ", "is not valid TOML"),
        ("a.yaml", "a: [1", "is not valid YAML"),
        ("a.yaml", "- 1", "holds no options by name"),
        ("a.json", "{}", "the name must end in .toml, .yaml or .yml"),
        ("none.toml", None, "'none.toml' cannot be read: No such file"),
        ("a.toml", "user = 'nobody'", "a.toml: user: 'nobody' is not one of"),
    ],
)
def test_a_bad_file_of_options_is_one_clear_error(ragbench, tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = ragbench("eval", "--domain", "mock", "--config", name)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--agent", "llm"], 2, "The agent 'llm' needs a model. Name one with --agent-llm."),
        (["--user", "llm"], 2, "The user 'llm' needs a model. Name one with --user-llm."),
        (["--agent", "oracel"], 2, "did you mean 'oracle'?"),
        (["--agent", "oracle", "--agent-llm", "m"], 2, "Leave out --agent or --agent-llm."),
        (["--agent", "none.py:A"], 2, "The agent's file 'none.py' does not exist"),
        (["--agent-llm-args", "{}"], 2, "--agent-llm-args is given without --agent-llm"),
        (["--agent-llm", "m", "--agent-llm-args", "{"], 2, "are no JSON"),
        (["--budget-usd", "0"], 2, "--budget-usd is 0; it must be above 0."),
        (["--timeout", "-1"], 2, "--timeout is -1; it must be above 0."),
        (["--agent-llm", "m", "--llm-timeout", "0"], 2, "--llm-timeout is 0; it must be above 0"),
        (["--agent-llm", "m", "--llm-timeout", "nan"], 2, "--llm-timeout is nan"),
        (["--tool-mode", "react"], 2, "--tool-mode react is how a model calls tools, but 'oracle'"),
        (["--user-tool-mode", "schema"], 2, "--user-tool-mode schema is how a model calls tools"),
        (["--llm-cache", "replay", "none.jsonl"], 1, "There is no recording 'none.jsonl'"),
        (["--llm-cache", "record"], 2, "requires 2 arguments"),
        (["--retrieval-config", "golden_retrieval", "--counterfactual"], 2, "is the run's own"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(ragbench, tmp_path, options, code, message):
    done = ragbench("eval", "--domain", "mock", *options)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_resume_takes_the_models_of_the_run(ragbench, tmp_path, running, monkeypatch):
    """One of two simulations fits into the budget; the run's name alone continues it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    first = ragbench(
        "eval", "--domain", "mock", "--retrieval-config", "bm25", "--task-ids",
        "due_date,fee_if_late", "--agent-llm", "openai/gpt-4.1", "--agent-base-url", running.url,
        "--max-concurrency", 1, "--budget-usd", 0.0003,
    )  # fmt: skip
    assert first.returncode == 3
    assert "Stopped: The budget of 0.0003 USD is spent (0.0004 USD)" in first.stderr
    assert "1 of 2 simulations are stored; the same command goes on from there." in first.stderr
    assert "1 of 2 trials scored" in first.stdout
    (folder,) = (tmp_path / "runs").iterdir()
    done = ragbench("eval", "--resume", folder.name, "--budget-usd", 1)
    assert done.returncode == 0, done.stderr
    assert "Continued: 1 simulations were stored already." in done.stderr
    assert "[2/2] task fee_if_late: user_stop; $0.0008 of $1.00 so far" in done.stderr
    assert len(running.requests) == 4


def test_score_says_what_it_did(ragbench, tmp_path, repository):
    import shutil

    shutil.copytree(repository / "domains" / "mock", tmp_path / "domains" / "mock")
    shutil.copytree(repository / "corpora" / "mock", tmp_path / "corpora" / "mock")
    first = ragbench(
        "eval", "--domain", "./domains/mock", "--retrieval-config", "bm25", "--save-to", "runs/one"
    )
    assert first.returncode == 0, first.stderr
    scores = (tmp_path / "runs" / "one" / "scores.jsonl").read_bytes()
    again = ragbench("score", "one")
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert (tmp_path / "runs" / "one" / "scores.jsonl").read_bytes() == scores
    (tmp_path / "domains" / "mock" / "tasks" / "extend_sander.json").unlink()
    refused = ragbench("score", "one")
    assert refused.returncode == 1
    assert "by --fresh-tasks" in refused.stderr
    fresh = ragbench("score", "one", "--fresh-tasks")
    assert fresh.returncode == 3
    gone = "Not judged: task 'extend_sander' is no longer in the domain (1 simulation)."
    assert gone in fresh.stderr
    assert "8 of 9 trials scored" in fresh.stdout
    nowhere = ragbench("score", "two")
    assert nowhere.returncode == 1
    assert "There is no run 'two'" in nowhere.stderr
    assert "Runs here: one." in nowhere.stderr


def test_a_terminal_shows_a_live_table(tmp_path, running, monkeypatch):
    """On a real pseudo-terminal of 120 columns."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("COLUMNS", "120")
    main, side = pty.openpty()
    command = [
        *RAGBENCH, "eval", "--domain", "mock", "--retrieval-config", "bm25", "--agent-llm",
        "openai/gpt-4.1", "--agent-base-url", running.url, "--num-trials", "10", "--format", "csv",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=side)
    os.close(side)
    shown = b""
    while True:
        try:
            shown += os.read(main, 65536)
        except OSError:  # the other side is closed
            break
    assert process.wait() == 0
    os.close(main)
    text = shown.decode(errors="replace")
    for name in ("simulations", "finished", "running", "failed", "cost so far", "time left"):
        assert name in text
    assert "of 90" in text
    assert "[1/90]" not in text


def test_a_key_that_is_not_set_is_missed_before_anything_is_played(ragbench, tmp_path, running):
    model = ["--agent-llm", "openai/m", "--agent-base-url", running.url]
    options = ["--domain", "mock", "--task-ids", "due_date", "--save-to", "run", *model]
    nameless = ["--agent-api-key-env", "NO_SUCH_VARIABLE"]
    done = ragbench("eval", *options, *nameless)
    assert (done.returncode, running.requests) == (1, [])
    assert "The environment variable 'NO_SUCH_VARIABLE'" in done.stderr
    assert not (tmp_path / "run" / "trajectories.jsonl").exists()


def test_a_key_that_a_gateway_repeats_in_its_replies_is_written_nowhere(
    ragbench, tmp_path, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def repeating(body):
        if len(body["messages"]) < 3:
            return server.calls(("search_policies", {"query": f"the key {KEY}"}))
        return server.says(f"You sent Bearer {KEY}. ###DONE###")

    with server.ModelServer(repeating) as one:
        model = ["--agent-llm", "openai/m", "--agent-base-url", one.url]
        cache = ["--llm-cache", "record", "tape.jsonl"]
        options = ["--domain", "mock", "--task-ids", "due_date", "--save-to", "run", "--llm-stream"]
        done = ragbench("eval", *options, *model, *cache)
        assert KEY in one.requests[0].headers["authorization"]
    assert done.returncode == 0, done.stderr
    assert "You sent Bearer ***." in (tmp_path / "run" / "trajectories.jsonl").read_text("utf-8")
    assert "the key ***" in (tmp_path / "tape.jsonl").read_text("utf-8")
    assert KEY not in done.stdout + done.stderr
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []


def test_what_agents_raised_is_told_once_for_each_reason(ragbench, tmp_path):
    (tmp_path / "mine.py").write_text("def f(observation):\n    raise ValueError('no idea')\n")
    options = ["--task-ids", "due_date,fee_if_late", "--save-to", "run"]
    done = ragbench("eval", "--domain", "mock", "--agent", "mine.py:f", *options)
    assert done.returncode == 3  # every trial ended so: nothing is known of the agent's searching
    (told,) = [line for line in done.stderr.splitlines() if "no idea" in line]
    assert told.startswith("Agent error in 2 simulations (")
    assert told.endswith("): ValueError: no idea")
    assert "Traceback" not in done.stderr


def test_a_budget_that_cannot_see_the_cost_is_told(ragbench, tmp_path, running):
    model = ["--agent-llm", "openai/m", "--agent-base-url", running.url, "--budget-usd", "0.001"]
    done = ragbench("eval", "--domain", "mock", "--task-ids", "due_date", *model)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("The budget does not see calls whose price is not known") == 1
    assert "cost unknown (2 calls unpriced) of $0.0010 so far" in done.stderr
