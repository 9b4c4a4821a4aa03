"""``ragbench check-component``: does a component of one's own keep to what its kind promises?"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

__all__ = ["command"]

_KINDS = ("retriever", "store", "chunker", "embedder", "loader", "agent")


@click.command(
    name="check-component",
    context_settings={"show_default": True},
    epilog="Example: ragbench check-component my_rerank.py:ShortFirst",
)
@click.argument("spec")
@click.option("--kind", type=click.Choice(_KINDS), help="What it is.  [default: by its methods]")
@click.option(
    "--sample",
    "samples",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file for a loader to read; may be given several times.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="For people; or one object.",
)
def command(spec: str, kind: str | None, samples: tuple[Path, ...], form: str) -> int:
    """Try a component of your own on hard inputs; SPEC is FILE.py:NAME, with arguments or without.

    The code is run. A retriever is opened over the documents of the domain mock, an agent plays two
    of its tasks. What a component of each kind has to offer: docs/own-parts.md.

    Exit code 5 when it fails one of the checks.
    """
    from ragbench.conformance import check_component

    found, findings = check_component(spec, kind, samples)  # type: ignore[arg-type]
    if form == "json":
        checks = [dataclasses.asdict(one) for one in findings]
        click.echo(json.dumps({"spec": spec, "kind": found, "checks": checks}, indent=2))
    else:
        click.echo(f"{spec} is a{'n' if found[0] in 'ae' else ''} {found}.")
        for one in findings:
            click.echo(f"  {one.verdict:<6}  {one.what}")
            if one.detail:
                click.echo(f"          {one.detail}")
    return 5 if any(one.verdict == "failed" for one in findings) else 0
