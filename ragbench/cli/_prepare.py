"""Preparing a domain for a command: the index with its progress, and what was not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ragbench.config import EvalConfig, IngestConfig
    from ragbench.domains import Domain
    from ragbench.ingest.pipeline import IngestReport
    from ragbench.llm import Models
    from ragbench.runner import Prepared

__all__ = ["ingest_with_progress", "prepared_with_progress"]


def prepared_with_progress(
    config: EvalConfig,
    domain: Domain | None = None,
    *,
    models: Models | None = None,
    to_play: bool = True,
) -> Prepared:
    """`ragbench.runner.prepare`, telling on stderr what becomes of the index.

    Args:
        config: the evaluation.
        domain: the domain when it is loaded already.
        models: those of the run.
        to_play: whether the tasks will be played, or only stored trajectories be graded.

    Raises:
        RagbenchError: as `prepare`.
    """
    from ragbench.runner import prepare

    prepared = prepare(config, ingest_with_progress, domain, models=models, to_play=to_play)
    unread = prepared.report.failed
    if unread:
        n = len(unread)
        click.echo(
            f"{n} {'file' if n == 1 else 'files'} of the corpus could not be read:", err=True
        )
    for entry in unread:
        click.echo(f"  {entry.name}: {entry.reason}: {entry.detail}", err=True)
    return prepared


def ingest_with_progress(config: IngestConfig) -> IngestReport:
    """`ragbench.ingest.pipeline.ingest` with a bar on stderr, and a line about what there is."""
    from ragbench.cli._progress import shown_progress
    from ragbench.ingest.pipeline import ingest

    with shown_progress() as progress:
        report = ingest(config, progress)
    held = f"{report.n_documents:,} documents, {report.n_chunks:,} chunks"
    if report.unchanged:
        click.echo(f"Index: {held}, up to date", err=True)
    else:
        click.echo(f"Index: {held}, built in {report.seconds:.1f} s", err=True)
    return report
