"""The default model three ways, side by side: ONNX float32, torch float32, torch bfloat16.

Speed is texts per second over the same chunk texts of the shipped bank, after import and model
load, in turn. Agreement is held against torch float32: the smallest cosine between vectors of one
text, and how far both rank the chunks alike for the written questions of the bank's tasks.

And ``ragbench search`` as it is typed: a new process, an existing index, a query that no cache
knows.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent / "corpora" / "banking_knowledge"
N_TEXTS = 300
N_RUNS = 3
N_SEARCHES = 7
SEARCH_BOUND_S = 2.0
COSINE_BOUND = 0.9999
DEPTH = 10
WAYS = {
    "torch float32": "st(model=minilm, window=512)",
    "ONNX float32 (`minilm`)": "minilm",
    "torch bfloat16": "st(model=minilm, window=512, dtype=bf16)",
}
REFERENCE = "torch float32"


def processor_flags() -> str:
    """Which instructions for bfloat16 the processor has."""
    info = Path("/proc/cpuinfo")
    words = set(info.read_text().split()) if info.is_file() else set()
    found = [flag for flag in ("avx512_bf16", "amx_bf16") if flag in words]
    return ", ".join(found) or "none"


def chunk_texts(store: Path) -> list[str]:
    """Distinct chunk texts of the shipped bank, evenly taken."""
    from ragbench.config import IngestConfig
    from ragbench.ingest.index import open_index
    from ragbench.ingest.pipeline import ingest

    chunker = "recursive(size_tokens=128)"
    ingest(IngestConfig((SHIPPED,), store, "texts", chunker=chunker, embedder=None))
    with open_index(store, "texts") as index:
        texts = sorted({chunk.text for chunk in index.chunks})
    step = max(1, len(texts) // N_TEXTS)
    return texts[::step][:N_TEXTS]


def questions() -> list[str]:
    """The written questions of the bank's tasks."""
    from ragbench.domains import load_domain

    tasks = load_domain("banking_knowledge").tasks
    return sorted({need.question for task in tasks for need in task.needs if need.question})


def agreement(ours: Any, reference: Any) -> tuple[float, float]:  # noqa: ANN401
    """Mean share of the first ten hits in common, and mean Kendall's tau, over questions."""
    import numpy as np
    from scipy.stats import kendalltau

    shares, taus = [], []
    for row, other in zip(ours, reference, strict=True):
        mine, theirs = (np.argsort(-scores, kind="stable")[:DEPTH] for scores in (row, other))
        shares.append(len(set(mine.tolist()) & set(theirs.tolist())) / DEPTH)
        taus.append(kendalltau(row, other).statistic)
    return statistics.mean(shares), statistics.mean(taus)


def compare_ways(texts: list[str]) -> list[tuple[str, str, str, str]]:
    """One row a way."""
    from ragbench.ingest.embed import EMBEDDERS

    embedders = {name: EMBEDDERS.create(spec) for name, spec in WAYS.items()}
    asked = questions()
    vectors, queries = {}, {}
    for name, embedder in embedders.items():
        vectors[name] = embedder.embed(texts, "passage")  # loads the model
        queries[name] = embedder.embed(asked, "query")
    taken: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(N_RUNS):
        for name, embedder in embedders.items():
            started = time.perf_counter()
            embedder.embed(texts, "passage")
            taken[name].append(time.perf_counter() - started)
    base = statistics.median(taken[REFERENCE])
    scores = {name: queries[name] @ vectors[name].T for name in WAYS}
    rows = []
    for name in WAYS:
        seconds = statistics.median(taken[name])
        cosine = float((vectors[name] * vectors[REFERENCE]).sum(axis=1).min())
        share, tau = agreement(scores[name], scores[REFERENCE])
        figure = f"{len(texts) / seconds:.0f} texts/s, {base / seconds:.2f} x"
        bound = "the reference"
        if name != REFERENCE:
            figure += (
                f"; cosine at least {cosine:.6f}; of the first {DEPTH} hits {share:.1%} the same; "
                f"Kendall's tau {tau:.4f}"
            )
            bound = "for information"
        if "ONNX" in name:
            verdict = "holds" if cosine >= COSINE_BOUND else "MISSED"
            bound = f"cosine at least {COSINE_BOUND}: {verdict}"
        rows.append((f"{name}, {len(texts)} texts, {len(asked)} questions", figure, bound, ""))
    return rows


def search_seconds(store: Path) -> list[float]:
    """Wall seconds of searches from the command line, each with a query of its own."""
    script = str(Path(sys.executable).parent / "ragbench")
    taken = []
    for number in range(N_SEARCHES + 1):
        query = f"What does wire transfer number {number} cost?"
        command = [script, "search", query, "--store", str(store), "--collection", "bank"]
        started = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        taken.append(time.perf_counter() - started)
        assert done.stdout.startswith("1. "), done.stdout
    return taken[1:]  # the first reads the files from the disk


def measure() -> list[tuple[str, str, str, str]]:
    """Medians, and the bounds."""
    from ragbench.config import IngestConfig
    from ragbench.ingest.pipeline import ingest

    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        ingest(IngestConfig((SHIPPED,), store, "bank"))
        taken = search_seconds(store)
        rows = compare_ways(chunk_texts(store))
    median = statistics.median(taken)
    verdict = "holds" if median <= SEARCH_BOUND_S else "MISSED"
    return [
        ("instructions for bfloat16 of this processor", processor_flags(), "", ""),
        *rows,
        (
            f"`ragbench search` typed to answered, new query, median of {len(taken)}",
            f"{median:.2f} s ({min(taken):.2f} to {max(taken):.2f})",
            f"at most {SEARCH_BOUND_S:.0f} s: {verdict}",
            "",
        ),
    ]
