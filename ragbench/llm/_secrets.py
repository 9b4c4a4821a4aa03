"""Keeping keys out of messages: what a provider says back may hold the key that it was sent."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from ragbench.errors import SpecError

__all__ = ["also_secret", "refuse_secrets", "without_keys", "without_secrets"]

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.I)
_SECRET_TEXT = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|pa|xai|AIza)[-_][\w*.-]{6,}"
    r"|(?i:(?<=bearer ))[\w.~+/=*-]{6,}"
    r"|(?<=://)[^/\s@]+(?=@)"
    r"|(?i:(?<=api[-_]key[=:])|(?<=apikey[=:])|(?<=[?&]key=)|(?<=token=))[^\s&'\"]+"
)
_SHORTEST = 6
_SHORTEST_KEY = 16
_also: set[str] = set()


def also_secret(name: str) -> None:
    """Treat this environment variable as one that holds a key, whatever it is called."""
    _also.add(name)


def without_secrets(text: str) -> str:
    """The text without anything that is, or looks like, a key.

    The environment is read here for one reason, to know what must not be shown.

    >>> without_secrets("Incorrect API key provided: sk-abcdef123456.")
    'Incorrect API key provided: ***'
    """
    return _SECRET_TEXT.sub("***", _without_values(text, _SHORTEST))


def without_keys(text: str) -> str:
    """What a model says without the keys of this process, which a gateway may repeat in a reply.

    Only whole values of the environment go, and none that is shorter than a provider's key: what
    merely looks like a key may be what the conversation is about.
    """
    return _without_values(text, _SHORTEST_KEY)


def _without_values(text: str, shortest: int) -> str:
    values = {
        value
        for name, value in os.environ.items()
        if len(value) >= shortest and (_SECRET_NAME.search(name) or name in _also)
    }
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "***")
    return text


def refuse_secrets(address: str | None, what: str = "api_base") -> None:
    """Refuse an address that holds a user, a password or a query: it is written down.

    Args:
        address: where a server is; None is fine.
        what: what the address is called, for messages.

    Raises:
        SpecError: it does, or it is no address; the message does not repeat it.
    """
    if address is None:
        return
    try:
        parts = urlsplit(address)
        named = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        named = False
    if not named:
        raise SpecError(f"{what} must be an address such as http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SpecError(
            f"{what} holds a user, a password or a query, and would be written into indexes and "
            f"reports. Give the address alone, such as {parts.scheme}://{parts.hostname}/v1, and "
            "the key in the environment."
        )
