"""What passes between a run and the process of a user's own agent: JSON in frames, no pickle."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from pydantic import TypeAdapter

from ragbench.simulate._roles import Observation, Reply
from ragbench.simulate.agents._source import AgentBrief

__all__ = ["ANSWER", "HEADER", "HELLO", "MAX_BYTES", "OBSERVATION", "Answer", "Hello", "framed"]

HEADER = struct.Struct(">I")
"""Stands before each frame: its length in bytes."""

MAX_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class Hello:
    """The first frame to the process: what to load, where to look, what to tell the agent."""

    spec: str
    path: list[str]
    brief: AgentBrief


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an observation: a reply, or a message and traceback in place of one."""

    reply: Reply | None = None
    problem: str | None = None
    trace: str | None = None


HELLO: TypeAdapter[Hello] = TypeAdapter(Hello)
OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)


def framed(content: bytes) -> bytes:
    """The bytes with their length before them.

    Raises:
        ValueError: they are more than `MAX_BYTES`.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"{len(content)} bytes are more than the {MAX_BYTES} that can be sent")
    return HEADER.pack(len(content)) + content
