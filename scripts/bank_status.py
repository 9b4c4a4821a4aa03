"""Count what a domain with areas holds: documents, tools, tasks, and how the tasks are distributed.

Counts are of what was built, so run `build_corpora.py` before. Usage:

    python scripts/bank_status.py [--corpus NAME]           print the tables
    python scripts/bank_status.py --write                   put them into the data sheet
    python scripts/bank_status.py --check                   fail when the data sheet has others

The data sheet is the domain's README.md, between two marks; `domain.toml` must state the same
number of documents, tools and tasks.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_corpora import SOURCES, extract_text
from corpus_areas import Area, areas_of
from corpus_facts import read_yaml

BEGIN, END = "<!-- counted by scripts/bank_status.py -->\n", "<!-- end of what is counted -->"
LONG = 1500
"""Word pieces from which a document is long."""
PEER = {
    "documents": "698", "characters": "817,032", "documents longer than 1,500 word pieces": "2",
    "formats": "json 698", "tasks": "97", "documents per task, median": "10 (of 49 tasks)",
    "evidence": "whole documents", "questions per task, median": "none",
    "wrong versions, other regions and sister products named": "no",
}  # fmt: skip
"""The same of tau3's banking domain, counted in the copy that its authors publish (MIT)."""


@dataclass(frozen=True)
class Domain:
    """What was built: texts and word pieces by document, and tasks, both by area."""

    folder: Path
    areas: list[Area]
    manifest: dict[str, Any]
    texts: dict[str, dict[str, str]]
    pieces: dict[str, int]
    tasks: dict[str, list[Any]]

    @property
    def every_task(self) -> list[Any]:
        """The tasks of all areas."""
        return [task for tasks in self.tasks.values() for task in tasks]


def main(arguments: list[str] | None = None) -> int:
    """Print, write or check the tables; 1 when the check fails."""
    parser = argparse.ArgumentParser(description="Count what a domain with areas holds.")
    parser.add_argument("--corpus", default="banking_knowledge")
    parser.add_argument("--write", action="store_true", help="put the tables into the data sheet")
    parser.add_argument("--check", action="store_true", help="fail when they differ from it")
    options = parser.parse_args(arguments)
    domain = read_domain(
        SOURCES / options.corpus, SOURCES.parent, SOURCES.parent.parent / "domains"
    )
    text = "\n".join(tables(domain)) + "\n"
    sheet = domain.folder / "README.md"
    if options.write:
        sheet.write_text(with_tables(sheet.read_text(encoding="utf-8"), text), encoding="utf-8")
    elif options.check:
        problems = list(differences(domain, text))
        sys.stderr.writelines(f"{problem}\n" for problem in problems)
        return 1 if problems else 0
    else:
        print(text, end="")
    return 0


def read_domain(source: Path, corpora: Path, domains: Path) -> Domain:
    """Read what `build_corpora` made of a source with areas."""
    from ragbench.ingest.chunk import count_tokens

    areas, folder = areas_of(source), domains / source.name
    built = corpora / source.name
    texts = {
        area.name: {
            doc: extract_text(built / doc)
            for doc in read_yaml(area.folder / "documents.yaml").get("documents") or ()
        }
        for area in areas
    }
    tasks = {
        area.name: [
            json.loads((folder / "tasks" / f"{path.stem}.json").read_text(encoding="utf-8"))
            for path in sorted((area.folder / "tasks").glob("*.yaml"))
        ]
        for area in areas
    }
    manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    pieces = {doc: count_tokens(text) for docs in texts.values() for doc, text in docs.items()}
    return Domain(folder, areas, manifest, texts, pieces, tasks)


def tables(domain: Domain) -> Iterator[str]:
    """The lines of all tables, as Markdown."""
    yield from _table("area documents characters PDF long tasks".split(), _areas(domain))
    yield ""
    yield from _table(["what", "count"], _sizes(domain))
    yield ""
    tasks = domain.every_task
    splits = sorted({split for task in tasks for split in task["splits"]} - {"base"})
    yield from _table(["category", *splits, "all"], _by_split(tasks, splits, _category))
    yield ""
    yield from _table(["difficulty", *splits, "all"], _by_split(tasks, splits, _difficulty))
    yield ""
    yield from _table(["per task", "0", "1", "2", "3", "4", "5", "6 and more"], _per_task(tasks))
    yield ""
    yield from _table(["compared", "this domain", "tau3 banking_knowledge"], _compared(domain))


