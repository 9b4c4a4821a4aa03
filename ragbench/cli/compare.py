"""``ragbench compare``: a grid of retrieval setups, measured, tested and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from ragbench.cli._grid_options import grid_config
from ragbench.cli._progress import duration
from ragbench.config import CompareConfig, QuestionStyle

if TYPE_CHECKING:
    from ragbench.compare import CellDone, GridResult, Planned, Results

__all__ = ["command"]

_DEFAULTS = CompareConfig()
_FAILED, _CLOSED = 3, 4


def _default(name: str) -> str:
    return ",".join(map(str, getattr(_DEFAULTS, name)))


@click.command(
    name="compare",
    context_settings={"show_default": True},
    epilog="Example: ragbench compare --domain mock --chunkers document,fixed",
)
@click.option(
    "--domain",
    metavar="NAME|PATH|tau3:PATH",
    help="A domain with its needs as questions, or a tau3 domain's folder.",
)
@click.option(
    "--corpus", type=click.Path(path_type=Path), metavar="PATH", help="Documents of your own."
)
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Questions about them: .jsonl, .csv, a BEIR folder, a chunking-evaluation CSV.",
)
@click.option(
    "--questions-format",
    type=click.Choice(["auto", "file", "beir", "chunking-eval"]),
    help=f"What the questions are.  [default: {_DEFAULTS.questions_format}]",
)
@click.option("--split", help=f"Which judgements of a BEIR folder.  [default: {_DEFAULTS.split}]")
@click.option(
    "--style",
    type=click.Choice(get_args(QuestionStyle)),
    help="Whose words a domain's needs are asked in: without names of products, or with them.  "
    f"[default: {_DEFAULTS.style}]",
)
@click.option(
    "--windows",
    type=int,
    metavar="TOKENS",
    help="Cut long questions into windows, each searched on its own.",
)
@click.option(
    "--grid", type=click.Path(path_type=Path), metavar="FILE.toml", help="The grid as a file."
)
@click.option("--loader", metavar="SPEC", help="How files are read.  [default: the domain's]")
@click.option(
    "--chunkers",
    "--chunker",
    "chunkers",
    multiple=True,
    metavar="SPEC,SPEC...",
    help=f"Chunkers.  [default: {_default('chunkers')}]",
)
@click.option(
    "--embedders",
    "--embedder",
    "embedders",
    multiple=True,
    metavar="SPEC,SPEC...",
    help=f"Embedding models.  [default: {_default('embedders')}]",
)
@click.option(
    "--retrievers",
    "--retriever",
    "retrievers",
    multiple=True,
    metavar="SPEC,SPEC...",
    help=f"Retrievers, as dense+rerank+rewrite too.  [default: {_default('retrievers')}]",
)
@click.option("--k", multiple=True, metavar="K,K...", help=f"Hits.  [default: {_default('k')}]")
@click.option(
    "--baseline",
    metavar="SETUP",
    help="What the others are tested against: a setup's name, or some parts of one.  "
    "[default: the first]",
)
@click.option(
    "--metric",
    metavar="MEASURE",
    help="The measure that is tested, oracle_success with --end-to-end too.  [default: "
    "span_recall, or R where there are no spans]",
)
@click.option(
    "--pairs",
    type=click.Choice(["baseline", "same-k", "all"]),
    help="What is tested: each setup against the baseline, any two of one k, or any two.  "
    f"[default: {_DEFAULTS.pairs}]",
)
@click.option(
    "--by",
    metavar="PROPERTY",
    help="Slice the tested measure: corpus, document, group, or a key of the documents' metadata.",
)
@click.option("--seed", type=int, help=f"Of tests and bootstraps.  [default: {_DEFAULTS.seed}]")
@click.option(
    "--end-to-end", is_flag=True, default=None, help="Run the domain's tasks with the oracle, too."
)
@click.option(
    "--fail-under",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="A gate such as R@5=0.80, which every setup of that k must reach; exit code 4.",
)
@click.option(
    "--fail-under-setup", metavar="SETUP", help="The setups that gates are for.  [default: all]"
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=_DEFAULTS.jobs,
    help="Models at work at a time; also the processes that parse.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=_DEFAULTS.store,
    help="Folder of the store; collections and embeddings are kept there.",
)
@click.option(
    "--save-to",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="The run folder.  [default: runs/compare-<name>-<hash of the grid>]",
)
@click.option("--fresh", is_flag=True, help="Start anew instead of continuing or reporting a run.")
@click.option(
    "--wide", is_flag=True, help="Every column of the table, however wide the terminal is."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown"]),
    default="table",
    help="For people; one object; a row per setup; or a Markdown table.",
)
def command(grid: Path | None, form: str, wide: bool, **options: Any) -> int:  # noqa: ANN401  (click)
    """Compare chunkers, embedders, retrievers and k on your questions, with statistics.

    Every combination is one setup. Files are parsed once, chunks cut once per chunker and texts
    embedded once per model. The same command continues a grid that was interrupted.

    Lists are separated by commas, or given by repeating the option; commas inside parentheses
    belong to a spec. Options on the command line replace those of a --grid file.

    Exit code 3 when a setup failed or a file could not be read, 4 when a gate closed.
    """
    config = grid_config(grid, options)
    from ragbench.cli._progress import shown_progress
    from ragbench.compare import check_gates, compare, make_results, plan_grid
    from ragbench.report import write_compare_files

    planned = plan_grid(config)
    _announce(planned)
    with shown_progress() as progress:
        result = compare(planned, _told, progress)
    results = make_results(
        result.questions,
        result.cells,
        result.baseline,
        result.metric,
        result.seed,
        config.pairs,
        config.by,
    )
    page = write_compare_files(
        result.folder,
        planned.subject.name,
        result.questions,
        results,
        result.resolved["environment"],
    )
    _tell(result)
    _show(results, form, page, wide)
    names = {row.cell.cell_id: row.cell.name for row in results.rows}
    outcomes = check_gates(planned.gates, names, _means(results))
    closed = [outcome for outcome in outcomes if not outcome.is_open]
    for outcome in closed:
        click.echo(f"Gate closed: {outcome}", err=True)
    if closed:
        return _CLOSED
    unread = [entry for entry in result.unread if entry.is_failure]
    failed = unread or any(cell.error is not None for cell in result.cells)
    return _FAILED if failed else 0


def _announce(planned: Planned) -> None:
    cells = planned.grid.cells
    n_asked = len(planned.subject.questions.questions)
    click.echo(f"{len(cells)} setups, {n_asked} questions", err=True)
    for reason, n in planned.subject.questions.left_out.items():
        click.echo(f"Left out: {n} {reason}", err=True)
    if n_empty := len(planned.subject.questions.without_text):
        click.echo(
            f"Relevant documents without any text, which count as not found: {n_empty}", err=True
        )


def _told(done: CellDone) -> None:
    """A line per finished setup."""
    record = done.record
    left = "" if done.seconds_left is None else f"; about {duration(done.seconds_left)} left"
    how = "done" if record.error is None else f"FAILED: {record.error}"
    if done.n_done == done.n_wanted:
        left = ""
    click.echo(f"[{done.n_done}/{done.n_wanted}] {record.name}: {how}{left}", err=True)


def _tell(result: GridResult) -> None:
    for note in result.notes:
        click.echo(note, err=True)
    n_kept = len(result.cells) - result.n_worked
    if not result.n_worked:
        click.echo(f"All {n_kept} setups were finished already; nothing ran.", err=True)
    elif n_kept:
        click.echo(f"Continued: {n_kept} setups were finished already.", err=True)
    unread = [entry for entry in result.unread if entry.is_failure]
    if unread:
        click.echo(f"{len(unread)} files or records of the corpus were not read:", err=True)
    for entry in unread:
        click.echo(f"  {entry.name}: {entry.reason}: {entry.detail}", err=True)


def _show(results: Results, form: str, page: Path, wide: bool) -> None:
    from ragbench.report import (
        compare_csv,
        compare_json,
        compare_tables,
        compare_words,
        markdown_table,
        print_fitted,
    )

    writers = {"json": compare_json, "csv": compare_csv, "markdown": markdown_table}
    if form in writers:
        click.echo(writers[form](results), nl=False)
        return
    for sentence in compare_words(results):
        click.echo(sentence)
    for title, columns in compare_tables(results):
        click.echo(f"\n{title}" if title else "")
        print_fitted(columns, wide, "compare.html and results.csv")
    click.echo(f"\nReport: {page}")


def _means(results: Results) -> dict[str, dict[str, float | None]]:
    """Means by setup and measure with its cutoff."""
    from ragbench.compare import at_k

    return {
        row.cell.cell_id: {
            at_k(name, row.cell.k): figure.mean for name, figure in row.figures.items()
        }
        for row in results.rows
    }
