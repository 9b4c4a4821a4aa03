"""What each mode reads in a model's words, and what it tells the model."""

from __future__ import annotations

import json

import pytest

from ragbench.llm import Completion, RawCall
from ragbench.records import LLMCall, Message
from ragbench.simulate import ToolView
from ragbench.simulate._loose import read_loosely
from ragbench.simulate._modes import Unreadable, catalogue
from ragbench.simulate._native import Native
from ragbench.simulate._react import React
from ragbench.simulate._schema import Schema
from ragbench.simulate._storable import read_arguments

TOOLS = [
    ToolView(
        "find_member",
        "Look a member up.\n\nMore about it.",
        {"properties": {"name": {"title": "Name", "type": "string"}}, "required": ["name"]},
    ),
    ToolView(
        "waive",
        "Waive a fee.",
        {
            "$defs": {"Why": {"enum": ["FAULT", "CLOSURE"], "type": "string"}},
            "properties": {
                "why": {"$ref": "#/$defs/Why"},
                "loans": {"type": "array", "items": {"type": "string"}},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            },
            "required": ["why", "loans"],
        },
    ),
]


def reply(text=None, *made, finish="stop"):
    calls = tuple(RawCall(f"c{n}", name, given) for n, (name, given) in enumerate(made))
    return Completion(text, calls, finish, LLMCall(role="agent", model="m"))


def called(spoken):
    return [(call.name, call.arguments) for call in spoken.reply.calls]


def test_the_catalogue_is_one_line_a_tool() -> None:
    assert catalogue(TOOLS) == (
        "- find_member(name: string) - Look a member up.\n"
        '- waive(why: "FAULT" | "CLOSURE", loans: list of string, note?: string | null) - '
        "Waive a fee."
    )


# Arguments


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"k": 25}', {"k": 25}),
        ('{"k": "25"}', {"k": "25"}),  # nothing is converted here
        (json.dumps('{"k": 25}'), {"k": 25}),
        (json.dumps(json.dumps('{"k": 25}')), {"k": 25}),
        ("", {}),
        (" \n", {}),
        ("null", {}),
        ('""', {}),
        (r'{"k": "\ud83d\ude00 \ud83d"}', {"k": "\U0001f600 \ufffd"}),
        (r'{"\ud83d": [1]}', {"\ufffd": [1]}),
    ],
)
def test_arguments_are_read(text, arguments) -> None:
    assert read_arguments(text) == arguments


