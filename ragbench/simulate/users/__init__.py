"""Simulated customers: scripted, or a chat model with hidden instructions."""

from ragbench.simulate.users._llm import LLMUser
from ragbench.simulate.users._scripted import ScriptedUser

__all__ = ["LLMUser", "ScriptedUser"]
