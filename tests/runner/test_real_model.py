"""A small real model, served on this machine, as agent and judge.

It takes minutes and runs with ``RAGBENCH_REAL_LLM=1`` where `make demo-llm` has fetched the model.
Its verdicts and its success are its own: what is asserted is that the machinery around it works.
"""

from __future__ import annotations

import importlib.util
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        os.environ.get("RAGBENCH_REAL_LLM") != "1", reason="RAGBENCH_REAL_LLM=1 runs it"
    ),
]


@pytest.fixture(scope="module")
def url():
    """Address of the served model."""
    model = runpy.run_path(str(SCRIPTS / "fetch_llm.py"))["model_path"]()
    if not model.is_file():
        pytest.skip("the model was not fetched (make demo-llm does)")
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("llama.cpp is not installed (make demo-llm does)")
    command = [sys.executable, str(SCRIPTS / "serve_llm.py"), "--model", str(model)]
    command += ["--threads", "1"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        yield server.stdout.readline().strip()
        server.stdin.close()
        assert server.wait(60) == 0


def ragbench(folder, *words):
    code = "from ragbench.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder, env=dict(os.environ), capture_output=True, text=True,
    )  # fmt: skip


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_it_plays_a_task_and_is_judged(url, tmp_path):
    done = ragbench(
        tmp_path, "eval", "--domain", "mock", "--retrieval-config", "bm25", "--k", "1",
        "--task-ids", "due_date", "--agent-llm", "openai/small", "--agent-base-url", url,
        "--judge-llm", "openai/small", "--judge-base-url", url,
        "--judge-llm-args", '{"max_tokens": 300}',
        "--tool-mode", "schema", "--max-steps", "8", "--llm-timeout", "600", "--save-to", "run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (trajectory,) = lines(tmp_path / "run" / "trajectories.jsonl")
    assert trajectory["agent"] == "llm"
    assert trajectory["termination"] in {"user_stop", "max_steps", "max_errors"}
    assert trajectory["error"] is None
    for call in trajectory["llm_calls"]:
        assert (call["role"], call["error"], call["cost_usd"]) == ("agent", None, None)
        assert 0 < call["prompt_tokens"] < 1500
    (score,) = lines(tmp_path / "run" / "scores.jsonl")
    assert score["diagnosis"]["label"] in {"no_retrieval_needed", "unneeded_retrieval"}
    (review,) = lines(tmp_path / "run" / "reviews.jsonl")
    assert {call["role"] for call in review["llm_calls"]} == {"judge"}
    assert review["deviation"] is None  # the customer is scripted
    assert (review["claims"] is None) == (review["error"] is not None)


def test_it_rewrites_a_query(url, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "fees.md").write_text("The fee for a late return is $2.50 a day.")
    done = ragbench(tmp_path, "ingest", "docs", "--embedder", "none")
    assert done.returncode == 0, done.stderr
    spec = f"bm25+llm_rewrite(model=openai/small, base_url={url}, timeout_s=600)"
    query = "pls tell me the fee for a late return"
    done = ragbench(tmp_path, "search", query, "--retriever", spec)
    assert done.returncode == 0, done.stderr
