"""Runs with models, against a server on loopback: resumed, stopped for the budget, accounted for.

The clerk (`tests/clerk.py`) makes two calls a simulation as the agent: a search, then an answer.
Every reply of the server has 100 prompt tokens, 40 of them cached, and 7 completion tokens; at the
price of gpt-4.1 (2, 0.5 and 8 USD a million) a call costs 60 x 2 + 40 x 0.5 + 7 x 8 = 196
millionths of a dollar.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragbench.config import EvalConfig, LLMConfig
from ragbench.errors import RunError
from ragbench.records import Review, Termination, Trajectory
from ragbench.runner import RunFolder, models_for, prepare, run

clerk = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "clerk.py")))
server = clerk.server

KEY = "sk-planted-0123456789abcdef"
CALL_USD = 196e-6
RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(autouse=True)
def planted_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def model(url, name="openai/gpt-4.1") -> LLMConfig:
    return LLMConfig(name, base_url=url)


def config(store, folder, url, **changes) -> EvalConfig:
    base = EvalConfig(
        domain="mock",
        store=store,
        retrieval_config="bm25",
        agent="llm",
        agent_llm=model(url),
        save_to=folder,
    )
    return replace(base, **changes)


def rows(folder, name="trajectories.jsonl") -> list[dict]:
    text = (folder / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def options(store, folder, url) -> list[str]:
    return [
        *RAGBENCH, "eval", "--domain", "mock", "--retrieval-config", "bm25", "--num-trials", "4",
        "--agent-llm", "openai/gpt-4.1", "--agent-base-url", url, "--store", str(store),
        "--save-to", str(folder), "--max-concurrency", "4",
    ]  # fmt: skip


def killed_when(command: list[str], path: Path, n_lines: int, number: int) -> int:
    """Run the command and end it by a signal once so many lines are stored; how many then were."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if path.is_file() and path.read_bytes().count(b"\n") >= n_lines:
            break
        time.sleep(0.002)
    os.kill(process.pid, number)
    process.wait()
    return path.read_bytes().count(b"\n")


def test_a_killed_run_ends_with_the_scores_of_an_unbroken_one(store, tmp_path) -> None:
    """Recorded once, unbroken; then replayed unbroken, and replayed with two kills.

    9 tasks x 4 trials = 36 simulations. A replay asks nobody: the server is gone by then.
    """
    tape = tmp_path / "tape.jsonl"
    with server.ModelServer(clerk.answer) as running:
        url = running.url
        command = options(store, tmp_path / "live", url)
        subprocess.run([*command, "--llm-cache", "record", tape], check=True, capture_output=True)
        assert len(running.requests) == 72  # 36 simulations, 2 calls each
    replay = ["--llm-cache", "replay", str(tape)]
    subprocess.run([*options(store, tmp_path / "whole", url), *replay], check=True)
    command = [*options(store, tmp_path / "killed", url), *replay]
    path = tmp_path / "killed" / "trajectories.jsonl"
    survived = [killed_when(command, path, n, signal.SIGKILL) for n in (3, 15)]
    assert 3 <= survived[0] < survived[1] < 36, "the process finished before it was killed"
    subprocess.run(command, check=True, capture_output=True)
    keys = [(row["task_id"], row["trial"]) for row in rows(tmp_path / "killed")]
    assert len(keys) == len(set(keys)) == 36
    scores = [
        (tmp_path / name / "scores.jsonl").read_bytes() for name in ("live", "whole", "killed")
    ]
    assert scores[0] == scores[1] == scores[2]


def test_a_killed_recording_is_replayed_to_the_scores_of_its_run(store, tmp_path) -> None:
    """What the killed simulations had recorded does not disturb those that were played again."""
    tape = ["--llm-cache", "record", str(tmp_path / "tape.jsonl")]
    with server.ModelServer(lambda body: clerk.answer(body).but(delay_s=0.02)) as running:
        command = [*options(store, tmp_path / "live", running.url), *tape]
        path = tmp_path / "live" / "trajectories.jsonl"
        assert killed_when(command, path, 5, signal.SIGKILL) < 36
        subprocess.run(command, check=True, capture_output=True)
        assert len(rows(tmp_path / "live")) == 36
        url = running.url
    replayed = [*options(store, tmp_path / "again", url), "--llm-cache", "replay", tape[2]]
    subprocess.run(replayed, check=True, capture_output=True)
    scores = [(tmp_path / name / "scores.jsonl").read_bytes() for name in ("live", "again")]
    assert scores[0] == scores[1]