def with_tables(sheet: str, text: str) -> str:
    """The data sheet with the tables between its marks.

    Raises:
        SystemExit: a mark is missing.
    """
    before, begin, rest = sheet.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the data sheet needs the marks {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def differences(domain: Domain, text: str) -> Iterator[str]:
    """What data sheet and domain.toml say otherwise."""
    sheet = (domain.folder / "README.md").read_text(encoding="utf-8")
    if with_tables(sheet, text) != sheet:
        yield f"{domain.folder.name}/README.md is stale; run: python scripts/bank_status.py --write"
    tools = _tools(domain.folder)
    found = sum("discoverable=True" in decorator for decorator in tools)
    wanted = (
        f"{len(domain.pieces)} documents, {len(tools)} tools, {found} of them to be discovered, "
        f"{len(domain.every_task)} tasks"
    )
    if wanted not in (domain.folder / "domain.toml").read_text(encoding="utf-8"):
        yield f"{domain.folder.name}/domain.toml: the description should say {wanted!r}"


def _areas(domain: Domain) -> Iterator[list[object]]:
    for area, texts in domain.texts.items():
        yield [area, *_counts(texts, domain.pieces), len(domain.tasks[area])]
    every = {doc: text for texts in domain.texts.values() for doc, text in texts.items()}
    yield ["all", *_counts(every, domain.pieces), len(domain.every_task)]


def _counts(texts: dict[str, str], pieces: dict[str, int]) -> list[object]:
    """Documents, characters, PDFs and long ones."""
    pdfs = sum(doc.endswith(".pdf") for doc in texts)
    long = sum(pieces[doc] > LONG for doc in texts)
    return [len(texts), sum(map(len, texts.values())), pdfs, long]


def _sizes(domain: Domain) -> Iterator[list[object]]:
    formats = Counter(doc.rpartition(".")[2] for doc in domain.pieces)
    roles, tools = domain.manifest["roles"].values(), _tools(domain.folder)
    metadata = [entry["metadata"] for entry in domain.manifest["files"].values()]
    needs = [need for task in domain.every_task for need in task["needs"]]
    items = [item for need in needs for item in need["evidence"]]
    rows = json.loads((domain.folder / "db.json").read_text(encoding="utf-8"))
    yield ["formats", ", ".join(f"{name} {count}" for name, count in sorted(formats.items()))]
    yield ["documents that are evidence", sum(role == "evidence" for role in roles)]
    yield ["documents that are distractors only", sum(role != "evidence" for role in roles)]
    yield ["documents of one region", sum("region" in entry for entry in metadata)]
    yield ["documents no longer in force", sum("effective_until" in entry for entry in metadata)]
    yield ["products", len(_products(domain.areas))]
    yield ["tools", len(tools)]
    yield ["tools to be discovered", sum("discoverable=True" in text for text in tools)]
    yield ["of these on the customer's side", sum("user=True" in text for text in tools)]
    yield ["tables, rows of the database", f"{len(rows)}, {sum(map(len, rows.values())):,}"]
    yield ["needs", len(needs)]
    yield ["passages of evidence", len(items)]
    yield ["of these with alternatives", sum(len(item["any_of"]) > 1 for item in items)]
    yield ["median needs per task", statistics.median(len(t["needs"]) for t in domain.every_task)]


def _products(areas: list[Area]) -> set[str]:
    return {
        str(group["name"])
        for area in areas
        for group in read_yaml(area.folder / "facts.yaml").values()
        if "name" in group and group.get("kind", "product") == "product"
    }


def _tools(folder: Path) -> list[str]:
    """What stands in the brackets of each tool's decorator."""
    code = "\n".join(p.read_text(encoding="utf-8") for p in sorted((folder / "tools").glob("*.py")))
    return re.findall(r"^@tool\((.*?)\)$", code, re.MULTILINE | re.DOTALL)


def _category(task: dict[str, Any]) -> str:
    return str(task["category"])


def _difficulty(task: dict[str, Any]) -> str:
    return str((task.get("annotations") or {}).get("difficulty", "none"))


def _by_split(tasks: list[Any], splits: list[str], key: Any) -> Iterator[list[object]]:  # noqa: ANN401
    for value in sorted({key(task) for task in tasks}):
        mine = [task for task in tasks if key(task) == value]
        yield [value, *(sum(s in task["splits"] for task in mine) for s in splits), len(mine)]
    yield ["all", *(sum(s in task["splits"] for task in tasks) for s in splits), len(tasks)]


def _per_task(tasks: list[Any]) -> Iterator[list[object]]:
    documents = [
        {item["any_of"][0]["doc_id"] for need in task["needs"] for item in need["evidence"]}
        for task in tasks
    ]
    for what, counts in {
        "needs": [len(task["needs"]) for task in tasks],
        "documents of evidence": [len(found) for found in documents],
    }.items():
        counted = Counter(min(count, 6) for count in counts)
        yield [what, *(counted[number] for number in range(7))]


def _compared(domain: Domain) -> Iterator[list[object]]:
    every = {doc: text for texts in domain.texts.values() for doc, text in texts.items()}
    n_documents, n_characters, _, n_long = _counts(every, domain.pieces)
    needed = [
        {p["doc_id"] for need in t["needs"] for i in need["evidence"] for p in i["any_of"][:1]}
        for t in domain.every_task
    ]
    ours = [
        n_documents, n_characters, n_long, dict(_sizes(domain))["formats"], len(domain.every_task),
        statistics.median(map(len, needed)), "character spans, with alternatives",
        statistics.median(len(task["needs"]) for task in domain.every_task), "yes, by need",
    ]  # fmt: skip
    for (what, theirs), mine in zip(PEER.items(), ours, strict=True):
        yield [what, mine, theirs]


def _table(head: list[str], rows: Iterable[list[object]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        cells = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
