"""Recall of the published chunking evaluation, per corpus, beside the published figures.

Smith & Troynikov (2024) publish 472 questions over five corpora in one index; three corpora and
their 276 questions are measured here: State of the Union / wikitexts / chat logs, in %, first five
chunks. Four ways: ``ragbench compare`` as a user types it; the published procedure, rebuilt from
its description (the recursive splitter with its separators, 200 cl100k tokens; plain bm25s with
English stop words; reciprocal rank fusion); that with tau3's documents in the index as well, since
the two missing corpora held 2,077 of the 2,386 published chunks; and how many of the first five
chunks stand in another corpus than the question's. It reaches its figures, or says how far off it
is: nothing here is a bound of ragbench.

All five corpora: put them with ``questions_df.csv`` into ``../shared/data/chunking_eval`` as the
folders there are, and the same command measures all of them in one index.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragbench.evidence import intersect
from ragbench.ingest.chunk._cl100k import cl100k
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.load import LOADERS, find_sources, load_many
from ragbench.interop import read_chunking_eval
from ragbench.records import Question

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
FOLDER = DATA / "chunking_eval"
OTHER = DATA / "tau3_banking" / "documents"
CHUNKER = "recursive(size_tokens=200, overlap_tokens=0, tokenizer=cl100k)"
OURS = ("dense", "bm25", "bm25(stem=none)", "hybrid", "hybrid(stem=none)")
MEASURE = "span_recall(variant=published)@5"
DOCUMENTS = ("state_of_the_union.md", "wikitexts.md", "chatlogs.md")
PUBLISHED = {
    "dense": (86.3, 77.8, 98.2),
    "bm25": (88.1, 86.0, 92.8),
    "hybrid": (93.3, 82.0, 98.9),
}
NEAR = 1.5
SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")
SIZE, K, RRF_K = 200, 5, 60
DEPTHS = (10, 100)
"""Where the lists are cut before they are fused; the publication does not say."""

Placed = tuple[str, int, int, str]
"""A chunk: document, start, end, text."""


def parts(text: str, separators: Sequence[str]) -> Iterator[str]:
    """The published splitter: a separator stays at the beginning of what follows it."""
    at = next(i for i, found in enumerate(separators) if found in text)
    separator, weaker = separators[at], separators[at + 1 :]
    pieces = re.split(f"(?={re.escape(separator)})", text) if separator else list(text)
    waiting: list[str] = []
    for piece in filter(None, pieces):
        if n_tokens(piece) < SIZE:
            waiting.append(piece)
            continue
        yield from filled(waiting)
        waiting = []
        if weaker:
            yield from parts(piece, weaker)
        else:
            yield piece
    yield from filled(waiting)


def filled(pieces: Sequence[str]) -> Iterator[str]:
    """As many neighbours together as have at most 200 tokens, summed up."""
    together: list[str] = []
    total = 0
    for piece in pieces:
        size = n_tokens(piece)
        if total + size > SIZE and together:
            yield "".join(together).strip()
            together, total = [], 0
        together.append(piece)
        total += size
    yield "".join(together).strip()


def n_tokens(text: str) -> int:
    """Tokens by cl100k_base."""
    return cl100k().count(text)


def published_chunks(doc_id: str, text: str) -> list[Placed]:
    """The splitter's chunks, found again in the text from left to right."""
    found: list[Placed] = []
    at = 0
    for part in filter(None, parts(text, SEPARATORS)):
        at = text.index(part, at)
        found.append((doc_id, at, at + len(part), part))
        at += 1
    return found


def loaded(folder: Path) -> dict[str, str]:
    """Text of every document of a folder."""
    sources, _ = find_sources((folder,))
    results = [result for _, result in load_many(sources, LOADERS.create("files"), jobs=1)]
    return {d.doc_id: d.text for result in results if isinstance(result, list) for d in result}


def dense_order(texts: list[str], queries: list[str]) -> np.ndarray:
    """Chunks by falling cosine, a row for each question."""
    model = EMBEDDERS.create("minilm")
    cosines = model.embed(queries, "query") @ model.embed(texts, "passage").T
    return np.argsort(-np.round(cosines, 5), axis=1, kind="stable")


def lexical_order(texts: list[str], queries: list[str]) -> np.ndarray:
    """Chunks by falling BM25, as plain bm25s counts words and scores."""
    import bm25s

    model = bm25s.BM25()
    model.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    asked = bm25s.tokenize(queries, stopwords="en", show_progress=False, return_ids=False)
    return np.stack([np.argsort(-model.get_scores(words), kind="stable") for words in asked])


def fused_order(orders: Sequence[np.ndarray], depth: int) -> np.ndarray:
    """Chunks by falling reciprocal rank fusion of the first ``depth`` of each list."""
    gain = 1 / (RRF_K + 1 + np.arange(min(depth, orders[0].shape[1])))
    scores = np.zeros(orders[0].shape)
    for order in orders:
        for row, chunks in enumerate(order):
            scores[row, chunks[: len(gain)]] += gain
    return np.argsort(-scores, axis=1, kind="stable")


