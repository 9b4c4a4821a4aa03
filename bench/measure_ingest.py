"""A whole ingest against the bare model's encoding of the same texts, and an ingest of no change.

Both sides of the ratio are timed in one process, after import and model load, in turn. The bare
side encodes the distinct chunk texts in its best order: all tokenized at once, sorted by length,
in batches of 32 through an onnxruntime session with the same options. The ingest reads, chunks,
embeds, stores, builds the vector index, measures it against brute force and fsyncs, into a new
store each time.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TAU3 = HERE.parent.parent / "shared" / "data" / "tau3_banking" / "documents"
SHIPPED = HERE.parent / "corpora" / "banking_knowledge"
N_RUNS = 3
BATCH = 32
RATIO_BOUND = 1.15
AGAIN_BOUND_S = 1.0

AGAIN = """
import sys, time
from pathlib import Path
from ragbench.config import IngestConfig
started = time.perf_counter()
from ragbench.ingest.pipeline import ingest
report = ingest(IngestConfig((Path(sys.argv[1]),), Path(sys.argv[2]), collection="bench"))
assert report.unchanged and "chromadb" not in sys.modules
print(time.perf_counter() - started)
"""


def corpus() -> tuple[Path, str]:
    """The documents that are ingested, and what they are called."""
    if TAU3.is_dir():
        return TAU3, "tau3 banking"
    return SHIPPED, "the shipped bank"


def session_and_tokenizer() -> tuple[Any, Any]:
    """The default model as the embedder opens it: same file, same options, same threads."""
    import onnxruntime
    from tokenizers import Tokenizer

    from ragbench.ingest.embed._export import export, export_folder
    from ragbench.ingest.minilm import model_folder

    path = export(model_folder(), export_folder())
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=512)
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(path, options, providers=providers), tokenizer


def encode_bare(texts: Sequence[str], session: Any, tokenizer: Any) -> int:  # noqa: ANN401
    """Encode the texts, longest first; how many vectors came."""
    import numpy as np

    encodings = tokenizer.encode_batch_fast(list(texts))
    encodings.sort(key=lambda encoding: len(encoding.ids), reverse=True)
    count = 0
    for at in range(0, len(encodings), BATCH):
        batch = encodings[at : at + BATCH]
        ids = np.zeros((len(batch), len(batch[0].ids)), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        count += len(session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0])
    return count


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall seconds and this process's CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def again_seconds(documents: Path, store: Path) -> float:
    """Seconds of an ingest of nothing new in a new interpreter, imports of ragbench included."""
    command = [sys.executable, "-c", AGAIN, str(documents), str(store)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout)


def measure() -> list[tuple[str, str, str, str]]:
    """Medians, and their ratio to the bound."""
    import chromadb  # noqa: F401  (imports are no part of the comparison)

    from ragbench.config import IngestConfig
    from ragbench.ingest.embed import EMBEDDERS
    from ragbench.ingest.index import open_index
    from ragbench.ingest.pipeline import ingest

    documents, name = corpus()
    session, tokenizer = session_and_tokenizer()
    create = EMBEDDERS.create
    embedder = create("minilm")
    embedder.embed(["ready"], "passage")
    with tempfile.TemporaryDirectory() as folder:
        stores = iter(range(1000))

        def whole() -> None:
            store = Path(folder) / str(next(stores))
            ingest(IngestConfig(paths=(documents,), store=store, collection="bench"))

        EMBEDDERS.create = lambda spec: embedder  # type: ignore[method-assign]  # loaded before
        try:
            whole()
            with open_index(Path(folder) / "0", "bench") as index:
                n_documents, n_chunks = index.manifest.n_documents, index.manifest.n_chunks
                texts = sorted({chunk.text for chunk in index.chunks})
            bare, full = [], []
            for _ in range(N_RUNS):
                bare.append(timed(lambda: encode_bare(texts, session, tokenizer)))
                full.append(timed(whole))
        finally:
            EMBEDDERS.create = create  # type: ignore[method-assign]
        again = [again_seconds(documents, Path(folder) / "0") for _ in range(5)]
    return rows(name, n_documents, n_chunks, len(texts), bare, full, again)


def rows(
    name: str,
    n_documents: int,
    n_chunks: int,
    n_texts: int,
    bare: list[tuple[float, float]],
    full: list[tuple[float, float]],
    again: list[float],
) -> list[tuple[str, str, str, str]]:
    """The table."""
    wall = statistics.median(f[0] / b[0] for b, f in zip(bare, full, strict=True))
    cpu = statistics.median(f[1] / b[1] for b, f in zip(bare, full, strict=True))
    bare_s, full_s = (statistics.median(run[0] for run in runs) for runs in (bare, full))
    again_s = statistics.median(again)
    return [
        (
            f"bare model: {n_texts:,} distinct chunk texts of {name}, median of {N_RUNS}",
            f"{bare_s:.1f} s",
            "",
            "",
        ),
        (
            f"whole ingest of its {n_documents:,} documents, {n_chunks:,} chunks",
            f"{full_s:.1f} s, {wall:.2f} x (CPU {cpu:.2f} x)",
            f"at most {RATIO_BOUND} x the bare model: {verdict(wall, RATIO_BOUND)}",
            "",
        ),
        (
            "the same ingest again, nothing changed, median of 5",
            f"{again_s:.2f} s",
            f"at most {AGAIN_BOUND_S:.0f} s: {verdict(again_s, AGAIN_BOUND_S)}",
            "",
        ),
    ]


def verdict(value: float, bound: float) -> str:
    """Whether the bound holds."""
    return "holds" if value <= bound else "MISSED"
