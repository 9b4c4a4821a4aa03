"""Simulation: environment, orchestrator, agents and users.

How a trajectory is scored and diagnosed is elsewhere: `ragbench.score`, `ragbench.diagnose`.
"""

from ragbench.simulate._environment import GIVE_TOOL, UNLOCK_TOOL, Environment, Outcome, ToolView
from ragbench.simulate._gold import GoldOrder, GoldPlay, dependencies, play_gold
from ragbench.simulate._orchestrator import Orchestrator
from ragbench.simulate._roles import (
    DONE,
    OUT_OF_SCOPE,
    OWN_SEARCH,
    STOP,
    TRANSFER,
    Agent,
    BadReply,
    Observation,
    Reply,
    Retrieved,
    User,
)
from ragbench.simulate._state import comparable, state_hash
from ragbench.simulate.agents import (
    AgentBrief,
    AgentFactory,
    CustomAgent,
    LLMAgent,
    OracleAgent,
    PlaybackAgent,
    load_agent,
    report_retrieval,
)
from ragbench.simulate.users import LLMUser, ScriptedUser

__all__ = [
    "DONE",
    "GIVE_TOOL",
    "OUT_OF_SCOPE",
    "OWN_SEARCH",
    "STOP",
    "TRANSFER",
    "UNLOCK_TOOL",
    "Agent",
    "AgentBrief",
    "AgentFactory",
    "BadReply",
    "CustomAgent",
    "Environment",
    "GoldOrder",
    "GoldPlay",
    "LLMAgent",
    "LLMUser",
    "Observation",
    "OracleAgent",
    "Orchestrator",
    "Outcome",
    "PlaybackAgent",
    "Reply",
    "Retrieved",
    "ScriptedUser",
    "ToolView",
    "User",
    "comparable",
    "dependencies",
    "load_agent",
    "play_gold",
    "report_retrieval",
    "state_hash",
]
