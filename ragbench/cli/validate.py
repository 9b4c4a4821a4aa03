"""``ragbench validate``: whether a domain's gold labels can be trusted."""

from __future__ import annotations

from pathlib import Path

import click

from ragbench.config import ValidateConfig

__all__ = ["command"]

_DEFAULTS = ValidateConfig(domain="")
_FINDINGS = 5


@click.command(
    name="validate",
    context_settings={"show_default": True},
    epilog="Example: ragbench validate mock",
)
@click.argument("domain", metavar="DOMAIN")
@click.option("--task", "task_id", metavar="ID", help="Only this task.  [default: all]")
@click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    metavar="RUN",
    help="A run's folder, also several times: its trials that beat the reference are listed.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=_DEFAULTS.store,
    help="Folder of the store that holds the domain's index.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="Words and tables, or one JSON object.",
)
def command(
    domain: str, task_id: str | None, runs: tuple[Path, ...], store: Path, form: str
) -> int:
    """Check a domain's tasks, documents and grader by machine.

    DOMAIN is a built-in name, a domain's folder, or tau3:PATH for a folder of foreign tasks, of
    which less can be checked. Every finding names the rule, the task, the file and what to do;
    docs/validate.md explains every rule. The exit code is 5 when an error remains.
    """
    from ragbench.cli._prepare import ingest_with_progress
    from ragbench.validate import report_json, report_text, validate

    config = ValidateConfig(domain=domain, task_id=task_id, runs=runs, store=store)
    report = validate(config, ingest_with_progress)
    click.echo(report_json(report) if form == "json" else report_text(report), nl=False)
    return _FINDINGS if report.n_errors else 0
