"""Print how far a domain with areas has grown: documents, tools, tasks, against its targets.

Counts are of what was built, so run `build_corpora.py` before. Usage:

    python scripts/bank_status.py [--corpus NAME]
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from build_corpora import SOURCES, extract_text
from corpus_areas import Area, areas_of
from corpus_facts import read_yaml

ROOT = SOURCES.parent.parent
TARGETS = {
    "documents": 300, "characters": 600_000, "PDFs": 60, "long documents": 40, "products": 40,
    "tools": 60, "discoverable": 40, "tasks": 100, "median needs": 4,
}  # fmt: skip
LONG = 1500
"""Word pieces from which a document is long."""


def main() -> None:
    """Print the table of areas, the totals, and how the tasks are distributed."""
    parser = argparse.ArgumentParser(description="Print how far a domain has grown.")
    parser.add_argument("--corpus", default="banking_knowledge")
    name = parser.parse_args().corpus
    areas, built = areas_of(SOURCES / name), SOURCES.parent / name
    listed = {
        area: list(read_yaml(area.folder / "documents.yaml").get("documents") or ())
        for area in areas
    }
    texts = {doc: extract_text(built / doc) for docs in listed.values() for doc in docs}
    tokens = _tokens(texts)
    tasks = {area: _tasks(area, ROOT / "domains" / name) for area in areas}
    print(f"{'area':<12}{'documents':>10}{'characters':>12}{'PDFs':>6}{'long':>6}{'tasks':>7}")
    for area, docs in listed.items():
        row = _counts(docs, texts, tokens)
        print(f"{area.name:<12}{row[0]:>10}{row[1]:>12,}{row[2]:>6}{row[3]:>6}"
              f"{len(tasks[area]):>7}")  # fmt: skip
    every = [task for found in tasks.values() for task in found]
    totals = _totals(_counts(texts, texts, tokens), ROOT / "domains" / name, areas, every)
    for what, target in TARGETS.items():
        print(f"{what:<16}{totals[what]:>10,} of {target:,}")
    _distributions(every)


def _counts(
    docs: Iterable[str], texts: dict[str, str], tokens: dict[str, int]
) -> tuple[int, int, int, int]:
    """Documents, characters, PDFs and long ones."""
    names = list(docs)
    return (
        len(names), sum(len(texts[name]) for name in names),
        sum(name.endswith(".pdf") for name in names), sum(tokens[name] > LONG for name in names),
    )  # fmt: skip


def _totals(
    counts: tuple[int, int, int, int], domain: Path, areas: list[Area], tasks: list[Any]
) -> dict[str, float]:
    code = "\n".join(p.read_text(encoding="utf-8") for p in (domain / "tools").glob("*.py"))
    decorators = re.findall(r"^@tool\((.*?)\)$", code, re.MULTILINE)
    products = {
        group["name"]
        for area in areas
        for group in read_yaml(area.folder / "facts.yaml").values()
        if "name" in group and group.get("kind", "product") == "product"
    }
    needs = [len(task["needs"]) for task in tasks]
    return {
        "documents": counts[0], "characters": counts[1], "PDFs": counts[2],
        "long documents": counts[3], "products": len(products), "tools": len(decorators),
        "discoverable": sum("discoverable=True" in text for text in decorators),
        "tasks": len(tasks), "median needs": statistics.median(needs),
    }  # fmt: skip


def _distributions(tasks: list[Any]) -> None:
    annotations = [task.get("annotations") or {} for task in tasks]
    for what, values in {
        "category": [task.get("category") for task in tasks],
        "difficulty": [note.get("difficulty") for note in annotations],
        "split": [split for task in tasks for split in task.get("splits", ["base"])],
        "needs": [len(task["needs"]) for task in tasks],
        "evidence documents": [len(_documents(task)) for task in tasks],
    }.items():
        counted = sorted(Counter(values).items(), key=lambda item: str(item[0]))
        print(f"{what}: " + ", ".join(f"{value} {count}" for value, count in counted))


def _documents(task: dict[str, Any]) -> set[str]:
    return {i["any_of"][0]["doc_id"] for need in task["needs"] for i in need["evidence"]}


def _tasks(area: Area, domain: Path) -> list[Any]:
    names = [path.stem for path in (area.folder / "tasks").glob("*.yaml")]
    files = (domain / "tasks" / f"{name}.json" for name in names)
    return [json.loads(path.read_text(encoding="utf-8")) for path in files]


def _tokens(texts: dict[str, str]) -> dict[str, int]:
    """Word pieces of each text, by the tokenizer that chunk sizes are counted with."""
    from ragbench.ingest.chunk import count_tokens

    return {name: count_tokens(text) for name, text in texts.items()}


if __name__ == "__main__":
    main()
