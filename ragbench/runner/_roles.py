"""Who plays: from an evaluation's configuration to an agent and a user for each simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ragbench.config import EvalConfig, LLMConfig
from ragbench.errors import UsageError
from ragbench.llm import Models, Session
from ragbench.records import InlinedSpan, Task
from ragbench.retrieval import inlined_text
from ragbench.runner._prepare import Prepared
from ragbench.simulate import (
    Agent,
    AgentBrief,
    Environment,
    GoldOrder,
    LLMAgent,
    LLMUser,
    OracleAgent,
    ScriptedUser,
    User,
    load_agent,
)

__all__ = ["CUSTOM_TIMEOUT_S", "ORACLE", "Roles", "Seat", "roles_for"]

CUSTOM_TIMEOUT_S = 600.0
"""What a simulation with an agent of the user's own may take when the configuration sets no limit:
its code can hang. A model's calls have limits of their own."""


@dataclass(frozen=True, slots=True)
class Seat:
    """What the roles of one simulation are made from."""

    prepared: Prepared
    task: Task
    trial: int
    environment: Environment
    inlined: tuple[InlinedSpan, ...]

    @property
    def seed(self) -> int:
        """The trial's seed."""
        return self.prepared.config.seed + self.trial

    @property
    def knowledge(self) -> str:
        """What the setup puts into the prompt."""
        return inlined_text(self.inlined, self.prepared.documents)


@dataclass(frozen=True, slots=True)
class Roles:
    """Who plays: makes an agent and a user for each simulation.

    Attributes:
        limit_s: seconds that a simulation may take; None takes the configuration's limit.
    """

    make_agent: Callable[[Seat], Agent]
    make_user: Callable[[Seat], User]
    limit_s: float | None = None


def _oracle(seat: Seat) -> Agent:
    """The evidence-gated oracle of a task."""
    prepared, task = seat.prepared, seat.task
    return OracleAgent(
        task=task,
        gold=prepared.gold[task.id],
        items=prepared.items[task.id],
        texts={doc_id: document.text for doc_id, document in prepared.documents.items()},
        inlined=seat.inlined,
        search_tool=prepared.search_tool,
        order=GoldOrder(prepared.domain, task, prepared.gold[task.id]),
        style=prepared.config.style,
    )


def _scripted(seat: Seat) -> User:
    return ScriptedUser(seat.task, seat.prepared.gold[seat.task.id], seat.environment)


ORACLE = Roles(_oracle, _scripted)
"""The reference: the oracle with the scripted user."""


def roles_for(prepared: Prepared, models: Models | None) -> Roles:
    """The roles that an evaluation's configuration names.

    Args:
        prepared: the evaluation.
        models: the run's models; None where no role has one.

    Raises:
        UsageError: a role needs a model and has none, a task cannot be played by an LLM user, or an
            agent of the user's own cannot be loaded.
        SpecError: a model's configuration cannot be used.
    """
    config = prepared.config
    roles = replace(ORACLE, make_user=_user_maker(prepared, models))
    if config.agent == "oracle":
        return roles
    if config.agent == "llm":
        return replace(roles, make_agent=_llm_agent_maker(config, models))
    factory = load_agent(config.agent)

    def custom(seat: Seat) -> Agent:
        domain = seat.prepared.domain
        brief = AgentBrief(
            policy=domain.policy,
            now=domain.now.isoformat(),
            knowledge=seat.knowledge,
            tools=tuple(seat.environment.tools("assistant")),
            domain=domain.name,
            setup=seat.prepared.setup.name,
            seed=seat.seed,
            trial=seat.trial,
        )
        return factory(brief)

    limit_s = CUSTOM_TIMEOUT_S if config.timeout_s is None else config.timeout_s
    return replace(roles, make_agent=custom, limit_s=limit_s)


def _llm_agent_maker(config: EvalConfig, models: Models | None) -> Callable[[Seat], Agent]:
    if config.agent_llm is None or models is None:
        raise UsageError("The agent 'llm' needs a model. Name one with --agent-llm.")
    model = models.chat(_with_temperature(config.agent_llm, 0))

    def make(seat: Seat) -> Agent:
        domain = seat.prepared.domain
        session = Session(model, "agent", seat.task.id, seat.trial)
        return LLMAgent(session, config.tool_mode, domain.policy, domain.now, seat.knowledge)

    return make


def _user_maker(prepared: Prepared, models: Models | None) -> Callable[[Seat], User]:
    config = prepared.config
    if config.user == "scripted":
        return _scripted
    if config.user_llm is None or models is None:
        raise UsageError("The user 'llm' needs a model. Name one with --user-llm.")
    for task in prepared.tasks:
        LLMUser.check(task)
    model = models.chat(_with_temperature(config.user_llm, 1))

    def make(seat: Seat) -> User:
        session = Session(model, "user", seat.task.id, seat.trial)
        return LLMUser(session, seat.task, config.user_tool_mode)

    return make


def _with_temperature(config: LLMConfig, usual: float) -> LLMConfig:
    """The configuration with the role's usual temperature, unless it has one."""
    return config if config.temperature is not None else replace(config, temperature=usual)
