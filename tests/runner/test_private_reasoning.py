"""Whole conversations of models that think aloud: thoughts are no speech, evidence or marker."""

from __future__ import annotations

import json
import re

import pytest
from model_server import Answer, ModelServer, calls, completion, says

from ragbench.config import EvalConfig, LLMConfig
from ragbench.records import Termination
from ragbench.runner import RunFolder, prepare, run

VOLATILE = {"timing", "latency_ms"}
SECRET = "The policy says a day late costs $12.50, but I should not tell that."
SORRY = "I am sorry, I cannot tell you."


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


def is_users(body):
    return body["messages"][0]["content"].startswith("You play a customer")


def n_replies(body):
    return sum(message["role"] == "assistant" for message in body["messages"])


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in VOLATILE}
    return [plain(item) for item in value] if isinstance(value, list) else value


def play(store, folder, plan, task, **changes):
    """The trajectory, the score and what was asked; plain and streamed runs must be equal."""
    found = []
    for stream in (False, True):
        with ModelServer(plan) as server:
            model = LLMConfig("openai/m", base_url=server.url, stream=stream)
            given = {"agent_llm": model, **changes}
            if given.get("user") == "llm":
                given["user_llm"] = model
            config = EvalConfig(
                domain="mock", store=store, retrieval_config="bm25", task_ids=(task,), agent="llm",
                save_to=folder / str(stream), max_steps=20, **given,
            )  # fmt: skip
            result = run(prepare(config))
        (trajectory,) = RunFolder(result.folder).trajectories().values()
        found.append((trajectory, result.scores[0], [request.body for request in server.requests]))
    assert plain(found[0][0].model_dump(mode="json")) == plain(found[1][0].model_dump(mode="json"))
    return found[0]


def assistant(**message):
    return completion({"role": "assistant", **message})


SPOKEN = f"{SORRY} ###DONE###"
NATIVE = {
    "whole": says(f"<think>{SECRET}</think>\n\n{SPOKEN}"),
    "opened by the template": says(f"{SECRET}\n</think>\n\n{SPOKEN}"),
    "nested": says(f"<think>Hm. <think>{SECRET}</think> So.</think>{SPOKEN}"),
    "behind the words": says(f"{SPOKEN}<think>{SECRET}"),
    "thinking": says(f"<thinking>{SECRET}</thinking>{SPOKEN}"),
    "reasoning": says(f"<reasoning>{SECRET}</reasoning>{SPOKEN}"),
    "reasoning_content": assistant(content=SPOKEN, reasoning_content=SECRET),
    "reasoning field": assistant(content=SPOKEN, reasoning=SECRET),
    "a signed block": assistant(
        content=SPOKEN,
        thinking_blocks=[{"type": "thinking", "thinking": SECRET, "signature": "c2ln"}],
    ),
}


def action(name, text):
    return json.dumps({"action": name, "arguments": {"text": text}})


OTHER_MODES = {
    "schema, before": (
        "schema", says(f"<think>{SECRET}</think>{action('end_conversation', SORRY)}"),
    ),
    "schema, template": ("schema", says(f"{SECRET}</think>{action('end_conversation', SORRY)}")),
    "schema, within": ("schema", says(action("end_conversation", f"{SECRET}</think>{SORRY}"))),
    "schema, field": (
        "schema", assistant(content=action("end_conversation", SORRY), reasoning_content=SECRET),
    ),
    "react, before": ("react", says(f"<think>{SECRET}</think>\nFinal: {SPOKEN}")),
    "react, template": ("react", says(f"Final: no.\n{SECRET}</think>\nFinal: {SPOKEN}")),
    "react, within": ("react", says(f"Thought: so.\nFinal: <think>{SECRET}</think>{SPOKEN}")),
    "react, its own": ("react", says(f"Thought: {SECRET}\nFinal: {SPOKEN}")),
    "react, field": ("react", assistant(content=f"Final: {SPOKEN}", reasoning_content=SECRET)),
}  # fmt: skip
AGENTS = {name: ("native", answer) for name, answer in NATIVE.items()} | OTHER_MODES


@pytest.mark.parametrize("name", AGENTS)
def test_the_agents_thought_is_stored_and_said_to_nobody(store, tmp_path, name):
    mode, answer = AGENTS[name]
    trajectory, score, bodies = play(
        store, tmp_path, lambda body: answer, "fee_if_late", tool_mode=mode
    )
    (said,) = [m for m in trajectory.messages if m.role == "assistant"]
    assert (said.content, said.closing) == (SORRY, True)
    assert SECRET in said.reasoning
    assert score.score.components["COMMUNICATE"] == 0.0
    assert score.score.reward == 0.0
    assert len(bodies) == 1


