"""The agent that is a chat model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from ragbench.config import ToolMode
from ragbench.llm import Session
from ragbench.records import LLMCall
from ragbench.simulate._dialogue import Dialogue, mode_named
from ragbench.simulate._roles import DONE, Observation, Reply
from ragbench.simulate.agents._prompt import agent_prompt

__all__ = ["LLMAgent"]


class LLMAgent:
    """A chat model that gets the policy, the tools and the customer's words, and nothing else.

    It closes by ending a message without calls with ``###DONE###`` (by the action
    ``end_conversation`` in the mode ``schema``). The marker is no part of what the customer reads.
    A model that never writes it closes nothing: the scripted user then leaves after its second
    message in a row that brings nothing new, and an LLM user when it is content.

    Args:
        session: the model.
        tool_mode: how it calls tools.
        policy: the domain's policy.
        now: the domain's fixed clock.
        knowledge: documents that stand in the prompt, empty for none.
    """

    name = "llm"

    def __init__(
        self,
        session: Session,
        tool_mode: ToolMode,
        policy: str,
        now: dt.datetime,
        knowledge: str = "",
    ) -> None:
        mode = mode_named(tool_mode, other="Customer", ends=True)
        prompt = agent_prompt(policy, now, knowledge, tool_mode)
        self._dialogue = Dialogue(session, mode, prompt)

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
        reply = await self._dialogue.reply(observation)
        if reply.text is None or DONE not in reply.text or reply.calls:
            return reply
        said = reply.text.replace(DONE, "").strip()
        return replace(reply, text=said or reply.text, closing=True)
