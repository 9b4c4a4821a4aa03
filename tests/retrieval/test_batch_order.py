"""Ranks do not depend on the order or the batches in which texts were embedded."""

import random

from ragbench.config import IngestConfig
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.index import open_index
from ragbench.ingest.pipeline import ingest
from ragbench.records import Chunk
from ragbench.retrieval import open_retriever, rank_hits

WORDS = "fee wire transfer account card limit late waived monthly interest a of for the is".split()
TEXTS = [" ".join(random.Random(i).choices(WORDS, k=3 + (i * 7) % 60)) + f" {i}" for i in range(48)]
QUERIES = ("When is a late fee waived?", "wire transfer limit", "the interest of an account")


def test_of_the_model():
    embedder = EMBEDDERS.create("minilm")
    shuffled = random.Random(1).sample(range(len(TEXTS)), len(TEXTS))
    one = embedder.embed(TEXTS, "passage")
    other = [None] * len(TEXTS)
    for at in range(0, len(TEXTS), 5):  # other neighbours, other padding
        some = shuffled[at : at + 5]
        for i, vector in zip(
            some, embedder.embed([TEXTS[i] for i in some], "passage"), strict=True
        ):
            other[i] = vector
    chunks = [Chunk(f"{i:02d}", 0, len(text), text, 1) for i, text in enumerate(TEXTS)]
    for query in QUERIES:
        vector = embedder.embed([query], "query")[0]
        ranks = [
            rank_hits(((c, float(v @ vector)) for c, v in zip(chunks, vectors, strict=True)), 48)
            for vectors in (one, other)
        ]
        assert [hit.chunk for hit in ranks[0]] == [hit.chunk for hit in ranks[1]]


def test_of_an_index(tmp_path):
    found = []
    for name, order in (("one", TEXTS), ("other", TEXTS[::-1])):
        folder, store = tmp_path / name / "docs", tmp_path / name / "store"
        folder.mkdir(parents=True)
        for part in (order[:7], order[7:]):  # the first are embedded among themselves
            for text in part:
                (folder / f"{TEXTS.index(text):02d}.txt").write_text(text)
            ingest(IngestConfig((folder,), store, embedder="minilm"))
        with open_index(store, "docs") as index:
            for spec in ("dense", "hybrid"):
                retriever = open_retriever(spec, index)
                found.append(
                    [[hit.chunk for hit in retriever.retrieve(query, 48)] for query in QUERIES]
                )
    assert found[:2] == found[2:]
