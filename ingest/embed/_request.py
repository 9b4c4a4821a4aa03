"""One request to a provider through LiteLLM: its pace, its retries, and what failing means."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.errors import ModelUnavailable
from ragbench.llm import without_secrets
from ragbench.llm.provider import (
    ATTEMPTS,
    LONGEST_ASKED_S,
    backoff_s,
    failures,
    litellm,
    missing_keys,
    retry_after_s,
)

__all__ = ["Requests"]

_FIRST_WAIT_S = 1.0
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
        module, known = litellm(), failures()
        for attempt in range(1, ATTEMPTS + 1):
            self._keep_pace()
            try:
                return module.embedding(
                    model=self._model,
                    input=list(texts),
                    api_base=self._api_base,
                    timeout=_TIMEOUT_S,
                    **parameters,
                )
            except known as error:
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
        if attempt == ATTEMPTS or (status < 500 and status not in _PASSING) or self._missing_key():
            return None
        asked = retry_after_s(error)
        if asked is not None and asked > LONGEST_ASKED_S:
            return None
        return backoff_s(attempt, asked, _FIRST_WAIT_S)

    def _missing_key(self) -> str:
        """The name of the key that the environment lacks, as far as LiteLLM knows."""
        return next(iter(missing_keys(self._model)), "")

    def _failure(self, error: Exception, attempts: int) -> ModelUnavailable:
        said = without_secrets(_first_line(error)).rstrip(".")
        status = getattr(error, "status_code", None)
        missing = self._missing_key()
        asked = retry_after_s(error)
        if missing:
            remedy = f"Set {missing}; for a server that needs no key, to any value."
        elif status in (401, 403):
            remedy = "Check the provider's key in the environment."
        elif status == 429 and asked is not None and asked > LONGEST_ASKED_S:
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
