"""A store of 20,000 documents: first ingest, a changed file, none changed, cold searches, disk.

Every time is that of a whole command, from its start, with a static model of 256 components. The
documents are sentences of the shipped corpus, shuffled, with words and numbers of their own.

    python bench/run.py --only store --print
    python bench/measure_store.py 2000      # a try with fewer documents
"""

from __future__ import annotations

import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

Row = tuple[str, str, str, str]

SHIPPED = Path(__file__).resolve().parent.parent / "corpora" / "banking_knowledge"
N_DOCUMENTS, N_ROUNDS = 20_000, 5
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


def seconds(folder: Path, *arguments: str) -> float:
    """Wall seconds of one command."""
    command = [str(Path(sys.executable).parent / "ragbench"), *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def size(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def verdict(value: float, bound: float, unit: str) -> str:
    """The bound, and whether it holds."""
    return f"at most {bound:g} {unit}: {'holds' if value <= bound else 'MISSED'}"


def measure(n: int = N_DOCUMENTS) -> list[Row]:
    """All of it, and a quarter of the documents for whether the first ingest is linear."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        write(work / "docs", n)
        write(work / "quarter", n // 4)
        ingest = ("ingest", "docs", "--store", "store", "--embedder", "wordllama")
        quarter = seconds(work, "ingest", "quarter", "--store", "less", "--embedder", "wordllama")
        first = seconds(work, *ingest)
        collection = work / "store" / "collections" / "docs"
        one = size(collection)
        searches = {
            retriever: statistics.median(
                seconds(work, "search", QUERY, "--store", "store", "--retriever", retriever)
                for _ in range(N_ROUNDS)
            )
            for retriever in ("bm25", "hybrid")
        }
        changed, unchanged = [], []
        for i in range(N_ROUNDS):
            with (work / "docs" / "00" / f"note-{i:05d}.md").open("a") as file:
                file.write(f"\nA new sentence on wires costs ${i}.50.\n")
            changed.append(seconds(work, *ingest))
            unchanged.append(seconds(work, *ingest))
        disk = size(collection) / one
    change, nothing = statistics.median(changed), statistics.median(unchanged)
    linear = first / quarter / 4
    rows = [
        (f"first ingest, {n:,} documents", f"{first:.0f} s, {linear:.2f} x four times a quarter",
         verdict(linear, LINEAR, "x"), ""),
        (f"one changed file, medians of {N_ROUNDS}", f"{change:.1f} s",
         verdict(change, CHANGED_S, "s"), ""),
        ("nothing changed", f"{nothing:.1f} s", verdict(nothing, UNCHANGED_S, "s"), ""),
    ]  # fmt: skip
    rows += [
        (f"cold `{retriever}` search", f"{taken:.2f} s", verdict(taken, SEARCH_S, "s"), "")
        for retriever, taken in searches.items()
    ]
    return [
        *rows,
        (
            f"disk after {N_ROUNDS} changes, beside one generation of {one / 1e6:.0f} MB",
            f"{disk:.2f} x",
            verdict(disk, DISK, "x"),
            "",
        ),
    ]


if __name__ == "__main__":
    for row in measure(*map(int, sys.argv[1:])):
        print(" | ".join(row))
