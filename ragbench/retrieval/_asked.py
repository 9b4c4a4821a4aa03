"""A chat model behind a retriever: asked by code without an event loop, equal questions once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from ragbench.config import LLMConfig
from ragbench.llm import Background, ChatRequest, Models, ask_json
from ragbench.records import LLMCall

__all__ = ["AskedModel", "Question", "config_of", "model_identity"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """What the model is asked: instructions, what they are about, and the form of the answer."""

    instructions: str
    material: str
    form: Mapping[str, Any]


class AskedModel:
    """One component's model. Safe for many threads.

    An answer is kept as long as this object lives, so that the diagnosis, which searches again at
    other depths, finds what the agent's search found, and asks nothing. A failure is not kept.

    Args:
        config: the model.
        role: the component's name, under which its calls are recorded.
        models: the run's, for its recording, its budget and its pace; None has neither.
    """

    def __init__(self, config: LLMConfig, role: str, models: Models | None) -> None:
        models = Models() if models is None else models
        self._session = models.component(config, role)
        self._background = Background(models.close)
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, str], Future[Any]] = {}

    @property
    def calls(self) -> tuple[LLMCall, ...]:
        """Every call so far, failed ones too."""
        return tuple(self._session.calls)

    def ask(self, question: Question, read: Callable[[dict[str, Any]], T]) -> T:
        """What ``read`` makes of the answer's object (`ragbench.llm.ask_json`).

        Raises:
            LLMError: the model failed for good, or its answers cannot be read.
        """
        key = (question.instructions, question.material)
        with self._lock:
            known = self._answers.get(key)
            mine: Future[Any] = known or self._answers.setdefault(key, Future())
        if known is not None:
            return cast(T, known.result())
        try:
            mine.set_result(self._answer(question, read))
        except BaseException as error:
            with self._lock:
                del self._answers[key]
            mine.set_exception(error)  # for those that wait for it
            raise
        return cast(T, mine.result())

    def _answer(self, question: Question, read: Callable[[dict[str, Any]], T]) -> T:
        request = ChatRequest(
            messages=(
                {"role": "system", "content": question.instructions},
                {"role": "user", "content": question.material},
            ),
            response_format=question.form,
        )
        return self._background.run(ask_json(self._session.complete, request, read))


def config_of(
    model: str, args: str, base_url: str | None, api_key_env: str | None, timeout_s: float
) -> LLMConfig:
    """The model that a component's arguments name.

    Raises:
        SpecError: a value cannot be used, or would write a secret down.
    """
    config = LLMConfig(
        model=model,
        args=args,
        temperature=0.0,
        base_url=base_url,
        api_key_env=api_key_env,
        timeout_s=timeout_s,
    )
    Models().chat(config)  # checks it
    return config


def model_identity(config: LLMConfig) -> str:
    """What the model's answers depend on; no key."""
    return Models().chat(config).identity
