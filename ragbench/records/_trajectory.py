"""Trajectories: what happened in one simulation, as one JSON line."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "HitRecord",
    "InlinedSpan",
    "LLMCall",
    "Message",
    "Requestor",
    "RetrievalEvent",
    "Termination",
    "ToolCall",
    "Trajectory",
    "Usage",
    "Violation",
]

Requestor = Literal["assistant", "user"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Record):
    """A tool called by the agent (``assistant``) or by the user.

    ``malformed`` holds what a model wrote where no JSON object could be read from it; ``arguments``
    is empty then, and the call is answered with an error.
    """

    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    requestor: Requestor = "assistant"
    malformed: str | None = None


class Message(_Record):
    """One message. A step is one ``assistant`` or ``user`` message with its calls.

    Attributes:
        step: counted from 0 over assistant and user messages; a result carries its call's step.
        tool_call_id: for role ``tool``, the call that this answers.
        error: for role ``tool``, whether the call failed; the content then says why.
        closing: the sender regards the conversation as ended.
        reasoning: what the sender thought to itself: no speech, no evidence, no marker, and shown
            to nobody in the conversation.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    step: int = 0
    tool_call_id: str | None = None
    requestor: Requestor | None = None
    error: bool = False
    closing: bool = False
    reasoning: str | None = None


class HitRecord(_Record):
    """A chunk that a retrieval call returned. ``rank`` counts from 1."""

    doc_id: str
    start: int
    end: int
    score: float
    rank: int
    n_tokens: int

    @property
    def chunk_id(self) -> str:
        """``doc_id#start-end``."""
        return f"{self.doc_id}#{self.start}-{self.end}"


class RetrievalEvent(_Record):
    """One call of a retrieval tool, recorded by the toolkit.

    Attributes:
        step: the step of the message that made the call.
        position: the call's place among the calls of that message, from 0.
        hits: everything the call found, best first.
        n_delivered: how many of the hits, from the first, reached the agent.
        error: the message when the call raised; it then has no hits.
        reported: the agent searched by itself and told of it; its ``step`` is the one before the
            reply that it came with.
        unmatched: of such a search, each passage that was not found in the documents, in words.
            Nothing is known of them.
    """

    step: int
    position: int
    call_id: str
    tool: str
    query: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    hits: tuple[HitRecord, ...] = ()
    n_delivered: int = 0
    error: str | None = None
    index_id: str | None = None
    latency_ms: float | None = None
    reported: bool = False
    unmatched: tuple[str, ...] = ()

    @property
    def delivered(self) -> tuple[HitRecord, ...]:
        """The hits that reached the agent."""
        return self.hits[: self.n_delivered]


class InlinedSpan(_Record):
    """A stretch of a document that stood in the agent's prompt from the start."""

    doc_id: str
    start: int
    end: int


class Violation(_Record):
    """A policy rule that a call broke; a hard one makes the reward 0."""

    rule: str
    hard: bool
    call_id: str
    step: int
    message: str


class Termination(StrEnum):
    """Why a simulation ended."""

    USER_STOP = "user_stop"
    TRANSFER = "transfer"
    OUT_OF_SCOPE = "out_of_scope"
    MAX_STEPS = "max_steps"
    MAX_ERRORS = "max_errors"
    TIMEOUT = "timeout"
    CONTEXT_OVERFLOW = "context_overflow"
    AGENT_ERROR = "agent_error"
    USER_ERROR = "user_error"
    INFRASTRUCTURE_ERROR = "infrastructure_error"


class LLMCall(_Record):
    """One call of a model, retries included; unknown numbers are None, never 0.

    Attributes:
        role: ``agent``, ``user``, ``judge``, or the component that called.
        step: the step of the message that it was made for, None outside a simulation.
        ordinal: counts the role's calls of one simulation from 0.
        cached_tokens: of the prompt's, those that the provider had in its cache.
        latency_ms: from the first attempt to the end of the reply, waiting included.
        error: kind of failure (`ragbench.errors.LLMError`), None for a reply.
        without_schema: the model takes no JSON schema, and was asked for one by the prompt alone.
    """

    role: str
    model: str
    step: int | None = None
    ordinal: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    n_attempts: int = 1
    finish_reason: str | None = None
    error: str | None = None
    without_schema: bool = False


class Usage(_Record):
    """Sums over one role's calls; a sum with an unknown part is None, never 0.

    ``cost_usd`` is the known part of the cost, ``n_unpriced`` how many calls have an unknown one.
    """

    n_calls: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    n_unpriced: int = 0
    latency_ms: float | None = None


class Trajectory(_Record):
    """One simulation of one task.

    Attributes:
        task_sha256: hash of the task as it was played; tells when ids were mixed up afterwards.
        domain_sha256: hash of the domain's policy, database, tools, rules and tasks at that time.
        setup: name of the retrieval setup; ``offered`` tells whether it gave a retrieval tool, or
            the agent reported searches of its own.
        searches_seen: whether all searches are known: not of an agent of the user's own that may
            search by itself, and neither called a retrieval tool nor reported a search.
        inlined: what stood in the prompt.
        script_delivered: whether every script turn that could be played was, None without script.
        error: the traceback when the simulation ended by an exception.
        llm_calls: every call of a model, in order.
        usage: their sums by role.
        timing: seconds by phase; not compared.
    """

    schema_version: Literal[1] = 1
    task_id: str
    task_sha256: str | None = None
    domain_sha256: str | None = None
    trial: int = 0
    seed: int = 0
    agent: str = ""
    user: str = ""
    setup: str = ""
    offered: bool = False
    searches_seen: bool = True
    index_id: str | None = None
    inlined: tuple[InlinedSpan, ...] = ()
    messages: tuple[Message, ...] = ()
    events: tuple[RetrievalEvent, ...] = ()
    violations: tuple[Violation, ...] = ()
    termination: Termination
    script_delivered: bool | None = None
    error: str | None = None
    llm_calls: tuple[LLMCall, ...] = ()
    usage: dict[str, Usage] = Field(default_factory=dict)
    timing: dict[str, float] = Field(default_factory=dict)

    @property
    def n_steps(self) -> int:
        """Number of assistant and user messages."""
        return 1 + max((message.step for message in self.messages), default=-1)
