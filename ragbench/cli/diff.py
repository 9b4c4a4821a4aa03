"""``ragbench diff``: two runs against each other, and a gate on regressions."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]

_FAILED, _CLOSED = 3, 4


@click.command(
    name="diff",
    context_settings={"show_default": True},
    epilog="Example: ragbench diff runs/before runs/after",
)
@click.argument("first", type=click.Path(path_type=Path), metavar="RUN_A")
@click.argument("second", type=click.Path(path_type=Path), metavar="RUN_B")
@click.option(
    "--metric",
    metavar="MEASURE",
    help="What to compare.  [default: span_recall or R of comparisons, reward of evaluations]",
)
@click.option("--seed", type=int, default=0, help="Of tests and bootstraps.")
@click.option(
    "--fail-on-regression",
    is_flag=True,
    help="Exit code 4 when RUN_B is worse and the difference is no chance.",
)
@click.option(
    "--non-inferior",
    "margin",
    type=float,
    metavar="POINTS",
    help="Exit code 4 unless RUN_B is shown to be worse by less than this many percentage points.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="For people, or one object.",
)
def command(
    first: Path,
    second: Path,
    metric: str | None,
    seed: int,
    fail_on_regression: bool,
    margin: float | None,
    form: str,
) -> int:
    """Compare two runs: what became better or worse, and is it real?

    RUN_A and RUN_B are folders of two comparisons that asked the same questions, or of two
    evaluations of the same tasks. Values are paired question by question, or task by task. Runs
    that cannot be compared are refused with the reason.

    Exit code 3 when a setup failed in RUN_B, 4 when --fail-on-regression is given and a setup is
    worse (p at most 0.05 after Holm, and an interval without 0) or failed, and when --non-inferior
    is given and a setup's 95 % interval does not lie above minus the margin.
    """
    from ragbench.compare import diff_runs, non_inferiority
    from ragbench.report import diff_json, diff_text

    diff = diff_runs(first, second, metric, seed)
    shown = () if margin is None else non_inferiority(diff, margin / 100)
    click.echo(diff_json(diff, shown) if form == "json" else diff_text(diff, shown), nl=False)
    objections = [str(one) for one in shown if not one.is_shown]
    if fail_on_regression:
        objections += [f"Regression: {one.name}" for one in diff.differences if one.is_regression]
    for objection in objections:
        click.echo(objection, err=True)
    if objections:
        return _CLOSED
    return _FAILED if any(one.error is not None for one in diff.differences) else 0
