"""What a misbehaving model does to its own simulation, and never to another.

Two tasks run at once through real LiteLLM against a real server on loopback: a model that behaves
plays ``refuse_waiver``, one with a fault plays ``one_more_day``. Without a fault the second takes
two calls (find the member, extend L-502 by a day) and a closing message, reward 1.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace

import model_server as server
import pytest
from model_server import calls, completion, error, says

from ragbench.config import EvalConfig, LLMConfig
from ragbench.llm import Models, Waits
from ragbench.records import Termination
from ragbench.runner import RunFolder, prepare, run

KEY = "planted-0123456789-key"
FIND = calls(("find_member", {"name": "Ines Varga"}))
EXTEND = calls(("extend_loan", {"loan_id": "L-502", "days": 1}))
BYE = says("You have it one more day. ###DONE###")
GOOD = [FIND, EXTEND, BYE]
HEALTHY = [
    calls(("find_member", {"name": "Pavel Horak"}), ("search_policies", {"query": "waive fee"})),
    says("I am sorry, no: LF-4. ###DONE###"),
]
PATIENT = [says("Pavel Horak. Please waive the jigsaw's fee."), says("###STOP###")]
HELLO = says("Ines Varga here. One more day with the spirit level, please.")
VOLATILE = {"timing", "latency_ms"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(autouse=True)
def planted_key(monkeypatch):
    monkeypatch.setenv("FAULTY_GATEWAY", KEY)


class Hurried:
    """A clock that pauses of a provider move, and no time passes."""

    def __init__(self):
        self.now_s = 0.0

    def clock(self):
        return self.now_s

    async def sleep(self, seconds):
        self.now_s += seconds
        await asyncio.sleep(0)


class Played:
    """A finished run of the two tasks."""

    def __init__(self, result, requests, models):
        self.folder, self.requests, self.models = result.folder, requests, models
        self.scores = {score.task_id: score for score in result.scores}
        found = RunFolder(result.folder).trajectories()
        self.bad, self.good = found["one_more_day", 0], found["refuse_waiver", 0]
        self.reward = self.scores["one_more_day"].score.reward

    @property
    def answers(self):
        """What the tools answered in the simulation with the fault."""
        return [m.content for m in self.bad.messages if m.role == "tool"]

    def sent(self, role="agent"):
        """The bodies that the role of the simulation with the fault sent."""
        of_user = [body for body in self.requests if is_users(body)]
        bodies = of_user if role == "user" else [b for b in self.requests if not is_users(b)]
        return [body for body in bodies if "Ines" in json.dumps(body)]


def is_users(body):
    return body["messages"][0]["content"].startswith("You play a customer")


def play(store, folder, faulty, user=None, **changes):
    """Run both tasks, with plain and with streamed replies; the trajectories must be equal.

    ``faulty`` and ``user`` are answers in order, the last one for ever.
    """
    once = played_once(store, folder, faulty, user, stream=False, **changes)
    streamed = played_once(
        store, folder.with_name(f"{folder.name}-streamed"), faulty, user, stream=True, **changes
    )
    for one, other in ((once.bad, streamed.bad), (once.good, streamed.good)):
        assert comparable(one) == comparable(other)
    return once


def comparable(trajectory):
    """The whole trajectory, without times and without the port of its server."""
    found = plain(trajectory.model_dump(mode="json"))
    if found["error"] is not None:
        found["error"] = re.sub(r"127\.0\.0\.1:\d+", "HOST", found["error"])
        # How often a limit that lets another simulation through is asked again is chance.
        found["error"] = re.sub(r"\d+ attempts\): 429", "attempts): 429", found["error"])
    for call in found["llm_calls"]:
        if call["error"] == "rate_limit":
            del call["n_attempts"]
    return found


def played_once(store, folder, faulty, user=None, stream=False, call_s=20.0, **changes):
    """One run of both tasks."""
    asked = {"agent": 0, "user": 0}

    def plan(body):
        side = "user" if is_users(body) else "agent"
        if "Ines Varga" not in json.dumps(body):
            n_replies = sum(message["role"] == "assistant" for message in body["messages"])
            return (
                HEALTHY[n_replies]
                if side == "agent"
                else says(("Waive it.", "###STOP###")[n_replies])
            )
        answers = faulty if side == "agent" else user
        asked[side] += 1
        return answers[min(asked[side], len(answers)) - 1]

    with server.ModelServer(plan) as running:
        model = LLMConfig(
            "openai/m",
            base_url=running.url,
            api_key_env="FAULTY_GATEWAY",
            stream=stream,
            timeout_s=call_s,
        )
        config = EvalConfig(
            domain="mock",
            store=store,
            retrieval_config="bm25",
            task_ids=("one_more_day", "refuse_waiver"),
            agent="llm",
            agent_llm=model,
            save_to=folder,
            max_steps=20,
            **changes,
        )
        if user is not None:
            config = replace(config, user="llm", user_llm=model)
        hurried = Hurried()
        models = Models(waits=Waits(clock=hurried.clock, sleep=hurried.sleep))
        result = run(prepare(config, models=models))
        return Played(result, [request.body for request in running.requests], models)


def plain(value):
    """Without what differs between two equal runs."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in VOLATILE}
    return [plain(item) for item in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def undisturbed(store, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAULTY_GATEWAY", KEY)
        return play(store, tmp_path_factory.mktemp("good") / "run", GOOD)


def assert_contained(played, undisturbed):
    """The other simulation is what it is beside a model that behaves, and no file holds the key."""
    kept, wanted = (plain(p.good.model_dump(mode="json")) for p in (played, undisturbed))
    for one in (kept, wanted):
        for call in one["llm_calls"]:
            call["n_attempts"] = 1  # a pause of the provider holds for both
    assert kept == wanted
    assert played.scores["refuse_waiver"].score.reward == 1.0
    for path in played.folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_without_a_fault(undisturbed):
    assert undisturbed.bad.termination is Termination.USER_STOP
    assert (undisturbed.reward, undisturbed.bad.error) == (1.0, None)
    usage = undisturbed.bad.usage["agent"]
    # three calls of 100 and 7 tokens, 40 of the 100 cached; the price of "m" is unknown
    assert (usage.n_calls, usage.prompt_tokens, usage.completion_tokens) == (3, 300, 21)
    assert (usage.cached_tokens, usage.cost_usd, usage.n_unpriced) == (120, None, 3)
    assert [call.step for call in undisturbed.bad.llm_calls] == [1, 2, 3]


# The simulation survives: the fault passes, or the model sees an error and goes on.

TWICE = json.dumps(json.dumps({"loan_id": "L-502", "days": 1}))
SURROGATE = "caf\ud83d"  # half of a pair
SURVIVED = {
    "429 with Retry-After": [error(429, headers={"retry-after": "1"}), *GOOD],
    "429 without Retry-After": [error(429), *GOOD],
    "500": [FIND, error(500), EXTEND, BYE],
    "503": [FIND, error(503), error(503), EXTEND, BYE],
    "reset in mid-reply": [FIND, EXTEND.but(reset_after_bytes=30), EXTEND, BYE],
    "empty choices once": [FIND, server.no_choices(), EXTEND, BYE],
    "a page of HTML once": [FIND, server.html(), EXTEND, BYE],
    "null content once": [FIND, server.null_content(), EXTEND, BYE],
    "not JSON": [FIND, calls(("extend_loan", "{loan_id: L-502")), EXTEND, BYE],
    "a JSON string of JSON": [FIND, calls(("extend_loan", TWICE)), BYE],
    "unknown tool": [FIND, calls(("prolong_loan", {"loan_id": "L-502"})), EXTEND, BYE],
    "unusual name": [FIND, calls(("functions.extend loan", {})), EXTEND, BYE],
    "missing parameter": [FIND, calls(("extend_loan", {"loan_id": "L-502"})), EXTEND, BYE],
    "additional parameter": [
        FIND, calls(("extend_loan", {"loan_id": "L-502", "days": 1, "why": "asked"})), EXTEND, BYE,
    ],
    "text for an integer": [FIND, calls(("extend_loan", {"loan_id": "L-502", "days": "1"})), BYE],
    "integer for a text": [calls(("find_member", {"name": 25})), *GOOD],
    "100 KB argument": [calls(("find_member", {"name": "x" * 100_000})), *GOOD],
    "100 KB of no JSON": [calls(("find_member", "x" * 100_000)), *GOOD],
    "NaN": [FIND, calls(("extend_loan", '{"loan_id": "L-502", "days": NaN}')), EXTEND, BYE],
    "nested deeply": [FIND, calls(("extend_loan", '{"a": ' * 100 + "1" + "}" * 100)), EXTEND, BYE],
    "surrogate in text": [FIND, EXTEND, says(f"{SURROGATE} ###DONE###")],
    "surrogate in arguments": [calls(("find_member", {"name": SURROGATE})), *GOOD],
    "cut off text": [FIND, EXTEND, server.truncated("Done, you ha"), BYE],
    "cut off arguments": [
        FIND,
        completion(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c",
                        "type": "function",
                        "function": {"name": "extend_loan", "arguments": '{"loan_id": "L-5'},
                    }
                ],
            },
            "length",
        ),
        EXTEND,
        BYE,
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SURVIVED)
def test_the_simulation_survives(store, tmp_path, undisturbed, name):
    played = play(store, tmp_path / "run", SURVIVED[name])
    assert played.bad.termination is Termination.USER_STOP, played.bad.error
    assert played.reward == 1.0
    assert played.bad.error is None
    assert_contained(played, undisturbed)