def test_a_reply_that_is_all_thought_is_asked_for_again_and_then_an_error(store, tmp_path):
    thought = says(f"<think>{SECRET} ###DONE###")
    trajectory, _, bodies = play(store, tmp_path, lambda body: thought, "fee_if_late")
    assert trajectory.termination is Termination.AGENT_ERROR
    assert len(bodies) == 2
    assert SECRET not in json.dumps(bodies[1])
    assert "$12.50" not in trajectory.model_dump_json()


THOUGHTS = {
    "whole": lambda thought, said: says(f"<think>{thought}</think>{said}"),
    "opened by the template": lambda thought, said: says(f"{thought}\n</think>\n\n{said}"),
    "nested": lambda thought, said: says(f"<think>a<think>{thought}</think></think>{said}"),
    "behind the words": lambda thought, said: says(f"{said}<think>{thought}"),
    "field": lambda thought, said: assistant(content=said, reasoning_content=thought),
}
HIDDEN = "I must not say ###STOP### yet. My secret: only 3 days count."


@pytest.mark.parametrize("mode", ["native", "schema", "react"])
@pytest.mark.parametrize("name", THOUGHTS)
def test_the_users_thought_is_no_marker_and_reaches_no_agent(store, tmp_path, name, mode):
    def in_mode(said):
        if mode == "native":
            return said
        return action("respond", said) if mode == "schema" else f"Final: {said}"

    def plan(body):
        if is_users(body):
            if n_replies(body) == 0:
                said = "Ines Varga here, may I keep the belt sander longer?"
                return THOUGHTS[name](HIDDEN, in_mode(said))
            return THOUGHTS[name]("All done, so I stop.", in_mode("###STOP###"))
        if any(message["role"] == "tool" for message in body["messages"]):
            return says("Done. ###DONE###")
        return calls(("extend_loan", {"loan_id": "L-501", "days": 3}))

    trajectory, score, bodies = play(
        store, tmp_path, plan, "extend_sander", user="llm", user_tool_mode=mode
    )
    assert trajectory.termination is Termination.USER_STOP
    assert score.score.reward == 1.0
    first = trajectory.messages[0]
    assert first.content == "Ines Varga here, may I keep the belt sander longer?"
    assert HIDDEN in first.reasoning
    of_agent = json.dumps([body for body in bodies if not is_users(body)])
    assert "secret" not in of_agent
    assert "###STOP###" not in of_agent


def test_signed_blocks_go_back_with_their_calls_and_nothing_else_of_a_thought(store, tmp_path):
    signed = {"type": "thinking", "thinking": SECRET, "signature": "c2ln"}
    look = calls(("find_member", {"name": "Ines Varga"}), ids=["a"])
    message = look.body["choices"][0]["message"] | {"thinking_blocks": [signed]}

    def plan(body):
        return completion(message, "tool_calls") if n_replies(body) == 0 else says(SPOKEN)

    _, _, bodies = play(store, tmp_path, plan, "fee_if_late")
    own = bodies[1]["messages"][2]
    assert own["role"] == "assistant"
    assert re.search("call|tool", json.dumps(own))
    assert SECRET not in json.dumps([m for m in bodies[1]["messages"] if m is not own])


CASES = {
    "llm_think_tail": ("fee_if_late", {}, False),
    "user_think_stop": ("extend_sander", {"user": "llm"}, False),
    "llm_stream_index0": ("extend_sander", {}, True),
    "llm_stream_no_index": ("extend_sander", {}, True),
    "llm_overflow_vllm": ("extend_sander", {}, False),
}
RIGHT = {
    "llm_think_tail": ("user_stop", 0.0),
    "user_think_stop": ("user_stop", 1.0),
    "llm_stream_index0": ("user_stop", 1.0),
    "llm_stream_no_index": ("user_stop", 1.0),
    "llm_overflow_vllm": ("context_overflow", 0.0),
}


@pytest.mark.shared_data
@pytest.mark.parametrize("case", CASES)
def test_servers_that_were_met(store, tmp_path, shared_data, case):
    task, changes, stream = CASES[case]
    found = {}
    source = (shared_data / "cases" / case / "server.py").read_text()
    common = (shared_data / "cases" / "common.py").read_text()
    source = re.sub(r"import sys; sys\.path.*\nfrom common import \*\n", "", source)
    exec(compile(common + "\n" + source, case, "exec"), found)

    def plan(body):
        status, headers, out = found["reply"](body, 1, {})
        if isinstance(out, list):
            return Answer(status=status, headers=headers, chunks=out)
        return Answer(status=status, headers=headers, body=out)

    with ModelServer(plan) as server:
        model = LLMConfig("openai/fake", base_url=server.url, stream=stream)
        given = {**changes, **({"user_llm": model} if changes else {})}
        config = EvalConfig(
            domain="mock", store=store, retrieval_config="bm25", task_ids=(task,), agent="llm",
            agent_llm=model, save_to=tmp_path / "run", **given,
        )  # fmt: skip
        (score,) = run(prepare(config)).scores
    assert (score.termination, score.score.reward) == RIGHT[case]
