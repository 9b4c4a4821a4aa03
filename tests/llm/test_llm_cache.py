"""Recording replies and replaying them: same bytes, no network, and a miss that names itself."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from model_server import ModelServer, calls, error, says

from ragbench.config import LLMConfig
from ragbench.errors import LLMError, RunError
from ragbench.llm import ChatRequest, LLMCache, Models, RawCall, Session

KEY = "planted-secret-1234567890"


def asked(text, *more):
    return ChatRequest([{"role": "user", "content": text}, *more])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.jsonl"


def record(path, answers, requests, model="openai/m", task="t1"):
    """What a session said to these requests, recorded; errors stand for themselves."""
    with ModelServer(answers) as server:
        cache = LLMCache.recording(path)
        models = Models(cache)
        session = Session(models.chat(LLMConfig(model, base_url=server.url)), "agent", task)
        outcomes = asyncio.run(outcomes_of(session, requests, models))
        cache.close()
    return outcomes, session.calls


def replay(path, requests, model="openai/m", task="t1", **config):
    models = Models(LLMCache.replaying(path))
    chat = models.chat(LLMConfig(model, base_url="http://127.0.0.1:9/v1", **config))
    session = Session(chat, "agent", task)
    return asyncio.run(outcomes_of(session, requests, models)), session.calls


async def outcomes_of(session, requests, models):
    outcomes = []
    for request in requests:
        try:
            outcomes.append(await session.complete(request, step=len(outcomes)))
        except LLMError as error:
            outcomes.append(error)
    await models.close()
    return outcomes


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_what_was_recorded_is_replayed_with_the_server_down(path):
    requests = [asked("a"), asked("b"), asked("ü\ud83d")]
    answers = [says("Überall 🙂"), calls(("look", {"q": "fee"}), text="hm"), says("c\ud83d")]
    outcomes, recorded = record(path, answers, requests)
    again, replayed = replay(path, requests)
    assert again == outcomes
    assert [done.call for done in again] == [done.call for done in outcomes]
    assert replayed == recorded
    assert again[1].calls == (RawCall("call_1_0", "look", '{"q": "fee"}'),)
    assert replayed[1].latency_ms == recorded[1].latency_ms > 0
    assert (replayed[2].step, replayed[2].ordinal) == (2, 2)


def test_a_failure_is_replayed_too(path):
    outcomes, recorded = record(
        path, [error(400, f"bad {KEY}"), says("b")], [asked("a"), asked("b")]
    )
    again, replayed = replay(path, [asked("a"), asked("b")])
    assert (again[0].kind, str(again[0])) == ("bad_request", str(outcomes[0]))
    assert again[1] == outcomes[1]
    assert replayed == recorded
    assert KEY not in path.read_text()


def test_a_replay_spends_nothing_and_neither_imports_litellm_nor_connects(path):
    record(path, [says("a")], [asked("a")], model="gpt-4.1")
    code = f"""
import asyncio, socket, sys
from pathlib import Path
from ragbench.config import LLMConfig
from ragbench.llm import ChatRequest, LLMCache, Models, Session
def connect(*_):
    raise AssertionError("a connection")
socket.socket.connect = connect
models = Models(LLMCache.replaying(Path({str(path)!r})), budget_usd=0.0)
models.start_loading()
session = Session(models.chat(LLMConfig("gpt-4.1")), "agent", "t1")
done = asyncio.run(session.complete(ChatRequest([{{"role": "user", "content": "a"}}])))
asyncio.run(models.close())
assert (done.text, models.spent_usd, done.call.cost_usd > 0) == ("a", 0.0, True)
assert not {{"litellm", "openai", "httpx"}} & set(sys.modules)
print("replayed")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "replayed\n", done.stderr


@pytest.mark.parametrize(
    ("request_", "config", "differs"),
    [
        (asked("b"), {}, "It holds that call with another request: different message 0"),
        (asked("a", {"role": "user", "content": "c"}), {}, "2 messages where 1 were recorded"),
        (asked("a"), {"args": '{"top_p": 1}'}, "another request: another arguments"),
        (asked("a"), {"temperature": 1.0}, "another request: another arguments"),
        (ChatRequest(asked("a").messages, tools=[{"type": "function"}]), {}, "another tools"),
        (
            ChatRequest(asked("a").messages, response_format={"type": "json_object"}),
            {},
            "another response format",
        ),
    ],
)
def test_a_miss_says_what_differs(path, request_, config, differs):
    record(path, [says("a")], [asked("a")])
    ((miss,), (call,)) = replay(path, [request_], **config)
    assert miss.kind == call.error == "cache_miss"
    assert "task 't1', trial 0, role 'agent', call 0, model 'openai/m'" in str(miss)
    assert differs in str(miss)
    assert "--llm-cache record FILE" in str(miss)


