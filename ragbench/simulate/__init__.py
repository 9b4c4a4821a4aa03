"""Simulation: environment, orchestrator, the oracle agent and the scripted user.

How a trajectory is scored and diagnosed is elsewhere: `ragbench.score`, `ragbench.diagnose`.
"""

from ragbench.simulate._environment import GIVE_TOOL, UNLOCK_TOOL, Environment, Outcome, ToolView
from ragbench.simulate._gold import GoldPlay, dependencies, play_gold
from ragbench.simulate._oracle import OracleAgent
from ragbench.simulate._orchestrator import Orchestrator
from ragbench.simulate._playback import PlaybackAgent
from ragbench.simulate._roles import (
    OUT_OF_SCOPE,
    STOP,
    TRANSFER,
    Agent,
    Observation,
    Reply,
    User,
)
from ragbench.simulate._scripted import ScriptedUser
from ragbench.simulate._state import comparable, state_hash

__all__ = [
    "GIVE_TOOL",
    "OUT_OF_SCOPE",
    "STOP",
    "TRANSFER",
    "UNLOCK_TOOL",
    "Agent",
    "Environment",
    "GoldPlay",
    "Observation",
    "OracleAgent",
    "Orchestrator",
    "Outcome",
    "PlaybackAgent",
    "Reply",
    "ScriptedUser",
    "ToolView",
    "User",
    "comparable",
    "dependencies",
    "play_gold",
    "state_hash",
]
