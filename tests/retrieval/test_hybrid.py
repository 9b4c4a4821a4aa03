"""Fusion by rank and by scaled scores, with the arithmetic beside."""

import pytest

from ragbench.errors import SpecError, StoreError
from ragbench.records import Chunk
from ragbench.retrieval import (
    RETRIEVERS,
    Hit,
    HybridRetriever,
    fuse_ranks,
    fuse_scores,
    open_retriever,
    rank_hits,
)


def hits(**scores):
    scored = [(Chunk(name, 0, 1, "x", 1), score) for name, score in scores.items()]
    return rank_hits(scored, len(scored))


class Fixed:
    """A retriever with one list of hits."""

    identity = "fixed"
    n_chunks = 9

    def __init__(self, found):
        self.found = found

    def retrieve(self, query, n, where=None):
        return self.found[:n]


def fused(spec, dense, bm25, n=9):
    retriever = HybridRetriever(Fixed(dense), Fixed(bm25), RETRIEVERS.create(spec))
    return [(hit.chunk.doc_id, hit.score, hit.rank) for hit in retriever.retrieve("q", n)]


DENSE, BM25 = hits(a=0.9, b=0.8, c=0.5), hits(b=7.0, d=4.0, a=3.0)


def test_reciprocal_ranks():
    # a: 1/61 + 1/63 = 0.01639344 + 0.01587302; b: 1/62 + 1/61 = 0.01612903 + 0.01639344
    # c: 1/63; d: 1/62
    scores = [("b", 0.03252247), ("a", 0.03226646), ("d", 0.01612903), ("c", 0.01587302)]
    expected = [(name, score, rank) for rank, (name, score) in enumerate(scores, 1)]
    assert fused("hybrid", DENSE, BM25) == expected
    assert fused("hybrid", DENSE, BM25, n=2) == expected[:2]
    # rrf_k = 1: a: 1/2 + 1/4 = 0.75; b: 1/3 + 1/2 = 0.83333333
    assert fused("hybrid(rrf_k=1)", DENSE, BM25, n=2) == [("b", 0.83333333, 1), ("a", 0.75, 2)]


def test_weighted_scores():
    # dense scaled by (s - 0.5) / 0.4: a 1, b 0.75, c 0; bm25 by (s - 3) / 4: b 1, d 0.25, a 0.
    # Halves: a 0.5, b 0.375 + 0.5, c 0, d 0.125.
    spec = "hybrid(fusion=weighted)"
    first = [("b", 0.875, 1), ("a", 0.5, 2)]
    assert fused(spec, DENSE, BM25) == [*first, ("d", 0.125, 3), ("c", 0.0, 4)]
    # 0.8 and 0.2: a 0.8; b 0.6 + 0.2 = 0.8; d 0.05: a tie, which goes to the lesser id.
    spec = "hybrid(fusion=weighted, weight=0.8)"
    assert fused(spec, DENSE, BM25)[:3] == [("a", 0.8, 1), ("b", 0.8, 2), ("d", 0.05, 3)]
    # One retriever alone keeps the other's chunks, at 0.
    spec = "hybrid(fusion=weighted, weight=1.0)"
    assert [name for name, *_ in fused(spec, DENSE, BM25)] == ["a", "b", "c", "d"]


def test_equal_scores_scale_to_one_and_an_empty_list_adds_nothing():
    found = fused("hybrid(fusion=weighted)", hits(a=0.4, b=0.4), [])
    assert found == [("a", 0.5, 1), ("b", 0.5, 2)]
    assert fused("hybrid", [], hits(a=2.0)) == [("a", 0.01639344, 1)]
    assert fused("hybrid", [], []) == []


def test_ties_of_ranks_go_to_the_lesser_id():
    found = fused("hybrid", hits(a=2.0, b=1.0), hits(b=2.0, a=1.0))
    assert [name for name, *_ in found] == ["a", "b"]


def test_only_depth_hits_of_each_are_fused():
    # depth 1: a from dense, b from bm25, each 1/61.
    assert fused("hybrid(depth=1)", DENSE, BM25) == [("a", 0.01639344, 1), ("b", 0.01639344, 2)]


def test_far_ranks_stay_apart():
    # 1/460 and 1/461 are 0.00217391 and 0.00216920.
    many = [Hit(Chunk(f"{i:03d}", 0, 1, "x", 1), 1 - i / 1000, i + 1) for i in range(500)]
    names = [name for name, *_ in fused("hybrid(depth=500)", many, [], n=500)]
    assert names == sorted(names)


@pytest.mark.parametrize("spec", ["hybrid", "hybrid(fusion=weighted, weight=0.3)"])
def test_over_an_index(index_of, hash_embedder, spec):
    texts = {f"{i:02d}.txt": f"word{i} word{i % 7} fee of {i * i}" for i in range(60)}
    index = index_of(texts, hash_embedder)
    lists = [open_retriever(one, index).retrieve("word3 fee", 100) for one in ("dense", "bm25")]
    expected = (
        rank_hits(fuse_ranks(lists, 60), 60, 8)
        if spec == "hybrid"
        else rank_hits(fuse_scores(lists, [0.3, 0.7]), 60)
    )
    retriever = open_retriever(spec, index)
    assert retriever.n_chunks == 60
    for n in (1, 5, 60):
        assert retriever.retrieve("word3 fee", n) == expected[:n]


def test_it_needs_vectors(index_of):
    with pytest.raises(StoreError, match="has no vectors"):
        open_retriever("hybrid", index_of({"a.txt": "fox"}))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hybrid(rrf_k=0)", "rrf_k is 0; it must be at least 1"),
        ("hybrid(depth=0)", "depth is 0; it must be at least 1"),
        ("hybrid(fusion=weighted, weight=1.1)", "weight is 1.1; it must be from 0 to 1"),
        ("hybrid(weight=0.7)", "weight is for fusion=weighted"),
        ("hybrid(fusion=weighted, rrf_k=10)", "rrf_k is for fusion=rrf"),
        ("hybrid(fusion=sum)", "fusion must be one of 'rrf', 'weighted'"),
        ("hybrid(stem=klingon)", "no stemmer is called 'klingon'"),
    ],
)
def test_bad_arguments(spec, message):
    with pytest.raises(SpecError, match=message):
        RETRIEVERS.create(spec)