def recall(question: Question, chunks: Sequence[Placed]) -> float:
    """The share of the references' characters that stand in the chunks."""
    found = total = 0
    for item in question.evidence or ():
        place = item.any_of[0]
        assert place.start is not None
        assert place.end is not None
        spans = [(start, end) for doc_id, start, end, _ in chunks if doc_id == place.doc_id]
        found += sum(b - a for a, b in intersect([(place.start, place.end)], spans))
        total += place.end - place.start
    return found / total


def corpus_of(question: Question) -> str:
    """The document that the question is about."""
    return (question.evidence or ())[0].any_of[0].doc_id


def by_corpus(values: Sequence[tuple[str, float]]) -> tuple[float, ...]:
    """Means per corpus in %, in the order of `DOCUMENTS`, then any others by name."""
    names = [*DOCUMENTS, *sorted({name for name, _ in values} - set(DOCUMENTS))]
    means = [np.mean([value for name, value in values if name == one]) for one in names]
    return tuple(round(100 * float(mean), 1) for mean in means)


def row(what: str, found: tuple[float, ...], head: str) -> tuple[str, str, str, str]:
    """A line of the table."""
    published = PUBLISHED[head]
    off = [round(a - b, 1) for a, b in zip(found, published, strict=False)]
    near = sum(abs(one) <= NEAR for one in off)
    said = " / ".join(f"{one:+.1f}" for one in off)
    shown = " / ".join(f"{one:.1f}" for one in published)
    return (what, _shown(found), f"{said}: {near} of 3 within {NEAR}", f"published {shown}")


def _shown(figures: tuple[float, ...]) -> str:
    return " / ".join(f"{figure:.1f}" for figure in figures)


def typed() -> list[tuple[str, str, str, str]]:
    """What the command gives."""
    script = str(Path(sys.executable).parent / "ragbench")
    command = [script, "compare", "--corpus", str(FOLDER / "corpora"), "--save-to", "run"]
    command += ["--questions", str(FOLDER / "questions_df.csv"), "--k", str(K)]
    command += ["--chunkers", CHUNKER, "--embedders", "minilm", "--retrievers", ",".join(OURS)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        run = Path(folder) / "run"
        about = {one["id"]: one["evidence"][0][0] for one in _lines(run / "questions.jsonl")}
        rows = []
        for cell in _lines(run / "cells.jsonl"):
            values = [(about[q["id"]], q["values"][MEASURE]) for q in cell["questions"]]
            name = cell["retriever"].partition("(")[0]
            shown = next(spec for spec in OURS if _same(spec, cell["retriever"]))
            rows.append((OURS.index(shown), row(f"`{shown}`", by_corpus(values), name)))
    return [one for _, one in sorted(rows)]


def _same(spec: str, canonical: str) -> bool:
    from ragbench.retrieval import parse_stack

    return str(parse_stack(spec)) == canonical


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rebuilt(
    questions: Sequence[Question], chunks: Sequence[Placed], what: str
) -> list[tuple[str, str, str, str]]:
    """What the published procedure gives with these chunks in the index."""
    texts, queries = [text for *_, text in chunks], [question.text for question in questions]
    dense, lexical = dense_order(texts, queries), lexical_order(texts, queries)
    orders = {("MiniLM", "dense"): dense, ("BM25", "bm25"): lexical}
    for depth in DEPTHS:
        orders[f"RRF of the first {depth}", "hybrid"] = fused_order([dense, lexical], depth)
    rows = []
    for (name, head), order in orders.items():
        firsts = [[chunks[i] for i in some[:K]] for some in order]
        pairs = list(zip(questions, firsts, strict=True))
        values = [(corpus_of(question), recall(question, some)) for question, some in pairs]
        rows.append(row(f"{what}: {name}", by_corpus(values), head))
        if name == "MiniLM":
            strange = [
                (corpus_of(question), sum(chunk[0] != corpus_of(question) for chunk in some) / K)
                for question, some in pairs
            ]
            shown = _shown(by_corpus(strange))
            rows.append((f"{what}: share of the first five from elsewhere", shown, "", ""))
    return rows


def measure() -> list[tuple[str, str, str, str]]:
    """Recall in %, per corpus."""
    questions = read_chunking_eval(FOLDER / "questions_df.csv", FOLDER / "corpora").questions
    corpora = loaded(FOLDER / "corpora")
    chunks = [chunk for name in corpora for chunk in published_chunks(name, corpora[name])]
    others = [
        chunk
        for name, text in loaded(OTHER).items()
        for chunk in published_chunks(f"other/{name}", text)
    ]
    return [
        *typed(),
        *rebuilt(questions, chunks, f"rebuilt, {len(chunks):,} chunks"),
        *rebuilt(questions, [*chunks, *others], f"rebuilt, {len(others):,} of tau3 added"),
    ]
