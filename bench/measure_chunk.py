"""Chunking speed on one core, beside the bare tokenizers.

The text: documents of the shipped corpora as loaded, drawn by a seeded generator until there are
10 MB, every digit replaced by a random one, so that amounts, dates and numbers differ from one to
the next as they do in a corpus of that size; their headings go with them. CPU seconds of one
process, medians of interleaved runs. *Cold*: the table that remembers the tokens of each word is
empty, as in the first seconds of an ingest; *warm*: it has seen the text. *Counted*: every chunk is
asked for its tokens as well, as an ingest does; a chunker that measures in characters, or in other
tokens, leaves them to whoever asks.
"""

from __future__ import annotations

import importlib.util
import re
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from ragbench.ingest.chunk import CHUNKERS, Chunker
from ragbench.ingest.chunk._cl100k import cl100k
from ragbench.ingest.chunk._wordpieces import word_pieces
from ragbench.ingest.load import LOADERS, find_sources, load_many
from ragbench.records import Document, Place

N_RUNS = 5
N_BYTES = 10_000_000
HERE = Path(__file__).resolve().parent
CORPORA = (HERE.parent / "corpora" / "banking_knowledge", HERE.parent / "domains" / "mock")
SPECS = {
    "recursive(size_chars=1000)": (25, "chonkie recursive 90, LangChain recursive 26 MB/s"),
    "recursive": (10, "chonkie recursive 14, LangChain recursive 2.0 MB/s"),
    "fixed": (None, "LangChain token 18, chonkie token 3.9-6.2 MB/s"),
    "sentence": (None, "chonkie sentence 8.5 MB/s"),
    "heading": (None, ""),
    "recursive(tokenizer=cl100k)": (None, "tiktoken alone 22 MB/s"),
}


def shipped() -> list[Document]:
    """The documents of the shipped corpora."""
    sources, _ = find_sources(CORPORA)
    loaded = [result for _, result in load_many(sources, LOADERS.create("files"), jobs=1)]
    return [document for result in loaded if isinstance(result, list) for document in result]


def mixture(documents: list[Document]) -> Document:
    """One document of 10 MB of UTF-8."""
    rng = np.random.default_rng(0)
    parts: list[str] = []
    places: list[Place] = []
    n_bytes = n_chars = 0
    while n_bytes < N_BYTES:
        document = documents[rng.integers(len(documents))]
        digits = iter(rng.integers(10, size=len(document.text)).tolist())
        text = re.sub(r"[0-9]", lambda _, digits=digits: str(next(digits)), document.text) + "\n\n"
        places += [
            Place(n_chars + place.start, n_chars + place.end, heading=place.heading)
            for place in document.places
            if place.heading is not None
        ]
        parts.append(text)
        n_bytes += len(text.encode())
        n_chars += len(text)
    return Document("mixture", "Mixture", "".join(parts), places=tuple(places))


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one run."""
    started = time.process_time()
    work()
    return time.process_time() - started


def count(chunker: Chunker, document: Document) -> int:
    """Cut the document, and sum the tokens of its chunks."""
    return sum(chunk.n_tokens for chunk in chunker.chunk(document))


def peer(text: str) -> dict[str, Callable[[], object]]:
    """Chonkie's chunker, where it is installed; it is no dependency."""
    if importlib.util.find_spec("chonkie") is None:
        return {}
    from chonkie import RecursiveChunker

    chunker = RecursiveChunker(tokenizer="character", chunk_size=1000)
    return {"chonkie recursive, 1,000 characters, no token counts": lambda: chunker.chunk(text)}


def measure() -> list[tuple[str, str, str, str]]:
    """Medians in MB/s, against the bounds."""
    document = mixture(shipped())
    text = document.text
    megabytes = len(text.encode()) / 1e6
    pieces = re.split(r"(?<=\n\n)", text)
    tokenizer = word_pieces()._tokenizer
    bare: dict[str, Callable[[], object]] = {
        "tokenizers alone, word pieces, one thread": lambda: tokenizer.encode_batch_fast(
            pieces, add_special_tokens=False
        ),
        "tiktoken alone, cl100k": lambda: cl100k()._encoding.encode_ordinary(text),
    } | peer(text)
    cl100k()
    taken: dict[str, list[float]] = {}
    for _ in range(N_RUNS):
        for name, work in bare.items():
            taken.setdefault(name, []).append(cpu_seconds(work))
        for spec in SPECS:
            chunker = CHUNKERS.create(spec)
            for what, work in (("", chunker.chunk), (" counted", partial(count, chunker))):
                word_pieces().forget()
                for state in ("cold", "warm"):
                    seconds = cpu_seconds(partial(work, document))
                    taken.setdefault(f"{spec} {state}{what}", []).append(seconds)
    speed = {name: megabytes / statistics.median(values) for name, values in taken.items()}
    rows = [(name, f"{speed[name]:.1f} MB/s", "", "") for name in bare]
    for spec, (bound, figure) in SPECS.items():
        for state in ("cold", "warm"):
            alone, counted = speed[f"{spec} {state}"], speed[f"{spec} {state} counted"]
            verdict = "holds" if bound is None or alone >= bound else "MISSED"
            held = "" if bound is None else f"at least {bound} MB/s: {verdict}"
            said = f"{alone:.1f} MB/s, counted {counted:.1f}"
            rows.append((f"`{spec}`, {state}", said, held, figure if state == "cold" else ""))
    return rows
