"""The models of a run: pace, shared pauses, budget, sums, what a configuration may hold."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys

import pytest
from model_server import ModelServer, error, says

from ragbench.config import LLMConfig
from ragbench.errors import LLMError, SpecError
from ragbench.llm import ChatRequest, Models, Session, Waits, check_config, summed
from ragbench.llm._pace import Pace
from ragbench.records import LLMCall

ASKED = ChatRequest([{"role": "user", "content": "x"}])


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "planted-secret-1234567890")


class World:
    """Time that passes when all that is left to do is to wait."""

    def __init__(self):
        self.now, self.waiting = 0.0, []

    async def sleep(self, seconds):
        until = self.now + seconds
        self.waiting.append(until)
        for _ in range(20):
            await asyncio.sleep(0)  # the others come to their waits first
        while self.now < until:
            if min(self.waiting) == until:
                self.now = until
            await asyncio.sleep(0)
        self.waiting.remove(until)

    def waits(self):
        return Waits(clock=lambda: self.now, sleep=self.sleep, spread=lambda low, high: high)


def starts(pace, world, n):
    """When each of so many calls may begin."""

    async def one(at):
        await pace.turn()
        at.append(world.now)

    async def all_of_them():
        at = []
        await asyncio.gather(*(one(at) for _ in range(n)))
        return at

    return asyncio.run(all_of_them())


def test_requests_a_minute_are_kept_apart():
    world = World()
    pace = Pace(world.waits())
    pace.limit(120)  # one in 0.5 s
    assert starts(pace, world, 4) == [0.0, 0.5, 1.0, 1.5]
    pace.limit(600)  # the lower limit holds
    assert starts(pace, world, 2) == [2.0, 2.5]


def test_without_a_limit_nothing_waits():
    world = World()
    assert starts(Pace(world.waits()), world, 500) == [0.0] * 500


def test_a_pause_holds_up_all_and_spreads_them():
    world = World()
    pace = Pace(world.waits())
    pace.pause(8.0)
    assert starts(pace, world, 3) == [10.0] * 3  # the upper end of a spread over 8 / 4 s
    pace.limit(60)
    pace.pause(5.0)
    assert starts(pace, world, 3) == [15.0, 16.0, 17.0]  # the limit spreads them itself


def test_a_pause_also_holds_up_calls_that_already_wait():
    world = World()
    pace = Pace(world.waits())
    pace.limit(60)

    async def go():
        at = []

        async def one():
            await pace.turn()
            at.append(world.now)
            if len(at) == 1:
                pace.pause(10.0)

        await asyncio.gather(*(one() for _ in range(3)))
        return at

    first, second, third = asyncio.run(go())
    assert first == 0.0
    assert second >= 10.0
    assert third >= second + 1.0


def together(server, n, **config):
    """So many calls at once: their outcomes, and the models."""
    models = Models(waits=Waits(sleep=lambda seconds: asyncio.sleep(min(seconds, 0.05))))

    async def go():
        chat = models.chat(LLMConfig("openai/m", base_url=server.url, **config))
        sessions = [Session(chat, "agent", f"t{at}") for at in range(n)]
        done = await asyncio.gather(
            *(session.complete(ASKED) for session in sessions), return_exceptions=True
        )
        await models.close()
        return done, [call for session in sessions for call in session.calls]

    return asyncio.run(go())


def test_many_calls_share_connections():
    with ModelServer(lambda body: says("x").but(delay_s=0.3)) as server:
        together(server, 30)
        assert server.most_at_once == 30  # no limit below what is asked for
        n_first = server.n_connections
        assert n_first <= 31

        async def one_after_another():
            models = Models()
            session = Session(models.chat(LLMConfig("openai/m", base_url=server.url)), "agent")
            for _ in range(4):
                await session.complete(ASKED)
            await models.close()

        asyncio.run(one_after_another())
        assert server.n_connections == n_first + 1


def test_a_provider_that_lets_few_through_serves_all_in_the_end():
    """Twenty at once, one of eight requests served: more refusals than one call may have."""
    number = itertools.count(1)

    def answer(body):
        return says("x") if next(number) % 8 == 0 else error(429, "slow", {"retry-after": "0"})

    with ModelServer(answer) as server:
        done, calls = together(server, 20)
        assert [reply.text for reply in done] == ["x"] * 20
        assert sum(call.n_attempts for call in calls) == len(server.requests) == 160
        assert max(call.n_attempts for call in calls) > 10


def test_the_budget_stops_before_the_next_call():
    # 196e-6 USD a call (see the cost of gpt-4.1 in test_llm_faults): the third begins at 392e-6.
    models = Models(budget_usd=390e-6)
    with ModelServer(lambda body: says("x")) as server:
        session = Session(models.chat(LLMConfig("gpt-4.1", base_url=server.url)), "agent", "t")

        async def go():
            for _ in range(2):
                await session.complete(ASKED)
            try:
                with pytest.raises(
                    LLMError, match=r"The budget of 0\.00039 USD is spent"
                ) as caught:
                    await session.complete(ASKED)
            finally:
                await models.close()
            return caught.value

        stopped = asyncio.run(go())
        assert len(server.requests) == 2
    assert stopped.kind == "budget"
    assert models.spent_usd == pytest.approx(392e-6)
    assert [call.error for call in session.calls] == [None, None, "budget"]
    usage = summed(session.calls)["agent"]
    assert (usage.n_calls, usage.n_unpriced, usage.prompt_tokens) == (3, 0, 200)
    assert usage.cost_usd == pytest.approx(392e-6)


def test_a_cancelled_call_is_recorded():
    with ModelServer(lambda body: says("x").but(delay_s=5)) as server:

        async def go():
            models = Models()
            session = Session(models.chat(LLMConfig("openai/m", base_url=server.url)), "user", "t")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await session.complete(ASKED, step=4)
            await models.close()
            return session.calls

        (call,) = asyncio.run(go())
    assert (call.role, call.model, call.step, call.error) == ("user", "openai/m", 4, "cancelled")
    assert 200 < call.latency_ms < 5000


def test_sums_keep_the_unknown_apart_from_zero():
    same = {"model": "m", "latency_ms": 10.0}
    known = {"prompt_tokens": 5, "completion_tokens": 2, "cached_tokens": 1, "cost_usd": 0.25}
    usage = summed(
        [
            LLMCall(role="agent", **same, **known),
            LLMCall(role="user", **same, error="rate_limit"),
            LLMCall(role="agent", **same, **{**known, "cost_usd": None, "cached_tokens": None}),
            LLMCall(role="agent", **same, error="context_overflow"),
            LLMCall(role="judge", **same, error="timeout"),
        ]
    )
    assert list(usage) == ["agent", "user", "judge"]
    agent = usage["agent"]
    assert (agent.n_calls, agent.prompt_tokens, agent.completion_tokens) == (3, 10, 4)
    assert (agent.cached_tokens, agent.cost_usd, agent.n_unpriced) == (None, 0.25, 1)
    assert agent.latency_ms == 30.0
    user, judge = usage["user"], usage["judge"]
    assert (user.prompt_tokens, user.cost_usd, user.n_unpriced) == (0, 0.0, 0)  # refused: free
    assert (judge.prompt_tokens, judge.cost_usd, judge.n_unpriced) == (None, None, 1)


def test_the_usual_temperature_is_left_out_with_a_note_where_a_model_takes_none():
    def answer(body):
        if "temperature" in body:
            return error(400, "Unsupported value: 'temperature' does not support 0 with this model")
        return says("x")

    with ModelServer(answer) as server:

        async def go(**config):
            models = Models()
            chat = models.chat(LLMConfig("openai/m", base_url=server.url, **config))
            session = Session(chat, "agent")
            try:
                await session.complete(ASKED)
                await session.complete(ASKED)
            finally:
                await models.close()
            return models.notes

        (note,) = asyncio.run(go(temperature=0.0))
        assert note == (
            "The model 'openai/m' takes no temperature of 0, the role's usual one: it answers with "
            "its own."
        )
        sent = [request.body.get("temperature") for request in server.requests]
        assert sent == [0.0, None, None]
        with pytest.raises(LLMError, match="does not support 0"):  # asked for: not left out
            asyncio.run(go(args='{"temperature": 0}', temperature=1.0))
        assert server.requests[-1].body["temperature"] == 0


def test_a_parameter_that_the_provider_lacks_is_explained():
    async def go(args):
        models = Models()
        session = Session(models.chat(LLMConfig("gpt-5", args=args, base_url=server.url)), "agent")
        try:
            return await session.complete(ASKED)
        finally:
            await models.close()

    with ModelServer(lambda body: says("x")) as server:
        with pytest.raises(LLMError, match=r'temperature.*or add "drop_params": true') as caught:
            asyncio.run(go('{"temperature": 0.5}'))
        assert caught.value.kind == "bad_request"
        assert server.requests == []
        assert asyncio.run(go('{"temperature": 0.5, "drop_params": true}')).text == "x"
        assert "temperature" not in server.requests[0].body


def test_arguments_reach_the_request():
    with ModelServer([says("x")]) as server:
        args = json.dumps({"temperature": 0.2, "max_tokens": 9, "extra_body": {"top_k": 3}})

        async def go():
            models = Models()
            config = LLMConfig("openai/m", args=args, base_url=server.url, temperature=1.0)
            await Session(models.chat(config), "agent").complete(ASKED)
            await models.close()

        asyncio.run(go())
        body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.2, 9, 3)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"args": "{"}, r"are no JSON .*: '\{'\. Give an object"),
        ({"args": "[1]"}, r"are '\[1\]'; they must be a JSON object"),
        ({"args": '{"api_key": "planted"}'}, r"hold a key \('api_key'\).*environment instead"),
        ({"args": '{"extra_headers": {"Authorization": "planted"}}'}, r"hold a key \('Authori"),
        ({"args": '{"extra_headers": {"x-api-key": "planted"}}'}, r"hold a key \('x-api-key'"),
        ({"args": '{"extra_body": [{"azure_ad_token": "planted"}]}'}, "azure_ad_token"),
        ({"args": '{"aws_secret_access_key": "planted"}'}, "aws_secret_access_key"),
        ({"args": '{"user": "sk-planted1234567"}'}, "hold a key; they are"),
        ({"args": '{"user": "planted-secret-1234567890"}'}, "hold a key; they are"),
        ({"args": '{"model": "x"}'}, "may not set 'model': that is for the option for the model"),
        ({"args": '{"n": 2}'}, "may not set 'n': that is for one reply"),
        ({"args": '{"max_retries": 2}'}, "may not set 'max_retries'"),
        ({"base_url": "https://me:planted@host/v1"}, "The base URL holds a user"),
        ({"base_url": "https://host/v1?key=planted"}, "The base URL holds a user"),
        ({"base_url": "host"}, "The base URL must be an address"),
        ({"api_key_env": "sk-planted1234567"}, "wants the name of an environment variable"),
        ({"timeout_s": 0}, "--llm-timeout is 0"),
        ({"rpm": 0}, "--llm-rpm is 0"),
        ({"model": " "}, "The name of a model is empty"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused(config, message):
    with pytest.raises(SpecError, match=message) as caught:
        Models().chat(LLMConfig(**{"model": "openai/m", **config}))
    assert "planted" not in str(caught.value)


@pytest.mark.parametrize(
    "args",
    [
        '{"max_tokens": 5}',
        '{"max_completion_tokens": 5}',
        '{"thinking": {"type": "enabled", "budget_tokens": 5}}',
        '{"prompt_cache_key": "x"}',
        '{"logit_bias": {"50256": -100}}',
    ],
)
def test_names_that_only_look_like_keys_are_fine(args):
    check_config(LLMConfig("openai/m", args=args))


@pytest.mark.parametrize("seconds", [0.1, 0.6, 1.2, 2.0])
def test_loading_is_in_the_background_and_a_process_that_ends_meanwhile_does_so_silently(seconds):
    code = f"""
import time
from ragbench.llm import Models
from ragbench.llm._litellm import is_loaded
Models().start_loading()
assert not is_loaded()
time.sleep({seconds})
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
