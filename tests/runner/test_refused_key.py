"""A key that a provider refuses ends the run at once, and costs nothing that had ended."""

from __future__ import annotations

import pytest
from model_server import ModelServer, error, says

from ragbench.config import EvalConfig, LLMConfig
from ragbench.errors import LLMError
from ragbench.runner import RunFolder, prepare, run

TASKS = ("due_date", "fee_if_late", "one_more_day")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("A_GATEWAY", "planted-0123456789-key")


def is_users(body):
    return body["messages"][0]["content"].startswith("You play a customer")


def answered(body):
    """An agent that helps nobody, and a customer that leaves it."""
    if not is_users(body):
        return says("No. ###DONE###")
    spoken = any(message["role"] == "assistant" for message in body["messages"])
    return says("###STOP###" if spoken else "Please help.")


class Gateway:
    """Refuses the calls of one side from a number of them on."""

    def __init__(self, side, status=401):
        self.side, self.status, self.left = side, status, None

    def __call__(self, body):
        if is_users(body) == (self.side == "user") and self.left is not None:
            self.left -= 1
            if self.left < 0:
                return error(self.status, "refused")
        return answered(body)


def config(store, folder, url, stream, **changes):
    model = LLMConfig("openai/m", base_url=url, api_key_env="A_GATEWAY", stream=stream)
    return EvalConfig(
        domain="mock", store=store, retrieval_config="bm25", task_ids=TASKS, agent="llm",
        agent_llm=model, user="llm", user_llm=model, save_to=folder,
        **{"max_concurrency": 1, **changes},
    )  # fmt: skip


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("side", ["agent", "user"])
def test_the_run_stops_and_goes_on_with_a_right_key(store, tmp_path, side, status, stream):
    gateway = Gateway(side, status)
    with ModelServer(gateway) as server:
        given = config(store, tmp_path / "run", server.url, stream)
        gateway.left = {"agent": 1, "user": 2}[side]  # one simulation is played to its end
        with pytest.raises(LLMError) as refused:
            run(prepare(given))
        kept = RunFolder(given.save_to).trajectories()
        n_asked = len(server.requests)
        gateway.left = None
        run(prepare(given))
        whole = run(prepare(config(store, tmp_path / "whole", server.url, stream)))
    assert (refused.value.kind, refused.value.exit_code) == ("auth", 1)
    assert "Check the key in A_GATEWAY." in str(refused.value)
    assert "1 of 3 simulations are stored" in str(refused.value)
    assert f"ragbench eval --resume {given.save_to}" in str(refused.value)
    assert list(kept) == [("due_date", 0)]
    # three calls of the first (opening, answer, leave); of the second up to the refusal
    assert n_asked == {"agent": 3 + 2, "user": 3 + 1}[side]
    again = RunFolder(given.save_to).trajectories()
    assert again["due_date", 0] == kept["due_date", 0]
    assert len(again) == 3
    scores = [folder / "scores.jsonl" for folder in (given.save_to, whole.folder)]
    assert scores[0].read_bytes() == scores[1].read_bytes()


def test_only_calls_that_were_under_way_are_made_beside_it(store, tmp_path):
    with ModelServer(lambda body: error(401)) as server:
        given = config(store, tmp_path / "run", server.url, False, num_trials=4, max_concurrency=3)
        with pytest.raises(LLMError):
            run(prepare(given))
        assert 1 <= len(server.requests) <= 3  # of 12 simulations


def test_a_judges_refused_key_loses_no_simulation(store, tmp_path):
    def plan(body):
        return error(401) if "You review one" in body["messages"][0]["content"] else answered(body)

    with ModelServer(plan) as server:
        given = config(store, tmp_path / "run", server.url, False)
        judge = LLMConfig("openai/j", base_url=server.url, api_key_env="A_GATEWAY")
        with pytest.raises(LLMError, match="3 of 3 simulations are stored"):
            run(prepare(config(store, tmp_path / "run", server.url, False, judge_llm=judge)))
        result = run(prepare(given))
    assert (result.n_played, len(result.scores)) == (0, 3)
