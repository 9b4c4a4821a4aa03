"""A prompt that is too long, in the words of the servers that people use."""

from __future__ import annotations

import asyncio

import pytest
from model_server import Answer, ModelServer, error

from ragbench.config import LLMConfig
from ragbench.errors import LLMError
from ragbench.llm import ChatRequest, Models, Session, Waits

STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


def flat(status, message, kind="BadRequestError"):
    """A refusal in vLLM's form: no object ``error`` around it."""
    body = {"object": "error", "message": message, "type": kind, "param": None, "code": status}
    return Answer(status=status, body=body)


TOO_LONG = {
    "openai": error(400, "Your input exceeds the context window of this model."),
    "azure": error(
        400,
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens.",
        code="context_length_exceeded",
    ),
    "vllm": flat(
        400, "The prompt of 9000 tokens is longer than the maximum model length of 8192."
    ),
    "vllm decoder": flat(
        400,
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make "
        "sure that `max_model_len` is no smaller than the number of text tokens.",
    ),
    "vllm room": flat(400, "max_tokens must be at least 1, got -808."),
    "vllm old": flat(400, "This model's maximum context length is 8192 tokens. However, you "
                     "requested 9000 tokens (8500 in the messages, 500 in the completion)."),
    "llama.cpp": Answer(
        status=400,
        body={"error": {
            "code": 400,
            "message": "the request exceeds the available context size, try increasing it",
            "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192,
        }},
    ),
    "llama.cpp new": error(
        400, "request (9000 tokens) exceeds the available context size (8192 tokens), try "
        "increasing it"
    ),
    "tgi": Answer(status=422, body={
        "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. "
        "Given: 9000 `inputs` tokens and 20 `max_new_tokens`",
        "error_type": "validation",
    }),
    "tgi inputs": Answer(status=422, body={
        "error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 9000",
        "error_type": "validation",
    }),
    "ollama": error(400, "prompt too long; exceeded max context length by 808 tokens"),
    "ollama 500": error(500, "the input length exceeds the context length"),
    "anthropic": error(400, "prompt is too long: 210000 tokens > 200000 maximum"),
    "anthropic room": error(
        400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, "
        "decrease input length or `max_tokens` and try again"
    ),
    "gemini": error(
        400, "The input token count (1200000) exceeds the maximum number of tokens allowed "
        "(1048576)."
    ),
    "lm studio": error(
        400, "The number of tokens to keep from the initial prompt is greater than the context "
        "length. Try to load the model with a larger context length, or provide a shorter input"
    ),
    "lm studio keep": Answer(status=400, body={
        "error": "Trying to keep the first 9000 tokens when context the overflows. However, the "
        "model is loaded with context length of only 4096 tokens, which is not enough.",
    }),
    "sglang": error(
        400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."
    ),
    "sglang total": error(
        400, "Requested token count exceeds the model's maximum context length of 8192 tokens. "
        "You requested a total of 9000 tokens: 8500 from the input and 500 for the completion."
    ),
    "openrouter": error(
        400, "This endpoint's maximum context length is 8192 tokens. However, you requested about "
        "9000 tokens (9000 of text input). Please reduce the length of either one."
    ),
    "bedrock": error(400, "Input is too long for requested model."),
    "bedrock count": error(
        400, "Too many input tokens. Max input tokens: 8192, request input token count: 9000"
    ),
    "mistral": error(
        400, "Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192 "
        "maximum context length"
    ),
    "moonshot": error(
        400, "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"
    ),
    "xai": error(
        400, "This model's maximum prompt length is 8192 but the request contains 9000 tokens."
    ),
    "cohere": error(
        400, "too many tokens: total number of tokens in the prompt cannot exceed 8192 - received "
        "9000."
    ),
    "github": error(
        413, "Request body too large for gpt-4o model. Max size: 8000 tokens.",
        code="tokens_limit_reached",
    ),
}  # fmt: skip

OTHERWISE = {
    "too long an answer": (
        error(400, "max_tokens is too large: 99999. This model supports at most 16384 completion "
              "tokens, whereas you provided 99999."),
        "bad_request",
    ),
    "tokens a minute": (
        error(429, "Request too large for gpt-4.1 on tokens per min (TPM): Limit 30000, Requested "
              "40000. The input or output tokens must be reduced in order to run successfully.",
              {"retry-after": "3600"}),
        "rate_limit",
    ),
    "no key": (error(401, "no access to models with a context length of 1M"), "auth"),
    "a broken server": (error(500, "oops"), "server"),
    "a wrong value": (flat(400, "temperature must be at least 0, got -1."), "bad_request"),
    "moderated": (
        error(403, "This model requires moderation. Your input was flagged."), "bad_request",
    ),
}  # fmt: skip


def kind_of(answer, stream):
    async def asked():
        with ModelServer(lambda body: answer) as server:
            models = Models(waits=Waits(sleep=_at_once))
            model = models.chat(LLMConfig("openai/m", base_url=server.url, stream=stream))
            try:
                await Session(model, "agent", "t").complete(
                    ChatRequest([{"role": "user", "content": "x"}])
                )
            except LLMError as failed:
                return failed.kind, len(server.requests)
            finally:
                await models.close()
        return None, 1

    return asyncio.run(asked())


async def _at_once(seconds):
    """No time passes."""


@STREAMED
@pytest.mark.parametrize("server", TOO_LONG)
def test_too_long_is_an_overflow_and_asked_once(server, stream):
    assert kind_of(TOO_LONG[server], stream) == ("context_overflow", 1)


@STREAMED
@pytest.mark.parametrize("name", OTHERWISE)
def test_what_only_sounds_like_it_is_none(name, stream):
    answer, kind = OTHERWISE[name]
    assert kind_of(answer, stream)[0] == kind


def test_an_error_within_a_stream_is_an_overflow_too():
    said = {"object": "error", "code": 400, "type": "BadRequestError", "param": None}
    said["message"] = "The prompt of 9000 tokens is longer than the maximum model length of 8192."
    assert kind_of(Answer(chunks=[{"error": said}, "[DONE]"]), True)[0] == "context_overflow"
