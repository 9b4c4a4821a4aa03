"""One tiny call that tells whether a model is configured right, and explains what is not."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ragbench.config import LLMConfig, ToolMode
from ragbench.errors import LLMError
from ragbench.llm._config import check_config
from ragbench.llm._ledger import Ledger
from ragbench.llm._litellm import close_clients
from ragbench.llm._model import LiteLLMModel
from ragbench.llm._pace import Paces, Waits
from ragbench.llm._proxy import proxy_advice
from ragbench.llm._secrets import without_secrets
from ragbench.llm._types import CallKey, ChatRequest, Completion

__all__ = ["ModelCheck", "check_model"]

_WORD = "pong"
_SHOWN_CHARS = 80
_SCHEMA = {
    "type": "object",
    "properties": {"name": {"enum": ["ping"]}, "word": {"type": "string"}},
    "required": ["name", "word"],
    "additionalProperties": False,
}
_TOOL = {
    "type": "function",
    "function": {
        "name": "ping",
        "description": "Sends a word.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "The word."}},
            "required": ["word"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """What one call found.

    Attributes:
        ok: the model answers, and in the way that was asked for.
        found: what happened, in words; without secrets.
        advice: what to do, empty when nothing is.
    """

    model: str
    ok: bool
    found: str
    advice: str = ""


async def check_model(
    config: LLMConfig, tools: bool = False, *, tool_mode: ToolMode | None = None
) -> ModelCheck:
    """Ask the model once, without retries.

    Args:
        config: the model.
        tools: offer a tool that the model should call; the same as ``tool_mode="native"``.
        tool_mode: ``native`` offers a tool, ``schema`` asks for JSON of a schema, ``react`` and
            None ask for a word.

    Raises:
        SpecError: the configuration itself cannot be used.
    """
    check_config(config)
    mode = tool_mode or ("native" if tools else None)
    ledger = Ledger(None)
    model = LiteLLMModel(config, Paces(Waits()), ledger, attempts=1)
    try:
        done = await model.complete(_request(mode), CallKey("doctor"))
    except LLMError as error:
        return ModelCheck(config.model, False, *_explained(config, error, mode))
    finally:
        await close_clients()
    fault = _fault(done, mode)
    if fault is not None:
        return ModelCheck(config.model, False, *fault)
    return ModelCheck(config.model, True, _answered(done, mode), " ".join(ledger.notes))


def _request(mode: ToolMode | None) -> ChatRequest:
    if mode == "native":
        asked = f'Call the tool "ping" with the word "{_WORD}". Do not write any text.'
        return ChatRequest([{"role": "user", "content": asked}], tools=[_TOOL])
    if mode == "schema":
        asked = f'Answer with a JSON object: "name" is "ping", "word" is "{_WORD}".'
        return ChatRequest(
            [{"role": "user", "content": asked}],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "action", "schema": _SCHEMA, "strict": True},
            },
        )
    asked = f'Answer with the word "{_WORD}" and nothing else.'
    return ChatRequest([{"role": "user", "content": asked}])


def _fault(done: Completion, mode: ToolMode | None) -> tuple[str, str] | None:
    """What is wrong with a reply and what to do, None when nothing is."""
    said = f"It said {_shown(done.text)}" if done.text else "It said nothing"
    if mode == "native" and not any(call.name == "ping" for call in done.calls):
        return (
            f"It answers, but did not call the tool that it was offered and told to call. {said}.",
            "A model without tool support needs --tool-mode schema, or --tool-mode react.",
        )
    if mode == "schema" and not _is_action(done.text):
        return (
            f"It answers, but not with the JSON that was asked for. {said}.",
            "A model that does not keep to a JSON schema needs --tool-mode react.",
        )
    if mode in (None, "react") and not done.text:
        return (
            f"It answers without any text (finish reason {done.finish_reason!r}).",
            "Check the model's arguments: a low limit of tokens can leave nothing for the answer.",
        )
    return None


def _is_action(text: str | None) -> bool:
    try:
        found = json.loads(text or "")
    except json.JSONDecodeError:
        return False
    return isinstance(found, dict) and found.get("name") == "ping"


def _shown(text: str) -> str:
    text = without_secrets(" ".join(text.split()))
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "...")


def _answered(done: Completion, mode: ToolMode | None) -> str:
    how = {"native": "answers and calls tools", "schema": "answers in the asked JSON"}
    call = done.call
    facts = [f"{(call.latency_ms or 0.0) / 1000:.1f} s"]
    if call.prompt_tokens is None:
        facts.append("says no number of tokens")
    else:
        facts.append(f"{call.prompt_tokens} + {call.completion_tokens} tokens")
    facts.append("cost unknown" if call.cost_usd is None else f"{call.cost_usd:.6f} USD")
    return f"It {how.get(mode or '', 'answers')} ({', '.join(facts)})."


def _explained(config: LLMConfig, error: LLMError, mode: ToolMode | None) -> tuple[str, str]:
    said = str(error)
    if error.kind == "bad_request" and mode == "native" and "tool" in said.lower():
        return said, "A model without tool support needs --tool-mode schema, or --tool-mode react."
    if error.kind == "bad_request" and mode == "schema" and "response_format" in said:
        return said, "A model that takes no JSON schema needs --tool-mode react."
    if error.kind not in ("connection", "rate_limit", "bad_request"):
        proxy = proxy_advice(config)
        if proxy is not None:
            return said, proxy
    if error.kind == "malformed":
        return said, (
            "Something answered there that does not speak OpenAI's protocol, or not at this path: "
            "try the address with /v1 at its end, and look at it in a browser."
        )
    return said, ""
