"""Whether an evaluation's options make sense together, before anything is read or written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from ragbench.config import (
    MAX_K,
    EvalConfig,
    LLMCacheMode,
    LLMConfig,
    QuestionStyle,
    ToolMode,
)
from ragbench.errors import UnknownName, UsageError
from ragbench.ingest.chunk import CHUNKERS
from ragbench.ingest.embed import EMBEDDERS
from ragbench.llm import check_config
from ragbench.records import Task
from ragbench.retrieval import Setup
from ragbench.simulate import OracleAgent, ScriptedUser, load_agent

__all__ = ["check_ranges", "check_roles", "is_custom"]


def is_custom(agent: str) -> bool:
    """Whether the name is that of a class of the user's own, ``FILE.py:NAME`` or ``MODULE:NAME``.

    >>> is_custom("my_agent.py:MyAgent"), is_custom("oracle")
    (True, False)
    """
    return ":" in agent


def check_ranges(config: EvalConfig) -> None:
    """Refuse values out of range, names that name nothing, and options that exclude each other.

    Raises:
        UsageError, UnknownName, SpecError: the first one that is wrong.
    """
    least = {
        "num_trials": config.num_trials,
        "max_steps": config.max_steps,
        "max_errors": config.max_errors,
        "max_concurrency": config.max_concurrency,
        "k": config.k,
        "num_tasks": config.num_tasks,
    }
    for name, value in least.items():
        if value is not None and value < 1:
            raise UsageError(f"--{name.replace('_', '-')} is {value}; it must be at least 1.")
    if config.k is not None and config.k > MAX_K:
        raise UsageError(f"--k is {config.k}; it must be at most {MAX_K}.")
    if config.seed < 0:
        raise UsageError(f"--seed is {config.seed}; it must be at least 0.")
    for name, limit in {"timeout": config.timeout_s, "budget-usd": config.budget_usd}.items():
        if limit is not None and not limit > 0:
            raise UsageError(f"--{name} is {limit:g}; it must be above 0.")
    CHUNKERS.create(config.chunker)
    EMBEDDERS.create(config.embedder)  # a wrong name is an error, also when no vector is needed
    _check_models(config)


def _check_models(config: EvalConfig) -> None:
    if config.agent not in ("oracle", "llm") and not is_custom(config.agent):
        raise UnknownName("agent", config.agent, ["oracle", "llm"])
    if config.user not in ("scripted", "llm"):
        raise UnknownName("user", config.user, ["scripted", "llm"])
    if config.style not in get_args(QuestionStyle):
        raise UnknownName("style of questions", config.style, get_args(QuestionStyle))
    if config.style != "desk" and config.agent != "oracle":
        raise UsageError(
            f"--style {config.style} is how the oracle asks, but the agent is {config.agent!r}. "
            "Leave it out: the oracle's figures stand beside every result in both styles."
        )
    _check_tool_mode("--tool-mode", config.tool_mode, config.agent)
    _check_tool_mode("--user-tool-mode", config.user_tool_mode, config.user)
    if config.llm_cache not in get_args(LLMCacheMode):
        raise UnknownName("LLM cache mode", config.llm_cache, get_args(LLMCacheMode))
    if config.llm_cache != "off" and config.llm_cache_file is None:
        raise UsageError(f"--llm-cache {config.llm_cache} needs the file as its second value.")
    _check_role("agent", config.agent, config.agent_llm)
    _check_role("user", config.user, config.user_llm)
    for model in (config.agent_llm, config.user_llm, config.judge_llm):
        if model is not None:
            check_config(model)


def _check_tool_mode(option: str, mode: str, role: str) -> None:
    if mode not in get_args(ToolMode):
        raise UnknownName("tool mode", mode, get_args(ToolMode))
    if mode != "native" and role != "llm":
        raise UsageError(
            f"{option} {mode} is how a model calls tools, but {role!r} is none. Leave it out."
        )


def _check_role(side: str, role: str, model: LLMConfig | None) -> None:
    if role == "llm" and model is None:
        raise UsageError(f"The {side} 'llm' needs a model. Name one with --{side}-llm.")
    if role != "llm" and model is not None:
        raise UsageError(
            f"--{side}-llm {model.model} is for the {side} 'llm', but the {side} is {role!r}. "
            f"Leave out --{side} or --{side}-llm."
        )


def check_roles(config: EvalConfig, setup: Setup, tasks: Iterable[Task]) -> None:
    """Refuse an agent or a user that cannot play the setup or one of the tasks.

    Raises:
        UsageError: the oracle lacks a question or a search tool, the scripted user a script, an
            agent of the user's own cannot be loaded, or the counterfactual is no other setup.
    """
    if config.counterfactual and setup.name == "golden_retrieval":
        raise UsageError(
            "--counterfactual plays failed trials again with golden_retrieval, which is the run's "
            "own setup already. Leave it out, or choose another --retrieval-config."
        )
    if is_custom(config.agent):
        load_agent(config.agent)
    if config.agent == "oracle":
        check_oracle(setup, tasks, config.style)
    if config.user == "scripted":
        for task in tasks:
            ScriptedUser.check(task)


def check_oracle(setup: Setup, tasks: Iterable[Task], style: QuestionStyle = "desk") -> None:
    """Refuse what the oracle cannot play.

    Raises:
        UsageError: the setup's only tool takes patterns, or a need has no question in that style.
    """
    OracleAgent.check_setup(setup.name, search=setup.stack is not None, grep=setup.grep is not None)
    for task in tasks:
        OracleAgent.check(task, style)
