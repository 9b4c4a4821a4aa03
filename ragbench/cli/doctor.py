"""``ragbench doctor``: does each model answer, with one tiny call?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import click

from ragbench.cli._model_options import ROLES, model_configs, model_options
from ragbench.config import LLMConfig, ToolMode

if TYPE_CHECKING:
    from ragbench.llm import ModelCheck

__all__ = ["command"]


@click.command(
    name="doctor",
    context_settings={"show_default": True},
    epilog="Example: ragbench doctor --agent-llm gpt-4.1",
)
@model_options()
@click.option(
    "--tool-mode",
    type=click.Choice(get_args(ToolMode)),
    default="native",
    help="How the agent will call tools; native offers the model one.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="For people; or one object by role.",
)
def command(tool_mode: ToolMode, form: str, **options: Any) -> int:  # noqa: ANN401  (click)
    """Check each model with one tiny call, and explain what is wrong.

    A key comes from the environment, under the provider's usual name or the one that
    --agent-api-key-env and its like name. It is never printed.

    Exit code 1 when a model fails.
    """
    named = model_configs(options)
    configs = {role: config for role in ROLES if (config := named[f"{role}_llm"]) is not None}
    if not configs:
        names = ", ".join(f"--{role}-llm" for role in ROLES)
        raise click.UsageError(f"No model is named. Give at least one of {names}.")
    checks = _checked(configs, tool_mode, quiet=form == "json")
    if form == "json":
        click.echo(json.dumps({role: _as_dict(check) for role, check in checks.items()}, indent=2))
    return 0 if all(check.ok for check in checks.values()) else 1


def _checked(
    configs: dict[str, LLMConfig], tool_mode: ToolMode, *, quiet: bool
) -> dict[str, ModelCheck]:
    import asyncio

    from ragbench.llm import check_model

    checks = {}
    for role, config in configs.items():
        mode = tool_mode if role == "agent" else None
        check = checks[role] = asyncio.run(check_model(config, tool_mode=mode))
        if not quiet:
            click.echo(f"{role}  {check.model}  {'ok' if check.ok else 'FAILED'}")
            click.echo("\n".join(f"  {text}" for text in (check.found, check.advice) if text))
    return checks


def _as_dict(check: ModelCheck) -> dict[str, object]:
    return {
        "model": check.model,
        "ok": check.ok,
        "found": check.found,
        "advice": check.advice or None,
    }