def test_a_miss_of_another_model_task_or_call(path):
    record(path, [says("a"), says("b")], [asked("a"), asked("b")])
    ((miss,), _) = replay(path, [asked("a")], model="openai/n")
    assert "another request: another model" in str(miss)
    ((miss,), _) = replay(path, [asked("a")], task="t2")
    assert "It holds no call of that role in that trial; its tasks: t1." in str(miss)
    (*_, miss), _ = replay(path, [asked("a"), asked("b"), asked("c")])
    assert "It holds calls 0 to 1 of that role in that trial." in str(miss)


def test_a_component_of_the_whole_run_is_found_by_what_it_asks(path):
    record(path, [says("a"), says("b")], [asked("a"), asked("b")], task=None)
    again, _ = replay(path, [asked("b"), asked("a"), asked("b")], task=None)  # another order
    assert [done.text for done in again] == ["b", "a", "b"]
    assert [done.call.ordinal for done in again] == [0, 1, 2]
    ((miss,), _) = replay(path, [asked("c")], task=None)
    assert "found by what they ask, and this was not asked" in str(miss)


def test_the_later_of_two_recorded_replies_holds(path):
    record(path, [says("first"), says("second")], [asked("a"), asked("b")])
    record(path, [says("anew")], [asked("a")])
    again, _ = replay(path, [asked("a"), asked("b")])
    assert [done.text for done in again] == ["anew", "second"]


def test_a_torn_last_line_is_recognised(path):
    record(path, [says("a"), says("b" * 200_000)], [asked("a"), asked("b")])
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    cache = LLMCache.replaying(path)
    torn = len(whole) - 100 - (whole.index(b"\n") + 1)
    note = f"The last line of calls.jsonl was torn ({torn} bytes): that reply is lost."
    assert Models(cache).notes == (note,)
    again, _ = replay(path, [asked("a"), asked("b")])
    assert again[0].text == "a"
    assert "It holds calls 0 to 0" in str(again[1])
    cache = LLMCache.recording(path)
    assert cache.notes == (note,)
    assert path.read_bytes() == whole[: whole.index(b"\n") + 1]
    cache.close()
    path.write_bytes(b'{"v": 1')
    assert len(LLMCache.recording(path).notes) == 1
    assert path.read_bytes() == b""


def test_a_damaged_line_and_an_absent_file_are_errors(path):
    record(path, [says("a")], [asked("a")])
    path.write_bytes(b'{"v": 1}\n' + path.read_bytes())
    with pytest.raises(RunError, match=r"Line 1 of .*calls\.jsonl' is no recorded reply"):
        LLMCache.replaying(path)
    with pytest.raises(RunError, match=r"There is no recording .*No such file"):
        LLMCache.replaying(path.with_name("none"))
    with pytest.raises(RunError, match="cannot be recorded into"):
        LLMCache.recording(path.parent)


def test_many_calls_at_once_are_recorded_whole(path):
    async def many(models, url):
        chat = models.chat(LLMConfig("openai/m", base_url=url))
        sessions = [Session(chat, "agent", f"t{n}") for n in range(40)]
        done = await asyncio.gather(*(s.complete(asked(s.task_id)) for s in sessions))
        await models.close()
        return done

    with ModelServer(lambda body: says(body["messages"][0]["content"] * 1000)) as server:
        done = asyncio.run(many(Models(LLMCache.recording(path)), server.url))
    assert [d.text for d in done] == [f"t{n}" * 1000 for n in range(40)]
    for n in (0, 17, 39):
        ((again,), _) = replay(path, [asked(f"t{n}")], task=f"t{n}")
        assert again == done[n]


APPENDS = """
import sys
from pathlib import Path
from ragbench.config import LLMConfig
from ragbench.errors import LLMError
from ragbench.llm import CallKey, ChatRequest, LLMCache

path, name = sys.argv[1:]
cache = LLMCache.recording(Path(path))
request = ChatRequest([{"role": "user", "content": name}])
for at in range(50):
    failed = LLMError("server", name * 3000)
    cache.add(LLMConfig("m"), request, CallKey("agent", name, 0, at), failed)
"""


def test_two_processes_may_record_into_one_file(path):
    command = [sys.executable, "-c", APPENDS, str(path)]
    workers = [subprocess.Popen([*command, name]) for name in "ab"]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted((line["task_id"], line["ordinal"]) for line in lines) == [
        (name, at) for name in "ab" for at in range(50)
    ]
    assert {len(line["failure"]["message"]) for line in lines} == {3000}
