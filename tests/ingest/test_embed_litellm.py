"""Embeddings from a provider: real LiteLLM, and a server on loopback that misbehaves on demand."""

import json
import logging
import math
import os
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from ragbench.errors import ModelUnavailable, SpecError
from ragbench.ingest.embed import EMBEDDERS, EmbeddingCache, LiteLLM, _request, embed_cached
from ragbench.llm import without_secrets

KEY = "planted-secret-1234567890"


def vector(text):
    """(length, 1, 0.5): what the server says of a text."""
    return [float(len(text)), 1.0, 0.5]


class Provider:
    """An OpenAI-compatible server; `plan` is what it does with the next requests; then it obeys."""

    def __init__(self):
        self.requests, self.times, self.plan, self.headers = [], [], [], []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                provider.requests.append(body)
                provider.times.append(time.monotonic())
                provider.headers.append({k.lower(): v for k, v in self.headers.items()})
                action = provider.plan.pop(0) if provider.plan else {}
                if action.get("reset"):
                    linger = struct.pack("ii", 1, 0)  # closing sends RST
                    self.connection.setsockopt(__import__("socket").SOL_SOCKET, 13, linger)
                    self.connection.close()
                    return
                status = action.get("status", 200)
                reply = action.get("reply", provider.answer)
                content = json.dumps(reply(body) if callable(reply) else reply).encode()
                self.send_response(status)
                for name, value in action.get("headers", {}).items():
                    self.send_header(name, value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def answer(body, embed=vector):
        texts = body["input"]
        data = [
            {"object": "embedding", "index": i, "embedding": embed(t)} for i, t in enumerate(texts)
        ]
        return {
            "object": "list",
            "data": data,
            "model": "m",
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }

    def fails(self, status, message="refused", times=1, **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        self.plan += [
            {"status": status, "reply": {"error": {"message": message}}, "headers": names}
        ] * times


@pytest.fixture
def provider(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(_request, "_FIRST_WAIT_S", 0.01)
    started = Provider()
    yield started
    started.server.shutdown()
    started.server.server_close()


def model(provider, **arguments):
    more = "".join(f", {key}={value}" for key, value in arguments.items())
    return EMBEDDERS.create(f"litellm(model='openai/m', api_base='{provider.base}'{more})")


def unit(text):
    raw = vector(text)
    return [value / math.hypot(*raw) for value in raw]


def test_texts_go_out_in_batches_and_come_back_in_order(provider):
    texts = ["a" * n for n in (5, 1, 9, 3, 7)]
    vectors = model(provider, batch=2).embed(texts, "passage")
    assert [len(request["input"]) for request in provider.requests] == [2, 2, 1]
    assert vectors == pytest.approx(np.array([unit(text) for text in texts]))
    assert vectors.dtype == np.float32
    assert provider.headers[0]["authorization"] == f"Bearer {KEY}"
    assert len(model(provider).embed([], "query")) == 0


def test_a_reply_out_of_order_is_put_in_order(provider):
    provider.plan = [
        {
            "reply": lambda body: {
                **provider.answer(body),
                "data": provider.answer(body)["data"][::-1],
            }
        }
    ]
    assert model(provider).embed(["a", "bbb"], "query") == pytest.approx(
        np.array([unit("a"), unit("bbb")])
    )


def test_dimensions_are_the_head_of_the_vector(provider):
    # (3, 1, 0.5) to two dimensions: (3, 1) / sqrt(10).
    assert model(provider, dim=2).embed(["abc"], "query") == pytest.approx(
        np.array([[3 / 10**0.5, 1 / 10**0.5]])
    )
    with pytest.raises(ModelUnavailable, match="has 3 dimensions, fewer than dim=4"):
        model(provider, dim=4).embed(["abc"], "query")


def test_a_limit_is_waited_out_as_long_as_it_says(provider):
    provider.fails(429, "slow down", retry_after="1")
    model(provider).embed(["a"], "query")
    assert len(provider.requests) == 2  # one refused, one answered: LiteLLM does not ask by itself
    assert 1.0 <= provider.times[1] - provider.times[0] < 3.0


def test_a_date_to_wait_for(provider):
    from email.utils import formatdate

    provider.fails(429, "slow down", retry_after=formatdate(time.time() + 2, usegmt=True))
    model(provider).embed(["a"], "query")
    assert 0.5 <= provider.times[1] - provider.times[0] < 4.0  # dates have whole seconds


def test_a_limit_of_an_hour_is_for_a_person(provider):
    provider.fails(429, "quota used up", retry_after="3600")
    with pytest.raises(ModelUnavailable, match=r"quota used up\. It asks to wait 3600 s: run the"):
        model(provider).embed(["a"], "query")
    assert len(provider.requests) == 1


def test_passing_failures_are_asked_again(provider):
    provider.fails(500, "oops")
    provider.fails(503, "busy")
    provider.plan.append({"reset": True})
    assert model(provider).embed(["a"], "query") == pytest.approx(np.array([unit("a")]))
    assert len(provider.requests) == 4


def test_a_failure_that_stays_ends_after_six_attempts(provider):
    provider.fails(500, "oops", times=9)
    with pytest.raises(ModelUnavailable, match=r"failed \(6 attempts\): .*oops.*when it answers"):
        model(provider).embed(["a"], "query")
    assert len(provider.requests) == 6
    gaps = np.diff(provider.times)
    assert gaps[-1] > gaps[0]  # 0.01 s, doubled five times, and spread


def test_waits_grow_and_are_spread(provider, monkeypatch):
    monkeypatch.setattr(_request, "_FIRST_WAIT_S", 1.0)
    requests = _request.Requests("openai/m", provider.base, None)
    error = RuntimeError("x")
    for attempt, longest in [(1, 1), (2, 2), (3, 4), (5, 16)]:
        waits = {requests._wait_or_none(error, attempt) for _ in range(20)}
        assert longest / 2 <= min(waits) < max(waits) <= longest
        assert len(waits) > 1
    assert requests._wait_or_none(error, 6) is None


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, "Check the provider's key"),
        (403, "Check the provider's key"),
        (404, "Check the model's name"),
        (400, "no text is too long"),
    ],
)
def test_a_refusal_is_final(provider, status, remedy):
    provider.fails(status, "no", times=3)
    with pytest.raises(ModelUnavailable, match=remedy):
        model(provider).embed(["a"], "query")
    assert len(provider.requests) == 1


