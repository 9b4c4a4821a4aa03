"""LiteLLM, loaded when it is needed: silent, without retries of its own, without telemetry."""

from __future__ import annotations

import logging
import os
import sys
import threading
import warnings
from collections.abc import Coroutine
from functools import cache
from importlib.abc import MetaPathFinder
from typing import Any

from ragbench.llm._secrets import without_secrets

__all__ = ["close_clients", "failures", "is_loaded", "litellm", "start_loading"]

_LOGGERS = (
    "LiteLLM",
    "LiteLLM Router",
    "LiteLLM Proxy",
    "aiohttp.client",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpx",
    "openai",
    "openai._base_client",
)
"""What may log a request or a reply; a filter does not reach a logger's children."""

_lock = threading.Lock()


def litellm() -> Any:  # noqa: ANN401  (the module)
    """The module; the first call takes seconds."""
    with _lock:
        return _loaded()


@cache
def _loaded() -> Any:  # noqa: ANN401
    # Without this, importing it fetches a price list from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm as module

    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_redact)
    # A call that is cancelled while LiteLLM prepares it in a thread leaves one that nobody awaits.
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    module.suppress_debug_info = True
    module.telemetry = False
    # Zero in the call is read as "not given": its client would ask twice more, unseen and unpaced.
    module.DEFAULT_MAX_RETRIES = 0
    _without_callbacks()
    _without_parsing()
    _silence_pydantic()
    return module


def _silence_pydantic() -> None:
    """Keep warnings about LiteLLM's own types, which it builds when first used, from people."""
    from litellm.types import utils

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("ModelResponse", "ModelResponseStream", "StreamingChoices", "Delta"):
            getattr(utils, name).model_rebuild()
    # Of a provider whose reply has other types than LiteLLM declares.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", module="pydantic")


def _without_callbacks() -> None:
    """Let no task wait for callbacks, of which there are none.

    LiteLLM has one such task for all event loops: with each change of loop it forgets the running
    one, which asyncio reports as destroyed.
    """
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

    def discard(async_coroutine: Coroutine[object, None, None]) -> None:
        async_coroutine.close()

    GLOBAL_LOGGING_WORKER.ensure_initialized_and_enqueue = discard


def _without_parsing() -> None:
    """Leave thoughts between tags in the text: `ragbench.llm._reasoning` reads them.

    LiteLLM reads the simplest form alone, and that only of a reply that is not streamed.
    """
    from litellm.litellm_core_utils.prompt_templates import reasoning_utils

    reasoning_utils.parse_content_for_reasoning = lambda message_text: (None, message_text)


def is_loaded() -> bool:
    """Whether the next call of `litellm` returns at once."""
    return _loaded.cache_info().currsize > 0


async def close_clients() -> None:
    """Close the connections that LiteLLM keeps for the running event loop, and forget them.

    Its own `close_litellm_async_clients` closes those of every loop and goes on handing them out.
    """
    if not is_loaded():
        return
    kept = litellm().in_memory_llm_clients_cache
    this_loop = kept.update_cache_key_with_event_loop("")
    for key in [key for key in kept.cache_dict if key.endswith(this_loop)]:
        client = kept.cache_dict.pop(key)
        kept.ttl_dict.pop(key, None)
        await client.close()


@cache
def failures() -> tuple[type[Exception], ...]:
    """What LiteLLM, or a client below it, raises when a call fails."""
    import httpx
    import openai
    from litellm import exceptions

    return (
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
        httpx.HTTPError,
        openai.OpenAIError,
    )


def start_loading() -> None:
    """Load it in a thread, while the caller does other things.

    A process that ends before that waits for the thread, which then gives up. Ended in the middle
    of an import it would leave the import's lock held, and LiteLLM, which imports more while it is
    taken down, would wait for that for ever.
    """
    threading.Thread(target=_warmed, name="ragbench-litellm").start()


def _warmed() -> None:
    ending = _GiveUp(threading.current_thread())
    sys.meta_path.insert(0, ending)
    try:
        module = litellm()
        # A call that stays in the process: the first one imports another third of a second.
        message = {"role": "user", "content": ""}
        module.completion(model="openai/none", messages=[message], mock_response="none")
    except Exception:
        if threading.main_thread().is_alive():
            raise
    finally:
        sys.meta_path.remove(ending)


class _GiveUp(MetaPathFinder):
    """Finds no module; ends a thread that imports one while the process ends."""

    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread

    def find_spec(self, *_: object) -> None:
        if threading.current_thread() is self._thread and not threading.main_thread().is_alive():
            raise SystemExit


def _redact(record: logging.LogRecord) -> bool:
    """A filter that lets every record through, without what the provider repeated of a key."""
    record.msg, record.args = without_secrets(record.getMessage()), None
    if record.exc_info:
        record.exc_text = without_secrets(logging.Formatter().formatException(record.exc_info))
        record.exc_info = None
    return True
