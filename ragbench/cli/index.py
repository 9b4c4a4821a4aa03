"""``ragbench index``: what a store holds, whether it is sound, and what to take out of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragbench.errors import UsageError

if TYPE_CHECKING:
    from ragbench.ingest.index import Checked, Details, Summary
    from ragbench.ingest.repair import Repaired

__all__ = ["command"]

_FINDINGS_REMAIN = 1

_STORE = click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=Path(".ragbench"),
    show_default=True,
    help="Folder of the store, or http://host:port of a Chroma server.",
)
_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="For people, or for programs.",
)


@click.group(name="index", epilog="Example: ragbench index list --store .ragbench")
def command() -> None:
    """List, show, check, mend and delete the collections of a store."""


@command.command(name="list", epilog="Example: ragbench index list --format json")
@_STORE
@_FORMAT
def list_command(store: Path, form: str) -> None:
    """List the collections of a store, damaged ones included."""
    from ragbench.ingest.index import list_collections

    summaries = list_collections(store)
    if form == "json":
        _print_json([_summary_row(summary) for summary in summaries])
        return
    heads = ("collection", "documents", "chunks", "embedder", "size", "made")
    rows = [heads, *(_summary_cells(summary) for summary in summaries)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if i in (1, 2, 4) else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo(click.style("  ".join(cells).rstrip(), bold=number == 0))
    for summary in summaries:
        if summary.problem:
            click.echo(f"{summary.collection}: {summary.problem}", err=True)


@command.command(name="show", epilog="Example: ragbench index show docs")
@click.argument("name")
@_STORE
@_FORMAT
def show_command(name: str, store: Path, form: str) -> None:
    """Show what a collection was made of and with, and how exact its search is."""
    from ragbench.ingest.index import describe_collection

    details = describe_collection(store, name)
    if form == "json":
        _print_json(_details_row(details))
        return
    for key, value in _details_lines(details):
        click.echo(f"{click.style(key.ljust(18), bold=True)}{value}".rstrip())


@command.command(name="check", epilog="Example: ragbench index check docs --repair")
@click.argument("name", required=False)
@click.option(
    "--repair",
    is_flag=True,
    help="Mend what is found: from the stored documents and the cache, else from the files.",
)
@_STORE
@_FORMAT
def check_command(name: str | None, repair: bool, store: Path, form: str) -> int:
    """Check a collection, or all of them and the embedding cache.

    Compares counts, hashes of documents and chunks, every chunk with its document's text, and every
    vector with its chunk and with the embedding cache. Exit code 1 when something is wrong, 0 when
    nothing is, or when all of it was mended.
    """
    from ragbench.ingest.index import check_cache, check_collection, check_names

    names = check_names(store, name)
    results: list[dict[str, Any]] = []
    cache = check_cache(store)
    if cache is not None:
        results.append(_mend_cache(store, cache) if repair else _checked_row(cache))
        _say(results[-1], form)
    for each in names:
        results.append(
            _repaired(store, each) if repair else _checked_row(check_collection(store, each))
        )
        _say(results[-1], form)
    if form == "json":
        _print_json(results)
    left = any(result["findings"] or result["failed"] for result in results)
    return _FINDINGS_REMAIN if left else 0


@command.command(name="delete", epilog="Example: ragbench index delete docs --yes")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_STORE
def delete_command(name: str, yes: bool, store: Path) -> int:
    """Delete a collection; its embeddings stay in the store's cache.

    Refuses while the collection is ingested, searched or evaluated.
    """
    from ragbench.ingest.index import Layout, absent, collection_folders, store_name

    if name not in collection_folders(store):
        raise absent(store, name)
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                f"Nothing is deleted: there is no terminal to ask whether {name!r} may go. "
                "Say so with --yes."
            )
        if not click.confirm(f"Delete collection {name!r} of {store_name(store)!r}?"):
            click.echo("Nothing is deleted.")
            return 0
    Layout(store, name).delete()
    click.echo(f"Collection {name!r} is deleted; its embeddings are kept in the cache.")
    return 0


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


def _summary_row(summary: Summary) -> dict[str, Any]:
    manifest = summary.manifest
    row: dict[str, Any] = {"collection": summary.collection, "bytes": summary.n_bytes}
    if manifest is None:
        return row | {"problem": summary.problem}
    return row | {
        "documents": manifest.n_documents,
        "chunks": manifest.n_chunks,
        "embedder": manifest.embedder,
        "created": manifest.created,
        "problem": None,
    }


def _summary_cells(summary: Summary) -> tuple[str, ...]:
    manifest, size = summary.manifest, _bytes(summary.n_bytes)
    if manifest is None:
        return summary.collection, "-", "-", "not readable", size, "-"
    return (
        summary.collection,
        f"{manifest.n_documents:,}",
        f"{manifest.n_chunks:,}",
        manifest.embedder or "none",
        size,
        manifest.created[:16].replace("T", " "),
    )


def _details_row(details: Details) -> dict[str, Any]:
    import dataclasses

    row: dict[str, Any] = details.manifest.model_dump(mode="json")
    return row | {
        "bytes": details.sizes,
        "generations": list(details.generations),
        "server": details.server,
        "tokens_per_chunk": dataclasses.asdict(details.tokens) if details.tokens else None,
    }


def _details_lines(details: Details) -> list[tuple[str, str]]:
    manifest = details.manifest
    lines = [
        ("collection", f"{manifest.collection}, generation {manifest.generation}"),
        ("index id", manifest.index_id),
        ("made", f"{manifest.created} by {_versions(manifest.versions)}"),
        *_listed("from", list(manifest.roots)),
        ("loader", manifest.loader),
        ("chunker", manifest.chunker),
        ("embedder", manifest.embedder_identity or "none: for BM25 alone"),
        ("documents", f"{manifest.n_documents:,} from {len(manifest.sources):,} files"),
        ("chunks", f"{manifest.n_chunks:,}, {manifest.n_tokens:,} tokens"),
    ]
    if details.tokens:
        t = details.tokens
        lines.append((
            "tokens per chunk",
            f"{t.least:,} to {t.most:,}; mean {t.mean:,.1f}; quartiles {t.p25:,}, {t.median:,}, "
            f"{t.p75:,}; 95 % at most {t.p95:,}",
        ))  # fmt: skip
    if manifest.n_truncated:
        lines.append(("over the window", f"{manifest.n_truncated:,} chunks"))
    if manifest.embedder is not None:
        lines += _search_lines(details)
    sizes = ", ".join(f"{part} {_bytes(size)}" for part, size in details.sizes.items())
    lines.append(("size on disk", f"{_bytes(sum(details.sizes.values()))}: {sizes}"))
    unread = [f"{entry[0]}: {entry[1]}: {entry[2]}" for entry in manifest.unread]
    return lines + _listed("not read", unread or ["none: every file was read"])


def _search_lines(details: Details) -> list[tuple[str, str]]:
    manifest = details.manifest
    lines = [("vectors", f"{manifest.distance}, {', '.join(_pairs(manifest.hnsw))}")]
    if details.server is not None:
        lines[0] = ("vectors", f"{lines[0][1]}, on {details.server}")
    if manifest.recall is not None:
        measured = manifest.recall
        lines.append((
            "recall",
            f"{measured.recall:.4f} of the true nearest {measured.k}, over "
            f"{measured.queries:,} queries",
        ))  # fmt: skip
    how = "HNSW, which found what brute force finds" if manifest.search == "hnsw" else "brute force"
    return [*lines, ("search", how)]


def _versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items()) or "unknown"


def _pairs(values: dict[str, int]) -> list[str]:
    return [f"{key}={value}" for key, value in values.items()]


def _listed(key: str, values: list[str]) -> list[tuple[str, str]]:
    return [(key if i == 0 else "", value) for i, value in enumerate(values)]


def _bytes(n: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n} B"


def _checked_row(checked: Checked) -> dict[str, Any]:
    import dataclasses

    return {
        "collection": checked.collection,
        "holds": checked.held,
        "findings": [dataclasses.asdict(finding) for finding in checked.findings],
        "mended": [],
        "failed": [],
    }


def _mend_cache(store: Path, checked: Checked) -> dict[str, Any]:
    from ragbench.ingest.index import check_cache, repair_cache

    if not checked.findings:
        return _checked_row(checked)
    done = repair_cache(store)
    after = check_cache(store)
    row = _checked_row(after) if after else _checked_row(checked) | {"findings": []}
    return row | {"mended": [done]}


def _repaired(store: Path, name: str) -> dict[str, Any]:
    from ragbench.cli._progress import shown_progress
    from ragbench.ingest.repair import repair

    with shown_progress() as progress:
        result: Repaired = repair(store, name, progress)
    row = _checked_row(result.after) if result.after else _gone(name)
    return row | {"mended": result.done, "failed": result.failed}


def _gone(name: str) -> dict[str, Any]:
    return {"collection": name, "holds": "nothing", "findings": []}


def _say(result: dict[str, Any], form: str) -> None:
    if form == "json":
        return
    what = f"Collection {result['collection']!r}" if result["collection"] else "Embedding cache"
    n = len(result["findings"])
    verdict = f"{n} {'finding' if n == 1 else 'findings'}" if n else "sound"
    click.echo(f"{what}: {click.style(verdict, bold=bool(n))} ({result['holds']})")
    for done in result["mended"]:
        click.echo(f"  mended: {done}")
    for failed in result["failed"]:
        click.echo(f"  not mended: {failed}")
    for finding in result["findings"]:
        click.echo(f"  {finding['part']}: {finding['detail']}")
        if not result["failed"]:
            click.echo(f"    to mend it: {finding['remedy']}")
