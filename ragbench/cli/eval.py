"""``ragbench eval``: an agent through a domain's tasks, scored and diagnosed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from ragbench.cli._config_file import config_file_option
from ragbench.cli._domain_options import index_options, setup_option
from ragbench.cli._eval_config import eval_config, take_stored_options
from ragbench.cli._live import LiveRun
from ragbench.cli._model_options import model_options
from ragbench.cli._run_options import work_options
from ragbench.cli._spaced import SpacedCommand
from ragbench.config import EvalConfig, QuestionStyle, ToolMode

if TYPE_CHECKING:
    from ragbench.runner import RunResult

__all__ = ["command"]

_DEFAULTS = EvalConfig(domain="")
_INCOMPLETE, _INTERRUPTED = 3, 130


@click.command(
    name="eval",
    cls=SpacedCommand,
    context_settings={"show_default": True},
    epilog="Example: ragbench eval --domain mock --retrieval-config bm25",
)
@click.option(
    "--domain",
    metavar="NAME|PATH",
    help="A built-in domain, or a domain's folder.  [required, but with --resume]",
)
@setup_option("Retrieval setup")
@click.option(
    "--agent",
    metavar="oracle|llm|FILE.py:NAME|MODULE:NAME",
    help="Who answers the customer; one of your own: docs/agents.md.  "
    "[default: llm with --agent-llm, else oracle]",
)
@click.option(
    "--user",
    type=click.Choice(["scripted", "llm"]),
    help="Who the customer is.  [default: llm with --user-llm, else scripted]",
)
@click.option(
    "--style",
    type=click.Choice(get_args(QuestionStyle)),
    default=_DEFAULTS.style,
    help="Whose words the oracle asks in: without names of products, or with them.",
)
@click.option(
    "--tool-mode",
    type=click.Choice(get_args(ToolMode)),
    default=_DEFAULTS.tool_mode,
    help="How the agent's model calls tools: function calling, JSON by schema, a text protocol.",
)
@click.option(
    "--user-tool-mode",
    type=click.Choice(get_args(ToolMode)),
    default=_DEFAULTS.user_tool_mode,
    help="The same of the customer's model, where the customer has tools.",
)
@model_options()
@click.option(
    "--split",
    "--task-split-name",
    "split",
    metavar="NAME",
    help="The tasks of this split only.  [default: all]",
)
@click.option("--num-tasks", type=int, help="The first so many tasks.  [default: all]")
@click.option(
    "--task-ids",
    multiple=True,
    metavar="ID,ID...|ID ID...",
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
@click.option(
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="How long one simulation may take.  [default: no limit]",
)
@click.option("--seed", type=int, default=_DEFAULTS.seed, help="Of trials.")
@work_options
@click.option(
    "--counterfactual",
    is_flag=True,
    help="Play failed trials again with the documents in the prompt: what did retrieval cost?",
)
@click.option(
    "--baselines",
    is_flag=True,
    help="Play every trial with no knowledge and with the documents in the prompt, too.",
)
@config_file_option
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
    is_eager=True,
    callback=take_stored_options,
    help="Continue a run with its own options: its folder, or its name below runs/.",
)
@index_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    help="For people; one object with summary and trials; or a row per trial.",
)
def command(resume: str | None, form: str, **options: Any) -> int:  # noqa: ANN401  (click)
    """Run an agent through a domain's tasks; score and diagnose it.

    Without a model the agent is the evidence-gated oracle and the user follows a script: no key,
    equal results each time. It is a reference that shows where a retrieval setup fails. With
    --agent-llm and --user-llm the same command runs models; keys come from the environment, or
    from a file .env here.

    The run folder holds report.html beside the data. The same command continues a run that was
    interrupted, ran out of its budget or lost simulations to a failing server, and only reports
    one that is finished.

    Exit code 3 when a trial has no score (an infrastructure failure, it could not be judged, or the
    budget was spent before), when the judge or another setup left something to do, or when files of
    the corpus could not be read; also when every simulation ended by an error of the agent, the
    clock, or a full context, so that none says anything.
    """
    config = eval_config(options, resume)
    from ragbench.runner import models_for

    models = models_for(config)
    asks = config.agent_llm or config.user_llm or config.judge_llm
    if asks:
        models.start_loading()
    from ragbench.cli._prepare import prepared_with_progress
    from ragbench.cli._shown_run import is_incomplete, show_run, tell_interrupted, tell_run
    from ragbench.report import write_report
    from ragbench.runner import Interrupted, run

    try:
        prepared = prepared_with_progress(config, models=models)
        with LiveRun(models if asks else None, config.budget_usd) as live:
            result = run(prepared, live)
        page = write_report(result, prepared)
    except Interrupted as interrupted:
        tell_interrupted(interrupted)
        return _INTERRUPTED
    except KeyboardInterrupt:
        click.echo("Interrupted: run the same command again to continue.", err=True)
        return _INTERRUPTED
    _tell_kept(result)
    tell_run(result, live)
    show_run(result, form, page)
    return _INCOMPLETE if is_incomplete(result) or prepared.report.failed else 0


def _tell_kept(result: RunResult) -> None:
    if not result.n_played:
        click.echo(f"All {result.n_kept} simulations were stored already; nothing ran.", err=True)
    elif result.n_kept:
        click.echo(f"Continued: {result.n_kept} simulations were stored already.", err=True)