def test_a_call_that_is_no_json_is_answered_and_kept(store, tmp_path):
    played = play(store, tmp_path / "run", SURVIVED["not JSON"])
    call = played.bad.messages[3].tool_calls[0]
    assert (call.name, call.arguments, call.malformed) == ("extend_loan", {}, "{loan_id: L-502")
    assert played.bad.messages[4].error
    assert played.answers[1] == (
        "Error: The arguments of 'extend_loan' are no JSON object: '{loan_id: L-502'. Send an "
        "object."
    )
    # what goes back to the provider is well formed
    again = played.sent()[-1]["messages"][4]["tool_calls"][0]
    assert again["function"] == {"name": "extend_loan", "arguments": "{}"}


def test_a_search_that_is_no_json_is_an_event(store, tmp_path):
    broken = [calls(("search_policies", "fees?")), *GOOD]
    played = play(store, tmp_path / "run", broken)
    (event,) = played.bad.events
    assert (event.query, event.hits, event.step) == ("", (), 1)
    assert event.error.startswith("The arguments of 'search_policies' are no JSON object")
    assert played.scores["one_more_day"].diagnosis.n_failed_calls == 1
    assert played.reward == 1.0


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("unknown tool", "No tool is called 'prolong_loan'. Known: extend_loan, find_member"),
        ("missing parameter", "days: Field required"),
        ("additional parameter", "why: Extra inputs are not permitted"),
        ("integer for a text", "name: Input should be a valid string"),
        ("NaN", "are no JSON object"),
        ("nested deeply", "are no JSON object"),
        ("surrogate in arguments", "'caf\ufffd'"),
        ("cut off arguments", "are no JSON object"),
    ],
)
def test_the_model_is_told_what_was_wrong(store, tmp_path, name, answer):
    played = play(store, tmp_path / "run", SURVIVED[name])
    failed = [m.content for m in played.bad.messages if m.role == "tool" and m.error]
    assert len(failed) == 1
    assert answer in failed[0]
    assert failed[0] in json.dumps(played.sent()[-1], ensure_ascii=False).replace("\\\\", "\\") or (
        json.dumps(failed[0]) in json.dumps(played.sent()[-1])
    )


