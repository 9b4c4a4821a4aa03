"""``ragbench list``: what can be named in a spec or an option."""

from __future__ import annotations

from collections.abc import Callable

import click

__all__ = ["KINDS", "command"]

Row = tuple[str, str]
"""A name or spec with its defaults, and one line about it."""


def _chunkers() -> list[Row]:
    from ragbench.ingest.chunk import CHUNKERS

    return [(CHUNKERS.defaults(name), CHUNKERS.describe(name)) for name in CHUNKERS]


def _embedders() -> list[Row]:
    from ragbench.ingest.embed import EMBEDDERS

    return [(EMBEDDERS.defaults(name), EMBEDDERS.describe(name)) for name in EMBEDDERS]


def _loaders() -> list[Row]:
    from ragbench.ingest.load import LOADERS

    return [(LOADERS.defaults(name), LOADERS.describe(name)) for name in LOADERS]


def _retrievers() -> list[Row]:
    from ragbench.retrieval import RETRIEVERS

    return [(RETRIEVERS.defaults(name), RETRIEVERS.describe(name)) for name in RETRIEVERS]


def _rerankers() -> list[Row]:
    from ragbench.retrieval import RERANKERS

    return [(RERANKERS.defaults(name), RERANKERS.describe(name)) for name in RERANKERS]


def _rewriters() -> list[Row]:
    from ragbench.retrieval import REWRITERS

    return [(REWRITERS.defaults(name), REWRITERS.describe(name)) for name in REWRITERS]


def _setups() -> list[Row]:
    from ragbench.retrieval import MODIFIERS, SETUPS

    return [*SETUPS.items(), *((f"+{name}", about) for name, about in MODIFIERS.items())]


def _domains() -> list[Row]:
    from ragbench.domains import builtin_domains, load_domain

    return [(name, load_domain(name).description) for name in builtin_domains()]


KINDS: dict[str, Callable[[], list[Row]]] = {
    "chunkers": _chunkers,
    "domains": _domains,
    "embedders": _embedders,
    "loaders": _loaders,
    "rerankers": _rerankers,
    "retrievers": _retrievers,
    "rewriters": _rewriters,
    "setups": _setups,
}
"""What can be listed, and the function that lists it."""


@click.command(name="list", epilog="Example: ragbench list chunkers")
@click.argument("kind", type=click.Choice(list(KINDS)))
def command(kind: str) -> None:
    """List what can be named, with its arguments and their defaults.

    A name alone stands for all of its defaults; arguments are given as
    name(key=value, key=value).
    """
    for name, about in KINDS[kind]():
        click.echo(click.style(name, bold=True))
        click.echo(f"    {about}")
