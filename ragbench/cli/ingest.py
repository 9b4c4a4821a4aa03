"""``ragbench ingest``: documents into a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragbench.config import DEFAULT_CHUNKER, DEFAULT_EMBEDDER, DEFAULT_LOADER, IngestConfig

if TYPE_CHECKING:
    from ragbench.ingest.pipeline import IngestReport

__all__ = ["command"]

_FILES_FAILED = 3
_MAX_SKIPPED = 20


@click.command(
    name="ingest",
    context_settings={"show_default": True},
    epilog="Example: ragbench ingest ./docs --store .ragbench",
)
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH..."
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=Path(".ragbench"),
    help="Folder of the store, made when absent, or http://host:port of a Chroma server.",
)
@click.option(
    "--collection",
    metavar="NAME",
    help="Name of the collection.  [default: the names of the paths]",
)
@click.option(
    "--loader",
    metavar="SPEC",
    default=DEFAULT_LOADER,
    help="How files are read, such as files(text_fields=body) for records.",
)
@click.option("--chunker", metavar="SPEC", default=DEFAULT_CHUNKER, help="How documents are cut.")
@click.option(
    "--embedder",
    metavar="SPEC",
    default=DEFAULT_EMBEDDER,
    help="The embedding model; none for BM25 alone.",
)
@click.option(
    "--password-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Passwords for encrypted PDFs, one a line; each is tried.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Leave out what matches, as in .gitignore and .ragbenchignore; may be repeated.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, help="Processes that parse files.")
@click.option(
    "--replace",
    is_flag=True,
    help="Make the collection anew, also from other paths or with other components.",
)
def command(
    paths: tuple[Path, ...],
    store: Path,
    collection: str | None,
    loader: str,
    chunker: str,
    embedder: str,
    password_file: Path | None,
    exclude: tuple[str, ...],
    jobs: int,
    replace: bool,
) -> int:
    """Chunk and embed documents into a store.

    Takes .md .txt .html .pdf .docx .pptx .xlsx .eml .epub .rst .json .jsonl .csv .tsv files and
    folders of them. Only what changed since the last ingest is read and embedded; an interrupted
    ingest is continued by the same command.

    Files that are no documents (images, code, archives, empty ones) are listed as skipped.

    Exit code 3 when some files or records could not be read (they are listed), 1 when none could.
    """
    config = IngestConfig(
        paths=paths,
        store=store,
        collection=collection,
        chunker=chunker,
        embedder=None if embedder == "none" else embedder,
        jobs=jobs,
        replace=replace,
        anew=replace,
        loader=loader,
        password_file=password_file,
        exclude=exclude,
    )
    from ragbench.cli._progress import shown_progress
    from ragbench.ingest.load import printable
    from ragbench.ingest.pipeline import ingest

    with shown_progress() as progress:
        report = ingest(config, progress, remember=True)
    for line in _summary(report, config):
        click.echo(line)
    for entry in report.failed:
        click.echo(f"  {printable(entry.name)}: {entry.reason}: {printable(entry.detail)}")
    return _FILES_FAILED if report.failed else 0


def _summary(report: IngestReport, config: IngestConfig) -> list[str]:
    from ragbench.ingest.index import store_name
    from ragbench.ingest.load import printable

    store, lines = store_name(config.store), []
    if report.unchanged:
        lines.append(
            f"Nothing has changed: collection {report.collection!r} in {store!r} "
            f"({report.seconds:.1f} s)"
        )
    else:
        lines.append(
            f"Collection {report.collection!r} in {store!r} is ready ({report.seconds:.1f} s)"
        )
    lines.append(
        f"  {report.n_documents:,} documents, {report.n_chunks:,} chunks, "
        f"{report.n_tokens:,} tokens"
    )
    lines += _changes(report)
    if config.embedder is None:
        lines.append("  no vectors (no embedder): search it with --retriever bm25")
    elif not report.unchanged:
        lines.append(f"  {report.n_embedded:,} chunks embedded, {report.n_cached:,} known already")
    if report.n_truncated:
        chunks = "chunk is" if report.n_truncated == 1 else "chunks are"
        lines.append(
            f"  {report.n_truncated:,} {chunks} longer than the model's window; what is beyond it "
            "does not count in a dense search. Use smaller chunks."
        )
        if report.worst_truncated is not None:
            chunk_id, n_tokens = report.worst_truncated
            lines.append(f"    the longest: {printable(chunk_id)}, {n_tokens:,} tokens")
    if report.left_out:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in report.left_out)
        lines.append(f"  left out of the texts: {kinds}")
    lines += [f"  {printable(name)}: read by {how}" for name, how in report.readers]
    if report.detected:
        lines.append(
            "  not UTF-8, so their encoding was detected "
            "(or give it: --loader 'files(encoding=cp1252)'):"
        )
        lines += [f"    {printable(name)}: {encoding}" for name, encoding in report.detected]
    lines += _skipped(report)
    if report.failed:
        lines.append(f"{_what_is_unread(report)} could not be read:")
    return lines


def _what_is_unread(report: IngestReport) -> str:
    """How many files gave nothing, and how many gave some of their records."""
    names = [entry.name for entry in report.failed]
    n_files = sum("::" not in name for name in names)
    n_partial = len({name.split("::")[0] for name in names if "::" in name})
    files = f"{n_files:,} {'file' if n_files == 1 else 'files'}"
    partial = f"ecords of {n_partial:,} {'file' if n_partial == 1 else 'files'}"
    if n_partial and n_files:
        return f"{files}, and r{partial},"
    return f"R{partial}" if n_partial else files


def _changes(report: IngestReport) -> list[str]:
    """How the files differ from those of the generation before, when there is one."""
    changes = report.changes
    if not (changes.n_changed or changes.n_unchanged or changes.n_removed):
        return []
    counts = {
        "added": changes.n_added,
        "changed": changes.n_changed,
        "removed": changes.n_removed,
        "unchanged": changes.n_unchanged,
    }
    return ["  files: " + ", ".join(f"{n:,} {what}" for what, n in counts.items() if n)]


def _skipped(report: IngestReport) -> list[str]:
    """The files that are no documents, or were left out on purpose."""
    from ragbench.ingest.load import printable

    skipped = [entry for entry in report.unread if not entry.is_failure]
    if not skipped:
        return []
    shown = [f"    {printable(e.name)}: {printable(e.detail)}" for e in skipped[:_MAX_SKIPPED]]
    more = ["    ... (ragbench index show lists all)"] if len(skipped) > _MAX_SKIPPED else []
    return [f"  skipped, {len(skipped):,} in all:", *shown, *more]