def test_a_name_that_no_provider_takes_is_stored_as_written_and_sent_back_in_order(store, tmp_path):
    played = play(store, tmp_path / "run", SURVIVED["unusual name"])
    assert played.bad.messages[3].tool_calls[0].name == "functions.extend loan"
    again = played.sent()[-1]["messages"][4]["tool_calls"][0]
    assert again["function"]["name"] == "functions_extend_loan"


def test_large_arguments_are_stored_whole(store, tmp_path):
    played = play(store, tmp_path / "run", SURVIVED["100 KB argument"])
    assert played.bad.messages[1].tool_calls[0].arguments == {"name": "x" * 100_000}


def test_a_lone_surrogate_is_replaced(store, tmp_path):
    played = play(store, tmp_path / "run", SURVIVED["surrogate in text"])
    assert played.bad.messages[-2].content == "caf\ufffd"
    played = play(store, tmp_path / "again", SURVIVED["surrogate in arguments"])
    assert played.bad.messages[1].tool_calls[0].arguments == {"name": "caf\ufffd"}


@pytest.mark.filterwarnings("ignore")  # LiteLLM's own, when it puts a stream together
@pytest.mark.parametrize("ids", [("x", "x"), ("", "")])
def test_ids_are_repaired_in_the_store_and_towards_the_provider(store, tmp_path, ids):
    double = calls(
        ("find_member", {"name": "Ines Varga"}),
        ("extend_loan", {"loan_id": "L-502", "days": 1}),
        text="One moment.",
        ids=ids,
    )
    played = play(store, tmp_path / "run", [double, BYE])
    said = played.bad.messages[1]
    stored = [call.id for call in said.tool_calls]
    assert said.content == "One moment."
    assert len({*stored} - {""}) == 2
    assert [m.tool_call_id for m in played.bad.messages if m.role == "tool"] == stored
    sent = played.sent()[-1]["messages"]
    assert [call["id"] for call in sent[2]["tool_calls"]] == stored
    assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == stored
    assert sent[2]["content"] == "One moment."
    assert played.reward == 1.0


