"""One request to a provider through LiteLLM: its pace, its retries, and what failing means."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed._secrets import without_secrets

__all__ = ["Requests"]

_ATTEMPTS = 6
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
_LONGEST_ASKED_S = 120.0
"""A provider that asks for a longer pause has no quota left; a person should know."""
_TIMEOUT_S = 60.0
_PASSING = {408, 409, 425, 429}
"""Statuses below 500 that may pass."""


class Requests:
    """Sends batches of texts to one model, no faster than allowed.

    Args:
        model: as LiteLLM names it.
        api_base: address of the server, None for the provider's own.
        rpm: most requests a minute, retries included.
    """

    def __init__(self, model: str, api_base: str | None, rpm: int | None) -> None:
        self._model, self._api_base = model, api_base
        self._gap_s = 60.0 / rpm if rpm else 0.0
        self._next_s = 0.0

    def send(self, texts: Sequence[str], parameters: Mapping[str, str]) -> Any:  # noqa: ANN401
        """The provider's reply, unchecked.

        Raises:
            ModelUnavailable: it refuses, or fails until the last attempt.
        """
        litellm, failures = _litellm()
        for attempt in range(1, _ATTEMPTS + 1):
            self._keep_pace()
            try:
                return litellm.embedding(
                    model=self._model,
                    input=list(texts),
                    api_base=self._api_base,
                    timeout=_TIMEOUT_S,
                    **parameters,
                )
            except failures as error:
                wait_s = self._wait_or_none(error, attempt)
                if wait_s is None:
                    # Not `from error`: a traceback would show all that the provider said.
                    raise self._failure(error, attempt) from None
            except (TypeError, KeyError, AttributeError, IndexError) as error:
                # LiteLLM takes the reply apart; one of another form breaks it in such ways.
                raise ModelUnavailable(
                    f"The provider of {self._model!r} answered something that is no list of "
                    f"embeddings: {without_secrets(_first_line(error))}. Is its address right?"
                ) from None
            time.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def _keep_pace(self) -> None:
        if not self._gap_s:
            return
        now = time.monotonic()
        if now < self._next_s:
            time.sleep(self._next_s - now)
        self._next_s = max(now, self._next_s) + self._gap_s

    def _wait_or_none(self, error: Exception, attempt: int) -> float | None:
        """Seconds until the next attempt, None when another would not help."""
        status = getattr(error, "status_code", None) or 500
        if attempt == _ATTEMPTS or (status < 500 and status not in _PASSING) or self._missing_key():
            return None
        asked = _retry_after(error)
        longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2 ** (attempt - 1))
        # Spread, so that clients that were refused together do not come back together.
        if asked is None:
            return random.SystemRandom().uniform(longest / 2, longest)
        return asked * random.SystemRandom().uniform(1, 1.1) if asked <= _LONGEST_ASKED_S else None

    def _missing_key(self) -> str:
        """The name of the key that the environment lacks, as far as LiteLLM knows."""
        litellm, _ = _litellm()
        missing = litellm.validate_environment(self._model).get("missing_keys") or []
        return next((str(name) for name in missing if "KEY" in name or "TOKEN" in name), "")

    def _failure(self, error: Exception, attempts: int) -> ModelUnavailable:
        said = without_secrets(_first_line(error)).rstrip(".")
        status = getattr(error, "status_code", None)
        missing = self._missing_key()
        asked = _retry_after(error)
        if missing:
            remedy = f"Set {missing}; for a server that needs no key, to any value."
        elif status in (401, 403):
            remedy = "Check the provider's key in the environment."
        elif status == 429 and asked is not None and asked > _LONGEST_ASKED_S:
            remedy = f"It asks to wait {asked:.0f} s: run the command again after that."
        elif status == 429:
            remedy = "Run the command again later, or slower: litellm(..., rpm=60)."
        elif status is not None and status < 500:
            remedy = "Check the model's name, and that no text is too long for it."
        else:
            remedy = "Run the command again when it answers."
        times = f" ({attempts} attempts)" if attempts > 1 else ""
        return ModelUnavailable(
            f"The provider of {self._model!r} failed{times}: {said}. {remedy} "
            "What was embedded before is kept."
        )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _retry_after(error: Exception) -> float | None:
    """What the ``Retry-After`` header asks for, in seconds; it may also be a date."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime

    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def _redact(record: logging.LogRecord) -> bool:
    """A filter that lets every record through, without what the provider repeated of a key."""
    record.msg, record.args = without_secrets(record.getMessage()), None
    return True


@cache
def _litellm() -> tuple[Any, tuple[type[Exception], ...]]:
    """LiteLLM, silent and without retries of its own, and the failures it raises."""
    # Without this, importing it fetches a price list from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm
    from litellm import exceptions

    logging.getLogger("LiteLLM").addFilter(_redact)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    # Zero in the call is read as "not given": its client would ask twice more, unseen and unpaced.
    litellm.DEFAULT_MAX_RETRIES = 0
    failures = (
        exceptions.APIConnectionError,
        exceptions.APIError,
        exceptions.APIResponseValidationError,
        exceptions.AuthenticationError,
        exceptions.BadGatewayError,
        exceptions.BadRequestError,
        exceptions.BudgetExceededError,
        exceptions.InternalServerError,
        exceptions.NotFoundError,
        exceptions.OpenAIError,
        exceptions.PermissionDeniedError,
        exceptions.RateLimitError,
        exceptions.ServiceUnavailableError,
        exceptions.Timeout,
        exceptions.UnprocessableEntityError,
    )
    return litellm, failures