@pytest.mark.parametrize(
    "text",
    [
        "{k: 25}", "[1]", "25", "true", '"text"', '{"k": 1} and more', '{"k": NaN}', '{"k": 1e999}',
        '{"a":' * 70 + "1" + "}" * 70, "[" * 100_000, '{"k": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_what_is_no_object_is_refused(text) -> None:
    with pytest.raises(ValueError):
        read_arguments(text)


# native


def test_native_reads_text_and_calls() -> None:
    spoken = Native().read(reply("One moment.", ("find_member", '{"name": "Ines"}'), ("waive", "")))
    assert spoken.reply.text == "One moment."
    assert called(spoken) == [("find_member", {"name": "Ines"}), ("waive", {})]
    assert [call.id for call in spoken.reply.calls] == ["c0", "c1"]
    assert Native().read(reply(" \n", ("waive", "{}"))).reply.text is None


@pytest.mark.parametrize("text", [None, "", " \n "])
def test_native_needs_text_or_a_call(text) -> None:
    with pytest.raises(Unreadable, match=r"^Your reply was empty\.$"):
        Native().read(reply(text))
    with pytest.raises(Unreadable, match="cut off before it said anything"):
        Native().read(reply(text, finish="length"))


def test_native_tells_results_under_the_stored_ids() -> None:
    spoken = Native().read(reply(None, ("find_member", "{}"), ("a.b c", "no json"), ("", "{}")))
    news = [
        Message(role="tool", content=f"r{n}", tool_call_id=f"stored-{n}", requestor="assistant")
        for n in range(3)
    ]
    own, *results = Native().told(spoken, news)
    assert own["content"] is None
    assert [call["id"] for call in own["tool_calls"]] == ["stored-0", "stored-1", "stored-2"]
    functions = [call["function"] for call in own["tool_calls"]]
    assert [f["name"] for f in functions] == ["find_member", "a_b_c", "unnamed"]
    assert [f["arguments"] for f in functions] == ["{}", "{}", "{}"]
    assert results == [
        {"role": "tool", "tool_call_id": f"stored-{n}", "content": f"r{n}"} for n in range(3)
    ]


def test_several_messages_of_the_other_side_are_told_as_one() -> None:
    news = [Message(role="user", content="Hello."), Message(role="user", content="Still there?")]
    words = {"role": "user", "content": "Hello.\n\nStill there?"}
    assert Native().told(None, news) == [words]
    labelled = {"role": "user", "content": "Customer: Hello.\n\nStill there?"}
    assert Schema("Customer", ends=True).told(None, news) == [labelled]
    assert React("Customer").told(None, news) == [labelled]


# schema

SCHEMA = Schema("Customer", ends=True)


def test_schema_asks_for_the_names_that_there_are() -> None:
    request = SCHEMA.request([{"role": "user", "content": "x"}], TOOLS)
    asked = request.response_format["json_schema"]["schema"]
    assert asked["properties"]["action"]["enum"] == [
        "respond", "end_conversation", "find_member", "waive",
    ]  # fmt: skip
    assert request.tools == ()
    of_user = Schema("Agent", ends=False)
    names = of_user.request([], [])
    enum = names.response_format["json_schema"]["schema"]["properties"]["action"]["enum"]
    assert enum == ["respond"]
    assert "end_conversation" not in of_user.instructions([])


def test_schema_reads_actions() -> None:
    call = SCHEMA.read(reply('{"action": "find_member", "arguments": {"name": "Ines"}}'))
    assert called(call) == [("find_member", {"name": "Ines"})]
    said = SCHEMA.read(reply('```json\n{"action": "respond", "arguments": {"text": "Hi"}}\n```'))
    assert (said.reply.text, said.reply.closing, said.reply.calls) == ("Hi", False, ())
    bye = SCHEMA.read(reply('{"action": "end_conversation", "arguments": {"text": "Bye"}}'))
    assert (bye.reply.text, bye.reply.closing) == ("Bye", True)
    # a name that is no action goes to the environment, which says what there is
    assert called(SCHEMA.read(reply('{"action": "x", "arguments": {}}'))) == [("x", {})]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "was empty"),
        ("Sure!", "cannot be used"),
        ('{"action": "respond", "arguments": {"text": "Hi"}} Anything else?', "cannot be used"),
        ('{"action": "respond"}', "exactly the keys"),
        ('{"action": "respond", "arguments": {"text": "Hi"}, "thought": ""}', "exactly the keys"),
        ('{"action": 5, "arguments": {}}', "exactly the keys"),
        ('{"action": "waive", "arguments": [1]}', '"arguments" must be an object, not [1]'),
        ('{"action": "respond", "arguments": {"text": " "}}', "may not be empty"),
        ('{"action": "respond", "arguments": {"message": "Hi"}}', "takes one argument"),
        ('{"action": "waive", "arguments": {"k": NaN}}', "cannot be used"),
    ],
)
def test_schema_is_strict(text, problem) -> None:
    with pytest.raises(Unreadable) as found:
        SCHEMA.read(reply(text))
    assert problem in str(found.value)


def test_schema_says_when_a_reply_was_cut_off() -> None:
    with pytest.raises(Unreadable, match="it was cut off, be brief"):
        SCHEMA.read(reply('{"action": "respond", "arguments": {"te', finish="length"))


def test_schema_tells_results_as_the_users_message() -> None:
    spoken = SCHEMA.read(reply('{"action": "find_member", "arguments": {"name": "Ines"}}'))
    answer = Message(role="tool", content="M-101", tool_call_id="call-1-0", requestor="assistant")
    assert SCHEMA.told(spoken, [answer]) == [
        {
            "role": "assistant",
            "content": '{"action": "find_member", "arguments": {"name": "Ines"}}',
        },
        {"role": "user", "content": "Result of find_member: M-101"},
    ]


# react

REACT = React("Customer")
INES = [("find_member", {"name": "Ines Varga"})]