# The simulation ends, for the right reason.

ENDED = {
    "402": ([error(402, "no credit")], "infrastructure_error", "bad_request"),
    "404": ([FIND, error(404, "no such model")], "infrastructure_error", "not_found"),
    "429 for ever": ([FIND, error(429)], "infrastructure_error", "rate_limit"),
    "500 for ever": ([FIND, error(500)], "infrastructure_error", "server"),
    "503 for ever": ([FIND, error(503)], "infrastructure_error", "server"),
    "resets for ever": (
        [FIND, EXTEND.but(reset_after_bytes=30)], "infrastructure_error", "connection",
    ),
    "empty choices for ever": ([FIND, server.no_choices()], "infrastructure_error", "malformed"),
    "context overflow": ([FIND, server.context_overflow()], "context_overflow", "context_overflow"),
    "null content for ever": ([FIND, server.null_content()], "agent_error", None),
    "cut off before a word": ([FIND, server.truncated("")], "agent_error", None),
    "one call for ever": ([FIND], "max_steps", None),
    "one bad call for ever": ([calls(("find_member", {}))], "max_errors", None),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDED)
def test_the_simulation_ends(store, tmp_path, undisturbed, name):
    answers, reason, kind = ENDED[name]
    played = play(store, tmp_path / "run", answers)
    bad = played.bad
    assert bad.termination.value == reason, bad.error
    assert played.reward == (None if reason == "infrastructure_error" else 0.0)
    assert bad.messages[0].role == "user"
    assert bad.llm_calls[-1].error == kind
    assert bad.usage["agent"].n_calls == len(bad.llm_calls)
    if kind is not None:
        assert bad.error.startswith(f"LLMError ({kind}), assistant: ")
        n_replies = len(answers) - 1  # what came before the fault is there
        assert sum(message.role == "assistant" for message in bad.messages) == n_replies
    assert_contained(played, undisturbed)


def test_an_empty_reply_is_sent_back_once_before_it_is_the_agents_error(store, tmp_path):
    played = play(store, tmp_path / "run", ENDED["null content for ever"][0])
    assert len(played.sent()) == 3  # FIND, the empty reply, the empty reply to the correction
    assert played.sent()[-1]["messages"][-1] == {"role": "user", "content": "Your reply was empty."}
    assert "gave no reply that can be read, also after a correction" in played.bad.error
    played = play(store, tmp_path / "again", ENDED["cut off before a word"][0])
    assert "Your reply was cut off" in played.bad.error
    assert "finish_reason 'length'" in played.bad.error


def test_a_correction_that_helped_leaves_no_trace_in_the_next_prompt(store, tmp_path):
    played = play(store, tmp_path / "run", SURVIVED["null content once"])
    assert "Your reply was empty." not in json.dumps(played.sent()[-1])
    assert len(played.bad.llm_calls) == 4


