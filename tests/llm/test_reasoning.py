"""What a model thinks to itself stands apart from what it says, plain and streamed alike."""

from __future__ import annotations

import asyncio

import pytest
from model_server import ModelServer, completion, says

from ragbench.config import LLMConfig
from ragbench.llm import ChatRequest, LLMCache, Models, Session, json_format, spoken_and_thought

SIGNED = {"type": "thinking", "thinking": "It is $5.", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "AAAA"}

# text, what is said, what is thought
TEXTS = [
    ("Hello", "Hello", None),
    ("<think>It is $5.</think>\n\nHello", "Hello", "It is $5."),
    ("<thinking>It is $5.</thinking>Hello", "Hello", "It is $5."),
    ("<reasoning>It is $5.</reasoning>Hello", "Hello", "It is $5."),
    ("<THINK>It is $5.</Think>Hello", "Hello", "It is $5."),
    ("<seed:think>It is $5.</seed:think>Hello", "Hello", "It is $5."),
    ("[THINK]It is $5.[/THINK]Hello", "Hello", "It is $5."),
    ("◁think▷It is $5.◁/think▷Hello", "Hello", "It is $5."),
    ('<think type="deep">\nIt is $5.\n</think>Hello', "Hello", "It is $5."),
    ("It is $5.\n</think>\n\nHello", "Hello", "It is $5."),
    ("<think>It is $5.", None, "It is $5."),
    ("Hello <think>It is $5.", "Hello", "It is $5."),
    ("<think>a<think>b</think>c</think>Hello", "Hello", "a\n\nb\n\nc"),
    ("<think>a<thinking>b</thinking>c", None, "a\n\nb\n\nc"),
    ("<think>a</think>Hello<think>b</think> you", "Hello you", "a\n\nb"),
    ("<think></think>Hello", "Hello", None),
    ("<think>###STOP###</think>", None, "###STOP###"),
    ("I think 3 < 5 and <b>bold</b>", "I think 3 < 5 and <b>bold</b>", None),
    ("<thinker>no tag</thinker>", "<thinker>no tag</thinker>", None),
]
MESSAGES = [
    ({"content": "Hello", "reasoning_content": "It is $5."}, "Hello", "It is $5."),
    ({"content": "Hello", "reasoning": "It is $5."}, "Hello", "It is $5."),
    ({"content": "<think>b</think>Hello", "reasoning_content": "a"}, "Hello", "a\n\nb"),
    ({"content": None, "reasoning_content": "It is $5."}, None, "It is $5."),
    ({"content": "Hello", "thinking_blocks": [SIGNED]}, "Hello", "It is $5."),
    (
        {"content": "Hello", "reasoning_content": "It is $5.", "thinking_blocks": [SIGNED]},
        "Hello",
        "It is $5.",
    ),
]
STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


def asked(answer, stream, request=None, models=None):
    request = request or ChatRequest([{"role": "user", "content": "x"}])

    async def ask():
        with ModelServer([answer]) as server:
            made = models or Models()
            model = made.chat(LLMConfig("openai/m", base_url=server.url, stream=stream))
            try:
                return await Session(model, "agent", "t").complete(request)
            finally:
                await made.close()

    return asyncio.run(ask())


@STREAMED
@pytest.mark.parametrize(("text", "said", "thought"), TEXTS)
def test_between_tags(text, said, thought, stream):
    done = asked(says(text), stream)
    assert (done.text, done.reasoning) == (said, thought)
    assert spoken_and_thought(done.text or "")[1] is None  # taken apart once and for all


@STREAMED
@pytest.mark.parametrize(("message", "said", "thought"), MESSAGES)
def test_in_fields_of_their_own(message, said, thought, stream):
    done = asked(completion({"role": "assistant", **message}), stream)
    assert (done.text, done.reasoning) == (said, thought)


@STREAMED
def test_signed_thoughts_are_kept_for_the_provider(stream):
    message = {"role": "assistant", "content": "Hello", "thinking_blocks": [SIGNED, REDACTED]}
    assert asked(completion(message), stream).thinking_blocks == (SIGNED, REDACTED)


def test_an_object_that_was_asked_for_is_not_cut_up():
    form = json_format("o", {"t": {"type": "string"}})
    request = ChatRequest([{"role": "user", "content": "x"}], response_format=form)
    text = '{"t": "a</think>b"}'
    assert asked(says(text), False, request).text == text
    assert asked(says('<think>{"t": "a"}</think>{"t": "b"}'), False, request).text == '{"t": "b"}'


def test_a_recording_keeps_both_apart(tmp_path):
    tape = tmp_path / "tape.jsonl"
    message = {"role": "assistant", "content": "Hello", "thinking_blocks": [SIGNED]}
    done = asked(completion(message), False, models=Models(LLMCache.recording(tape)))
    again = asked(says("never"), False, models=Models(LLMCache.replaying(tape)))
    assert again == done
    assert (again.text, again.reasoning, again.thinking_blocks) == ("Hello", "It is $5.", (SIGNED,))
