"""From the options of ``ragbench eval`` to its configuration, and back for ``--resume``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ragbench.cli._model_options import ROLES, model_configs
from ragbench.cli._run_options import cache_fields
from ragbench.cli._runs import run_folder
from ragbench.config import EvalConfig
from ragbench.errors import RunError, UsageError

__all__ = ["eval_config", "take_stored_options"]

_SAME = (
    "domain", "retrieval_config", "store", "chunker", "embedder", "k", "style", "agent", "user",
    "tool_mode", "user_tool_mode", "budget_usd", "counterfactual", "baselines", "split",
    "num_tasks", "task_ids", "num_trials", "max_steps", "seed", "max_concurrency",
)  # fmt: skip
"""Options that are called as the fields of the configuration."""


def eval_config(options: dict[str, Any], resume: str | None) -> EvalConfig:
    """The configuration.

    Args:
        options: by parameter; those of a run that is resumed have been taken in already.
        resume: the run to resume.

    Raises:
        UsageError: there is no domain, or options exclude each other.
        RunError: there is no such run.
        SpecError: the options of a model cannot be used.
    """
    options = dict(options)
    base = EvalConfig(domain="")
    if resume is not None:
        options["save_to"] = _folder_to_resume(resume, options)
        base = _stored(options["save_to"])
    elif options["domain"] is None:
        raise click.UsageError("Missing option '--domain'. See: ragbench list domains")
    options["task_ids"] = tuple(
        name.strip() for given in options["task_ids"] for name in given.split(",")
    )
    models: dict[str, Any] = dict(model_configs(options))
    for role, fallback in (("agent", "oracle"), ("user", "scripted")):
        if options[role] is None:
            options[role] = fallback if models[f"{role}_llm"] is None else "llm"
    return replace(
        base,
        **cache_fields(options.pop("llm_cache")),
        timeout_s=options.pop("timeout"),
        **models,
        **options,
    )


def _folder_to_resume(resume: str, options: dict[str, Any]) -> Path:
    if options["save_to"] is not None or options["fresh"]:
        other = "--save-to" if options["save_to"] is not None else "--fresh"
        raise UsageError(f"--resume and {other} exclude each other. Give one of them.")
    return run_folder(resume)


def take_stored_options(ctx: click.Context, _: click.Parameter, resume: str | None) -> str | None:
    """Make the options of the run that is resumed the defaults; what is given anew wins.

    Raises:
        RunError: its configuration cannot be read.
    """
    if resume is not None:
        try:
            folder = run_folder(resume)
        except RunError:
            return resume  # it is said when it is known which options exclude each other
        ctx.default_map = {**_options_of(_stored(folder)), **(ctx.default_map or {})}
    return resume


def _stored(folder: Path) -> EvalConfig:
    from ragbench.runner import RunFolder, config_of

    return config_of(RunFolder(folder).configuration(), folder)


def _options_of(config: EvalConfig) -> dict[str, Any]:
    """The options that lead to the configuration; those that were not given are absent."""
    options = {name: getattr(config, name) for name in _SAME} | {"timeout": config.timeout_s}
    if config.llm_cache_file is not None:
        options["llm_cache"] = (config.llm_cache, str(config.llm_cache_file))
    for role in ROLES:
        model = getattr(config, f"{role}_llm")
        if model is not None:
            options |= {
                f"{role}_llm": model.model,
                f"{role}_llm_args": model.args,
                f"{role}_base_url": model.base_url,
                f"{role}_api_key_env": model.api_key_env,
                f"{role}_price": model.price,
                "llm_timeout": model.timeout_s,
                "llm_rpm": model.rpm,
                "llm_stream": model.stream,
            }
    return {name: value for name, value in options.items() if value is not None}
