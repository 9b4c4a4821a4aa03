"""One model through LiteLLM: one request at a time of many at once, paced, retried, priced."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragbench.config import LLMConfig
from ragbench.errors import LLMError
from ragbench.llm._config import arguments_of, key_from
from ragbench.llm._failure import explained, is_about_schema, is_final, kind_of, missing_keys
from ragbench.llm._ledger import Ledger
from ragbench.llm._litellm import failures, is_loaded, litellm
from ragbench.llm._pace import Pace, Paces
from ragbench.llm._price import PRICE_ARGUMENTS, price_of
from ragbench.llm._reasoning import joined_thoughts, spoken_and_thought
from ragbench.llm._reply import NoReply, Reply, cost_usd, plain, whole_text
from ragbench.llm._retry import ATTEMPTS, backoff_s, retry_after_s
from ragbench.llm._schema import by_prompt
from ragbench.llm._secrets import without_keys
from ragbench.llm._stream import streamed
from ragbench.llm._types import CallKey, ChatRequest, Completion
from ragbench.records import LLMCall

__all__ = ["LiteLLMModel", "identity_of"]

_MOST = {"rate_limit": 10, "timeout": 3}
"""Attempts after which it is given up, where not `ATTEMPTS`: a limit may be one of a minute, and a
reply that comes too late has cost the whole timeout."""
_BROKEN = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""LiteLLM takes a reply apart; one of another form breaks it in such ways."""
_PLACEHOLDER_KEY = "no-key"
"""Sent to a server of one's own that wants none: OpenAI's client refuses to send nothing."""


def identity_of(config: LLMConfig) -> str:
    """What the replies depend on; no key.

    >>> identity_of(LLMConfig("gpt-4.1", temperature=0.0))
    'gpt-4.1 args={} temperature=0.0 base_url=None'
    """
    return (
        f"{config.model} args={config.args} temperature={config.temperature} "
        f"base_url={config.base_url}"
    )


class LiteLLMModel:
    """A `ChatModel` behind LiteLLM.

    Args:
        config: checked already.
        paces: those of the run; the provider's is shared with its other models.
        ledger: what the run has cost.
        attempts: how often one request may be made at most.
    """

    def __init__(self, config: LLMConfig, paces: Paces, ledger: Ledger, attempts: int = 10) -> None:
        self.config = config
        given = arguments_of(config)
        self.price = price_of(config.price, given, config.model)
        self._arguments = {k: v for k, v in given.items() if k not in PRICE_ARGUMENTS}
        self._paces, self.ledger, self.attempts = paces, ledger, attempts
        self._pace: Pace | None = None
        self._missing: tuple[str, ...] = ()
        self._takes_schemas = True
        self._temperature = config.temperature if "temperature" not in self._arguments else None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.config.model

    @property
    def identity(self) -> str:
        """See `ChatModel.identity`."""
        return identity_of(self.config)

    async def complete(self, request: ChatRequest, key: CallKey) -> Completion:
        """See `ChatModel.complete`."""
        if not is_loaded():
            await asyncio.to_thread(litellm)
        call = _Call(self, request, key, await self._prepared())
        try:
            return await call.made()
        except LLMError as error:
            error.call = call.record(error=error.kind)
            raise

    async def _prepared(self) -> Pace:
        if self._pace is None:
            module, config = litellm(), self.config
            unknown = None
            try:
                provider = module.get_llm_provider(config.model, api_base=config.base_url)[1]
            except module.exceptions.BadRequestError as error:
                unknown = explained(error, "not_found", config, 1)
            if unknown is not None:
                raise LLMError("not_found", unknown)
            self._missing = missing_keys(config.model)
            pace = self._paces.of(provider, config.base_url or "", config.api_key_env or "")
            pace.limit(config.rpm)
            self._pace = pace
        return self._pace

    def _key(self) -> str | None:
        """The key to send, None for the one that LiteLLM reads from the environment itself."""
        name = self.config.api_key_env
        if name is None:
            return _PLACEHOLDER_KEY if self.config.base_url and self._missing else None
        return key_from(name, self.config.model)

    @property
    def lacks_key(self) -> bool:
        """Whether the provider wants a key and there is none to send."""
        return bool(self._missing) and not self.config.base_url and not self.config.api_key_env

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """Those of LiteLLM's call.

        Raises:
            LLMError: ``auth``, the variable that the configuration names holds no key.
        """
        config = self.config
        parameters: dict[str, Any] = {
            **self._arguments,
            "model": config.model,
            "messages": clean(request.messages),
            "api_base": config.base_url,
            "api_key": self._key(),
            "timeout": config.timeout_s,
            "max_retries": 0,
        }
        if self._temperature is not None:
            parameters["temperature"] = self._temperature
        if request.tools:
            parameters["tools"] = clean(request.tools)
        if request.response_format is not None and self.leaves_out_schema(request):
            parameters["messages"] = by_prompt(parameters["messages"], request.response_format)
        elif request.response_format is not None:
            parameters["response_format"] = clean(request.response_format)
        if config.stream:
            parameters |= {"stream": True, "stream_options": {"include_usage": True}}
        return parameters

    def leaves_out_temperature(self, error: BaseException, kind: str) -> bool:
        """Whether the model refuses the role's usual temperature, which is then no longer sent."""
        if kind != "bad_request" or self._temperature is None:
            return False
        if "temperature" not in str(error).lower():
            return False
        self.ledger.tell(
            f"The model {self.name!r} takes no temperature of {self._temperature:g}, the role's "
            "usual one: it answers with its own."
        )
        self._temperature = None
        return True

    def leaves_out_schema(self, request: ChatRequest) -> bool:
        """Whether the request goes out with its schema in the prompt alone."""
        return (
            request.response_format is not None
            and request.schema_optional
            and not self._takes_schemas
        )

    def refuses_schema(self, error: BaseException, kind: str, request: ChatRequest) -> bool:
        """Whether the model takes no schema, so that such requests go out without one from now."""
        asked = request.schema_optional and request.response_format is not None
        if not asked or not is_about_schema(error, kind):
            return False
        if self._takes_schemas:
            self.ledger.tell(
                f"The model {self.name!r} takes no JSON schema: it was asked for JSON by the "
                "prompt alone, and each reply was checked here."
            )
            self._takes_schemas = False
        return True