def test_a_missing_key_is_named_and_not_waited_for(provider, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(
        ModelUnavailable, match=r"Set OPENAI_API_KEY; for a server that needs no key"
    ):
        model(provider).embed(["a"], "query")
    assert provider.requests == []


def test_an_unknown_provider_is_named():
    with pytest.raises(ModelUnavailable, match="LLM Provider NOT provided"):
        EMBEDDERS.create("litellm(model=nothing-known)").embed(["a"], "query")


def changed(change):
    """The right reply, with its list of vectors changed."""

    def reply(body):
        right = Provider.answer(body)
        return {**right, "data": change(right["data"])}

    return reply


def with_vector(embed):
    return lambda body: Provider.answer(body, embed)


ONE_EACH = "without a list of vectors, one for each text|no list of embeddings"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (changed(lambda data: data[:1]), "with 1 vectors for 2 texts"),
        (changed(lambda data: data * 2), ONE_EACH),
        (changed(lambda data: [{**entry, "index": 0} for entry in data]), ONE_EACH),
        (with_vector(lambda text: [1.0, math.nan, 0.0]), "NaN or infinite"),
        (with_vector(lambda text: [1.0] * len(text)), "of 2 dimensions where 1 are expected"),
        (with_vector(lambda text: []), f"an empty vector|{ONE_EACH}"),
        (with_vector(lambda text: None), ONE_EACH),
        ({"hello": 1}, ONE_EACH),
    ],
)
def test_a_wrong_reply_is_an_error(provider, reply, message):
    provider.plan = [{"reply": reply}] * 6
    with pytest.raises(ModelUnavailable, match=message):
        model(provider).embed(["a", "bb"], "passage")


def test_vectors_may_not_change_their_length_between_requests(provider):
    embedder = model(provider, batch=1)
    provider.plan = [{}, {"reply": lambda body: provider.answer(body, lambda text: [1.0, 2.0])}]
    with pytest.raises(ModelUnavailable, match="of 2 dimensions where 3 are expected"):
        embedder.embed(["a", "b"], "passage")


def test_what_was_paid_for_is_kept(provider, tmp_path):
    texts = [f"text number {i:02}" for i in range(10)]
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    provider.plan = [{}, {}, {}]
    provider.fails(400, "the third request of texts fails")
    with pytest.raises(ModelUnavailable, match="What was embedded before is kept"):
        embed_cached(model(provider, batch=3), cache, texts, "passage")
    cache.close()
    assert [len(request["input"]) for request in provider.requests] == [1, 3, 3, 3]
    provider.requests.clear()
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    vectors, n_new = embed_cached(model(provider, batch=3), cache, texts, "passage")
    assert n_new == 10 - 6
    assert sum(len(request["input"]) for request in provider.requests) == 5  # one tells the model
    assert vectors == pytest.approx(np.array([unit(text) for text in texts]))
    _, n_new = embed_cached(model(provider), cache, texts, "query")  # this model has no prompts
    assert n_new == 0
    cache.close()


