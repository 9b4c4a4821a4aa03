"""Who plays: models in every mode, agents of the user's own, and what a run makes of them."""

from __future__ import annotations

import asyncio
import json
import re
import textwrap
import time
from dataclasses import replace

import pytest
from model_server import ModelServer, calls, says

from ragbench.config import EvalConfig, LLMConfig
from ragbench.errors import LLMError, UsageError
from ragbench.llm import Models
from ragbench.records import Termination
from ragbench.runner import RunFolder, play_trial, prepare, roles_for, run

KEY = "planted-0123456789-key"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(autouse=True)
def planted_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def config(store, folder, *task_ids, **changes):
    base = EvalConfig(
        domain="mock", store=store, retrieval_config="bm25", save_to=folder, task_ids=task_ids
    )
    return replace(base, **changes)


def play(evaluation, answer):
    """Play the only task against a server; the trajectory and the bodies that were sent."""
    with ModelServer(answer) as server:
        model = LLMConfig("openai/m", base_url=server.url)
        sides = {
            f"{side}_llm": model for side in ("agent", "user") if getattr(evaluation, side) == "llm"
        }
        result = run(prepare(replace(evaluation, **sides), models=Models()))
        (trajectory,) = RunFolder(result.folder).trajectories().values()
        return trajectory, result.scores[0], [request.body for request in server.requests]


