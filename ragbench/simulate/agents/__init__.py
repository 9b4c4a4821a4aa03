"""Agents: the oracle, a chat model, a user's own, and one that plays given replies."""

from ragbench.simulate.agents._custom import AgentFactory, CustomAgent, load_agent
from ragbench.simulate.agents._llm import LLMAgent
from ragbench.simulate.agents._oracle import OracleAgent
from ragbench.simulate.agents._playback import PlaybackAgent
from ragbench.simulate.agents._report import report_retrieval
from ragbench.simulate.agents._source import AgentBrief

__all__ = [
    "AgentBrief",
    "AgentFactory",
    "CustomAgent",
    "LLMAgent",
    "OracleAgent",
    "PlaybackAgent",
    "load_agent",
    "report_retrieval",
]
