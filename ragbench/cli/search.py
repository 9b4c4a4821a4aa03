"""``ragbench search``: hits of one query."""

from __future__ import annotations

import json
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragbench.config import DEFAULT_K, SearchConfig

if TYPE_CHECKING:
    from ragbench.records import Document
    from ragbench.retrieval import Found, Hit

__all__ = ["command"]


@click.command(
    name="search",
    context_settings={"show_default": True},
    epilog='Example: ragbench search "What does a wire transfer cost?" -k 3',
)
@click.argument("query")
@click.option("-k", "--k", "k", type=int, default=DEFAULT_K, help="How many hits, at most 50.")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=Path(".ragbench"),
    help="Folder of the store, or http://host:port of a Chroma server.",
)
@click.option(
    "--collection",
    metavar="NAME",
    help="Name of the collection.  [default: the one ingested last]",
)
@click.option(
    "--retriever",
    metavar="SPEC",
    default="dense",
    help="How to search: dense, bm25, hybrid or grep (QUERY is then a regular expression); "
    "+rerank and +rewrite may follow.",
)
@click.option(
    "--where",
    metavar="KEY=VALUE",
    multiple=True,
    help="Metadata that a hit's document must have; several must all hold.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    help="For people, or for programs.",
)
def command(
    query: str,
    k: int,
    store: Path,
    collection: str | None,
    retriever: str,
    where: tuple[str, ...],
    form: str,
) -> None:
    """Search a collection from the terminal.

    Prints score, document, page or heading, and the passage of every hit, best first.
    """
    config = SearchConfig(
        query=query,
        store=store,
        collection=collection,
        k=k,
        retriever=retriever,
        where=tuple(_condition(text) for text in where),
    )
    from ragbench.retrieval import parse_stack, search

    found = search(config)
    if found.chosen:
        click.echo(f"Searching {found.collection!r}, the collection ingested last.", err=True)
    if found.rewritten is not None:
        click.echo(f"Searching for {found.rewritten!r}.", err=True)
    if form == "json":
        click.echo(
            json.dumps([_row(hit, found) for hit in found.hits], indent=1, ensure_ascii=False)
        )
        return
    if not found.hits:
        why = (
            "none matches the pattern"
            if parse_stack(retriever).queries == "pattern"
            else "no word of the query stands in them (words such as 'the' are left out)"
        )
        click.echo(f"Nothing found among {found.n_chunks:,} chunks: {why}.")
    for hit in found.hits:
        _print(hit, found.documents[hit.chunk.doc_id])


def _condition(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.UsageError(f"The filter {text!r} is not of the form KEY=VALUE.")
    return key, value


def _place(hit: Hit, document: Document) -> tuple[int | None, str | None]:
    place = document.place_at(hit.chunk.start)
    return (place.page, place.heading) if place else (None, None)


def _row(hit: Hit, found: Found) -> dict[str, Any]:
    document = found.documents[hit.chunk.doc_id]
    page, heading = _place(hit, document)
    return {
        "rank": hit.rank,
        "score": hit.score,
        "doc_id": hit.chunk.doc_id,
        "title": document.title,
        "page": page,
        "heading": heading,
        "where": document.where(hit.chunk.start, hit.chunk.end),
        "start": hit.chunk.start,
        "end": hit.chunk.end,
        "n_tokens": hit.chunk.n_tokens,
        "text": hit.chunk.text,
    }


def _print(hit: Hit, document: Document) -> None:
    from ragbench.ingest.load import printable

    place = document.where(hit.chunk.start, hit.chunk.end)
    where = [hit.chunk.doc_id, place] if place else [hit.chunk.doc_id]
    title = printable(f"{hit.rank}. {document.title}")
    click.echo(f"{click.style(title, bold=True)}  (score {hit.score:.5f})")
    click.echo(f"   {printable(', '.join(where))}")
    width = max(40, min(100, shutil.get_terminal_size((100, 24)).columns))
    for line in hit.chunk.text.splitlines():
        if line.strip():
            click.echo(
                textwrap.fill(
                    printable(line.strip()),
                    width,
                    initial_indent="   | ",
                    subsequent_indent="   | ",
                )
            )
    click.echo()
