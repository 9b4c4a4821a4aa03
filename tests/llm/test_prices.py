"""Prices that a person gives: costs and budgets of servers that no table knows."""

from __future__ import annotations

import asyncio

import pytest
from model_server import ModelServer, says

from ragbench.config import LLMConfig
from ragbench.errors import LLMError, SpecError
from ragbench.llm import ChatRequest, Models, Session, check_config

ASKED = ChatRequest([{"role": "user", "content": "x"}])
PER_TOKEN = '{"input_cost_per_token": 1e-7, "output_cost_per_token": 4e-7}'


def asked(n, budget_usd=None, stream=False, **config):
    """So many calls of one model, and what they were charged."""

    async def ask():
        with ModelServer(lambda body: says("x")) as server:
            models = Models(budget_usd=budget_usd)
            given = LLMConfig("openai/m", base_url=server.url, stream=stream, **config)
            session = Session(models.chat(given), "agent", "t")
            try:
                for _ in range(n):
                    await session.complete(ASKED)
            except LLMError as error:
                return session.calls, models, server.requests, error
            finally:
                await models.close()
        return session.calls, models, server.requests, None

    return asyncio.run(ask())


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize(
    ("config", "usd"),
    [
        # 100 tokens of the prompt, 40 of them cached, 7 of the completion; USD a million
        ({"price": "in=0.1,out=0.4"}, 12.8e-6),  # 100 x 0.1 + 7 x 0.4
        ({"price": "in=0.1, out=0.4, cached=0.05"}, 10.8e-6),  # 60 x 0.1 + 40 x 0.05 + 2.8
        ({"price": "in=0,out=0"}, 0.0),
        ({"args": PER_TOKEN}, 12.8e-6),
        (
            {"args": PER_TOKEN[:-1] + ', "cache_read_input_token_cost": 5e-8}'},
            10.8e-6,
        ),
    ],
)
def test_a_given_price_is_charged(config, usd, stream):
    (call,), models, (request,), _ = asked(1, stream=stream, **config)
    assert call.cost_usd == pytest.approx(usd, abs=1e-12)
    assert models.spent_usd == pytest.approx(usd, abs=1e-12)
    assert (models.n_unpriced, models.notes) == (0, ())
    assert not [name for name in request.body if "cost" in name]  # not a parameter of the call


def test_a_given_price_wins_over_the_table():
    async def ask():
        with ModelServer([says("x")]) as server:
            models = Models()
            given = LLMConfig("gpt-4.1", base_url=server.url, api_key_env="K", price="in=1,out=1")
            done = await Session(models.chat(given), "agent", "t").complete(ASKED)
            await models.close()
            return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("K", "x" * 20)
        assert asyncio.run(ask()).call.cost_usd == pytest.approx(107e-6)


def test_a_budget_holds_for_a_server_of_ones_own():
    # 12.8 millionths of a USD each: two are below 30, the third goes beyond, the fourth is not made
    calls, models, requests, error = asked(9, budget_usd=30e-6, price="in=0.1,out=0.4")
    assert error.kind == "budget"
    assert (len(requests), len(calls)) == (3, 4)
    assert models.spent_usd == pytest.approx(38.4e-6)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"price": "0.1"}, "Give USD per million tokens"),
        ({"price": "in=0.1"}, "lacks 'out'"),
        ({"price": "out=0.1"}, "lacks 'in'"),
        ({"price": "in=a,out=1"}, "Give USD per million tokens"),
        ({"price": "in=1,in=2,out=1"}, "Give USD per million tokens"),
        ({"price": "in=-1,out=1"}, "must be at least 0"),
        ({"price": "in=inf,out=1"}, "must be at least 0"),
        ({"price": ""}, "Give USD per million tokens"),
        ({"price": "in=1,out=1", "args": PER_TOKEN}, "given twice"),
        ({"args": '{"input_cost_per_token": "1e-7", "output_cost_per_token": 1}'}, "'1e-7'"),
    ],
)
def test_what_is_no_price_is_refused(config, said):
    with pytest.raises(SpecError, match=said):
        check_config(LLMConfig("openai/m", **config))


@pytest.mark.parametrize("name", ["token", "access_token", "api_key", "auth_token"])
def test_a_key_is_still_refused(name):
    with pytest.raises(SpecError, match="hold a key"):
        check_config(LLMConfig("openai/m", args=f'{{"{name}": "abc"}}'))


def test_a_price_survives_in_the_runs_configuration(tmp_path):
    from ragbench.config import EvalConfig
    from ragbench.runner import prepare
    from ragbench.runner._resolved import resolved

    model = LLMConfig("openai/m", args=PER_TOKEN, base_url="http://127.0.0.1:9/v1")
    other = LLMConfig("openai/m", base_url="http://127.0.0.1:9/v1", price="in=1,out=2")
    config = EvalConfig(
        "mock", store=tmp_path / "store", retrieval_config="bm25", agent="llm", agent_llm=model,
        user="llm", user_llm=other,
    )  # fmt: skip
    options = resolved(prepare(config))["options"]
    assert options["agent_llm"]["args"] == PER_TOKEN
    assert options["user_llm"]["price"] == "in=1,out=2"