def test_schema_mode(store, tmp_path) -> None:
    def action(what, **arguments):
        return says(json.dumps({"action": what, "arguments": arguments}))

    replies = [
        action("find_member", name="Ines Varga"),
        says("I extend it now."),  # no object: sent back once
        action("extend_loan", loan_id="L-502", days=1),
        action("end_conversation", text="You have it until 10 March."),
    ]
    evaluation = config(store, tmp_path / "run", "one_more_day", agent="llm", tool_mode="schema")
    trajectory, score, bodies = play(evaluation, replies)
    assert score.score.reward == 1.0
    assert trajectory.termination is Termination.USER_STOP
    assert trajectory.messages[-2].content == "You have it until 10 March."
    assert trajectory.messages[-2].closing
    assert trajectory.n_steps == 5  # the customer, two calls, the last words, the stop
    assert len(trajectory.llm_calls) == 4
    assert all("tools" not in body for body in bodies)
    names = bodies[0]["response_format"]["json_schema"]["schema"]["properties"]["action"]["enum"]
    assert names == [
        "respond", "end_conversation", "find_member", "extend_loan", "unlock_tool",
        "search_policies",
    ]  # fmt: skip
    assert [m["role"] for m in bodies[2]["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert bodies[2]["messages"][-1]["content"].startswith("Your reply cannot be used")
    last = bodies[3]["messages"]
    assert [m["role"] for m in last] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert last[-1]["content"].startswith("Result of extend_loan: ")
    assert "I extend it now." not in json.dumps(last)


def test_react_mode(store, tmp_path) -> None:
    replies = [
        says(
            "Thought: who?\nAction: find_member\nAction Input: {name: Ines Varga}\nObservation: x"
        ),
        says("Let me extend that."),
        says("I will."),
        says('Action: extend_loan\nAction Input: ```json\n{"loan_id": "L-502", "days": 1}\n```'),
        says("Final: Done. ###DONE###"),
    ]
    evaluation = config(store, tmp_path / "run", "one_more_day", agent="llm", tool_mode="react")
    trajectory, score, bodies = play(evaluation, replies)
    assert score.score.reward == 1.0
    assert trajectory.messages[-2].content == "Done."
    assert len(bodies) == 5
    assert all("tools" not in body and "response_format" not in body for body in bodies)
    assert "- extend_loan(loan_id: string, days: integer)" in bodies[0]["messages"][0]["content"]
    assert bodies[3]["messages"][-1]["content"].startswith("Your reply has neither an action")
    assert bodies[4]["messages"][-1]["content"].startswith("Observation: {")


def test_an_unlocked_tool_is_offered(store, tmp_path) -> None:
    replies = [
        calls(("find_member", {"name": "Tobias Lund"})),
        calls(("unlock_tool", {"tool_name": "waive_fee_2718"})),
        calls(("waive_fee_2718", {"loan_id": "L-504", "ground": "FAULT"})),
        says("It is off. ###DONE###"),
    ]
    evaluation = config(store, tmp_path / "run", "waive_fault", agent="llm")
    _, score, bodies = play(evaluation, replies)
    offered = [[tool["function"]["name"] for tool in body["tools"]] for body in bodies]
    assert ["waive_fee_2718" in names for names in offered] == [False, False, True, True]
    assert score.score.reward == 1.0


def test_inlined_documents_stand_in_the_prompt(store, tmp_path) -> None:
    evaluation = config(
        store, tmp_path / "run", "refuse_waiver", agent="llm", retrieval_config="golden_passages"
    )
    _, _, bodies = play(evaluation, [says("No: LF-4. ###DONE###")])
    prompt = bodies[0]["messages"][0]["content"]
    assert "Staff who turn a request down tell the member the decision code LF-4" in prompt
    assert all("search" not in tool["function"]["name"] for tool in bodies[0]["tools"])


def test_an_llm_user_opens_and_the_oracle_answers(store, tmp_path) -> None:
    user = [says("Ines Varga. One more day with the spirit level?"), says("Thanks! ###STOP###")]
    evaluation = config(store, tmp_path / "run", "one_more_day", user="llm")
    trajectory, score, bodies = play(evaluation, user)
    assert score.score.reward == 1.0
    assert (trajectory.agent, trajectory.user) == ("oracle", "llm")
    assert trajectory.script_delivered is None
    assert [(call.role, call.step) for call in trajectory.llm_calls] == [("user", 0), ("user", 4)]
    first, second = bodies
    assert "Ines Varga. You want the spirit level for exactly" in first["messages"][0]["content"]
    assert [m["role"] for m in second["messages"]] == ["system", "user", "assistant", "user"]
    assert second["messages"][2]["content"] == "Ines Varga. One more day with the spirit level?"
    assert "tools" not in first


def test_over_budget_nothing_is_stored_and_the_call_is_not_made(store) -> None:
    with ModelServer([]) as server:
        model = LLMConfig("openai/gpt-4.1", base_url=server.url)
        evaluation = config(store, None, "one_more_day", agent="llm", agent_llm=model)
        models = Models(budget_usd=0.0)
        prepared = prepare(evaluation, models=models)
        with pytest.raises(LLMError) as found:
            asyncio.run(play_trial(prepared, prepared.tasks[0], 0, roles_for(prepared, models)))
        assert found.value.kind == "budget"
        assert server.requests == []


def test_roles_that_cannot_be_made(store, tmp_path) -> None:
    prepared = prepare(config(store, None, "one_more_day"))
    for changes, message in [
        ({"agent": "llm"}, "needs a model. Name one with --agent-llm"),
        ({"user": "llm"}, "needs a model. Name one with --user-llm"),
        ({"agent": "absent.py:X"}, "does not exist"),
    ]:
        changed = replace(prepared, config=replace(prepared.config, **changes))
        with pytest.raises(UsageError, match=message):
            roles_for(changed, Models())


# Agents of the user's own


def example(repository):
    page = (repository / "docs" / "agents.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return code


def test_the_documented_agent_scores(repository, store, tmp_path, monkeypatch) -> None:
    (tmp_path / "my_agent.py").write_text(example(repository), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = run(prepare(config(store, tmp_path / "run", agent="my_agent.py:MyAgent")))
    rewards = {score.task_id: score.score.reward for score in result.scores}
    solved = sorted(task_id for task_id, reward in rewards.items() if reward == 1.0)
    assert solved == ["one_more_day", "refuse_waiver"]
    assert {score.termination for score in result.scores} == {Termination.USER_STOP}
    assert len(example(repository).splitlines()) <= 40


BROKEN = """
    import asyncio, os, time
    from ragbench.simulate import Reply

    class Broken:
        def __init__(self, brief):
            self.n = 0
        {prefix}def step(self, observation):
            said = observation.messages[0].content
            if "Pavel" in said:
                return Reply("I am sorry: LF-4.", closing=True)
            self.n += 1
            if self.n == 1:
                return {{"name": "find_member", "arguments": {{"name": "Ines Varga"}}}}
            {fault}
"""
LEAK = "raise RuntimeError(os.environ['OPENAI_API_KEY'])"
FAULTS = {
    "raises": (LEAK, "agent_error", "RuntimeError: ***"),
    "nonsense": ("return 42", "agent_error", "step returned 42"),
    "says nothing": ("return ''", "agent_error", "which says and calls nothing"),
    "raises a timeout": ("raise TimeoutError('own')", "agent_error", "TimeoutError: own"),
    "hangs": ("{wait}", "timeout", "it took longer than 2 s"),
}  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "async "], ids=["sync", "async"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_agent_costs_its_own_simulation(store, tmp_path, fault, prefix) -> None:
    line, reason, error = FAULTS[fault]
    line = line.format(wait="await asyncio.sleep(60)" if prefix else "time.sleep(60)")
    path = tmp_path / "broken.py"
    code = textwrap.dedent(BROKEN.format(prefix=prefix, fault=line))
    path.write_text(code, encoding="utf-8")
    tasks = ("one_more_day", "refuse_waiver")
    evaluation = config(store, tmp_path / "run", *tasks, agent=f"{path}:Broken", timeout_s=2.0)
    started = time.monotonic()
    result = run(prepare(evaluation))
    assert time.monotonic() - started < 30  # and not the minute of the agent that hangs
    found = RunFolder(result.folder).trajectories()
    bad, good = found["one_more_day", 0], found["refuse_waiver", 0]
    assert bad.termination.value == reason
    assert error in bad.error
    assert [m.role for m in bad.messages] == ["user", "assistant", "tool"]
    assert (good.termination, good.error) == (Termination.USER_STOP, None)
    rewards = {score.task_id: score.score.reward for score in result.scores}
    assert rewards == {"one_more_day": 0.0, "refuse_waiver": 1.0}
    if fault == "raises":
        assert "broken.py" in bad.error
        assert "Traceback (most recent call last)" in bad.error
    for file in result.folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


def test_an_agent_gets_a_limit_when_none_is_given(store, tmp_path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def f(observation):\n    return 'Hi'\n", encoding="utf-8")
    limits = []
    for timeout_s in (None, 5.0):
        evaluation = config(store, None, "one_more_day", agent=f"{path}:f", timeout_s=timeout_s)
        limits.append(roles_for(prepare(evaluation), None).limit_s)
    assert limits == [600.0, 5.0]
    assert roles_for(prepare(config(store, None, "one_more_day")), None).limit_s is None


def test_what_an_agent_is_told_holds_no_gold(store, tmp_path) -> None:
    path = tmp_path / "nosy.py"
    path.write_text(
        "class Nosy:\n"
        "    def __init__(self, brief):\n"
        "        self.told = repr(brief)\n"
        "    def step(self, observation):\n"
        "        return self.told + repr(observation)\n",
        encoding="utf-8",
    )
    evaluation = config(store, tmp_path / "run", "waive_fault", agent=f"{path}:Nosy")
    result = run(prepare(evaluation))
    (trajectory,) = RunFolder(result.folder).trajectories().values()
    told = trajectory.messages[1].content
    assert "find_member" in told
    assert "2026-03-02T10:00:00" in told
    assert "Tobias Lund. I was charged" in told
    for secret in ("waive_fee_2718", "L-504", "FAULT", "waive_fault", "You want the fee gone"):
        assert secret not in told
