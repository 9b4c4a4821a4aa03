"""A grid of 3 chunkers x 3 embedders x 3 retrievers against its distinct embedding work alone.

The grid is the command as it is typed, in a process of its own and into an empty store: it parses,
cuts, embeds, builds and checks twelve indexes, asks every question of 21 setups (bm25 needs no
embedder), tests and writes the report. The bare work is one process that loads the same three
models and embeds, with each, the distinct texts of the grid (chunks of all chunkers, and the
questions), sorted by length.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHUNKERS = ("recursive(size_tokens=96)", "recursive(size_tokens=192)", "fixed(size_tokens=96)")
EMBEDDERS = ("minilm", "minilm-int8", "use")
RETRIEVERS = ("bm25", "dense", "hybrid")
DOMAIN = "banking_knowledge"
N_ROUNDS = 2
BOUND = 1.15

BARE = """
import json, sys
from ragbench.ingest.embed import EMBEDDERS
passages, queries, specs = json.load(sys.stdin)
for spec in specs:
    embedder = EMBEDDERS.create(spec)
    for texts, kind in ((passages, "passage"), (queries, "query")):
        texts = sorted(texts, key=len, reverse=True)
        for at in range(0, len(texts), 64):
            embedder.embed(texts[at : at + 64], kind)
"""


def cpu_seconds() -> float:
    """CPU seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def grid_seconds(folder: Path) -> tuple[float, float]:
    """Wall and CPU seconds of the command in a fresh folder."""
    script = str(Path(sys.executable).parent / "ragbench")
    command = [script, "compare", "--domain", DOMAIN, "--save-to", "run"]
    for option, specs in (
        ("--chunkers", CHUNKERS),
        ("--embedders", EMBEDDERS),
        ("--retrievers", RETRIEVERS),
    ):
        command += [option, ",".join(specs)]
    before, started = cpu_seconds(), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=dict(os.environ))
    return time.perf_counter() - started, cpu_seconds() - before


def texts_of(folder: Path) -> tuple[list[str], list[str]]:
    """The distinct chunk texts and questions of the grid that ran in the folder."""
    from ragbench.ingest.index import collections_in, open_index

    store = folder / ".ragbench"
    passages: set[str] = set()
    for name in collections_in(store):
        with open_index(store, name) as index:
            passages |= {chunk.text for chunk in index.chunks}
    lines = (folder / "run" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return sorted(passages), sorted({json.loads(line)["text"] for line in lines})


def bare_seconds(passages: list[str], queries: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of embedding the texts with every model, in a process of its own."""
    given = json.dumps([passages, queries, EMBEDDERS])
    before, started = cpu_seconds(), time.perf_counter()
    subprocess.run([sys.executable, "-c", BARE], input=given, text=True, check=True)
    return time.perf_counter() - started, cpu_seconds() - before


def measure() -> list[tuple[str, str, str, str]]:
    """Medians of interleaved runs, and their ratio."""
    grids, bares = [], []
    for _ in range(N_ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            grids.append(grid_seconds(folder))
            passages, queries = texts_of(folder)
        bares.append(bare_seconds(passages, queries))
    (bare_wall, bare_cpu), (wall, cpu) = (
        [statistics.median(one[part] for one in taken) for part in (0, 1)]
        for taken in (bares, grids)
    )
    verdict = "holds" if cpu / bare_cpu <= BOUND else "MISSED"
    what = f"{len(passages):,} chunks and {len(queries)} questions by each of 3 models"
    peer = "AutoRAG#372: a failed add lost 41,667 paid embeddings, there was no cache"
    return [
        (f"bare embedding of {what}", f"{bare_cpu:.1f} CPU-s ({bare_wall:.1f} s)", "", ""),
        (
            "the whole grid: 21 setups, 12 indexes, report",
            f"{cpu:.1f} CPU-s ({wall:.1f} s), {cpu / bare_cpu:.2f} x",
            f"at most {BOUND} x: {verdict}",
            peer,
        ),
    ]
