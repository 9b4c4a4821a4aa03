"""The Hugging Face hub: whether it answers, asked once and briefly.

The hub's own client retries for minutes when there is no network, and looking up a name may hang
for longer than any limit it is given.
"""

from __future__ import annotations

import threading

__all__ = ["hub_answers"]

_TIMEOUT_S = 3.0
_LIMIT_S = 5.0
"""A look-up of the name is not bound by the timeout of the connection, so the whole is."""


def hub_answers() -> bool:
    """Whether anything answers at the hub's address; False when it is switched off.

    Honours HF_HUB_OFFLINE, HF_ENDPOINT and proxies as the hub's client and Python read them.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    found: list[bool] = []

    def ask() -> None:
        found.append(_answers(constants.ENDPOINT))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_LIMIT_S)
    return bool(found) and found[0]


def _answers(address: str) -> bool:
    import urllib.error
    import urllib.request

    try:
        request = urllib.request.Request(address, method="HEAD")
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        return True  # it refuses this, but it is there
    except (OSError, ValueError):
        return False
