"""PDF parsing through ragbench, in process and in guarded processes, against bare pypdf.

The same files, read anew each time, in interleaved runs of one process: bare ``extract_text`` of
every page; the loader, which adds headings from the outline, places, and the check for garbled
text; and the pool of child processes that ``ragbench ingest`` uses, started beforehand.
"""

from __future__ import annotations

import logging
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from ragbench.ingest.load import LOADERS, ParserPool, Source, find_sources

N_RUNS = 5
LEAST = 0.9
TWO = "`--jobs 2`, each file twice"  # one file alone is most of the work
HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "shared" / "data" / "pdf_samples"
SHIPPED = HERE.parent / "corpora" / "banking_knowledge"


def bare(path: Path) -> int:
    """Characters that pypdf alone extracts."""
    from pypdf import PdfReader

    reader = PdfReader(path)
    return sum(len(page.extract_text()) for page in reader.pages)


def readable(sources: list[Source]) -> list[Source]:
    """The PDFs that bare pypdf gets any text from; it warms both ways up."""
    from pypdf.errors import PyPdfError

    found = []
    for source in sources:
        try:
            if source.suffix == ".pdf" and bare(source.path):
                found.append(source)
        except (PyPdfError, OSError):
            continue
    return found


def seconds(work: Callable[[], object]) -> float:
    """Wall seconds of one run."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measure() -> list[tuple[str, str, str, str]]:
    """Medians of interleaved runs, and their speed relative to bare pypdf."""
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    warnings.simplefilter("ignore")
    folder = SAMPLES if SAMPLES.is_dir() else SHIPPED
    sources = readable(find_sources([folder])[0])
    n_bytes = sum(source.path.stat().st_size for source in sources)
    loader = LOADERS.create("files")
    with ParserPool(loader, 1) as one, ParserPool(loader, 2) as two:
        ways: dict[str, Callable[[], object]] = {
            "bare pypdf": lambda: [bare(source.path) for source in sources],
            "the loader, in process": lambda: [loader.load(source) for source in sources],
            "`--jobs 1`": lambda: list(one.load_many(sources)),
            TWO: lambda: list(two.load_many(sources * 2)),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for work in ways.values():
            work()
        for _ in range(N_RUNS):
            for name, work in ways.items():
                taken[name].append(seconds(work))
    median = {name: statistics.median(values) for name, values in taken.items()}
    base = median.pop("bare pypdf")
    what = f"bare pypdf, {len(sources)} PDFs of {folder.name} ({n_bytes / 1e6:.1f} MB)"
    rows = [(f"{what}, median of {N_RUNS}", f"{base:.2f} s", "", "")]
    for name, figure in median.items():
        ratio = base / figure * (2 if name == TWO else 1)
        bound = ""
        if name != TWO:
            verdict = "holds" if ratio >= LEAST else "MISSED"
            bound = f"at least {LEAST} x bare pypdf: {verdict}"
        rows.append((name, f"{figure:.2f} s, {ratio:.2f} x the speed", bound, ""))
    return rows
