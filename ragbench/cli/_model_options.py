"""The options that name chat models, shared by the commands that use them.

Each role has its own: ``--agent-llm``, ``--agent-llm-args``, ``--agent-base-url``,
``--agent-api-key-env`` and ``--agent-price``, and the same for the user and the judge;
``--llm-timeout``, ``--llm-rpm`` and ``--llm-stream`` are for all of them. There is no option for a
key: it would stand in the shell's history and in the list of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ragbench.config import LLMConfig
from ragbench.errors import UsageError

__all__ = ["ROLES", "TEMPERATURES", "model_configs", "model_options"]

F = TypeVar("F", bound=Callable[..., Any])

ROLES = {"agent": "the agent", "user": "the simulated user", "judge": "the judge"}
TEMPERATURES = {"agent": 0.0, "user": 1.0, "judge": 0.0}
"""The roles' usual temperatures; the role's arguments may name another."""
_DEFAULTS = LLMConfig("")
_SHARED = ("llm_timeout", "llm_rpm", "llm_stream")


def model_options(roles: Sequence[str] = tuple(ROLES)) -> Callable[[F], F]:
    """A decorator that adds the options of these roles and the shared ones to a command."""
    options = [option for role in roles for option in _options_of(role)]
    options += [
        click.option(
            "--llm-timeout",
            type=float,
            metavar="SECONDS",
            default=_DEFAULTS.timeout_s,
            help="How long one call of a model may take.",
        ),
        click.option(
            "--llm-rpm",
            type=int,
            metavar="N",
            help="Most requests a minute to one provider.  [default: no limit]",
        ),
        click.option("--llm-stream", is_flag=True, help="Ask for streamed replies."),
    ]

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def _options_of(role: str) -> list[Callable[[F], F]]:
    return [
        click.option(
            f"--{role}-llm",
            metavar="MODEL",
            help=f"The model of {ROLES[role]}, as LiteLLM names it: gpt-4.1, openai/NAME, ...",
        ),
        click.option(
            f"--{role}-llm-args",
            metavar="JSON",
            help="Further arguments of its calls.  [default: "
            f'{{"temperature": {TEMPERATURES[role]:g}}}]',
        ),
        click.option(
            f"--{role}-base-url",
            metavar="URL",
            help="Its OpenAI-compatible server.  [default: the provider's own]",
        ),
        click.option(
            f"--{role}-api-key-env",
            metavar="NAME",
            help="The environment variable with its key.  [default: the provider's usual one]",
        ),
        click.option(
            f"--{role}-price",
            metavar="in=USD,out=USD",
            help="What a million of its tokens cost, for budgets.  [default: LiteLLM's table]",
        ),
    ]


def model_configs(options: dict[str, Any]) -> dict[str, LLMConfig | None]:
    """Take the models' options out of the others, and make each role's configuration of them.

    Returns:
        ``agent_llm``, ``user_llm`` and ``judge_llm`` as far as their options are there; None for a
        role without a model.

    Raises:
        UsageError: an option for a model that is not named.
        SpecError: a value that cannot be used, or that would write a key into a run.
    """
    shared = {name: options.pop(name, None) for name in _SHARED}
    return {
        f"{role}_llm": _config_of(role, options, shared)
        for role in ROLES
        if f"{role}_llm" in options
    }


def _config_of(role: str, options: dict[str, Any], shared: dict[str, Any]) -> LLMConfig | None:
    model = options.pop(f"{role}_llm")
    own = {
        name: options.pop(f"{role}_{name}", None)
        for name in ("llm_args", "base_url", "api_key_env", "price")
    }
    if model is None:
        given = next((name for name, value in own.items() if value is not None), None)
        if given is not None:
            option = f"--{role}-{given.replace('_', '-')}"
            raise UsageError(f"{option} is given without --{role}-llm. Name the model.")
        return None
    config = LLMConfig(
        model=model,
        args=own["llm_args"] if own["llm_args"] is not None else _DEFAULTS.args,
        base_url=own["base_url"],
        api_key_env=own["api_key_env"],
        timeout_s=_DEFAULTS.timeout_s if shared["llm_timeout"] is None else shared["llm_timeout"],
        rpm=shared["llm_rpm"],
        stream=bool(shared["llm_stream"]),
        temperature=TEMPERATURES[role],
        price=own["price"],
    )
    from ragbench.llm import check_config

    check_config(config)
    return config
