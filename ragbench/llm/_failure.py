"""What an exception of LiteLLM means: its kind, what was said, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragbench.config import LLMConfig
from ragbench.llm._litellm import litellm
from ragbench.llm._proxy import proxy_advice
from ragbench.llm._reply import INCOMPLETE
from ragbench.llm._retry import LONGEST_ASKED_S, retry_after_s
from ragbench.llm._secrets import without_secrets

__all__ = ["PASSING", "explained", "is_about_schema", "is_final", "kind_of", "missing_keys", "said"]

PASSING = frozenset({"connection", "malformed", "rate_limit", "server", "timeout"})
"""Kinds of failure that may pass when one asks again."""

_OVERFLOW = re.compile(
    # OpenAI, Azure, OpenRouter, vLLM, SGLang, llama.cpp, LM Studio, Ollama, Mistral, xAI
    r"maximum (?:context|model|prompt|input) length|max(?:imum)? context|exceed_context_size"
    r"|context[ _](?:length|window|size|limit)|context the overflows|context overflow"
    # Anthropic, Bedrock, Ollama
    r"|(?:prompt|input) is too long|(?:prompt|input) too long|prompt exceeds max"
    r"|too many (?:input )?tokens|too long to fit"
    # Gemini, and what others say of a number of tokens
    r"|exceed(?:s|ed)? the (?:model's )?(?:max|limit of).{0,30}tokens"
    r"|exceed(?:s|ed)? (?:the )?model token limit|too large for model with"
    r"|request body too large for \S+ model|reduce the length of the messages"
    # TGI, DashScope
    r"|`?inputs`? (?:tokens \+ `?max_new_tokens`? must be|must have less than)"
    r"|range of input length should be"
    # vLLM, which leaves the room that the prompt has used up to the answer
    r"|max_(?:completion_)?tokens must be at least 1, got -",
    re.IGNORECASE,
)
_OVERFLOW_STATUS = {None, 400, 413, 422, 500}
"""Refusals that may be one for length; some servers have no status of their own for it."""
_MODERATED = re.compile(r"moderation|flagged|content[ _](?:policy|filter)|safety", re.IGNORECASE)
_SCHEMA = re.compile(
    r"response_?format|json[ _]?schema|json_object|structured[ _]outputs?|guided|grammar",
    re.IGNORECASE,
)
_NO_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota", re.I)
_PREFIX = re.compile(r"^(?:litellm\.\w+: |[A-Z]\w+Error: |\w+Exception - |Error code: \d+ - )+")
_SHOWN_CHARS = 300


def chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and those that it came from, innermost last."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = getattr(at, "original_exception", None) or at.__cause__ or at.__context__


def kind_of(error: BaseException) -> str:
    """The kind of failure, as `ragbench.errors.LLMError` lists them."""
    import httpx
    import openai

    exceptions = litellm().exceptions
    status = _status(error)
    if isinstance(error, exceptions.ContextWindowExceededError) or (
        status in _OVERFLOW_STATUS and _OVERFLOW.search(_everything(error))
    ):
        return "context_overflow"
    if isinstance(error, exceptions.UnsupportedParamsError):
        return "bad_request"
    if "LLM Provider NOT provided" in str(error):
        return "not_found"
    causes = list(chain(error))
    if any(isinstance(cause, httpx.ConnectTimeout) for cause in causes):
        return "connection"
    timeouts = (TimeoutError, openai.APITimeoutError, httpx.TimeoutException)
    if any(isinstance(cause, timeouts) for cause in causes):
        return "timeout"
    if status == 403 and _MODERATED.search(_everything(error)):
        return "bad_request"  # of this conversation, and not of the key
    if status is not None:
        return _kind_of_status(status)
    if any(isinstance(cause, openai.APIConnectionError | httpx.TransportError) for cause in causes):
        return "malformed" if "before a finish_reason" in str(error) else "connection"
    return "malformed"


def is_about_schema(error: BaseException, kind: str) -> bool:
    """Whether a refusal is one of the ``response_format``, in whatever words."""
    refused = kind in ("bad_request", "not_found", "server")
    return refused and _SCHEMA.search(_everything(error)) is not None


def _status(error: BaseException) -> int | None:
    """The status of the provider's reply; None when there was none, whatever LiteLLM says.

    LiteLLM gives its own exceptions a status also where no reply came, or a wrong one did.
    """
    import httpx
    import openai

    for cause in chain(error):
        if isinstance(cause, httpx.HTTPStatusError):
            return cause.response.status_code
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return None
    refused = isinstance(error, openai.APIStatusError) and status not in (408, 422, 500)
    return status if refused else None


def _kind_of_status(status: int) -> str:
    if status in (401, 403):
        return "auth"
    by_status = {404: "not_found", 408: "timeout", 409: "server", 425: "server", 429: "rate_limit"}
    return by_status.get(status) or ("server" if status >= 500 else "bad_request")


def is_final(error: BaseException, kind: str) -> bool:
    """Whether asking again would not help."""
    if kind not in PASSING:
        return True
    asked_s = retry_after_s(error)
    return (asked_s or 0.0) > LONGEST_ASKED_S or (
        kind == "rate_limit" and _NO_QUOTA.search(_everything(error)) is not None
    )


def _everything(error: BaseException) -> str:
    return f"{error} {getattr(error, 'code', '')} {getattr(error, 'body', '')}"


def said(error: BaseException, kind: str) -> str:
    """What the provider or the network said, in one line without secrets."""
    text = str(error)
    if kind == "connection":
        innermost = list(chain(error))[-1]
        text = str(innermost) or type(innermost).__name__
    elif "before a finish_reason" in text:  # LiteLLM's words for a stream
        text = INCOMPLETE
    elif kind == "timeout":
        text = "no complete reply in time"
    lines = _PREFIX.sub("", text.strip()).splitlines() or [type(error).__name__]
    status = _status(error)
    shown = without_secrets(lines[0])[:_SHOWN_CHARS].rstrip(". ")
    return f"{status} {shown}" if status is not None and str(status) not in shown else shown


def missing_keys(model: str) -> tuple[str, ...]:
    """The names of keys that the environment lacks for this model, as far as LiteLLM knows."""
    missing = litellm().validate_environment(model).get("missing_keys") or []
    return tuple(str(name) for name in missing if "KEY" in name or "TOKEN" in name)


def explained(error: BaseException, kind: str, config: LLMConfig, attempts: int) -> str:
    """The message for a person: what failed, what was said, what to do; without secrets."""
    at = f" at {config.base_url}" if config.base_url else ""
    times = f" ({attempts} attempts)" if attempts > 1 else ""
    remedy = _remedy(error, kind, config)
    return f"The model {config.model!r}{at} failed{times}: {said(error, kind)}. {remedy}"


def _remedy(error: BaseException, kind: str, config: LLMConfig) -> str:
    if kind == "rate_limit":
        return _wait_or_slower(error)
    if kind == "auth":
        missing = () if config.api_key_env else missing_keys(config.model)
        if missing:
            return f"Set {' or '.join(missing)} in the environment."
        return f"Check the key in {config.api_key_env or 'the environment'}."
    if kind == "connection" and (proxy := proxy_advice(config)) is not None:
        return proxy
    if kind == "bad_request" and "drop_params" in str(error):
        return (
            "Leave the parameter out of the model's arguments, or add "
            '"drop_params": true to leave out whatever this model does not take.'
        )
    return _REMEDIES[kind].format(timeout_s=config.timeout_s)


_REMEDIES = {
    "bad_request": "Check the model's arguments and what the model supports.",
    "connection": "Check the address, and that the server runs.",
    "context_overflow": "The conversation no longer fits into the model's context window.",
    "malformed": "Check that the address is that of an OpenAI-compatible API (it often ends in "
    "/v1).",
    "not_found": "Check the model's name (PROVIDER/NAME, such as openai/NAME for a server of your "
    "own) and the address.",
    "server": "Run the command again when it answers.",
    "timeout": "One call may take {timeout_s:g} s: raise --llm-timeout, or ask a faster model.",
}


def _wait_or_slower(error: BaseException) -> str:
    asked_s = retry_after_s(error)
    if _NO_QUOTA.search(_everything(error)):
        return "The account has no quota left: add credit, or use another key."
    if asked_s is not None and asked_s > LONGEST_ASKED_S:
        return f"It asks to wait {asked_s:.0f} s: run the command again after that."
    return "Run the command again later, or slower: --llm-rpm 60, or a lower --max-concurrency."