@pytest.mark.parametrize(
    "text",
    [
        'Thought: look\nAction: find_member\nAction Input: {"name": "Ines Varga"}',
        'Action: find_member\nAction Input: ```json\n{"name": "Ines Varga"}\n```',
        'Action: find_member\nAction Input:\n```\n{"name": "Ines Varga"}\n```\nThat is all.',
        'Action: find_member\nAction Input: {"name": "Ines Varga"} and then I wait.',
        'Action: find_member\nAction Input: {"name": "Ines Varga"}\nObservation: M-7\nFinal: Hi',
        "Action: find_member\nAction Input: {'name': 'Ines Varga'}",
        "Action: find_member\nAction Input: {name: Ines Varga}",
        'Action: find_member\nAction Input: {"name": Ines Varga}',
        '**Action:** `find_member`\n**Action Input:** `{"name": "Ines Varga"}`',
        'action: find_member\naction input: {"name": "Ines Varga"}',
        'Action: find_member({"name": "Ines Varga"})',
        'Action: "find_member"\nAction Input: "{\\"name\\": \\"Ines Varga\\"}"',
    ],
)
def test_react_reads_an_action(text) -> None:
    assert called(REACT.read(reply(text))) == INES


@pytest.mark.parametrize("text", ["Action: list_loans", "Action: list_loans()\nAction Input:"])
def test_react_reads_an_action_without_input(text) -> None:
    assert called(REACT.read(reply(text))) == [("list_loans", {})]


def test_react_drops_what_the_model_made_up_from_its_history() -> None:
    text = (
        "Thought: look\nAction: find_member\nAction Input: {name: Ines}\nObservation: M-7\n"
        "Final: You are M-7."
    )
    spoken = REACT.read(reply(text))
    assert spoken.raw == 'Thought: look\nAction: find_member\nAction Input: {"name": "Ines"}'
    answer = Message(role="tool", content="M-101", tool_call_id="x", requestor="assistant")
    assert REACT.told(spoken, [answer])[1] == {"role": "user", "content": "Observation: M-101"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thought: done\nFinal: You have it.\nUntil Tuesday.", "You have it.\nUntil Tuesday."),
        ("Final Answer: You have it.", "You have it."),
        ("**Final:** You have it.\nObservation: thanks!", "You have it."),
        ("Final: Choose.\nAction: pay or return it.", "Choose.\nAction: pay or return it."),
    ],
)
def test_react_reads_a_message(text, said) -> None:
    spoken = REACT.read(reply(text))
    assert (spoken.reply.text, spoken.reply.calls) == (said, ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("You have it one more day.", "neither an action nor a message"),
        ("Thought: hm", "neither an action nor a message"),
        ("Observation: M-7\nFinal: Hi", "neither an action nor a message"),
        ("Final:  ", "no message after Final"),
        ("Action: find_member\nAction Input: Ines Varga", "is no JSON object"),
        ("Action: find_member\nAction Input: [1, 2]", "is no JSON object"),
        ("Action: find_member\nAction Input: {name: *a}", "is no JSON object"),
        ("Action:\nAction Input: {}", "no tool after Action"),
        ("", "was empty"),
    ],
)
def test_react_says_what_is_wrong(text, problem) -> None:
    with pytest.raises(Unreadable) as found:
        REACT.read(reply(text))
    assert problem in str(found.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{a: 1, b: 1.5, c: true}", {"a": 1, "b": 1.5, "c": True}),
        ("{d: null, e: no}", {"d": None, "e": "no"}),
        ("{day: 2026-03-02}", {"day": "2026-03-02"}),
        ("{at: 12:30, zip: 007}", {"at": "12:30", "zip": "007"}),
        ("{a: '5', b: [x, {c: y}]}", {"a": "5", "b": ["x", {"c": "y"}]}),
        ("I call it with {a: b}.", {"a": "b"}),
    ],
)  # fmt: skip
def test_bare_words_stay_what_was_written(text, found) -> None:
    assert read_loosely(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "{a: &x [1], b: *x}", "{a: ", "nothing", "{" * 50_000, "{a: .nan}" * 2, "{a: NaN}",
        "x: y", "{? [a] : b}: c",
    ],
)  # fmt: skip
def test_what_cannot_be_an_object_is_refused(text) -> None:
    with pytest.raises(ValueError):
        read_loosely(text)
