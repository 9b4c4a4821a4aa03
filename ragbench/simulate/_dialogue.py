"""One role's side of a conversation as its model sees it: history, requests, corrections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragbench.config import ToolMode
from ragbench.llm import Completion, Session, joined_thoughts
from ragbench.records import LLMCall
from ragbench.simulate._modes import Entry, Mode, Spoken, Unreadable
from ragbench.simulate._native import Native
from ragbench.simulate._react import React
from ragbench.simulate._roles import BadReply, Observation, Reply
from ragbench.simulate._schema import Schema

__all__ = ["Dialogue", "mode_named"]

_SHOWN = 200


def mode_named(name: ToolMode, *, other: str, ends: bool) -> Mode:
    """The mode of a name.

    Args:
        name: the name.
        other: who the other side is, such as ``Customer``.
        ends: whether the role ends the conversation by an action of its own, where there are such.
    """
    if name == "schema":
        return Schema(other, ends)
    return React(other) if name == "react" else Native()


class Dialogue:
    """Asks a model for a role's next reply, and keeps what the model has to be told.

    Requests hold what was said, called and answered, and nothing that differs between two runs: no
    clock and no id but those of the calls. A reply that cannot be read is sent back with what is
    wrong; once a better one came, neither stays in the history.

    Args:
        session: the model.
        mode: how it calls tools.
        prompt: the system prompt; what the mode has to say is added.
        opening: stands for the other side's words where the role speaks first.
    """

    def __init__(self, session: Session, mode: Mode, prompt: str, opening: str = "") -> None:
        self._session, self._mode, self._prompt = session, mode, prompt
        self._opening = opening
        self._history: list[Entry] = []
        self._spoken: Spoken | None = None

    @property
    def llm_calls(self) -> Sequence[LLMCall]:
        """The calls of the model so far."""
        return self._session.calls

    async def reply(self, observation: Observation) -> Reply:
        """The model's answer to an observation.

        Raises:
            BadReply: the model gave none that can be read, corrections included.
            LLMError: a call failed for good.
        """
        if observation.messages:
            self._history += self._mode.told(self._spoken, observation.messages)
        else:
            self._history.append({"role": "user", "content": self._opening})
        form = self._mode.instructions(observation.tools)
        system = {"role": "system", "content": "\n\n".join(filter(None, (self._prompt, form)))}
        corrections: list[Entry] = []
        while True:
            messages = [system, *self._history, *corrections]
            request = self._mode.request(messages, observation.tools)
            completion = await self._session.complete(request, step=observation.step)
            try:
                self._spoken = self._mode.read(completion)
            except Unreadable as problem:
                if (
                    sum(entry["role"] == "user" for entry in corrections)
                    >= self._mode.n_corrections
                ):
                    raise BadReply(_complaint(completion, problem)) from None
                corrections += _sent_back(completion, problem)
            else:
                reply = self._spoken.reply
                return replace(
                    reply, reasoning=joined_thoughts([completion.reasoning, reply.reasoning])
                )


def _sent_back(completion: Completion, problem: Unreadable) -> list[Entry]:
    """The reply, unless it is empty, which providers refuse, and what is wrong with it."""
    said = (completion.text or "").strip()
    own: list[Entry] = [{"role": "assistant", "content": said}] if said else []
    return [*own, {"role": "user", "content": str(problem)}]


def _complaint(completion: Completion, problem: Unreadable) -> str:
    said = completion.text or ""
    shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."
    return (
        f"The model {completion.call.model!r} gave no reply that can be read, also after a "
        f"correction. It was told: {problem} Its last words were {shown!r} (finish_reason "
        f"{completion.finish_reason!r}). Try another --tool-mode, or a larger max_tokens."
    )
