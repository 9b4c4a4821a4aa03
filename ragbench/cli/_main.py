"""The entry point: lazy sub-commands, one message per error, exit codes.

Exit codes: 0 done; 1 an error that a person can fix; 2 wrong usage; 3 finished, but some tasks,
files or cells failed; 4 a gate closed; 5 validation findings; 130 interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import traceback

import click

from ragbench.cli._environment_file import read_environment_file
from ragbench.errors import RagbenchError, did_you_mean

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS = {
    "ingest": "Chunk and embed documents into a store.",
    "search": "Search a collection from the terminal.",
    "index": "List, show, check, mend and delete the collections of a store.",
    "eval": "Run an agent through a domain's tasks; score and diagnose it.",
    "score": "Score and diagnose a stored run again.",
    "calibrate": "Hold a run's judge against a person's labels; correct its rates.",
    "compare": "Measure a grid of retrieval setups on questions, with statistics.",
    "diff": "Compare two runs: what became better or worse, and is it real?",
    "plan": "How many tasks and trials telling two agents apart needs.",
    "diagnose": "Score and diagnose recorded trajectories.",
    "doctor": "Check the configuration of models with one tiny call each.",
    "validate": "Check a domain's tasks, documents and grader by machine.",
    "check-component": "Try a component of your own on hard inputs.",
    "list": "List chunkers, embedders, retrieval setups and domains.",
}
"""Every command with its one line of help; its module is ``ragbench.cli.<name>``, with
``_`` for ``-``."""


class _LazyGroup(click.Group):
    """Knows every command's name and help, and imports a command's module when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ragbench.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if args and not name.startswith("-") and name not in COMMANDS:
            raise click.UsageError(
                f"No command is called {name!r}. Known: {', '.join(COMMANDS)}"
                f"{did_you_mean(name, COMMANDS)}",
                ctx,
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: ragbench eval --domain mock",
)
@click.version_option(package_name="ragbench", prog_name="ragbench")
def cli() -> None:
    """Evaluate knowledge agents and the retrieval under them: offline, without a key."""


def main(args: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    try:
        read_environment_file()
        code = cli.main(args=args, prog_name="ragbench", standalone_mode=False)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.Abort:
        click.echo("Interrupted. The same command goes on where this one stopped.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except RagbenchError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001  (the one boundary; the traceback is kept)
        click.echo(_unexpected(error), err=True)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _unexpected(error: Exception) -> str:
    """One line about an exception that nobody expected, and where its traceback is kept."""
    trace = "".join(traceback.format_exception(error))
    if os.environ.get("RAGBENCH_DEBUG") == "1":
        return trace.rstrip()
    first = (str(error).strip().splitlines() or [""])[0]
    what = f"Error: this should not have happened: {type(error).__name__}: {first}."
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="ragbench-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(trace)
    except OSError:
        return f"{what} See the traceback with RAGBENCH_DEBUG=1."
    return f"{what} The traceback is in {file.name}; RAGBENCH_DEBUG=1 prints it instead."
