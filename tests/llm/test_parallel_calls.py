"""Streamed calls that share an index or lack one are told apart."""

from __future__ import annotations

import asyncio
import json

import pytest
from model_server import Answer, ModelServer

from ragbench.config import LLMConfig
from ragbench.llm import ChatRequest, Models, RawCall, Session

FIRST, SECOND = '{"x": 1}', '{"y": 2}'
BOTH = (RawCall("a", "f", FIRST), RawCall("b", "g", SECOND))


def event(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m",
        "choices": [choice],
    }  # fmt: skip


def piece(arguments, call_id=None, name=None, **index):
    function = {"arguments": arguments} | ({"name": name} if name else {})
    given = {"id": call_id} if call_id is not None else {}
    return {"type": "function", "function": function, **given, **index}


def received(*events):
    """The calls of a stream whose events hold these pieces of calls."""
    chunks = [
        event({"role": "assistant", "content": None}),
        *(event({"tool_calls": list(pieces)}) for pieces in events),
        event({}, "tool_calls"),
        "[DONE]",
    ]

    async def asked():
        with ModelServer([Answer(chunks=chunks)]) as server:
            models = Models()
            model = models.chat(LLMConfig("openai/m", base_url=server.url, stream=True))
            request = ChatRequest([{"role": "user", "content": "x"}])
            try:
                return (await Session(model, "agent", "t").complete(request)).calls
            finally:
                await models.close()

    return asyncio.run(asked())


SHARED = {"shared": {"index": 0}, "lacking": {}, "null": {"index": None}}


@pytest.mark.parametrize("index", SHARED.values(), ids=SHARED)
def test_whole_calls(index):
    found = received(
        [piece(FIRST, "a", "f", **index)],
        [piece(SECOND, "b", "g", **index)],
    )
    assert found == BOTH


@pytest.mark.parametrize("index", SHARED.values(), ids=SHARED)
def test_calls_in_pieces_one_after_the_other(index):
    found = received(
        [piece("", "a", "f", **index)], [piece(FIRST[:3], **index)], [piece(FIRST[3:], **index)],
        [piece("", "b", "g", **index)], [piece(SECOND[:3], **index)], [piece(SECOND[3:], **index)],
    )  # fmt: skip
    assert found == BOTH


@pytest.mark.parametrize("index", SHARED.values(), ids=SHARED)
def test_pieces_that_alternate_and_name_their_call(index):
    found = received(
        [piece(FIRST[:3], "a", "f", **index)], [piece(SECOND[:3], "b", "g", **index)],
        [piece(FIRST[3:], "a", **index)], [piece(SECOND[3:], "b", **index)],
    )  # fmt: skip
    assert found == BOTH


def test_two_in_one_event_without_an_index():
    assert received([piece(FIRST, "a", "f"), piece(SECOND, "b", "g")]) == BOTH


def test_an_event_that_numbers_anew_and_names_the_call():
    found = received(
        [piece(FIRST, "a", "f"), piece(SECOND[:3], "b", "g")], [piece(SECOND[3:], "b", index=0)]
    )
    assert found == BOTH


@pytest.mark.parametrize("call_id", [None, ""])
def test_without_ids_a_name_after_whole_arguments_begins_a_call(call_id):
    found = received([piece(FIRST, call_id, "f")], [piece(SECOND, call_id, "g")])
    assert found == (RawCall("", "f", FIRST), RawCall("", "g", SECOND))


def test_equal_ids_with_an_index_of_their_own_are_two_calls():
    found = received([piece(FIRST, "a", "f", index=0)], [piece(SECOND, "a", "g", index=1)])
    assert found == (RawCall("a", "f", FIRST), RawCall("a", "g", SECOND))


def test_a_name_that_is_repeated_in_every_piece_is_one_call():
    found = received(*([piece(part, "a", "f", index=0)] for part in (FIRST[:3], FIRST[3:], "")))
    assert found == (RawCall("a", "f", FIRST),)


def test_an_id_that_changes_without_a_name_is_one_call():
    found = received([piece(FIRST[:3], "a", "f", index=0)], [piece(FIRST[3:], "z", index=0)])
    assert found == (RawCall("a", "f", FIRST),)


def test_large_numbers_of_calls_keep_their_order():
    names = [f"t{n}" for n in range(12)]
    found = received(*([piece(json.dumps({"n": n}), f"id-{n}", n)] for n in names))
    assert [call.name for call in found] == names
