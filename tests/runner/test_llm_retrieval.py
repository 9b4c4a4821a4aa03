"""Whole runs under setups that ask a chat model, over real HTTP: sharing, replay, failure."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import pytest
from model_server import ModelServer, error, says

from ragbench.config import EvalConfig
from ragbench.errors import LLMError
from ragbench.runner import prepare, run


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


def obliging(body):
    """Every query as it was, in capitals; the later of the graded passages is the better one."""
    material = body["messages"][-1]["content"]
    if body["response_format"]["json_schema"]["name"] == "grades":
        numbers = re.findall(r"^\[(\d+)\]", material, re.M)
        return says(json.dumps({number: min(int(number), 10) for number in numbers}))
    query = material.removeprefix("<query>\n").removesuffix("\n</query>")
    return says(json.dumps({"query": query.upper()}))


def config(store, folder, setup, **changes):
    base = EvalConfig(domain="mock", store=store, retrieval_config=setup, k=1, save_to=folder)
    return replace(base, **changes)


def setup_asking(server):
    where = f"model=openai/m, base_url={server.url}"
    return f"bm25+llm_rewrite({where})+llm_rerank({where}, depth=3)"


def scores(folder):
    return (folder / "scores.jsonl").read_bytes()


def test_no_question_is_asked_twice_and_a_replay_asks_none(store, tmp_path):
    with ModelServer(obliging) as server:
        setup = setup_asking(server)
        recording = {"llm_cache": "record", "llm_cache_file": tmp_path / "replies.jsonl"}
        result = run(prepare(config(store, tmp_path / "a", setup, num_trials=2, **recording)))
        asked = Counter(request.body["messages"][-1]["content"] for request in server.requests)
    assert set(asked.values()) == {1}
    assert any(item.startswith("<query>\nWHAT") for item in asked)  # graded for the rewritten one
    events = [
        event
        for line in (tmp_path / "a" / "trajectories.jsonl").read_text().splitlines()
        for event in json.loads(line)["events"]
    ]
    assert events
    for event in events:
        assert event["parameters"]["rewritten_query"] == event["query"].upper()
        assert event["error"] is None
    causes = Counter(cause for score in result.scores for cause in score.diagnosis.causes)
    assert causes  # the worst of three passages comes first: the diagnosis had to search again
    assert "undetermined" not in causes
    replaying = {"llm_cache": "replay", "llm_cache_file": tmp_path / "replies.jsonl"}
    run(prepare(config(store, tmp_path / "b", setup, num_trials=2, **replaying)))
    assert scores(tmp_path / "b") == scores(tmp_path / "a")


def test_a_model_that_refuses_costs_the_simulations_that_searched(store, tmp_path):
    with ModelServer(lambda body: error(404)) as server:
        result = run(prepare(config(store, tmp_path / "run", setup_asking(server))))
    ends = Counter(score.termination.value for score in result.scores)
    rewards = {score.score.reward for score in result.scores if score.termination == "user_stop"}
    assert ends["infrastructure_error"] + ends["user_stop"] == 9
    assert ends["infrastructure_error"] >= 6
    assert rewards <= {0.0, 1.0}


PER_TOKEN = '{"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-5}'
CALL_USD = 100e-6 + 70e-6  # 100 tokens of the prompt and 7 of the completion


@pytest.mark.filterwarnings("ignore")
def test_rewriter_and_reranker_have_rows_of_their_own(store, tmp_path):
    tasks = ("fee_if_late", "due_date")
    with ModelServer(obliging) as server:
        where = f"model=openai/m, base_url={server.url}, args='{PER_TOKEN}'"
        setup = f"bm25+llm_rewrite({where})+llm_rerank({where}, depth=3)"
        given = config(store, tmp_path / "run", setup, task_ids=tasks)
        found = run(prepare(given)).summary["models"]
        asked = Counter(
            request.body["response_format"]["json_schema"]["name"] for request in server.requests
        )
        n_asked = len(server.requests)
        again = run(prepare(replace(given, save_to=given.save_to))).summary["models"]
    rows = {"llm_rewrite": asked["query"], "llm_rerank": asked["grades"]}
    assert min(rows.values()) >= 1
    assert set(found["roles"]) == set(rows)
    for role, n in rows.items():
        row = found["roles"][role]
        assert (row["models"], row["n_calls"], row["n_turns"]) == (["openai/m"], n, n)
        assert (row["prompt_tokens"], row["completion_tokens"]) == (100 * n, 7 * n)
        assert row["cost_usd"] == pytest.approx(n * CALL_USD)
        assert row["n_unpriced"] == 0
    assert found["cost_usd"] == pytest.approx(n_asked * CALL_USD)
    assert set(found["parts"]) == {"searches"}
    assert again == found  # they are stored, and entered once


def test_a_refused_key_behind_a_search_stops_the_run(store, tmp_path):
    with ModelServer(lambda body: error(401)) as server:
        prepared = prepare(config(store, tmp_path / "run", setup_asking(server)))
        with pytest.raises(LLMError, match="simulations are stored") as refused:
            run(prepared)
    assert refused.value.kind == "auth"


def test_a_malformed_grading_is_no_ranking(store, tmp_path):
    def lazy(body):
        if body["response_format"]["json_schema"]["name"] == "grades":
            return says("{}")
        return obliging(body)

    tasks = ("fee_if_late",)
    with ModelServer(lazy) as server:
        result = run(prepare(config(store, tmp_path / "run", setup_asking(server), task_ids=tasks)))
    (score,) = result.scores
    assert score.termination == "infrastructure_error"
    assert score.score.reward is None
    (line,) = (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()
    assert "its keys are [], not ['1', '2', '3']" in json.loads(line)["error"]
