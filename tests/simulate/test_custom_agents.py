"""Agents of the user's own: loading, what they may return, and what their failures cost."""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap
import time

import pytest

from ragbench.errors import UsageError
from ragbench.records import Message, Termination, ToolCall
from ragbench.simulate import STOP, AgentBrief, BadReply, Observation, Reply, load_agent
from ragbench.simulate.agents._replies import reply_from

BRIEF = AgentBrief("policy", "2026-03-02T10:00:00", "", (), "garage", "dense", 7, 1)


@pytest.fixture(autouse=True)
def path_restored(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def agent_file(tmp_path):
    def write(code, name="mine.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(code), encoding="utf-8")
        return path

    return write


def observed(content="Hello", step=1):
    return Observation((Message(role="user", content=content),), (), (), step)


async def answered(spec, *contents):
    """What one agent answers, one after the other."""
    agent = load_agent(spec)(BRIEF)
    try:
        return [await agent.step(observed(content, step)) for step, content in enumerate(contents)]
    finally:
        await agent.close()


CLASS = """
    class Mine:
        def __init__(self, brief):
            self.brief, self.n = brief, 0
        {prefix}def step(self, observation):
            self.n += 1
            said = observation.messages[-1].content
            return f"{{said}} {{self.n}} {{self.brief.policy}} {{self.brief.seed}}"
"""
FUNCTION = """
    {prefix}def mine(observation):
        return [{{"name": "book", "arguments": {{"day": observation.messages[-1].content}}}}]
"""


@pytest.mark.parametrize("prefix", ["", "async "])
def test_a_class_keeps_what_it_knows_between_steps(agent_file, prefix) -> None:
    path = agent_file(CLASS.format(prefix=prefix))
    first, second = asyncio.run(answered(f"{path}:Mine", "Hi", "Ho"))
    assert (first.text, second.text) == ("Hi 1 policy 7", "Ho 2 policy 7")


@pytest.mark.parametrize("prefix", ["", "async "])
def test_a_function_is_an_agent(agent_file, prefix) -> None:
    path = agent_file(FUNCTION.format(prefix=prefix))
    (reply,) = asyncio.run(answered(f"{path}:mine", "mon"))
    assert [(call.name, call.arguments) for call in reply.calls] == [("book", {"day": "mon"})]


def test_a_module_is_found_in_the_working_directory(agent_file, monkeypatch) -> None:
    agent_file(CLASS.format(prefix=""), "my_module_agent.py")
    path = agent_file("GREETING = 'Hi from beside'", "my_greeting.py")
    agent_file("import my_greeting\ndef f(_):\n    return my_greeting.GREETING", "my_other.py")
    monkeypatch.chdir(path.parent)
    (reply,) = asyncio.run(answered("my_module_agent:Mine", "Hi"))
    assert reply.text == "Hi 1 policy 7"
    (reply,) = asyncio.run(answered(f"{path.parent / 'my_other.py'}:f", "Hi"))
    assert reply.text == "Hi from beside"


def test_a_constructor_may_take_nothing_and_a_step_may_hide_that_it_waits(agent_file) -> None:
    path = agent_file("""
        class Mine:
            def step(self, observation):
                print("not a result")
                return self._later()
            async def _later(self):
                return {"content": "Hello", "tool_calls": None}
    """)
    (reply,) = asyncio.run(answered(f"{path}:Mine", "Hi"))
    assert reply == Reply(text="Hello")


@pytest.mark.parametrize(
    ("code", "spec", "problem"),
    [
        ("class Mine: ...", "mine.py", "neither oracle nor llm"),
        ("class Mine: ...", "absent.py:Mine", "does not exist"),
        ("class Mine: ...", "no_such_module_at_all:Mine", "ModuleNotFoundError"),
        ("class Mine:\n    def step(self, o): ...", "mine.py:Mien", "did you mean 'Mine'"),
        ("class Mine: ...", "mine.py:Mine", "is a class without a method step, but an agent is"),
        ("Mine = 5", "mine.py:Mine", "is of type int, but an agent is"),
        ("import nothing_like_this", "mine.py:Mine", "mine.py, line 1"),
        ("def f(:", "mine.py:f", "SyntaxError"),
        ("raise SystemExit(3)", "mine.py:f", "SystemExit: 3"),
    ],
)
def test_what_cannot_be_loaded_is_said_at_once(
    agent_file, monkeypatch, code, spec, problem
) -> None:
    monkeypatch.chdir(agent_file(code).parent)
    with pytest.raises(UsageError) as found:
        load_agent(spec)
    assert problem in str(found.value)


CALL = ToolCall(id="", name="look", arguments={"a": 1})


@pytest.mark.parametrize(
    ("value", "reply"),
    [
        ("Hi", Reply(text="Hi")),
        (CALL, Reply(calls=(CALL,))),
        ([CALL, {"name": "look", "arguments": {"a": 1}}], Reply(calls=(CALL, CALL))),
        ({"name": "look", "arguments": {"a": 1}}, Reply(calls=(CALL,))),
        ({"name": "look", "arguments": '{"a": 1}'}, Reply(calls=(CALL,))),
        ({"name": "look"}, Reply(calls=(CALL.model_copy(update={"arguments": {}}),))),
        (Reply("Hi", (CALL,), True), Reply("Hi", (CALL,), True)),
        (Message(role="assistant", content="Hi", closing=True), Reply("Hi", (), True)),
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c", "type": "function",
                     "function": {"name": "look", "arguments": '{"a": 1}'}},
                ],
            },
            Reply(calls=(CALL.model_copy(update={"id": "c"}),)),
        ),
        (
            {"name": "look", "arguments": "a=1"},
            Reply(calls=(ToolCall(id="", name="look", malformed="a=1"),)),
        ),
        ("caf\ud83d", Reply(text="caf\ufffd")),
    ],
)  # fmt: skip
def test_what_may_be_returned(value, reply) -> None:
    assert reply_from(value) == reply