def test_requests_keep_the_pace(provider):
    # 600 a minute is one in 0.1 s: five requests take at least 0.4 s.
    model(provider, batch=1, rpm=600).embed(list("abcde"), "passage")
    assert len(provider.times) == 5
    assert provider.times[-1] - provider.times[0] >= 0.38


def test_a_known_familys_prompts_are_written(provider):
    embedder = EMBEDDERS.create(f"litellm(model=openai/e5-small, api_base='{provider.base}')")
    assert embedder.has_prompts
    assert "passage: " in embedder.identity
    embedder.embed(["a"], "query")
    embedder.embed(["a"], "passage")
    assert [request["input"] for request in provider.requests] == [["query: a"], ["passage: a"]]
    plain = EMBEDDERS.create(
        f"litellm(model=openai/e5-small, api_base='{provider.base}', prompts=none)"
    )
    assert not plain.has_prompts
    assert plain.identity != embedder.identity


@pytest.mark.parametrize(
    ("name", "path", "query", "passage"),
    [
        ("voyage/voyage-3", "input_type", "query", "document"),
        ("nvidia_nim/some-model", "input_type", "query", "passage"),
        ("jina_ai/jina-embeddings-v3", "task", "retrieval.query", "retrieval.passage"),
    ],
)
def test_a_provider_is_told_what_a_text_is(provider, monkeypatch, name, path, query, passage):
    for key in ("VOYAGE_API_KEY", "NVIDIA_NIM_API_KEY", "JINA_AI_API_KEY"):
        monkeypatch.setenv(key, KEY)
    embedder = EMBEDDERS.create(f"litellm(model='{name}', api_base='{provider.base}')")
    embedder.embed(["a"], "query")
    embedder.embed(["a"], "passage")
    assert [request[path] for request in provider.requests] == [query, passage]
    assert embedder.has_prompts


def test_no_key_gets_out(provider, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    said = f"Incorrect key {KEY} in Authorization: Bearer {KEY}; try sk-abcdef1234567890"
    provider.fails(401, said)
    embedder = model(provider)
    with pytest.raises(ModelUnavailable) as caught:
        embedder.embed(["a"], "query")
    written = capfd.readouterr()
    chain = repr(caught.value.__cause__)
    for text in (
        str(caught.value),
        embedder.identity,
        repr(embedder),
        chain,
        caplog.text,
        *written,
    ):
        assert KEY not in text
        assert "sk-abcdef1234567890" not in text
    assert "Incorrect key ***" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("key sk-proj-abc_DEF123456 is wrong", "key *** is wrong"),
        ("see https://user:pass@host/v1", "see https://***@host/v1"),
        ("GET /v1?key=abc123&x=1", "GET /v1?key=***&x=1"),
        ("Bearer abc.def-123", "Bearer ***"),
        ("a model called text-embedding-3-small", "a model called text-embedding-3-small"),
    ],
)
def test_what_looks_like_a_key_is_taken_out(text, left):
    assert without_secrets(text) == left


@pytest.mark.parametrize(
    "base",
    ["https://me:planted@host/v1", "https://host/v1?key=planted", "ftp://planted", "planted"],
)
def test_an_address_with_a_key_is_refused_without_repeating_it(base):
    with pytest.raises(SpecError, match="api_base") as caught:
        EMBEDDERS.create(f"litellm(model=openai/m, api_base='{base}')")
    assert "planted" not in str(caught.value)


def test_arguments_are_checked():
    for spec, message in [("batch=0", "batch is 0"), ("rpm=0", "rpm is 0"), ("dim=0", "dim is 0")]:
        with pytest.raises(SpecError, match=f"{message}; it must be at least 1"):
            EMBEDDERS.create(f"litellm(model=openai/m, {spec})")


def test_identity_is_what_the_vectors_depend_on():
    one = LiteLLM("openai/m")
    assert one.identity == LiteLLM("openai/m", batch=2, rpm=9).identity
    others = [
        LiteLLM("openai/n"),
        LiteLLM("openai/m", dim=2),
        LiteLLM("openai/m", api_base="http://h/v1"),
    ]
    assert len({one.identity, *(other.identity for other in others)}) == 4
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