def test_an_interrupt_stores_what_ended_and_says_how_to_go_on(store, tmp_path) -> None:
    with server.ModelServer(lambda body: clerk.answer(body).but(delay_s=0.05)) as running:
        command = options(store, tmp_path / "run", running.url)
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for line in process.stderr:
            if line.startswith("[3/36]"):
                process.send_signal(signal.SIGINT)
                break
        out, err = process.communicate(timeout=60)
        stored = len(rows(tmp_path / "run"))
        assert (process.returncode, out) == (130, "")
        assert f"Interrupted: {stored} of 36 simulations are stored; run the same" in err
        assert f"ragbench eval --resume {tmp_path / 'run'}" in err
        assert "Warning" not in err
        assert 3 <= stored < 36
        resume = [*RAGBENCH, "eval", "--resume", str(tmp_path / "run")]
        done = subprocess.run(resume, capture_output=True, text=True, check=True)
    assert f"Continued: {stored} simulations were stored already." in done.stderr
    assert len(rows(tmp_path / "run")) == 36


def test_the_budget_stops_cleanly_and_a_larger_one_goes_on(store, tmp_path) -> None:
    """One simulation at a time costs 2 x 196 millionths; 0.0007 USD is spent with the fourth call.

    So two simulations are stored, the third does not begin its first call, and nothing is dropped.
    """
    folder = tmp_path / "run"
    with server.ModelServer(clerk.answer) as running:
        small = config(store, folder, running.url, max_concurrency=1, budget_usd=0.0007)
        stopped = run(prepare(small))
        assert len(running.requests) == 4
        assert stopped.stopped.startswith("The budget of 0.0007 USD is spent (0.0008 USD)")
        assert len(stopped.scores) == len(rows(folder)) == 2
        assert stopped.summary["n_trials_not_scored"] == 7
        assert stopped.summary["models"]["cost_usd"] == pytest.approx(4 * CALL_USD)
        assert not (folder / "spending.jsonl").exists()
        again = run(prepare(small))  # what an earlier start has cost counts
        assert (again.n_kept, len(running.requests)) == (2, 4)
        assert again.stopped is not None
        large = run(prepare(replace(small, budget_usd=1.0)))
        assert (large.n_kept, large.n_played, large.stopped) == (2, 7, None)
        assert len(running.requests) == 18
    assert large.summary["models"]["cost_usd"] == pytest.approx(18 * CALL_USD)


def test_what_dropped_simulations_cost_is_kept(store, tmp_path) -> None:
    """The first call is over the budget, the second is refused: nothing is stored but the cost."""
    folder = tmp_path / "run"
    with server.ModelServer(clerk.answer) as running:
        small = config(store, folder, running.url, budget_usd=0.0001, task_ids=("due_date",))
        result = run(prepare(small))
        assert len(running.requests) == 1
    assert result.scores == ()
    assert rows(folder, "spending.jsonl") == [
        {"cost_usd": pytest.approx(CALL_USD), "n_unpriced": 0, "searches": []}
    ]
    assert result.summary["models"]["cost_usd"] == pytest.approx(CALL_USD)
    assert result.summary["models"]["roles"] == {}


def test_tokens_cost_and_latency_by_role(store, tmp_path) -> None:
    """Both sides make 2 calls in each of 2 simulations; the customer's have no price."""
    with server.ModelServer(clerk.answer) as running:
        result = run(
            prepare(
                config(
                    store, tmp_path / "run", running.url, user="llm",
                    user_llm=model(running.url, "openai/nobody-knows"),
                    task_ids=("due_date", "one_more_day"),
                )
            )
        )  # fmt: skip
    found = result.summary["models"]
    agent, user = found["roles"]["agent"], found["roles"]["user"]
    assert (agent["models"], agent["n_calls"]) == (["openai/gpt-4.1"], 4)
    assert (agent["prompt_tokens"], agent["cached_tokens"]) == (400, 160)  # 4 x 100, 4 x 40
    assert agent["completion_tokens"] == 28  # 4 x 7
    assert agent["cost_usd"] == pytest.approx(4 * CALL_USD)
    assert agent["n_unpriced"] == 0
    assert agent["n_turns"] == 4
    assert 0 < agent["turn_ms_p50"] <= agent["turn_ms_p95"]
    assert (user["cost_usd"], user["n_unpriced"], user["n_calls"]) == (None, 4, 4)
    assert (found["cost_usd"], found["n_unpriced"]) == (pytest.approx(4 * CALL_USD), 4)


