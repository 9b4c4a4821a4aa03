"""The models of one run: one cache, one budget, and one pace for each provider."""

from __future__ import annotations

import copy

from ragbench.config import LLMConfig
from ragbench.llm._cache import LLMCache, Recorded, Replayed
from ragbench.llm._config import check_config
from ragbench.llm._ledger import Ledger
from ragbench.llm._litellm import close_clients, start_loading
from ragbench.llm._model import LiteLLMModel
from ragbench.llm._pace import Paces, Waits
from ragbench.llm._scoped import Scoped
from ragbench.llm._session import Session
from ragbench.llm._types import ChatModel
from ragbench.records import LLMCall

__all__ = ["Models"]


class Models:
    """The chat models of one run, whose calls share paces, cache and budget.

    Args:
        cache: where replies are recorded, or taken from; None does neither.
        budget_usd: once the calls have cost this much no further one is made.
        waits: the clock and the sleep of paces and retries.
    """

    def __init__(
        self,
        cache: LLMCache | None = None,
        budget_usd: float | None = None,
        waits: Waits | None = None,
    ) -> None:
        self._cache = cache
        self._ledger = Ledger(budget_usd)
        self._paces = Paces(waits or Waits())
        self._scope: str | None = None
        self._components: list[Session] = []

    def scoped(self, scope: str) -> Models:
        """The same models, paces, cache and budget, for further simulations of the same tasks.

        Args:
            scope: keeps their calls apart in a recording, such as the name of a retrieval setup.
        """
        models = copy.copy(self)
        models._scope = scope
        return models

    def count_earlier(self, cost_usd: float) -> None:
        """Count against the budget what earlier starts of the same run have cost."""
        self._ledger.earlier_usd = cost_usd

    def chat(self, config: LLMConfig) -> ChatModel:
        """The model that a configuration names; nothing is loaded and no key is read yet.

        Raises:
            SpecError: a value of the configuration cannot be used, or would hold a secret.
        """
        check_config(config)
        model = self._chat(config)
        return model if self._scope is None else Scoped(model, self._scope)

    def _chat(self, config: LLMConfig) -> ChatModel:
        if self._cache is not None and self._cache.replays:
            return Replayed(config, self._cache)
        model = LiteLLMModel(config, self._paces, self._ledger)
        return model if self._cache is None else Recorded(model, self._cache)

    def component(self, config: LLMConfig, role: str) -> Session:
        """A session of a component that serves a whole run, such as a query rewriter.

        Raises:
            SpecError: see `chat`.
        """
        session = Session(self.chat(config), role)
        self._components.append(session)
        return session

    def take_component_calls(self) -> tuple[LLMCall, ...]:
        """The calls that components have made since this was asked last."""
        return tuple(call for session in self._components for call in session.take())

    def start_loading(self) -> None:
        """Import LiteLLM, which takes seconds, in a thread behind the rest; not for a replay."""
        if self._cache is None or not self._cache.replays:
            start_loading()

    async def close(self) -> None:
        """Close the connections of the running event loop; call it before the loop ends."""
        await close_clients()

    @property
    def spent_usd(self) -> float:
        """What the calls of this process have cost, as far as it is known; a replay costs 0."""
        return self._ledger.spent_usd

    @property
    def run_usd(self) -> float:
        """What the run has cost so far, with its earlier starts; see `count_earlier`."""
        return self._ledger.earlier_usd + self._ledger.spent_usd

    @property
    def n_unpriced(self) -> int:
        """How many replies have an unknown cost, which the budget cannot see."""
        return self._ledger.n_unpriced

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should be told once, such as a default that a model does not take."""
        return (*self._ledger.notes, *(self._cache.notes if self._cache else ()))