def test_steps_run_out_for_a_model_that_repeats_a_call(store, tmp_path):
    played = play(store, tmp_path / "run", ENDED["one call for ever"][0])
    assert played.bad.n_steps == 20
    assert len(played.bad.llm_calls) == 19  # the customer's first message is one


def test_a_model_that_repeats_its_words_is_left_by_the_scripted_customer(store, tmp_path):
    played = play(store, tmp_path / "run", [says("How can I help?")])
    assert played.bad.termination is Termination.USER_STOP
    assert len(played.bad.llm_calls) == 2
    assert played.reward == 0.0


def test_a_slow_reply_is_the_models_timeout(store, tmp_path, undisturbed):
    slow = [FIND, EXTEND.but(delay_s=30)]
    played = play(store, tmp_path / "run", slow, call_s=0.5)
    assert played.bad.termination is Termination.INFRASTRUCTURE_ERROR
    assert played.bad.llm_calls[-1].error == "timeout"
    assert played.bad.llm_calls[-1].n_attempts > 1
    assert_contained(played, undisturbed)


def test_the_limit_of_a_simulation_ends_it(store, tmp_path, undisturbed):
    played = play(store, tmp_path / "run", [FIND, EXTEND.but(delay_s=30)], timeout_s=1.5)
    assert played.bad.termination is Termination.TIMEOUT
    assert played.bad.error == "The simulation was ended: it took longer than 1.5 s."
    assert played.bad.llm_calls[-1].error == "cancelled"
    assert (played.reward, played.bad.n_steps) == (0.0, 2)
    assert_contained(played, undisturbed)


# The user's model.


def test_a_user_that_never_stops_ends_by_the_steps(store, tmp_path):
    agent = [FIND, EXTEND, says("Done."), says("Anything else?")]
    played = play(store, tmp_path / "run", agent, user=[HELLO, says("Ines Varga: and then?")])
    assert played.bad.termination is Termination.MAX_STEPS
    assert played.bad.n_steps == 20
    assert {*played.bad.usage} == {"user", "agent"}


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([HELLO, server.null_content()], "user_error"),
        ([HELLO, server.context_overflow()], "context_overflow"),
        ([HELLO, error(404)], "infrastructure_error"),
        ([HELLO, says("Thanks, bye. ###STOP###")], "user_stop"),
        ([HELLO, says("###TRANSFER###")], "transfer"),
        ([HELLO, says("###OUT-OF-SCOPE###")], "out_of_scope"),
    ],
)
def test_how_a_users_model_ends_it(store, tmp_path, answers, reason):
    played = play(store, tmp_path / "run", GOOD, user=answers)
    assert played.bad.termination.value == reason, played.bad.error
    assert played.good.termination is Termination.USER_STOP
    wanted = {"user_error": 0.0, "context_overflow": 0.0, "infrastructure_error": None}
    assert played.reward == wanted.get(reason, 1.0)
    blamed = {
        "user_error": "user_simulator",
        "context_overflow": "context_overflow",
        "infrastructure_error": "infrastructure",
    }
    assert played.scores["one_more_day"].diagnosis.attribution == blamed.get(reason)


def test_the_users_prompt_never_reaches_the_agent(store, tmp_path):
    played = play(store, tmp_path / "run", GOOD, user=[HELLO, says("###STOP###")])
    hidden = "You want the spirit level for exactly one more day."
    of_user, of_agent = json.dumps(played.sent("user")), json.dumps(played.sent("agent"))
    assert hidden in of_user
    assert len(played.sent("agent")) == 3
    for secret in (hidden, "You play a customer", "###STOP###", "###OUT-OF-SCOPE###"):
        assert secret not in of_agent
    # and nothing of the gold or of how the agent works reaches the user
    assert "L-502" not in of_user
    assert "counter assistant" not in of_user
    assert [body["temperature"] for body in (played.sent("user")[0], played.sent()[0])] == [1, 0]


def test_prompts_are_the_same_in_every_run(store, tmp_path, undisturbed):
    again = play(store, tmp_path / "run", GOOD)
    assert again.sent() == undisturbed.sent()
    text = json.dumps(again.sent())
    assert "Now it is Monday, 2026-03-02, 10:00." in text  # the domain's clock, not ours
    assert not re.search(r"202[5-9]-\d\d-\d\dT", text)
