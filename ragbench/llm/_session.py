"""The calls that one role makes in one simulation: numbered, recorded, summed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import replace

from ragbench.errors import LLMError
from ragbench.llm._types import CallKey, ChatModel, ChatRequest, Completion
from ragbench.records import LLMCall, Usage

__all__ = ["Session", "summed"]

_UNBILLED = {
    "auth",
    "bad_request",
    "budget",
    "cache_miss",
    "context_overflow",
    "not_found",
    "rate_limit",
    "server",
}
"""Failures that no provider charges for: their tokens and cost are a known 0."""


class Session:
    """One model in one role of one simulation.

    Args:
        model: what answers.
        role: ``agent``, ``user``, ``judge``, or the component that calls.
        task_id: None for a component that serves a whole run; its calls are then found in a
            recording by what they ask alone.
        trial: the task's trial.
    """

    def __init__(
        self, model: ChatModel, role: str, task_id: str | None = None, trial: int = 0
    ) -> None:
        self.model, self.role, self.task_id, self.trial = model, role, task_id, trial
        self.calls: list[LLMCall] = []
        """Every call so far in order, failed and cancelled ones too."""
        self._ordinal = 0
        self._n_taken = 0

    def take(self) -> list[LLMCall]:
        """The calls since this was asked last."""
        new = self.calls[self._n_taken :]
        self._n_taken += len(new)
        return new

    async def complete(self, request: ChatRequest, step: int | None = None) -> Completion:
        """Ask the model; whatever happens, the call is recorded in `calls`.

        Args:
            request: what is asked.
            step: the step of the message that it is for.

        Raises:
            LLMError: see `ChatModel.complete`.
        """
        key = CallKey(self.role, self.task_id, self.trial, self._ordinal)
        self._ordinal += 1
        started_s = time.monotonic()
        try:
            done = await self.model.complete(request, key)
        except LLMError as error:
            self._note(error.call, error.kind, key, step, started_s)
            raise
        except asyncio.CancelledError:
            self._note(None, "cancelled", key, step, started_s)
            raise
        call = done.call.model_copy(update={"step": step})
        self.calls.append(call)
        return replace(done, call=call)

    def _note(
        self, call: object, kind: str, key: CallKey, step: int | None, started_s: float
    ) -> None:
        if not isinstance(call, LLMCall):
            call = LLMCall(
                role=self.role,
                model=self.model.name,
                ordinal=key.ordinal,
                latency_ms=(time.monotonic() - started_s) * 1000,
                error=kind,
            )
        self.calls.append(call.model_copy(update={"step": step}))


def summed(calls: Iterable[LLMCall]) -> dict[str, Usage]:
    """The calls' sums by role, in the order in which the roles first called.

    A call that failed before a provider charges anything counts 0 tokens and 0 cost; one that
    failed otherwise has unknown ones.

    >>> calls = [LLMCall(role="agent", model="m", prompt_tokens=3, cost_usd=0.5, latency_ms=2.0),
    ...          LLMCall(role="agent", model="m", prompt_tokens=4, latency_ms=1.0)]
    >>> usage = summed(calls)["agent"]
    >>> usage.n_calls, usage.prompt_tokens, usage.cost_usd, usage.n_unpriced, usage.latency_ms
    (2, 7, 0.5, 1, 3.0)
    """
    by_role: dict[str, list[LLMCall]] = {}
    for call in calls:
        by_role.setdefault(call.role, []).append(call)
    return {role: _sum(some) for role, some in by_role.items()}


def _sum(calls: list[LLMCall]) -> Usage:
    billed = [call for call in calls if call.error not in _UNBILLED]
    priced = [call.cost_usd for call in billed if call.cost_usd is not None]
    nothing_spent = 0.0 if not billed else None
    return Usage(
        n_calls=len(calls),
        prompt_tokens=_total([call.prompt_tokens for call in billed]),
        completion_tokens=_total([call.completion_tokens for call in billed]),
        cached_tokens=_total([call.cached_tokens for call in billed]),
        cost_usd=sum(priced) if priced else nothing_spent,
        n_unpriced=len(billed) - len(priced),
        latency_ms=sum(call.latency_ms or 0.0 for call in calls),
    )


def _total(parts: list[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
