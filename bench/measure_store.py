"""A store of 20,000 documents: first ingest, a changed file, none changed, cold searches, disk.

Every figure is that of a whole command, from its start, with a static model of 256 components; the
seconds are those that passed, and the processor's beside them, which a busy machine does not
change. The documents are sentences of the shipped corpus, shuffled, with words and numbers of their
own. Whether the first ingest is linear is told by the processor's seconds of a quarter, a half and
all of the documents, less those that one document takes.

    python bench/run.py --only store --print
    python bench/measure_store.py 2000      # a try with fewer documents
"""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

Row = tuple[str, str, str, str]

SHIPPED = Path(__file__).resolve().parent.parent / "corpora" / "banking_knowledge"
N_DOCUMENTS, N_ROUNDS, N_CHANGES = 20_000, 5, 10
CHANGED_S, UNCHANGED_S, SEARCH_S, DISK, LINEAR = 5.0, 2.0, 2.0, 2.0, 1.2
QUERY = "what does an international wire transfer cost"


def write(folder: Path, n: int) -> None:
    """Write n notes in folders of 500, one in four of them long."""
    rng = random.Random(0)
    text = "\n".join(path.read_text("utf-8") for path in sorted(SHIPPED.rglob("*.md")))
    sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n+", text) if 30 < len(s) < 250]
    words = re.findall(r"[a-z]{4,}", text)
    for i in range(n):
        parts = []
        for _ in range(rng.randint(6, 12) if rng.random() < 0.75 else rng.randint(14, 39)):
            sentence = rng.choice(sentences).split()
            sentence[rng.randrange(len(sentence))] = rng.choice(words)
            parts.append(f"{' '.join(sentence)} ${rng.randrange(5000)}.{rng.randrange(100):02d}")
        path = folder / f"{i // 500:02d}" / f"note-{i:05d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {i} on {rng.choice(words)}\n\n" + "\n\n".join(parts) + "\n")


Cost = tuple[float, float]
"""Seconds that passed, and the processor's."""


def seconds(folder: Path, *arguments: str) -> Cost:
    """What one command takes."""
    command = [str(Path(sys.executable).parent / "ragbench"), *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - started, cpu


def median(costs: list[Cost]) -> Cost:
    """The median of each."""
    return statistics.median(c[0] for c in costs), statistics.median(c[1] for c in costs)


def size(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def verdict(value: float, bound: float, unit: str) -> str:
    """The bound, and whether it holds."""
    return f"at most {bound:g} {unit}: {'holds' if value <= bound else 'MISSED'}"


def ingest(work: Path, docs: str = "docs", store: str = "store") -> Cost:
    """Make or renew a collection."""
    return seconds(work, "ingest", docs, "--store", store, "--embedder", "wordllama")


def linear(work: Path, n: int) -> list[Row]:
    """The first ingest of one document, of a quarter, a half and all of them."""
    folders = sorted((work / "docs").iterdir())
    (work / "one").mkdir()
    shutil.copy(folders[0] / "note-00000.md", work / "one")
    costs = {1: ingest(work, "one", "less-1")}
    for share in (4, 2):
        part = work / f"part-{share}"
        for folder in folders[: len(folders) // share]:
            shutil.copytree(folder, part / folder.name)
        n_part = sum(1 for _ in part.rglob("*.md"))
        costs[n_part] = ingest(work, part.name, f"less-{share}")
    costs[n] = ingest(work)
    start = costs.pop(1)[1]
    each = {size: (cpu - start) / size for size, (_, cpu) in costs.items()}
    growth = each[n] / min(each.values())
    shown = ", ".join(f"{size:,}: {1000 * cost:.2f}" for size, cost in each.items())
    passed, cpu = costs[n]
    return [
        (f"first ingest of {n:,} documents", f"{passed:.0f} s; {cpu:.0f} CPU-s", "", ""),
        ("CPU-ms a document beyond the start, by number of documents",
         f"{shown}; {growth:.2f} x the least", verdict(growth, LINEAR, "x"), ""),
    ]  # fmt: skip


def measure(n: int = N_DOCUMENTS) -> list[Row]:
    """All of it; at least 2,000 documents, in folders of 500."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        write(work / "docs", n)
        return [*linear(work, n), *renewals(work)]


def renewals(work: Path) -> list[Row]:
    """Searches, changes and disk of the store that is there."""
    collection = work / "store" / "collections" / "docs"
    one = size(collection)
    costs: dict[str, tuple[Cost, float]] = {}
    for retriever in ("bm25", "hybrid"):
        found = [
            seconds(work, "search", QUERY, "--store", "store", "--retriever", retriever)
            for _ in range(N_ROUNDS)
        ]
        costs[f"cold `{retriever}` search"] = median(found), SEARCH_S
    changed, unchanged = [], []
    for i in range(N_CHANGES):
        with (work / "docs" / "00" / f"note-{i:05d}.md").open("a") as file:
            file.write(f"\nA new sentence on wires costs ${i}.50.\n")
        changed.append(ingest(work))
        unchanged.append(ingest(work))
    disk = size(collection) / one
    costs[f"one changed file, median of {N_CHANGES}"] = median(changed), CHANGED_S
    costs["nothing changed"] = median(unchanged), UNCHANGED_S
    rows = [
        (what, f"{passed:.1f} s; {cpu:.1f} CPU-s", verdict(passed, bound, "s"), "")
        for what, ((passed, cpu), bound) in costs.items()
    ]
    left = f"disk after {N_CHANGES} changes, beside one generation of {one / 1e6:.0f} MB"
    return [*rows, (left, f"{disk:.2f} x", verdict(disk, DISK, "x"), "")]


if __name__ == "__main__":
    for row in measure(*map(int, sys.argv[1:])):
        print(" | ".join(row))
