"""``ragbench eval``: an agent through a domain's tasks, scored and diagnosed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragbench.config import EvalConfig
from ragbench.errors import RunError, UsageError

if TYPE_CHECKING:
    from ragbench.runner import RunResult

__all__ = ["command"]

_DEFAULTS = EvalConfig(domain="")
_INCOMPLETE, _INTERRUPTED = 3, 130
_RUNS = Path("runs")


@click.command(
    name="eval",
    context_settings={"show_default": True},
    epilog="Example: ragbench eval --domain mock --retrieval-config bm25",
)
@click.option(
    "--domain",
    metavar="NAME|PATH",
    help="A built-in domain, or a domain's folder.  [required, but with --resume]",
)
@click.option(
    "--retrieval-config",
    metavar="NAME",
    help="Retrieval setup; see: ragbench list setups.  [default: the domain's]",
)
@click.option("--num-tasks", type=int, help="The first so many tasks.  [default: all]")
@click.option(
    "--task-ids",
    multiple=True,
    metavar="ID,ID...",
    help="These tasks only; may be given several times.  [default: all]",
)
@click.option(
    "--num-trials", type=int, default=_DEFAULTS.num_trials, help="Simulations of each task."
)
@click.option(
    "--max-steps",
    type=int,
    default=_DEFAULTS.max_steps,
    help="Messages of agent and user after which a simulation ends.",
)
@click.option("--seed", type=int, default=_DEFAULTS.seed, help="Of trials and of bootstraps.")
@click.option(
    "--max-concurrency",
    type=int,
    default=_DEFAULTS.max_concurrency,
    help="Simulations at the same time.",
)
@click.option(
    "--save-to",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="The run folder.  [default: runs/<domain>-<hash of the configuration>]",
)
@click.option("--fresh", is_flag=True, help="Start anew instead of continuing or reporting a run.")
@click.option(
    "--resume",
    metavar="RUN",
    help="Continue a run with its own options: its folder, or its name below runs/.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=_DEFAULTS.store,
    help="Folder of the store that holds the domain's index.",
)
@click.option("--chunker", metavar="SPEC", default=_DEFAULTS.chunker, help="How documents are cut.")
@click.option("--embedder", metavar="SPEC", default=_DEFAULTS.embedder, help="The embedding model.")
@click.option("--k", type=int, help="Hits of a search that names no k.  [default: the domain's]")
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
    task_ids: tuple[str, ...],
    save_to: Path | None,
    resume: str | None,
    form: str,
    **options: Any,  # noqa: ANN401  (click)
) -> int:
    """Run an agent through a domain's tasks; score and diagnose it.

    The agent is the evidence-gated oracle and the user follows a script: no model, no key, equal
    results each time. It is a reference that shows where a retrieval setup fails.

    The run folder holds report.html beside the data. The same command continues a run that was
    interrupted, and only reports one that is finished.

    Exit code 3 when a trial has no score (an infrastructure failure, or it could not be judged), or
    when files of the corpus could not be read.
    """
    options["task_ids"] = tuple(name.strip() for given in task_ids for name in given.split(","))
    if resume is None:
        if options["domain"] is None:
            raise click.UsageError("Missing option '--domain'. See: ragbench list domains")
        config = EvalConfig(save_to=save_to, **options)
    else:
        folder = _resumed(resume, save_to, fresh=options["fresh"])
        given = {
            name: value
            for name, value in options.items()
            if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        }
        config = EvalConfig(save_to=folder, **{**_stored_options(folder), **given})
    from ragbench.cli._prepare import prepared_with_progress
    from ragbench.report import write_report
    from ragbench.runner import run

    trials = _Trials()
    try:
        prepared = prepared_with_progress(config)
        with trials:
            result = run(prepared, trials.ended)
        page = write_report(result, prepared)
    except KeyboardInterrupt:
        stored = f"{trials.n_done} of {trials.n_wanted} simulations are stored; "
        click.echo(
            f"Interrupted: {stored if trials.n_done else ''}run the same command again "
            "to continue.",
            err=True,
        )
        return _INTERRUPTED
    _tell(result, trials)
    _show(result, form, page)
    incomplete = result.summary["n_trials_not_scored"] or prepared.report.unread
    return _INCOMPLETE if incomplete else 0


def _resumed(resume: str, save_to: Path | None, *, fresh: bool) -> Path:
    """The folder of the run to resume.

    Raises:
        UsageError: options that exclude each other.
        RunError: there is no such run.
    """
    if save_to is not None or fresh:
        other = "--save-to" if save_to is not None else "--fresh"
        raise UsageError(f"--resume and {other} exclude each other. Give one of them.")
    for place in (Path(resume), _RUNS / resume):
        if (place / "config.json").is_file():
            return place
    known = sorted(path.parent.name for path in _RUNS.glob("*/config.json"))
    shown = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
    raise RunError(
        f"There is no run {resume!r} to resume: no folder of that name, here or below {_RUNS}/, "
        f"holds a config.json. Runs here: {shown or 'none'}."
    )


def _stored_options(folder: Path) -> dict[str, Any]:
    """The options with which the run was started.

    Raises:
        RunError: its configuration cannot be read.
    """
    path = folder / "config.json"
    try:
        options = dict(json.loads(path.read_text(encoding="utf-8"))["options"])
        return options | {"store": Path(options["store"]), "task_ids": tuple(options["task_ids"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(
            f"{path} does not say with which options the run was started ({error!r}). Give them "
            f"again, with --save-to {folder} in place of --resume."
        ) from error


class _Trials:
    """Tells of each simulation that ends: a bar on a terminal, else a line each.

    Attributes:
        failed: simulations that were infrastructure errors, with the traceback's last line.
    """

    def __init__(self) -> None:
        self.n_done = self.n_wanted = 0
        self.failed: list[str] = []
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> None:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def ended(self, n_done: int, n_wanted: int, trajectory: Any) -> None:  # noqa: ANN401
        """One simulation is stored."""
        self.n_done, self.n_wanted = n_done, n_wanted
        name = trajectory.task_id + (f" (trial {trajectory.trial})" if trajectory.trial else "")
        how = trajectory.termination.value
        if trajectory.termination.value == "infrastructure_error":
            last = (trajectory.error or "").strip().splitlines()
            self.failed.append(f"{name}: {last[-1] if last else how}")
        if self._bar is None:
            click.echo(f"[{n_done}/{n_wanted}] task {name}: {how}", err=True)
            return
        if self._task is None:
            self._task = self._bar.add_task("Simulating", total=n_wanted)
        self._bar.update(self._task, completed=n_done, description=f"task {name}")


def _tell(result: RunResult, trials: _Trials) -> None:
    """What a person should know beside the result, on stderr."""
    for note in result.notes:
        click.echo(note, err=True)
    if not result.n_played:
        click.echo(f"All {result.n_kept} simulations were stored already; nothing ran.", err=True)
    elif result.n_kept:
        click.echo(f"Continued: {result.n_kept} simulations were stored already.", err=True)
    for failure in trials.failed:
        click.echo(f"Infrastructure error in task {failure}", err=True)
    if trials.failed:
        click.echo(
            f"The tracebacks stand in {result.folder / 'trajectories.jsonl'}; "
            "the same command runs these simulations again.",
            err=True,
        )


def _show(result: RunResult, form: str, page: Path) -> None:
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