def test_no_key_is_written_or_printed(store, tmp_path) -> None:
    """One server refuses the key and repeats it, one answers: nothing that is kept holds it."""
    refused = server.error(401, f"Incorrect API key provided: {KEY}.")
    said = {}
    for name, plan in (("bad", lambda body: refused), ("good", clerk.answer)):
        with server.ModelServer(plan) as running:
            command = [*options(store, tmp_path / name, running.url), "--format", "json"]
            command += ["--llm-cache", "record", str(tmp_path / f"{name}.jsonl")]
            done = subprocess.run(command, capture_output=True, text=True)
            assert running.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert done.returncode == (1 if name == "bad" else 0)
        said[name] = done.stdout + done.stderr
    assert "Incorrect API key provided: ***. Check the key" in said["bad"]
    assert "0 of 36 simulations are stored" in said["bad"]
    assert [name for name, text in said.items() if KEY in text] == []
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 10
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []


def test_a_request_that_was_not_recorded_names_itself(store, tmp_path) -> None:
    tape = tmp_path / "tape.jsonl"
    with server.ModelServer(clerk.answer) as running:
        first = config(
            store, tmp_path / "one", running.url, task_ids=("due_date",),
            llm_cache="record", llm_cache_file=tape,
        )  # fmt: skip
        run(prepare(first))
    more = replace(
        first, save_to=tmp_path / "two", llm_cache="replay", task_ids=("due_date", "waive_fault")
    )
    result = run(prepare(more))
    stored = RunFolder(result.folder).trajectories()
    assert stored["due_date", 0].termination is Termination.USER_STOP
    missing = stored["waive_fault", 0]
    assert missing.termination is Termination.INFRASTRUCTURE_ERROR
    assert "task 'waive_fault', trial 0, role 'agent', call 0" in missing.error


def test_another_model_is_another_run_and_another_pace_is_not(store, tmp_path) -> None:
    folder = tmp_path / "run"
    with server.ModelServer(clerk.answer) as running:
        first = config(store, folder, running.url, task_ids=("due_date",))
        run(prepare(first))
        calm = replace(first.agent_llm, timeout_s=7.0, rpm=30, stream=True)
        same = replace(first, agent_llm=calm, max_concurrency=3, budget_usd=4.0)
        assert run(prepare(same)).n_played == 0
        assert run(prepare(replace(first, agent_llm=replace(calm, temperature=0.0)))).n_played == 0
        other = replace(first, agent_llm=replace(first.agent_llm, args='{"temperature": 0.5}'))
        with pytest.raises(RunError, match=r'agent_llm is .*"temperature": 0.0.* there'):
            run(prepare(other))
        with pytest.raises(RunError, match=r"tool_mode is .*native.* there, .*react.* here"):
            run(prepare(replace(first, tool_mode="react")))
    identity = json.loads((folder / "config.json").read_text())["identity"]
    found = identity["agent_llm"]
    assert (found["model"], found["args"]) == ("openai/gpt-4.1", {"temperature": 0.0})
    assert found["base_url"] == first.agent_llm.base_url


def test_what_retrieval_alone_explains(store, tmp_path) -> None:
    """8 of 9 tasks fail; with the documents in its prompt the clerk extends the sander as well.

    So 1 of the 8 failures is retrieval's: 12.5 %.
    """
    folder = tmp_path / "run"
    with server.ModelServer(clerk.answer) as running:
        wanted = config(store, folder, running.url)
        plain = run(prepare(wanted))
        assert plain.summary["counterfactual"] is None
        n = len(running.requests)
        result = run(prepare(replace(wanted, counterfactual=True)))  # goes on in the same folder
        assert result.n_played == 0
        assert len(running.requests) == n + 9  # 8 closing messages, and one extension before
        assert run(prepare(replace(wanted, counterfactual=True))).summary == result.summary
        assert len(running.requests) == n + 9
    found = result.summary["counterfactual"]
    assert (found["n_failed"], found["n_judged"], found["n_explained"]) == (8, 8, 1)
    assert found["share"]["mean"] == pytest.approx(1 / 8)
    assert found["share"]["low"] <= 1 / 8 <= found["share"]["high"]
    assert len(rows(folder, "golden_retrieval.jsonl")) == 8
    assert len(rows(folder)) == 9
    assert result.scores == plain.scores


