"""What ``eval`` and ``score`` print of a run: what a person should know, and the result."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragbench.cli._live import LiveRun

if TYPE_CHECKING:
    from ragbench.runner import Interrupted, RunResult

__all__ = ["is_incomplete", "show_run", "tell_interrupted", "tell_run"]

_LEFT = {"reviews": "not judged to the end"}


def is_incomplete(result: RunResult) -> bool:
    """Whether a trial has no score, none came to an end, or something asked for is not done."""
    summary = result.summary
    return bool(
        summary["n_trials_not_scored"]
        or summary.get("stopped_short")
        or summary["left_over"]
        or result.stopped
    )


def tell_interrupted(error: Interrupted) -> None:
    """How far an interrupted run had come, and how it goes on."""
    click.echo(
        f"Interrupted: {error.n_stored} of {error.n_wanted} simulations are stored; run the same "
        f"command again to continue. By the run's name: ragbench eval --resume {error.folder}",
        err=True,
    )


def tell_run(result: RunResult, live: LiveRun) -> None:
    """What a person should know beside the result."""
    for note in result.notes:
        click.echo(note, err=True)
    for failure in live.told_failures():
        click.echo(failure, err=True)
    if live.failures or live.broken:
        again = "; the same command runs those again that failed for infrastructure"
        click.echo(
            f"What was raised stands in {result.folder / 'trajectories.jsonl'}"
            f"{again if live.failures else ''}.",
            err=True,
        )
    if result.summary.get("stopped_short"):
        how = ", ".join(f"{n} by {name}" for name, n in result.summary["terminations"].items())
        click.echo(
            f"No simulation came to its end ({how}): nothing is said of the agent's searching. "
            "Mend the agent, or raise its limits, and run with --fresh.",
            err=True,
        )
    left = result.summary["left_over"]
    if left and result.stopped is None:
        shown = ", ".join(f"{n} {_LEFT.get(name, f'under {name}')}" for name, n in left.items())
        click.echo(f"Left over: {shown}. The same command tries again.", err=True)
    if result.stopped is not None:
        n_stored, n_wanted = len(result.scores), result.summary["n_trials_expected"]
        click.echo(
            f"Stopped: {result.stopped} {n_stored} of {n_wanted} simulations are stored; the same "
            "command goes on from there.",
            err=True,
        )


def show_run(result: RunResult, form: str, page: Path) -> None:
    """Print the result.

    Args:
        result: the run.
        form: ``table``, ``json`` or ``csv``.
        page: where the report is.
    """
    from ragbench.report import run_json, trials_csv, words_text

    identity = result.resolved["identity"]
    if form == "csv":
        click.echo(trials_csv(result.scores), nl=False)
    elif form == "json":
        shown = {"config": identity, "summary": result.summary, "folder": str(result.folder)}
        click.echo(run_json(result.scores, **shown), nl=False)
    else:
        _print_table(result, identity["agent"])
        width = (
            min(100, shutil.get_terminal_size((100, 24)).columns) if sys.stdout.isatty() else 100
        )
        words = words_text(result.resolved, result.summary, result.scores, result.folder, width)
        click.echo(words, nl=False)
        click.echo(f"\nReport: {page}")


def _print_table(result: RunResult, agent: str) -> None:
    from ragbench.report import table_text, trials_table

    if not sys.stdout.isatty():
        click.echo(table_text(result.scores, agent))
        return
    from rich.console import Console

    console = Console()
    console.print(trials_table(result.scores, agent, console.width))
    click.echo()
