"""The options of every command that plays or grades a domain: its index, and how it is searched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ragbench.config import EvalConfig

__all__ = ["index_options", "setup_option", "store_option"]

F = TypeVar("F", bound=Callable[..., Any])

_DEFAULTS = EvalConfig(domain="")

store_option = click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=_DEFAULTS.store,
    help="Folder of the store that holds the domain's index.",
)


def setup_option(meaning: str) -> Callable[[F], F]:
    """The option ``--retrieval-config``, also ``--retriever`` as the other commands call it.

    Args:
        meaning: what the setup is to the command.
    """
    return click.option(
        "--retrieval-config",
        "--retriever",
        "retrieval_config",
        metavar="NAME",
        help=f"{meaning}; see: ragbench list setups.  [default: the domain's]",
    )


def index_options(command: F) -> F:
    """Add the store, the chunker, the embedder and k."""
    options = (
        store_option,
        click.option(
            "--chunker", metavar="SPEC", default=_DEFAULTS.chunker, help="How documents are cut."
        ),
        click.option(
            "--embedder", metavar="SPEC", default=_DEFAULTS.embedder, help="The embedding model."
        ),
        click.option(
            "--k", type=int, help="Hits of a search that names no k.  [default: the domain's]"
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