def test_a_recording_keeps_simulations_under_other_setups_apart(store, tmp_path) -> None:
    """The customer's first call is the same in both; its later reply must not answer the first."""
    n_asked = 0

    def plan(body):
        nonlocal n_asked
        if clerk.role_of(body) == "user" and len(body["messages"]) == 2:
            n_asked += 1
            return server.says(f"Question {n_asked}: when is my tool due?")
        return clerk.answer(body)

    tape = {"llm_cache_file": tmp_path / "tape.jsonl"}
    with server.ModelServer(plan) as running:
        user = {"user": "llm", "user_llm": model(running.url)}
        live = config(
            store, tmp_path / "live", running.url, baselines=True, max_concurrency=1,
            task_ids=("due_date", "fee_if_late"), llm_cache="record", **user, **tape,
        )  # fmt: skip
        recorded = run(prepare(live))
    assert n_asked == 6  # two tasks, three setups
    replayed = run(prepare(replace(live, save_to=tmp_path / "again", llm_cache="replay")))
    assert replayed.summary["n_trials_not_scored"] == 0
    assert replayed.scores == recorded.scores
    assert replayed.summary["baselines"] == recorded.summary["baselines"]
    for name in ("trajectories.jsonl", "no_knowledge.jsonl", "golden_retrieval.jsonl"):
        texts = [
            {row["task_id"]: [m["content"] for m in row["messages"]] for row in rows(folder, name)}
            for folder in (tmp_path / "live", tmp_path / "again")
        ]
        assert texts[0] == texts[1]


def test_a_judge_reads_each_simulation_once_and_its_failure_is_not_judged(store, tmp_path) -> None:
    folder, fails = tmp_path / "run", True

    def plan(body):
        if clerk.role_of(body) == "judge" and fails:
            return server.error(400, "no such thing")
        return clerk.answer(body)

    with server.ModelServer(plan) as running:
        judged = config(
            store, folder, running.url, judge_llm=model(running.url), task_ids=("due_date",)
        )
        failed = run(prepare(judged))
        (review,) = RunFolder(folder).stored("reviews.jsonl", Review)
        assert review.error is not None
        assert failed.scores[0].score.reward == 1  # the trial itself is scored
        fails = False
        run(prepare(judged))
        reviews = list(RunFolder(folder).stored("reviews.jsonl", Review))
        assert [review.error is None for review in reviews] == [False, True]
        n = len(running.requests)
        done = run(prepare(judged))
        assert len(running.requests) == n
    assert done.summary["models"]["roles"]["judge"]["n_calls"] == 2
    assert done.summary["reviews"]["n_reviewed"] == 1
    assert done.summary["reviews"]["n_failed"] == 0


def test_no_reference_where_the_oracle_cannot_play(store, tmp_path) -> None:
    with server.ModelServer(clerk.answer) as running:
        grep = config(store, tmp_path / "run", running.url, retrieval_config="grep_only")
        result = run(prepare(grep))
    assert "grep_only" not in result.summary["references"]
    assert "regular expressions" in result.summary["missing_references"]["grep_only"].replace(
        "\n", " "
    )
    assert result.summary["references"]["golden_retrieval"]["mean"] == 1.0
    from ragbench.report import words_text

    text = words_text(result.resolved, result.summary, result.scores, Path("r"))
    assert "No reference under grep_only (this setup): The oracle cannot play" in text


def test_a_run_that_is_continued_keeps_nothing_of_an_earlier_summary(store, tmp_path) -> None:
    """A summary of an unfinished run is taken back before more work is stored."""
    folder = tmp_path / "run"
    with server.ModelServer(clerk.answer) as running:
        small = config(store, folder, running.url, max_concurrency=1, budget_usd=0.0003)
        run(prepare(small))
        assert (folder / "summary.json").exists()

        class Watch:
            def __getattr__(self, name):
                return lambda *_: None

            def ended(self, made):
                assert isinstance(made, Trajectory)
                assert not (folder / "summary.json").exists()

        result = run(prepare(replace(small, budget_usd=1.0)), Watch())
    assert result.summary["n_trials_scored"] == 9


def test_models_of_a_configuration_record_into_its_file(tmp_path) -> None:
    tape = tmp_path / "new" / "tape.jsonl"
    models_for(EvalConfig(domain="mock", llm_cache="record", llm_cache_file=tape))
    assert tape.exists()
    with pytest.raises(RunError, match="There is no recording"):
        models_for(
            EvalConfig(domain="mock", llm_cache="replay", llm_cache_file=tmp_path / "none.jsonl")
        )