@pytest.mark.parametrize(
    "value",
    [
        None, 42, "", "  ", [], {}, [5], {"text": "Hi"}, {"content": 5}, {"name": 5}, b"Hi",
        {"name": "look", "arguments": [1]}, {"name": "look", "arguments": {"a": object()}},
        {"name": "look", "arguments": {"a": float("nan")}}, {"name": "look", "arguments": {1: 2}},
        Reply(), Reply(text=5), Reply(calls=(5,)), object(),
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_what_is_allowed(value) -> None:
    with pytest.raises(BadReply, match=r"Allowed: a text, a call"):
        reply_from(value)


BROKEN = """
    import os, sys
    class Raises:
        def step(self, observation):
            raise RuntimeError("my own fault")
    class Constructor:
        def __init__(self, brief):
            raise KeyError("brief")
        def step(self, observation): ...
    class Leaves:
        def step(self, observation):
            sys.exit(3)
    class Dies:
        def step(self, observation):
            os._exit(9)
    class Nonsense:
        def step(self, observation):
            return 42
"""


@pytest.mark.parametrize(
    ("name", "problem", "trace"),
    [
        ("Raises", "RuntimeError: my own fault", "in step\n    raise RuntimeError"),
        ("Constructor", "KeyError: 'brief'", "in __init__"),
        ("Leaves", "SystemExit: 3", "sys.exit(3)"),
        ("Dies", "ended with exit code 9 in the middle of a step", None),
        ("Nonsense", "step returned 42: int is no reply", None),
    ],
)
def test_a_broken_one_is_a_bad_reply_with_its_traceback(agent_file, name, problem, trace) -> None:
    path = agent_file(BROKEN)
    with pytest.raises(BadReply) as found:
        asyncio.run(answered(f"{path}:{name}", "Hi"))
    assert problem in str(found.value)
    assert (found.value.trace is None) == (trace is None)
    if trace is not None:
        assert trace in found.value.trace
        assert "mine.py" in found.value.trace


def test_a_process_that_hangs_is_ended_with_what_it_started(agent_file, tmp_path) -> None:
    path = agent_file("""
        import os, pathlib, subprocess, time
        class Hangs:
            def step(self, observation):
                child = subprocess.Popen(["sleep", "60"])
                note = pathlib.Path(__file__).with_name("pids")
                note.with_suffix(".new").write_text(f"{os.getpid()} {child.pid}")
                note.with_suffix(".new").rename(note)
                time.sleep(60)
    """)

    async def hang():
        agent = load_agent(f"{path}:Hangs")(BRIEF)
        asked = asyncio.create_task(agent.step(observed()))
        while not (tmp_path / "pids").exists():
            await asyncio.sleep(0.01)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await agent.close()

    asyncio.run(hang())
    own, child = map(int, (tmp_path / "pids").read_text(encoding="utf-8").split())
    with pytest.raises(ProcessLookupError):
        os.kill(own, 0)
    assert ended(child)


def ended(pid: int) -> bool:
    """Whether a process that is not our child is gone, or a zombie that nobody waits for."""
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_a_simulation_with_one(kit, agent_file) -> None:
    path = agent_file("""
        class Mine:
            def step(self, observation):
                if observation.messages[-1].role == "user":
                    assert not observation.messages[-1].tool_calls
                    return {"name": "book", "arguments": {"day": "mon"}}
                assert [m.tool_call_id for m in observation.messages] == ["call-1-0"]
                return "Booked."
    """)
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    mine = load_agent(f"{path}:Mine")(BRIEF)

    class EndsWithItsWords:
        name, llm_calls = mine.name, mine.llm_calls

        async def step(self, observation):
            reply = await mine.step(observation)
            if reply.text is not None:
                await mine.close()
            return reply

    played = kit.play(kit.make_task(), agent=EndsWithItsWords(), user=user)
    assert played.termination is Termination.USER_STOP
    assert played.deeds[1:3] == ["assistant: book(mon)", "assistant: Booked."]
    assert played.trajectory().agent == f"{path}:Mine"


ENDING = """
    import asyncio, sys
    async def leaves(_):
        sys.exit(3)
    async def gives_up(_):
        waiting = asyncio.ensure_future(asyncio.sleep(60))
        asyncio.get_running_loop().call_soon(waiting.cancel)
        await waiting
    async def waits(_):
        await asyncio.sleep(60)
"""


@pytest.mark.parametrize(
    ("name", "what"), [("leaves", "SystemExit: 3"), ("gives_up", "CancelledError")]
)
def test_an_asynchronous_one_that_would_end_the_run_ends_its_own_step(
    agent_file, name, what
) -> None:
    path = agent_file(ENDING)
    with pytest.raises(BadReply) as raised:
        asyncio.run(answered(f"{path}:{name}", "Hi"))
    assert what in raised.value.trace


def test_an_asynchronous_one_can_be_cancelled_from_outside(agent_file) -> None:
    path = agent_file(ENDING)

    async def limited():
        async with asyncio.timeout(0.05):
            await answered(f"{path}:waits", "Hi")

    with pytest.raises(TimeoutError):
        asyncio.run(limited())


def test_what_one_raises_is_not_printed_with_the_keys_in_it(agent_file, monkeypatch, capfd) -> None:
    monkeypatch.setenv("SOME_API_KEY", "planted-secret-1234567890")
    path = agent_file("""
        import os
        def f(_):
            raise ValueError(os.environ["SOME_API_KEY"])
    """)
    with pytest.raises(BadReply):
        asyncio.run(answered(f"{path}:f", "Hi"))
    assert capfd.readouterr() == ("", "")


def test_thoughts_in_what_an_agent_returns_are_no_speech():
    found = reply_from("<think>It is $5.</think>I cannot tell.")
    assert (found.text, found.reasoning) == ("I cannot tell.", "It is $5.")
    found = reply_from({"content": "I cannot tell.", "reasoning_content": "It is $5."})
    assert (found.text, found.reasoning) == ("I cannot tell.", "It is $5.")
    with pytest.raises(BadReply, match="says and calls nothing"):
        reply_from("<think>It is $5.")
