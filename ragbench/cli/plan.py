"""``ragbench plan``: how many tasks and trials a difference between two agents needs."""

from __future__ import annotations

import click

from ragbench.cli._runs import run_folder

__all__ = ["command"]


@click.command(
    name="plan",
    context_settings={"show_default": True},
    epilog="Example: ragbench plan demo --detect 20",
)
@click.argument("name", metavar="RUN")
@click.option(
    "--detect",
    type=float,
    required=True,
    metavar="POINTS",
    help="Difference in success to tell from none, in percentage points.",
)
@click.option("--power", type=float, default=0.8, help="Probability to tell it from none.")
@click.option(
    "--against",
    metavar="RUN_B",
    help="Another agent's run of the same tasks: says on how many tasks agents differ.",
)
@click.option("--seed", type=int, default=0, help="Of the simulations.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="For people, or one object.",
)
def command(
    name: str, detect: float, power: float, against: str | None, seed: int, form: str
) -> int:
    """Say how many tasks and trials it takes to tell two agents apart.

    RUN is the folder of a finished evaluation, or its name below runs/. Its noise, between tasks
    and within them, is what is planned with: two agents that play the same tasks, compared as
    ragbench diff compares them. Also says what RUN itself could have detected.
    """
    first = run_folder(name)
    second = None if against is None else run_folder(against)
    from ragbench.compare import plan_run
    from ragbench.report import plan_json, plan_text

    plan = plan_run(first, detect / 100, power, second, seed)
    click.echo(plan_json(plan) if form == "json" else plan_text(plan), nl=False)
    return 0
