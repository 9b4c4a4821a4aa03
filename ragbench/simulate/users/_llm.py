"""The customer that is a chat model."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.config import ToolMode
from ragbench.llm import Session
from ragbench.records import LLMCall, Task
from ragbench.simulate._dialogue import Dialogue, mode_named
from ragbench.simulate._roles import Observation, Reply
from ragbench.simulate.users._prompt import OPENING, user_prompt

__all__ = ["LLMUser"]


class LLMUser:
    """A chat model with hidden instructions, which it discloses bit by bit.

    It ends the conversation with ``###STOP###``, ``###TRANSFER###`` or ``###OUT-OF-SCOPE###``.
    What stands in its prompt reaches the agent only as far as it says so. It opens.

    Args:
        session: the model.
        task: the task; its persona and instructions are used, the script where it has no
            instructions.
        tool_mode: how it calls the customer's tools, where there are any.

    Raises:
        UsageError: the task has neither instructions nor a script.
    """

    name = "llm"
    script_delivered: bool | None = None

    def __init__(self, session: Session, task: Task, tool_mode: ToolMode = "native") -> None:
        mode = mode_named(tool_mode, other="Agent", ends=False)
        self._dialogue = Dialogue(session, mode, user_prompt(task), OPENING)

    @staticmethod
    def check(task: Task) -> None:
        """Raise UsageError when no LLM user can play the task."""
        user_prompt(task)

    @property
    def llm_calls(self) -> Sequence[LLMCall]:
        """The calls of the model so far."""
        return self._dialogue.llm_calls

    async def step(self, observation: Observation) -> Reply:
        """Answer the observation.

        Raises:
            BadReply: the model gave no reply that can be read.
            LLMError: a call of the model failed for good.
        """
        return await self._dialogue.reply(observation)
