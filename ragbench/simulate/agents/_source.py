"""A user's own agent: where it stands, what it is told, and how its code is loaded."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ragbench.errors import UsageError
from ragbench.own import is_own, load_code
from ragbench.simulate._environment import ToolView
from ragbench.simulate._roles import Observation

__all__ = ["AgentBrief", "AgentSource", "load_source"]


@dataclass(frozen=True, slots=True)
class AgentBrief:
    """What a user's own agent may know before the conversation; nothing of the task's gold.

    Attributes:
        policy: the domain's policy.
        now: the domain's fixed clock, ISO 8601.
        knowledge: documents that the setup puts into the prompt, empty for none.
        tools: what can be called at the start; `Observation.tools` is what can be called later.
        domain, setup: their names.
        seed: of this trial; equal in equal runs.
        trial: which trial of the task this is, from 0.
    """

    policy: str
    now: str
    knowledge: str
    tools: tuple[ToolView, ...]
    domain: str
    setup: str
    seed: int
    trial: int


@dataclass(frozen=True, slots=True)
class AgentSource:
    """Loaded code of a user's own agent.

    Attributes:
        spec: as it was named, ``FILE.py:NAME`` or ``MODULE:NAME``.
        target: a class with a method ``step``, or a function.
        waits: whether ``step`` (or the function) is asynchronous.
    """

    spec: str
    target: Any
    waits: bool

    def begin(self, brief: AgentBrief) -> Callable[[Observation], Any]:
        """What answers one simulation's observations: a new object's ``step``, or the function.

        A class gets the brief unless its constructor takes nothing.
        """
        target = self.target
        if inspect.isclass(target):
            try:
                takes_brief = bool(inspect.signature(target).parameters)
            except ValueError:  # a class of an extension module tells nothing
                takes_brief = True
            target = (self.target(brief) if takes_brief else self.target()).step
        step: Callable[[Observation], Any] = target
        return step


def load_source(spec: str) -> AgentSource:
    """Load the class or function that a spec names.

    The folder of the file, or the working directory for a module, is added at the end of
    ``sys.path``, so that the agent's own imports are found.

    Raises:
        UsageError: the spec does not parse, there is no such file, module or name, its code does
            not load, or what it names is no agent.
    """
    if not is_own(spec):
        raise UsageError(
            f"The agent {spec!r} is neither oracle nor llm, and no class or function of yours: "
            "write FILE.py:NAME or MODULE:NAME; see docs/agents.md."
        )
    target: Any = load_code(spec, "agent", "See docs/agents.md.").target
    if not _is_agent(target):
        raise UsageError(
            f"{spec!r} is {_kind(target)}, but an agent is a class with a method "
            "step(observation), or a function of an observation; see docs/agents.md."
        )
    step = getattr(target, "step", target)
    return AgentSource(spec, target, inspect.iscoroutinefunction(step))


def _kind(value: object) -> str:
    return (
        "a class without a method step"
        if inspect.isclass(value)
        else f"of type {type(value).__name__}"
    )


def _is_agent(value: object) -> bool:
    if inspect.isclass(value):
        return callable(getattr(value, "step", None))
    return inspect.isfunction(value)