class _Call:
    """One call and its attempts."""

    def __init__(self, model: LiteLLMModel, request: ChatRequest, key: CallKey, pace: Pace) -> None:
        self._model, self._request, self._key, self._pace = model, request, key, pace
        self._config, self._ledger = model.config, model.ledger
        self._began_s = pace.waits.clock()
        self._n_attempts = 0
        self._n_counted = 0
        self._by_prompt = False

    async def made(self) -> Completion:
        """The completion, after as many attempts as it takes.

        Raises:
            LLMError: the budget is spent, or another attempt would not help.
        """
        while True:
            self._ledger.check()
            await self._pace.turn()
            self._n_attempts += 1
            n_served = self._pace.n_served
            reply = await self._attempt()
            if isinstance(reply, Reply):
                self._pace.n_served += 1
                return self._completion(reply)
            # Raised here and not where it was caught: the exceptions of clients show, in a
            # traceback, all that the provider said, and hold the request with its key.
            await self._again(reply, self._kind(reply), n_served)

    async def _attempt(self) -> Reply | Exception:
        """The reply, or the exception that there was instead."""
        self._by_prompt = self._model.leaves_out_schema(self._request)
        parameters = self._model.parameters(self._request)
        try:
            # LiteLLM's own timeout is that of one read: a reply that trickles would last for ever.
            async with asyncio.timeout(self._config.timeout_s):
                response = await litellm().acompletion(**parameters)
                reply = await streamed(response) if self._config.stream else plain(response)
            return reply
        except NoReply as error:
            self._charge(error.usage)
            return error
        except (TimeoutError, *_BROKEN) as error:
            return error
        except failures() as error:
            return error

    def _kind(self, error: Exception) -> str:
        kind = kind_of(error)
        # A client that finds no key says so in a way that looks like a wrong reply.
        return "auth" if kind == "malformed" and self._model.lacks_key else kind

    async def _again(self, error: Exception, kind: str, n_served: int) -> None:
        """Wait before another attempt, if there is to be one.

        Raises:
            LLMError: there will be none.
        """
        if self._model.leaves_out_temperature(error, kind):
            return
        if not self._by_prompt and self._model.refuses_schema(error, kind, self._request):
            return
        if kind == "rate_limit" and self._pace.n_served > n_served:
            self._n_counted = 0  # a limit that lets others through only asks for patience
        self._n_counted += 1
        most = min(self._model.attempts, _MOST.get(kind, ATTEMPTS))
        if self._n_counted >= most or is_final(error, kind):
            raise LLMError(kind, explained(error, kind, self._config, self._n_attempts))
        waits = self._pace.waits
        wait_s = backoff_s(self._n_counted, retry_after_s(error), spread=waits.spread)
        if kind == "rate_limit":
            self._pace.pause(wait_s)
        else:
            await waits.sleep(wait_s)

    def _completion(self, reply: Reply) -> Completion:
        prompt, completion, cached = reply.tokens()
        call = self.record(
            prompt_tokens=prompt,
            completion_tokens=completion,
            cached_tokens=cached,
            cost_usd=self._charge(reply.usage),
            finish_reason=reply.finish_reason,
            without_schema=self._by_prompt,
        )
        calls = tuple(replace(made, arguments=without_keys(made.arguments)) for made in reply.calls)
        text, thought = self._parted(reply)
        return Completion(
            text=None if text is None else without_keys(text),
            calls=calls,
            finish_reason=reply.finish_reason,
            call=call,
            reasoning=None if thought is None else without_keys(thought),
            thinking_blocks=reply.thinking_blocks,
        )

    def _parted(self, reply: Reply) -> tuple[str | None, str | None]:
        """What is said and what is thought; an object that was asked for is not cut up."""
        if reply.text is None or (self._request.response_format and _is_object(reply.text)):
            return reply.text, reply.reasoning
        said, thought = spoken_and_thought(reply.text)
        return said if said or thought is None else None, joined_thoughts(
            [reply.reasoning, thought]
        )

    def _charge(self, usage: object) -> float | None:
        cost = cost_usd(self._config.model, usage, self._model.price)
        self._ledger.add(cost)
        return cost

    def record(self, **more: Any) -> LLMCall:  # noqa: ANN401
        """The call as it stands."""
        return LLMCall(
            role=self._key.role,
            model=self._config.model,
            ordinal=self._key.ordinal,
            latency_ms=(self._pace.waits.clock() - self._began_s) * 1000,
            n_attempts=self._n_attempts,
            **more,
        )


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def clean(value: Any) -> Any:  # noqa: ANN401
    """The value as plain JSON types, with U+FFFD for what UTF-8 cannot hold."""
    if isinstance(value, str):
        return value if value.isascii() else whole_text(value)
    if isinstance(value, dict | Mapping):  # a dict is told at once, a mapping not
        return {name: clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | Sequence):
        return [clean(inner) for inner in value]
    return value
