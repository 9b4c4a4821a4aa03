"""The customer that is a model: its prompt, its tools, what it and the agent see of each other."""

from __future__ import annotations

import asyncio
import json

import pytest
from model_server import ModelServer, calls, says

from ragbench.config import LLMConfig
from ragbench.errors import UsageError
from ragbench.llm import Models, Session
from ragbench.records import Termination
from ragbench.simulate import STOP, Environment, LLMUser, Orchestrator
from ragbench.simulate.users._prompt import user_prompt


def scenario(kit, **parts):
    return kit.make_task(user_scenario=parts)


def test_persona_and_instructions_stand_in_the_prompt(kit) -> None:
    prompt = user_prompt(scenario(kit, persona="You are curt.", instructions="Book Monday."))
    assert prompt.startswith(
        "You play a customer in a chat with a service desk.\n\nYou are curt.\n\nBook Monday.\n\n"
    )
    for token in ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"):
        assert token in prompt


def test_foreign_instructions_are_one_line_a_field(kit) -> None:
    fields = {"reason_for_call": "Book Monday.", "unknown_info": None, "known": ["a", 1]}
    prompt = user_prompt(scenario(kit, instructions=fields))
    assert 'reason for call: Book Monday.\nknown: ["a", 1]\n' in prompt


def test_a_script_alone_becomes_prose(kit) -> None:
    script = [
        {"say": "Hello, Monday please.", "when": "opening"},
        {"do": "go", "when": "on_reply"},
        {"say": "Thanks.", "when": "after: b1"},
        {"stop": True, "when": "on_reply"},
    ]
    actions = [("b1", "book", {"day": "mon"}), ("go", "restart", {"device": "meter"})]
    prompt = user_prompt(kit.make_task(actions, script=script))
    assert (
        '- First, you say, in your own words: "Hello, Monday please."\n'
        '- When the agent has answered: use your tool restart with {"device": "meter"}.\n'
        '- Once book is done, you say, in your own words: "Thanks."\n'
        "- When the agent has answered: end the conversation.\n"
    ) in prompt
    # with instructions the script is not told: one of the two would contradict the other
    both = kit.make_task(user_scenario={"instructions": "Book.", "script": script[:1]})
    assert "Hello, Monday please." not in user_prompt(both)


def test_a_task_with_neither_is_an_error_that_names_it(kit) -> None:
    with pytest.raises(UsageError, match="Task 't' has neither instructions nor a script"):
        LLMUser.check(scenario(kit, persona="You are curt."))


def talk(kit, answers, mode, agent):
    """Play an LLM user against a given agent in the garage; its task has one user tool."""
    task = kit.make_task(
        user_scenario={"instructions": "Your meter is dead."}, user_tools=["restart"]
    )
    with ModelServer(answers) as server:

        async def play():
            models = Models()
            model = models.chat(LLMConfig("openai/m", base_url=server.url))
            user = LLMUser(Session(model, "user", task.id), task, mode)
            played = Orchestrator(Environment(kit.domain, task), agent, user)
            await played.run()
            await models.close()
            return played

        return asyncio.run(play()), [request.body for request in server.requests]


@pytest.fixture
def openai_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "planted-0123456789-key")


def test_a_user_uses_its_tools_by_function_calls(kit, openai_key) -> None:
    answers = [
        says("My meter is dead."),
        calls(("restart", {"device": "meter"})),
        says("It works!"),
        says(STOP),
    ]
    agent = kit.says(kit.text("Please restart it."), kit.text("Good."))
    played, bodies = talk(kit, answers, "native", agent)
    assert played.termination is Termination.USER_STOP
    assert played.environment.db.devices["meter"] == 1
    assert [tool["function"]["name"] for tool in bodies[0]["tools"]] == ["restart"]
    # its own call and result are there, and the agent's words are the other side's
    assert [m["role"] for m in bodies[3]["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    assert bodies[3]["messages"][-1]["content"] == "Good."
    # the agent sees words alone
    seen = [message for observation in agent.seen for message in observation.messages]
    assert [message.content for message in seen] == ["My meter is dead.", "It works!"]
    assert all(not message.tool_calls for message in seen)


def test_a_user_uses_its_tools_by_a_schema(kit, openai_key) -> None:
    def action(what, **arguments):
        return says(json.dumps({"action": what, "arguments": arguments}))

    answers = [
        action("respond", text="My meter is dead."),
        action("restart", device="meter"),
        action("respond", text=STOP),
    ]
    agent = kit.says(kit.text("Please restart it."))
    played, bodies = talk(kit, answers, "schema", agent)
    assert played.termination is Termination.USER_STOP
    assert played.environment.db.devices["meter"] == 1
    assert bodies[1]["messages"][-1]["content"] == "Agent: Please restart it."
    assert bodies[2]["messages"][-1]["content"] == "Result of restart: restarted"
    names = bodies[0]["response_format"]["json_schema"]["schema"]["properties"]["action"]["enum"]
    assert names == ["respond", "restart"]
