"""What a model's configuration may hold: arguments that are JSON, an address, and no key."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from typing import Any

from ragbench.config import LLMConfig
from ragbench.errors import LLMError, SpecError
from ragbench.llm._price import price_of
from ragbench.llm._secrets import also_secret, refuse_secrets, without_secrets

__all__ = ["arguments_of", "check_config", "check_key", "key_from"]

_KEY_NAME = re.compile(
    r"(?:^|[-_])(?:api[-_]?key|key|access[-_]key([-_]id)?|token|secret|passwd|password|credentials?"
    r"|authorization|auth|cookie)$",
    re.I,
)
_PRICE_NAME = re.compile(r"(?:^|_)cost(?:_|$)", re.I)
_NO_KEYS = {"prompt_cache_key"}
_RESERVED = {
    "api_base": "the option for the base URL",
    "base_url": "the option for the base URL",
    "fallbacks": "one model for a role: another one in its place would be another experiment",
    "functions": "the tools of the domain",
    "max_retries": "the retries that are built in",
    "messages": "the conversation",
    "mock_response": "a real model",
    "model": "the option for the model",
    "n": "one reply for each request",
    "num_retries": "the retries that are built in",
    "response_format": "--tool-mode schema",
    "stream": "--llm-stream",
    "stream_options": "--llm-stream",
    "timeout": "--llm-timeout",
    "tools": "the tools of the domain",
}
"""What is set elsewhere, and where."""


def check_config(config: LLMConfig) -> None:
    """Refuse what cannot be used, and anything that would write a key into a run.

    Raises:
        SpecError: the value, without repeating a secret, and what to do.
    """
    price_of(config.price, arguments_of(config), config.model)
    refuse_secrets(config.base_url, "The base URL")
    if not config.model.strip():
        raise SpecError("The name of a model is empty. Give one such as gpt-4.1 or openai/NAME.")
    if not 0 < config.timeout_s < math.inf:
        raise SpecError(f"--llm-timeout is {config.timeout_s:g}; it must be above 0 seconds.")
    if config.rpm is not None and config.rpm < 1:
        raise SpecError(f"--llm-rpm is {config.rpm}; it must be at least 1.")
    name = config.api_key_env
    if name is not None:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or without_secrets(name) != name:
            raise SpecError(
                "The option for the key wants the name of an environment variable, such as "
                "MY_API_KEY, not the key itself."
            )
        also_secret(name)


def check_key(config: LLMConfig) -> None:
    """Find the key's variable before the first call, where the configuration names one.

    Raises:
        LLMError: ``auth``, it is not set.
    """
    if config.api_key_env is not None:
        key_from(config.api_key_env, config.model)


def key_from(name: str, model: str) -> str:
    """The key that a variable of the environment holds.

    Raises:
        LLMError: ``auth``, it is not set.
    """
    key = os.environ.get(name)
    if not key:
        raise LLMError(
            "auth",
            f"The environment variable {name!r}, which holds the key of {model!r}, is not set. "
            "Set it; for a server that needs no key, to any value.",
        )
    return key


def arguments_of(config: LLMConfig) -> dict[str, Any]:
    """The arguments of the completion call.

    Raises:
        SpecError: they are no JSON object, hold a key, or name what is set elsewhere.
    """
    text = config.args
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise SpecError(
            f"The arguments of {config.model!r} are no JSON ({error.msg} at character "
            f"{error.pos}): {without_secrets(text)!r}. Give an object such as "
            "'{\"temperature\": 0}'."
        ) from None
    if not isinstance(given, dict):
        raise SpecError(
            f"The arguments of {config.model!r} are {without_secrets(text)!r}; they must be a "
            "JSON object such as '{\"temperature\": 0}'."
        )
    named = next((name for name in _names(given) if _is_key(name)), None)
    if named is not None or without_secrets(text) != text:
        raise SpecError(
            f"The arguments of {config.model!r} hold a key"
            f"{f' ({named!r})' if named else ''}; they are written into runs. Put it into the "
            "environment instead, under the provider's usual name or one that "
            "--agent-api-key-env (or the role's own option) names."
        )
    for name in given:
        if name in _RESERVED:
            raise SpecError(
                f"The arguments of {config.model!r} may not set {name!r}: that is for "
                f"{_RESERVED[name]}."
            )
    return given


def _is_key(name: str) -> bool:
    return (
        name not in _NO_KEYS and not _PRICE_NAME.search(name) and _KEY_NAME.search(name) is not None
    )


def _names(value: object) -> Iterator[str]:
    """Every name of an object at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)
