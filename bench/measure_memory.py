"""Peak resident memory of an ingest of N documents and of ten times as many.

Each ingest is a process of its own; its peak is VmHWM. The embedder is a stand-in without a model,
random unit vectors of 384 dimensions, so that there is no model to take off and the figure is that
of everything else: reading, chunking, the cache, ChromaDB's index and its measurement. What is
compared is the peak less 2.5 KB for each chunk, which is what a vector and its links take.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

N_DOCUMENTS = 300
N_RUNS = 2
BOUND = 1.25
BYTES_PER_CHUNK = 2500
WORDS = "the fee of this account is charged when a transfer leaves the bank after noon on a day"

INGEST = '''
import hashlib, json, sys
from dataclasses import dataclass
from pathlib import Path
import numpy as np
from ragbench.config import IngestConfig
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.pipeline import ingest

@EMBEDDERS.register("random-unit")
@dataclass(frozen=True)
class RandomUnit:
    """Random unit vectors by the hash of the text."""

    window = None
    has_prompts = False
    identity = "random-unit"

    def embed(self, texts, kind):
        vectors = np.empty((len(texts), 384), dtype=np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
            vectors[row] = np.random.default_rng(seed).standard_normal(384)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def token_counts(self, texts):
        return [0] * len(texts)

    def count_truncated(self, texts):
        return 0

report = ingest(IngestConfig((Path(sys.argv[1]),), Path(sys.argv[2]), embedder="random-unit"))
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
print(json.dumps([int(peak.split()[1]) * 1024, report.n_documents, report.n_chunks]))
'''


def write_documents(folder: Path, count: int) -> None:
    """Files of about 480 words, four chunks of 256 tokens each, no two alike."""
    random = Random(0)
    words = [w + end for w in WORDS.split() for end in ("", "s", "ing", "ed", "er", "less", "ly")]
    for number in range(count):
        lines = [" ".join(random.choices(words, k=12)) + "." for _ in range(40)]
        text = "\n".join([f"# Note {number}", "", *lines]) + "\n"
        (folder / f"{number:06d}.md").write_text(text, encoding="utf-8")


def peak_of(documents: Path, store: Path) -> tuple[int, int, int]:
    """Peak bytes, documents and chunks of one ingest."""
    command = [sys.executable, "-c", INGEST, str(documents), str(store)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    peak, n_documents, n_chunks = json.loads(done.stdout.splitlines()[-1])
    return peak, n_documents, n_chunks


def measure() -> list[tuple[str, str, str, str]]:
    """Medians, and their ratio to the bound."""
    rows: list[tuple[str, str, str, str]] = []
    less: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (N_DOCUMENTS, 10 * N_DOCUMENTS):
            documents = Path(folder) / f"documents-{count}"
            documents.mkdir()
            write_documents(documents, count)
            runs = [peak_of(documents, Path(folder) / f"{count}-{i}") for i in range(N_RUNS)]
            peak = statistics.median(run[0] for run in runs)
            _, n_documents, n_chunks = runs[0]
            less.append(peak - BYTES_PER_CHUNK * n_chunks)
            rows.append((
                f"peak of {n_documents:,} documents, {n_chunks:,} chunks, median of {N_RUNS}",
                f"{peak / 1e6:.0f} MB, {less[-1] / 1e6:.0f} MB less 2.5 KB per chunk",
                "",
                "",
            ))  # fmt: skip
    ratio = less[1] / less[0]
    verdict = "holds" if ratio <= BOUND else "MISSED"
    what = "10 x the documents"
    rows.append(
        (what, f"{ratio:.2f} x", f"at most {BOUND} x, less 2.5 KB per chunk: {verdict}", "")
    )
    return rows
