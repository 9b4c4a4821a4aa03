"""Whether a proxy stands between this machine and a model, and what to do about it."""

from __future__ import annotations

import os
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from ragbench.config import LLMConfig
from ragbench.llm._secrets import without_secrets

__all__ = ["proxy_advice"]

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def proxy_advice(config: LLMConfig) -> str | None:
    """What to do about the proxy that the request went through; None when there is none."""
    address: Any = urlsplit(config.base_url or "https://")
    proxies = urllib.request.getproxies_environment()
    named = address.scheme if address.scheme in proxies else "all"
    host = address.hostname or ""
    if named not in proxies or (host and urllib.request.proxy_bypass(host)):
        return None
    variable = next(
        (name for name in os.environ if name.lower() == f"{named}_proxy"), f"{named}_proxy"
    )
    through = without_secrets(proxies[named])
    if host in _LOOPBACK:
        return (
            f"The request went through the proxy {through} that {variable} names, which cannot "
            f"reach this machine's own {host}. Set NO_PROXY={host}, or unset {variable}."
        )
    return (
        f"The request went through the proxy {through} that {variable} names. If the proxy is in "
        f"the way, unset {variable}"
        + (f", or set NO_PROXY={host}." if host else ", or add the provider's host to NO_PROXY.")
    )
