"""When a failed request is made again: after how long, and after which failures not at all."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

__all__ = ["ATTEMPTS", "LONGEST_ASKED_S", "backoff_s", "retry_after_s"]

ATTEMPTS = 6
LONGEST_ASKED_S = 120.0
"""A provider that asks for a longer pause has no quota left; a person should know."""
_LONGEST_WAIT_S = 60.0


def backoff_s(
    attempt: int,
    asked_s: float | None,
    first_s: float = 1.0,
    spread: Callable[[float, float], float] | None = None,
) -> float:
    """Seconds to wait after this attempt, counted from 1.

    Args:
        attempt: how many have failed.
        asked_s: what the provider asks for, None when it does not say.
        first_s: the longest wait after the first; it doubles each time.
        spread: draws between two bounds, so that clients that were refused together do not come
            back together; None draws from the system's randomness.
    """
    spread = spread or random.SystemRandom().uniform
    if asked_s is not None:
        return asked_s * spread(1.0, 1.1)
    longest = min(_LONGEST_WAIT_S, first_s * 2 ** (attempt - 1))
    return spread(longest / 2, longest)


def retry_after_s(error: BaseException) -> float | None:
    """What the ``Retry-After`` header of a refusal asks for; it may also be a date."""
    for headers in _headers(error):
        value = headers.get("retry-after")
        if value is not None:
            return _seconds(value)
    return None


def _headers(error: BaseException) -> list[Mapping[str, Any]]:
    """Where LiteLLM leaves a reply's headers: not in the same place for every status."""
    places = (
        getattr(getattr(error, "response", None), "headers", None),
        getattr(error, "litellm_response_headers", None),
        getattr(error, "headers", None),
    )
    return [place for place in places if isinstance(place, Mapping)]


def _seconds(value: str) -> float | None:
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
