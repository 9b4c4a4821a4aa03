"""The options that say how work with models is done: how much at once, for how much, recorded.

They are no part of what a run is: the same run can be continued with others.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ragbench.config import EvalConfig

__all__ = ["cache_fields", "work_options"]

F = TypeVar("F", bound=Callable[..., Any])

_DEFAULTS = EvalConfig(domain="")


def work_options(command: F) -> F:
    """Add ``--max-concurrency``, ``--budget-usd`` and ``--llm-cache``."""
    options = (
        click.option(
            "--max-concurrency",
            type=int,
            default=_DEFAULTS.max_concurrency,
            help="Simulations, or reviews, at the same time.",
        ),
        click.option(
            "--budget-usd",
            type=float,
            metavar="USD",
            help="Stop cleanly when the models of the run have cost so much.  [default: no limit]",
        ),
        click.option(
            "--llm-cache",
            type=(click.Choice(["record", "replay", "off"]), click.Path(path_type=Path)),
            metavar="record|replay|off FILE",
            default=None,
            help="Write the models' replies into FILE, or take them from it without a network.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def cache_fields(given: tuple[str, Path] | None) -> dict[str, Any]:
    """The fields of `EvalConfig` for what ``--llm-cache`` was given."""
    if given is None:
        return {"llm_cache": "off", "llm_cache_file": None}
    return {"llm_cache": given[0], "llm_cache_file": given[1]}
