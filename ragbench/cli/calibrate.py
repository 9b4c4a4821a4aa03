"""``ragbench calibrate``: how good a judge is by a person's labels, and its rates corrected."""

from __future__ import annotations

from pathlib import Path

import click

from ragbench.cli._runs import run_folder

__all__ = ["command"]


@click.command(
    name="calibrate",
    context_settings={"show_default": True},
    epilog="Example: ragbench calibrate demo --labels labels.csv",
)
@click.argument("name", metavar="RUN")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="A person's verdicts: task_id, trial, kind, number, label (true or false).",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Print a blank CSV of N judged items of each kind, drawn at random, to be labelled.",
)
@click.option("--seed", type=int, default=0, help="Of the draw.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="For people, or one object.",
)
def command(name: str, labels: Path | None, sample: int | None, seed: int, form: str) -> int:
    """Hold the judge of a run against a person's labels.

    RUN is an evaluation that a judge has read (--judge-llm), or its name below runs/. Gives the
    judge's sensitivity and specificity, and its rates corrected for its errors, with intervals that
    carry the uncertainty of the labels.
    """
    from ragbench.errors import RunError, UsageError
    from ragbench.judge import blank_labels, calibrate, judged_items, read_labels

    folder = run_folder(name)
    from ragbench.records import Review
    from ragbench.runner import RunFolder

    items = judged_items(RunFolder(folder).stored("reviews.jsonl", Review))
    if not items:
        raise RunError(
            f"No judge has read {str(folder)!r}. Have one read it: ragbench score {name} "
            "--judge-llm MODEL"
        )
    if (labels is None) == (sample is None):
        raise UsageError("Give either --labels CSV or, to make such a file, --sample N.")
    if sample is not None:
        click.echo(blank_labels(items, sample, seed), nl=False)
        return 0
    assert labels is not None
    from ragbench.report import calibration_json, calibration_text

    found = calibrate(items, read_labels(labels, items))
    click.echo(calibration_json(found) if form == "json" else calibration_text(found), nl=False)
    return 0
