"""A model in further simulations of the same tasks, whose calls are recorded apart."""

from __future__ import annotations

from dataclasses import replace

from ragbench.llm._types import CallKey, ChatModel, ChatRequest, Completion

__all__ = ["Scoped"]


class Scoped:
    """A chat model whose calls carry the name of what they are made for.

    Without it a second simulation of a task, under another setup, would overwrite the recorded
    replies of the first wherever both ask the same.

    Args:
        model: what answers.
        scope: stands behind the task's id in the calls' keys.
    """

    def __init__(self, model: ChatModel, scope: str) -> None:
        self._model, self._scope = model, scope

    @property
    def name(self) -> str:
        """The model's."""
        return self._model.name

    @property
    def identity(self) -> str:
        """The model's."""
        return self._model.identity

    async def complete(self, request: ChatRequest, key: CallKey) -> Completion:
        """See `ChatModel.complete`."""
        if key.task_id is not None:
            key = replace(key, task_id=f"{key.task_id} under {self._scope}")
        return await self._model.complete(request, key)
