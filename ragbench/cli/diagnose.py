"""``ragbench diagnose``: recorded trajectories, scored and diagnosed against a domain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragbench.cli._domain_options import index_options, setup_option
from ragbench.cli._trajectory_file import (
    Numbered,
    check_places,
    read_trajectories,
    tell_doubled,
)
from ragbench.config import EvalConfig
from ragbench.errors import UsageError

if TYPE_CHECKING:
    from ragbench.records import Trajectory, TrialScore
    from ragbench.runner import Prepared

__all__ = ["command"]

_FILES_FAILED = 3

Graded = tuple[int, "Trajectory", "TrialScore", str]
"""The number of its line, a trajectory, its diagnosis, and what could not be determined."""


@click.command(
    name="diagnose",
    context_settings={"show_default": True},
    epilog="Example: ragbench diagnose runs/demo/trajectories.jsonl --domain mock",
)
@click.argument(
    "trajectories", type=click.Path(path_type=Path, dir_okay=False), metavar="TRAJECTORIES.jsonl"
)
@click.option(
    "--domain", required=True, metavar="NAME|PATH", help="A built-in domain, or a domain's folder."
)
@setup_option("The setup they were recorded with")
@index_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    help="A block of words per trajectory; one object; or a row per trajectory.",
)
def command(trajectories: Path, form: str, **options: Any) -> int:  # noqa: ANN401  (click)
    """Score and diagnose recorded trajectories.

    TRAJECTORIES.jsonl holds one trajectory per line, as a run folder does. Nothing is simulated:
    the calls are replayed for the score, and the domain's index is asked what other queries would
    have found. Where it is not the index of the recording, such causes are undetermined.

    Each trajectory is held against the domain: the hashes of its task and of the domain, and every
    answer that is recorded against what the environment gives. What differs is a warning.
    """
    numbered = read_trajectories(trajectories)
    config = EvalConfig(task_ids=_task_ids(numbered, options["domain"], trajectories), **options)
    from ragbench.cli._prepare import prepared_with_progress
    from ragbench.runner import grade, provenance

    prepared = prepared_with_progress(config, to_play=False)
    graded: list[Graded] = []
    for number, trajectory in numbered:
        check_places(trajectory, prepared, f"{trajectories}, line {number}")
        fitting, note = _fitting(prepared, trajectory)
        found = provenance(fitting, trajectory)
        score = grade(fitting, trajectory).model_copy(update={"provenance": found})
        said = note if "undetermined" in score.diagnosis.causes else ""
        graded.append((number, trajectory, score, said))
    _show(graded, form)
    tell_doubled(numbered, trajectories)
    return _FILES_FAILED if prepared.report.failed else 0


def _task_ids(numbered: Sequence[Numbered], domain_name: str, path: Path) -> tuple[str, ...]:
    """The tasks of the trajectories.

    Raises:
        UsageError: a line's task is none of the domain's.
    """
    from ragbench.domains import load_domain
    from ragbench.errors import did_you_mean

    domain = load_domain(domain_name)
    known = [task.id for task in domain.tasks]
    for number, trajectory in numbered:
        if trajectory.task_id not in known:
            raise UsageError(
                f"{path}, line {number}: no task of {domain.name} is called "
                f"{trajectory.task_id!r}. Known: {', '.join(known)}"
                f"{did_you_mean(trajectory.task_id, known)}"
            )
    return tuple(dict.fromkeys(trajectory.task_id for _, trajectory in numbered))


def _fitting(prepared: Prepared, trajectory: Trajectory) -> tuple[Prepared, str]:
    """What to grade with, no index when the trajectory saw another, and what to say then."""
    from dataclasses import replace

    if not trajectory.offered:
        return prepared, ""
    recorded = {"setup": trajectory.setup, "index": (trajectory.index_id or "")}
    here = {"setup": prepared.setup.name, "index": prepared.index.index_id}
    other = [kind for kind in recorded if recorded[kind] != here[kind]]
    if not other:
        return prepared, ""
    said = ", ".join(
        f"{kind} {recorded[kind][:12] or 'unknown'}, not {here[kind][:12]}" for kind in other
    )
    note = f"undetermined: recorded with {said}, so the index here cannot tell the cause"
    return replace(prepared, probe=None), note


def _show(graded: Sequence[Graded], form: str) -> None:
    from ragbench.report import narrative, run_json, trials_csv

    scores = [score for _, _, score, _ in graded]
    if form == "table":
        blocks = (
            narrative(score, trajectory.agent, note, line)
            for line, trajectory, score, note in graded
        )
        click.echo("\n".join(blocks), nl=False)
        _tell_provenance(scores, named=False)
        return
    click.echo(run_json(scores) if form == "json" else trials_csv(scores), nl=False)
    for number, (_, _, score, note) in enumerate(graded, 1):
        if note:
            click.echo(f"{number}. task {score.task_id}: {note}", err=True)
    _tell_provenance(scores, named=True)


def _tell_provenance(scores: Sequence[TrialScore], *, named: bool) -> None:
    """How many trajectories do not agree with the domain, and where nothing else says so, which."""
    if named:
        for number, score in enumerate(scores, 1):
            for warning in score.provenance:
                click.echo(f"{number}. task {score.task_id}: warning: {warning}", err=True)
    n_wrong = sum(bool(score.provenance) for score in scores)
    if n_wrong:
        click.echo(
            f"{n_wrong} of {len(scores)} trajectories do not agree with the domain; see their "
            "warnings. Their figures may be those of other tasks, tools or documents.",
            err=True,
        )
