"""``ragbench score``: grade a stored run again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ragbench.cli._config_file import config_file_option
from ragbench.cli._domain_options import store_option
from ragbench.cli._live import LiveRun
from ragbench.cli._model_options import model_configs, model_options
from ragbench.cli._run_options import cache_fields, work_options
from ragbench.cli._runs import run_folder

if TYPE_CHECKING:
    from ragbench.runner import Rescoring, RunResult

__all__ = ["command"]

_INCOMPLETE, _INTERRUPTED = 3, 130


@click.command(
    name="score",
    context_settings={"show_default": True},
    epilog="Example: ragbench score runs/demo --fresh-tasks",
)
@click.argument("name", metavar="RUN")
@click.option(
    "--fresh-tasks",
    is_flag=True,
    help="Grade with the tasks as they are now, also when the domain has changed since the run.",
)
@model_options(["judge"])
@work_options
@config_file_option
@store_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    help="For people; one object with summary and trials; or a row per trial.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    name: str,
    fresh_tasks: bool,
    form: str,
    **options: Any,  # noqa: ANN401  (click)
) -> int:
    """Score and diagnose a run again, from its stored trajectories.

    RUN is a run folder, or its name below runs/. Nothing is simulated. scores.jsonl, summary.json
    and report.html are replaced; equal tasks give scores.jsonl the same bytes.

    The domain must be that of the run; --fresh-tasks takes it as it is now, after a task was
    mended, say. Causes that need the run's index are kept from the diagnosis before, and marked,
    when the index is no longer the same. With --judge-llm a model reads what it has not read yet.

    Exit code 3 when a trial has no score, for example since its task is gone.
    """
    folder = run_folder(name)
    from ragbench.runner import Interrupted, models_for, rescore, rescoring

    models_of_roles = model_configs(options)
    given = _given(ctx, options)
    found = rescoring(folder, fresh_tasks=fresh_tasks, changes={**given, **models_of_roles})
    models = models_for(found.config)
    if found.config.judge_llm is not None:
        models.start_loading()
    from ragbench.cli._prepare import prepared_with_progress
    from ragbench.cli._shown_run import is_incomplete, show_run, tell_run
    from ragbench.report import write_report

    try:
        prepared = prepared_with_progress(found.config, found.domain, models=models, to_play=False)
        shown = models if found.config.judge_llm is not None else None
        with LiveRun(shown, found.config.budget_usd) as live:
            result = rescore(found, prepared, live)
        page = write_report(result, prepared)
    except (Interrupted, KeyboardInterrupt):
        click.echo("Interrupted: run the same command again to continue.", err=True)
        return _INTERRUPTED
    _tell_gone(found, result)
    tell_run(result, live)
    show_run(result, form, page)
    return _INCOMPLETE if is_incomplete(result) else 0


def _given(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """The fields of the run's configuration that were given anew."""
    cache = cache_fields(options.pop("llm_cache"))
    default = click.core.ParameterSource.DEFAULT
    given = {
        name: value
        for name, value in options.items()
        if ctx.get_parameter_source(name) is not default
    }
    # A recording of the run is not the judge's: the judge records and replays where it is told to.
    return {"budget_usd": None, **given, **cache}


def _tell_gone(found: Rescoring, result: RunResult) -> None:
    for task_id in found.gone:
        n = sum(score.task_id == task_id for score in result.scores)
        click.echo(
            f"Not judged: task {task_id!r} is no longer in the domain "
            f"({n} {'simulation' if n == 1 else 'simulations'}).",
            err=True,
        )
    kept = result.summary["n_causes_kept"]
    if kept:
        click.echo(
            f"Causes of {kept} {'trial' if kept == 1 else 'trials'} are those of the diagnosis "
            "before: the run's index is no longer there.",
            err=True,
        )
