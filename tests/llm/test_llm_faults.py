"""Every way in which a model's server misbehaves, over real HTTP through real LiteLLM."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from email.utils import formatdate

import pytest
from model_server import (
    Answer,
    ModelServer,
    calls,
    completion,
    context_overflow,
    error,
    html,
    no_choices,
    null_content,
    says,
    truncated,
)

from ragbench.config import LLMConfig
from ragbench.errors import LLMError
from ragbench.llm import ChatRequest, Models, RawCall, Session, Waits

KEY = "planted-secret-1234567890"
ASKED = ChatRequest([{"role": "user", "content": "When is the fee waived?"}])


class Time:
    """A clock that only the waits move; what was waited for is kept."""

    def __init__(self):
        self.now, self.waited = 1000.0, []

    async def sleep(self, seconds):
        self.waited.append(round(seconds, 3))
        self.now += seconds

    def waits(self):
        # The upper end of every spread: a wait of 1 s is spread over 0.5 to 1.
        return Waits(clock=lambda: self.now, sleep=self.sleep, spread=lambda low, high: high)


class Asked:
    """What one call came to."""

    def __init__(self, answers, request=ASKED, **config):
        self.time = Time()
        with ModelServer(answers) as server:
            self.server = server
            self.models = Models(waits=self.time.waits())
            config.setdefault("base_url", server.url)
            config.setdefault("model", "openai/m")
            self.session = Session(self.models.chat(LLMConfig(**config)), "agent", "t1")
            self.done = self.error = None
            asyncio.run(self._ask(request))
        self.n_requests = len(server.requests)
        (self.call,) = self.session.calls

    async def _ask(self, request):
        try:
            self.done = await self.session.complete(request, step=3)
        except LLMError as error:
            self.error = error
        await self.models.close()


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


@STREAMED
def test_a_reply_of_text(stream):
    asked = Asked([says("It is waived. Überall 🙂")], stream=stream)
    assert asked.error is None
    assert asked.done.text == "It is waived. Überall 🙂"
    assert asked.done.calls == ()
    assert asked.done.finish_reason == "stop"
    call = asked.call
    assert (call.role, call.step, call.ordinal, call.model) == ("agent", 3, 0, "openai/m")
    assert (call.prompt_tokens, call.completion_tokens, call.cached_tokens) == (100, 7, 40)
    assert call.cost_usd is None  # no table has a price for openai/m
    assert (call.n_attempts, call.error) == (1, None)
    sent = asked.server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["messages"] == [{"role": "user", "content": "When is the fee waived?"}]
    assert "tools" not in sent.body


@STREAMED
def test_several_calls_with_text_come_as_they_were_written(stream):
    big = '{"text": "' + "x" * 100_000 + '"}'
    answer = calls(("look", {"q": "fee"}), ("act", "{no json"), ("act", big), text="Let me see.")
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    asked = Asked([answer], ChatRequest(ASKED.messages, tools=[tool]), stream=stream)
    assert asked.done.text == "Let me see."
    assert asked.done.calls == (
        RawCall("call_1_0", "look", '{"q": "fee"}'),
        RawCall("call_1_1", "act", "{no json"),
        RawCall("call_1_2", "act", big),
    )
    assert asked.done.finish_reason == "tool_calls"
    assert asked.server.requests[0].body["tools"] == [tool]


@STREAMED
def test_duplicate_and_empty_ids_are_passed_on(stream):
    asked = Asked([calls(("a", {}), ("b", {}), ids=["same", "same"])], stream=stream)
    assert [call.id for call in asked.done.calls] == ["same", "same"]
    asked = Asked([calls(("a", {}), ids=[""])], stream=stream)
    assert [(call.id, call.name) for call in asked.done.calls] == [("", "a")]


@STREAMED
def test_null_content_is_a_reply_without_text(stream):
    asked = Asked([null_content()], stream=stream)
    assert (asked.done.text, asked.done.calls, asked.done.finish_reason) == (None, (), "stop")


@STREAMED
def test_finish_reason_length_is_told(stream):
    asked = Asked([truncated("The fee is")], stream=stream)
    assert (asked.done.text, asked.done.finish_reason) == ("The fee is", "length")
    assert asked.call.finish_reason == "length"


@STREAMED
def test_a_lone_surrogate_becomes_a_replacement_character(stream):
    # The server's pieces have four characters: the pair is cut in two, and comes together again.
    asked = Asked([says("ab \ud83d\ude00 and \ud83d.")], stream=stream)
    assert asked.done.text == "ab \U0001f600 and �."
    asked.done.text.encode()


def test_a_lone_surrogate_in_a_request_is_sent_as_a_replacement_character():
    asked = Asked([says("ok")], ChatRequest([{"role": "user", "content": "a\ud83db"}]))
    assert asked.server.requests[0].body["messages"][0]["content"] == "a�b"


@STREAMED
@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0}])
def test_unknown_tokens_are_none(stream, usage):
    message = {"role": "assistant", "content": "x"}
    asked = Asked([completion(message, usage=usage)], stream=stream)
    call = asked.call
    assert (call.prompt_tokens, call.completion_tokens, call.cost_usd) == (None, None, None)


def test_a_known_model_has_its_cost():
    asked = Asked([says("x")], model="gpt-4.1")
    # 60 tokens at 2 USD a million, 40 cached ones at 0.5, 7 of the completion at 8:
    # (120 + 20 + 56) / 1,000,000.
    assert asked.call.cost_usd == pytest.approx(196e-6)
    assert asked.models.spent_usd == pytest.approx(196e-6)
    assert asked.models.n_unpriced == 0


@STREAMED
@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (error(401, "Incorrect API key"), "auth", "401 Incorrect API key. Check the key"),
        (error(403, "no access"), "auth", "403 no access. Check the key"),
        (error(404, "The model `m` does not exist"), "not_found", "Check the model's name"),
        (html(404), "not_found", "Check the model's name"),
        (error(400, "bad value"), "bad_request", "400 bad value. Check the model's arguments"),
        (error(402, "no credit"), "bad_request", "402 no credit"),
        (context_overflow(), "context_overflow", "maximum context length is 8192 tokens"),
        (error(413, "prompt is too long: 9 tokens > 8"), "context_overflow", "prompt is too long"),
        (error(429, "You exceeded your current quota"), "rate_limit", "no quota left"),
        (error(429, "wait", {"retry-after": "3600"}), "rate_limit", "asks to wait 3600 s"),
    ],
)
def test_what_will_not_pass_is_asked_once(stream, answer, kind, message):
    asked = Asked([answer], stream=stream)
    assert asked.error.kind == kind
    assert message in str(asked.error)
    assert f"'openai/m' at {asked.server.url} failed:" in str(asked.error)
    assert asked.n_requests == 1  # LiteLLM asks no second time by itself
    assert asked.time.waited == []
    assert asked.error.call == asked.call.model_copy(update={"step": None})
    assert (asked.call.error, asked.call.step, asked.call.n_attempts) == (kind, 3, 1)


@STREAMED
@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (error(500, "oops"), "server", "500 oops. Run the command again"),
        (error(503, "busy"), "server", "503 busy"),
        (html(502), "server", "502"),
        (error(529, "overloaded"), "server", "529 overloaded"),
        (no_choices(), "malformed", ""),
        (html(), "malformed", "OpenAI-compatible API"),
        (Answer(body=b""), "malformed", "OpenAI-compatible API"),
        (Answer(body=[1, 2]), "malformed", "OpenAI-compatible API"),
        (Answer(body={"error": {"message": "overloaded"}}), "malformed", ""),
        (says("half of it").but(reset_after_bytes=40), "connection", "Check the address"),
    ],
)
def test_what_may_pass_is_asked_six_times(stream, answer, kind, message):
    asked = Asked([answer] * 6, stream=stream)
    assert asked.error.kind == kind
    assert "failed (6 attempts): " in str(asked.error)
    assert message in str(asked.error)
    assert asked.n_requests == 6
    assert asked.time.waited == [1, 2, 4, 8, 16]
    assert (asked.call.error, asked.call.n_attempts) == (kind, 6)


def test_a_limit_without_an_end_is_asked_ten_times():
    asked = Asked([error(429, "slow down")] * 10)
    assert asked.error.kind == "rate_limit"
    assert "failed (10 attempts): 429 slow down. Run the command again later" in str(asked.error)
    assert "--llm-rpm 60" in str(asked.error)
    assert asked.n_requests == 10
    # The pauses are those of all calls, spread by a quarter: more than four minutes in all.
    assert asked.time.waited == [1.25 * s for s in (1, 2, 4, 8, 16, 32, 60, 60, 60)]


@STREAMED
@pytest.mark.parametrize(
    "answer",
    [
        error(429),
        error(500),
        error(503),
        no_choices(),
        html(),
        says("lost at the beginning").but(reset_after_bytes=1),
        says("It is lost in the middle of the text").but(reset_after_bytes="middle"),
    ],
)
def test_a_failure_that_passes_is_not_seen(stream, answer):
    if answer.reset_after_bytes == "middle":
        answer = answer.but(reset_after_bytes=900 if stream else 200)
    asked = Asked([answer, says("It is waived.")], stream=stream)
    assert asked.done.text == "It is waived."
    assert (asked.n_requests, asked.call.n_attempts, asked.call.error) == (2, 2, None)
    assert len(asked.time.waited) == 1
    assert asked.call.latency_ms >= 500  # the wait counts


def test_a_choice_without_a_message_is_asked_again():
    asked = Asked([completion(None), says("x")])
    assert (asked.done.text, asked.n_requests) == ("x", 2)


def test_a_stream_that_ends_early_without_an_error_is_asked_again():
    chunks = [
        {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m",
         "choices": [{"index": 0, "delta": {"content": "half"}, "finish_reason": None}]},
    ]  # fmt: skip
    asked = Asked([Answer(chunks=chunks), says("whole")], stream=True)
    assert (asked.done.text, asked.n_requests) == ("whole", 2)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds_is_obeyed(status):
    asked = Asked([error(status, "wait", {"retry-after": "7"}), says("x")])
    # At most a tenth longer than it asks; a limit holds up all calls of the provider, which then
    # spread over a quarter of that.
    longest = {429: 7 * 1.1 * 1.25, 503: 7 * 1.1}[status]
    assert asked.time.waited == [pytest.approx(longest, abs=1e-3)]
    assert asked.n_requests == 2


def test_retry_after_as_a_date_is_obeyed():
    until = formatdate(time.time() + 60, usegmt=True)
    asked = Asked([error(429, "wait", {"retry-after": until}), says("x")])
    assert 55 * 1.1 * 1.25 < asked.time.waited[0] <= 60 * 1.1 * 1.25  # dates have whole seconds


@STREAMED
def test_a_slow_reply_is_asked_three_times(stream):
    asked = Asked(lambda body: says("late").but(delay_s=20), stream=stream, timeout_s=0.2)
    assert asked.error.kind == "timeout"
    assert "no complete reply in time. One call may take 0.2 s: raise --llm-timeout" in str(
        asked.error
    )
    assert (asked.n_requests, asked.call.n_attempts) == (3, 3)


def test_a_reply_that_trickles_for_ever_is_cut_off():
    piece = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    chunks = [
        {**piece, "choices": [{"index": 0, "delta": {"content": str(n)}, "finish_reason": None}]}
        for n in range(1000)
    ]
    asked = Asked(lambda body: Answer(chunks=chunks, chunk_gap_s=0.02), stream=True, timeout_s=0.3)
    assert asked.error.kind == "timeout"


def test_nothing_listens_at_the_address():
    asked = Asked([], base_url="http://127.0.0.1:9/v1")
    assert asked.error.kind == "connection"
    assert "Connect call failed" in str(asked.error)
    assert "Check the address, and that the server runs." in str(asked.error)
    assert asked.call.n_attempts == 6


def test_an_unknown_provider_is_named(monkeypatch):
    asked = Asked([], model="nothing-known", base_url=None)
    assert asked.error.kind == "not_found"
    assert "LLM Provider NOT provided" in str(asked.error)
    assert "PROVIDER/NAME" in str(asked.error)


def test_a_missing_key_is_named_and_not_waited_for(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    asked = Asked([], model="gpt-4.1", base_url=None)
    assert asked.error.kind == "auth"
    assert "Set OPENAI_API_KEY in the environment." in str(asked.error)
    assert (asked.time.waited, asked.call.n_attempts) == ([], 1)


def test_a_server_of_ones_own_needs_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    asked = Asked([says("x")])
    assert asked.done.text == "x"
    assert asked.server.requests[0].headers["authorization"] == "Bearer no-key"


def test_a_named_variable_holds_the_key(monkeypatch):
    monkeypatch.setenv("MY_GATEWAY", "another-secret-42")
    asked = Asked([error(401, "wrong: another-secret-42")], api_key_env="MY_GATEWAY")
    assert asked.server.requests[0].headers["authorization"] == "Bearer another-secret-42"
    assert "401 wrong: ***. Check the key in MY_GATEWAY." in str(asked.error)
    monkeypatch.delenv("MY_GATEWAY")
    asked = Asked([], api_key_env="MY_GATEWAY")
    assert asked.error.kind == "auth"
    assert "The environment variable 'MY_GATEWAY'" in str(asked.error)
    assert asked.n_requests == 0


@STREAMED
@pytest.mark.parametrize("status", [401, 400, 429])
def test_a_planted_key_gets_nowhere(stream, status, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    said = f"Incorrect key {KEY} in Authorization: Bearer {KEY}; try sk-abcdef1234567890"
    asked = Asked([error(status, said)] * 10, stream=stream)
    shown = "".join(traceback.format_exception(asked.error))
    chain = [asked.error.__cause__, asked.error.__context__]
    written = (shown, repr(chain), repr(asked.call), caplog.text, *capfd.readouterr())
    assert chain == [None, None]
    assert any("Incorrect key ***" in text for text in written)
    for text in written:
        assert KEY not in text
        assert "sk-abcdef1234567890" not in text
    assert caplog.text  # the clients do log at this level
