"""The oracle's figures: what a run is held against, where the oracle can play at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragbench.errors import UsageError
from ragbench.records import Task
from ragbench.retrieval import Setup, setup_named
from ragbench.runner._check import check_oracle
from ragbench.runner._folder import OTHER_SETUPS
from ragbench.runner._grade import grade
from ragbench.runner._play import play_trial
from ragbench.runner._prepare import Prepared, with_setup
from ragbench.runner._roles import ORACLE
from ragbench.simulate import OracleAgent, ScriptedUser

__all__ = ["References", "asks_model", "reference_rewards", "references"]


@dataclass(slots=True)
class References:
    """The oracle's reward per task, by setup; None where it cannot play the task.

    Attributes:
        missing: why a setup has no figure.
    """

    rewards: dict[str, dict[str, float | None]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


async def references(prepared: Prepared, own: Mapping[str, float | None] | None) -> References:
    """Play the oracle with nothing, under the evaluation's own setup, and with the documents.

    Args:
        prepared: the evaluation, whatever its agent.
        own: the oracle's rewards under the evaluation's own setup when they are known already.
    """
    found = References()
    for name in dict.fromkeys((*OTHER_SETUPS, prepared.setup.name)):
        if name == prepared.setup.name and own is not None:
            found.rewards[name] = dict(own)
            continue
        is_own = name == prepared.setup.name
        if is_own and asks_model(prepared.setup):
            found.missing[name] = (
                f"Every search under {name!r} asks a chat model, which is not paid for a "
                "reference. Run the oracle under this setup for its figure."
            )
            continue
        try:
            check_oracle(setup_named(name), ())
        except UsageError as error:
            found.missing[name] = str(error)
            continue
        rewards = await reference_rewards(prepared, None if is_own else name)
        if any(reward is not None for reward in rewards.values()):
            found.rewards[name] = rewards
        else:
            found.missing[name] = (
                "The oracle can play none of the tasks: it needs a written question for every "
                "need, and a script for the user."
            )
    return found


def asks_model(setup: Setup) -> bool:
    """Whether a search under the setup asks a chat model."""
    return setup.stack is not None and setup.stack.waits


async def reference_rewards(prepared: Prepared, setup: str | None) -> dict[str, float | None]:
    """The oracle's reward per task, None for a task that it cannot play.

    Args:
        prepared: the evaluation, whatever its agent.
        setup: another setup over the same index; None for the evaluation's own.
    """
    here = prepared if setup is None else with_setup(prepared, setup)
    return {task.id: await _reward(here, task) for task in here.tasks}


async def _reward(prepared: Prepared, task: Task) -> float | None:
    try:
        OracleAgent.check(task)
        ScriptedUser.check(task)
    except UsageError:
        return None
    return grade(prepared, await play_trial(prepared, task, 0, ORACLE)).score.reward
