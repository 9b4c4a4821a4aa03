"""One search through a retriever against the library under it, on the same index.

Queries are asked one at a time and in turn: each query of every side, then the next query, so that
whatever else the machine does meets all sides alike. BM25: tokenizing and the first k on both
sides; bm25s stems and leaves out stop words with its own tokenizer. Dense: embedding is excluded on
both sides; Chroma's query is the collection's own with its defaults (documents, metadata,
distances), and once more for distances alone.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragbench.config import DEFAULT_K, IngestConfig
from ragbench.domains import load_domain
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.index import Index, open_index
from ragbench.ingest.pipeline import ingest
from ragbench.retrieval import open_retriever

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent / "corpora" / "banking_knowledge"
N_SYNTHETIC = 10_000
N_ROUNDS = 5
BM25_BOUND, DENSE_BOUND = 1.1, 1.3

Search = Callable[[str], object]
Row = tuple[str, str, str, str]


@dataclass(frozen=True)
class Topics:
    """For timing alone: a text's vector is that of one of 200 topics, and as much of its own."""

    dim: int = 384

    @property
    def identity(self) -> str:
        """All there is to it."""
        return f"topics(dim={self.dim})"

    @property
    def window(self) -> None:
        """It reads any length."""
        return None

    @property
    def has_prompts(self) -> bool:
        """It has none."""
        return False

    def embed(self, texts: Sequence[str], kind: str = "passage") -> np.ndarray:
        """Unit vectors."""
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            seed = zlib.crc32(text.encode())
            own, topic = np.random.default_rng(seed), np.random.default_rng(seed % 200)
            vectors[row] = own.normal(size=self.dim) + topic.normal(size=self.dim)
        normed: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return normed

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """It cuts nothing, and need not count."""
        return [0] * len(texts)

    def count_truncated(self, texts: Sequence[str]) -> int:
        """It cuts nothing."""
        return 0


def synthetic(folder: Path) -> list[str]:
    """Write records of words that are as unequally frequent as a language's; queries of them."""
    rng = random.Random(7)
    words = [f"{rng.choice('bcdfglmnprst')}{rng.choice('aeiou')}{i:x}" for i in range(20_000)]
    weights = [1 / (i + 1) for i in range(len(words))]
    folder.mkdir()
    with (folder / "records.jsonl").open("w") as file:
        for i in range(N_SYNTHETIC):
            text = " ".join(rng.choices(words, weights, k=rng.randint(60, 140)))
            file.write(json.dumps({"id": f"{i}", "title": "", "text": text}) + "\n")
    return [" ".join(rng.choices(words, weights, k=rng.randint(4, 12))) for _ in range(200)]


def seconds(work: Search, query: str) -> float:
    """Wall seconds of one query."""
    started = time.perf_counter()
    work(query)
    return time.perf_counter() - started


def medians(ways: dict[str, Search], queries: list[str]) -> dict[str, float]:
    """Median milliseconds of a query, each way."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for work in ways.values():
        work(queries[0])
    for turn in range(N_ROUNDS):
        names = list(ways) if turn % 2 else list(ways)[::-1]
        for query in queries:
            for name in names:
                taken[name].append(seconds(ways[name], query))
    return {name: 1000 * statistics.median(values) for name, values in taken.items()}


def bm25_ways(index: Index) -> dict[str, Search]:
    """A search with bm25s alone, and through the retriever."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: list[str]) -> list[list[str]]:
        found: list[list[str]] = bm25s.tokenize(
            texts, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
        )
        return found

    bare = bm25s.BM25(method="lucene")
    bare.index(tokens([chunk.text for chunk in index.chunks]), show_progress=False)
    retriever = open_retriever("bm25", index)
    return {
        "bare": lambda query: bare.retrieve(tokens([query]), k=DEFAULT_K, show_progress=False),
        "ours": lambda query: retriever.retrieve(query, DEFAULT_K),
    }


def dense_ways(index: Index, folder: Path, queries: list[str]) -> dict[str, Search]:
    """A query of the Chroma collection, and the same through the retriever, embedded beforehand."""
    import chromadb
    from chromadb.config import Settings

    vectors = {query: index.embed_query(query) for query in queries}
    index.embed_query = vectors.__getitem__  # type: ignore[method-assign]
    retriever = open_retriever("dense", index)
    retriever.retrieve(queries[0], DEFAULT_K)  # opens the same files first
    settings = Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(folder / "chroma"), settings=settings)
    (collection,) = client.list_collections()

    return {
        "bare": lambda query: collection.query([vectors[query]], n_results=DEFAULT_K),
        "distances": lambda query: collection.query(
            [vectors[query]], n_results=DEFAULT_K, include=["distances"]
        ),
        "ours": lambda query: retriever.retrieve(query, DEFAULT_K),
    }


def measure() -> list[Row]:
    """Medians of interleaved queries, and their ratio to the bound."""
    EMBEDDERS.register("topics")(Topics)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        store, made = Path(name) / "store", Path(name) / "synthetic"
        tasks = load_domain("banking_knowledge").tasks
        asked = [query for task in tasks for need in task.needs
                 for query in (need.question, *need.paraphrases) if query]  # fmt: skip
        for corpus, embedder, chunker, queries in (
            (SHIPPED, "minilm", "recursive", asked),
            (made, "topics", "document", synthetic(made)),
        ):
            ingest(IngestConfig((corpus,), store, embedder=embedder, chunker=chunker))
            with open_index(store, corpus.name) as index:
                rows += of_index(index, store, queries)
    return rows


def of_index(index: Index, store: Path, queries: list[str]) -> list[Row]:
    """The rows of one index."""
    what = f"{index.collection}, {index.manifest.n_chunks:,} chunks, {len(queries)} queries"
    lexical = medians(bm25_ways(index), queries)
    folder = store / "collections" / index.collection / "vectors" / index.manifest.segments[0]
    dense = medians(dense_ways(index, folder, queries), queries)
    ratio, dense_ratio = lexical["ours"] / lexical["bare"], dense["ours"] / dense["bare"]
    exact = "" if index.manifest.search == "hnsw" else ", searched exactly"
    return [
        (f"bare bm25s, {what}, k = {DEFAULT_K}", f"{lexical['bare']:.2f} ms", "", ""),
        ("the same through `bm25`", f"{lexical['ours']:.2f} ms, {ratio:.2f} x",
         f"at most {BM25_BOUND} x: {verdict(ratio, BM25_BOUND)}", ""),
        (f"bare Chroma query, {what}", f"{dense['bare']:.2f} ms", "", ""),
        ("the same, distances alone", f"{dense['distances']:.2f} ms", "", ""),
        (f"the same through `dense`{exact}", f"{dense['ours']:.2f} ms, {dense_ratio:.2f} x",
         f"at most {DENSE_BOUND} x: {verdict(dense_ratio, DENSE_BOUND)}", ""),
    ]  # fmt: skip


def verdict(value: float, bound: float) -> str:
    """Whether the bound holds."""
    return "holds" if value <= bound else "MISSED"
