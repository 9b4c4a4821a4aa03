"""Retrievers: exact, tied by rule, and never a hit without a reason."""

import numpy as np
import pytest

from ragbench.config import IngestConfig, SearchConfig
from ragbench.errors import StoreError, UnknownName, UsageError
from ragbench.ingest.chunk import folded
from ragbench.ingest.index import open_index
from ragbench.ingest.pipeline import ingest
from ragbench.records import Chunk
from ragbench.registry import spec_of
from ragbench.retrieval import RETRIEVERS, open_retriever, rank_hits, search

ANIMALS = {"a.txt": "red fox", "b.txt": "blue fox fox whale"}


def test_bm25_scores_are_those_of_the_formula(index_of):
    with index_of(ANIMALS, None) as index:
        bm25 = open_retriever("bm25", index)
        # N = 2, df = 1, idf = ln(1 + (2 - 1 + 0.5) / (1 + 0.5)) = ln 2 = 0.693147.
        # tf = 1, length 2, mean length 3, k1 = 1.5, b = 0.75:
        # 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)) = 1 / 2.125; score 0.693147 / 2.125 = 0.32619.
        (hit,) = bm25.retrieve("Red", 5)
        assert (hit.chunk.doc_id, hit.score, hit.rank) == ("a.txt", 0.32619, 1)
        # df = 2, idf = ln(1 + 0.5 / 2.5) = 0.182322. a: 0.182322 / 2.125 = 0.08580.
        # b: tf = 2, length 4: 2 / (2 + 1.5 * (0.25 + 0.75 * 4 / 3)) = 2 / 3.875; 0.09410.
        hits = bm25.retrieve("fox", 5)
        assert [(hit.chunk.doc_id, hit.score) for hit in hits] == [
            ("b.txt", 0.0941),
            ("a.txt", 0.0858),
        ]


def test_bm25_finds_nothing_without_a_shared_term(index_of):
    with index_of(ANIMALS, None) as index:
        bm25 = open_retriever("bm25", index)
        assert bm25.retrieve("elephant", 5) == []
        assert bm25.retrieve("the of and", 5) == []
        assert bm25.retrieve("?!", 5) == []
        assert [hit.chunk.doc_id for hit in bm25.retrieve("whale elephant", 50)] == ["b.txt"]


def test_bm25_over_a_corpus_without_terms(index_of):
    with index_of({"a.txt": "the of and it"}, None) as index:
        assert open_retriever("bm25", index).retrieve("fox", 5) == []


def test_dense_equals_brute_force_for_every_depth(index_of, hash_embedder):
    texts = {f"{i:02d}.txt": f"word{i} word{i % 7} fee of {i * i}" for i in range(60)}
    with index_of(texts, hash_embedder) as index:
        dense = open_retriever("dense", index)
        matrix = index.embedder.embed([chunk.text for chunk in index.chunks], "passage")
        cosines = matrix @ index.embed_query("word3 fee")
        expected = sorted(
            (
                (round(float(c), 5), chunk.chunk_id)
                for c, chunk in zip(cosines, index.chunks, strict=True)
            ),
            key=lambda found: (-found[0], found[1]),  # one chunk per document
        )
        for n in (1, 2, 5, 17, 59, 60, 500):
            hits = dense.retrieve("word3 fee", n)
            assert [(hit.score, hit.chunk.chunk_id) for hit in hits] == expected[:n]
            assert [hit.rank for hit in hits] == list(range(1, min(n, 60) + 1))


def test_a_tie_at_the_cut_goes_to_the_lesser_id(index_of, hash_embedder):
    # 40 equal texts: all scores tie, so that the first ids win, though the graph may return any.
    texts = {f"{i:02d}.txt": "the same passage" for i in range(40)}
    with index_of(texts, hash_embedder) as index:
        for spec in ("dense", "bm25"):
            hits = open_retriever(spec, index).retrieve("same passage", 3)
            assert [hit.chunk.doc_id for hit in hits] == ["00.txt", "01.txt", "02.txt"]


def test_ranking_rounds_before_it_compares():
    # 0.699999 and 0.700001 both round to 0.70000: the lesser id comes first.
    chunks = [Chunk(name, 0, 1, "x", 1) for name in "abc"]
    hits = rank_hits(zip(chunks, [0.699999, 0.700001, np.float32(-0.000001)], strict=True), 3)
    assert [(hit.chunk.doc_id, hit.score) for hit in hits] == [("a", 0.7), ("b", 0.7), ("c", 0.0)]
    assert str(hits[2].score) == "0.0"


def test_ties_stand_in_the_order_of_the_text():
    # As text "10" is before "9": "d#10-19" < "d#9-10"; by position 9 is before 10, and of two that
    # begin alike the shorter one is first.
    spans = [("d", 100, 110), ("d", 9, 19), ("d", 10, 19), ("d", 10, 12), ("c#9", 500, 501)]
    hits = rank_hits([(Chunk(name, a, b, "x" * (b - a), 1), 0.5) for name, a, b in spans], 5)
    assert [(hit.chunk.doc_id, hit.chunk.start, hit.chunk.end) for hit in hits] == [
        ("c#9", 500, 501), ("d", 9, 19), ("d", 10, 12), ("d", 10, 19), ("d", 100, 110)
    ]  # fmt: skip


def test_ties_of_one_text_stand_in_its_order(index_of, hash_embedder):
    # Twelve equal chunks of one document, of eight words: at 0, 36, ... 396.
    texts = {"d.txt": "same text one two six ten red foxes\n" * 12}
    index = index_of(texts, hash_embedder, chunker="fixed(size_tokens=8, overlap_tokens=0)")
    with index:
        assert len({chunk.text.strip() for chunk in index.chunks}) == 1
        for spec in ("dense", "bm25", "hybrid(fusion=weighted)", "grep"):
            hits = open_retriever(spec, index).retrieve("foxes", 12)
            starts = [hit.chunk.start for hit in hits]
            assert starts == sorted(starts)
            assert len(starts) == 12


@pytest.mark.parametrize(
    "spec", ["dense", "bm25", "hybrid", "hybrid(fusion=weighted)", "grep", "bm25+rewrite"]
)
def test_a_filter_by_metadata(index_of, hash_embedder, spec):
    metadata = {"a.txt": {"colour": "red", "year": 2024}, "b.txt": {"colour": "blue"}}
    with index_of(ANIMALS, hash_embedder, metadata) as index:
        retriever = open_retriever(spec, index)
        assert retriever.n_chunks == 2
        (hit,) = retriever.retrieve("fox", 5, {"colour": "red", "year": 2024})
        assert (hit.chunk.doc_id, hit.rank) == ("a.txt", 1)
        assert retriever.retrieve("fox", 5, {"colour": "green"}) == []


@pytest.mark.parametrize("spec", ["dense", "bm25", "hybrid", "grep", "bm25+rewrite"])
def test_bad_queries(index_of, hash_embedder, spec):
    with index_of(ANIMALS, hash_embedder) as index:
        retriever = open_retriever(spec, index)
        with pytest.raises(UsageError, match="query ' ' is empty"):
            retriever.retrieve(" ", 5)
        with pytest.raises(UsageError, match="number of hits is 0"):
            retriever.retrieve("fox", 0)
        with pytest.raises(UsageError, match=r"no text: '\\ud800' is half of a character"):
            retriever.retrieve("fox \ud800", 5)


def test_dense_needs_vectors_and_names_are_checked(index_of):
    with index_of(ANIMALS, None) as index:
        with pytest.raises(StoreError, match="without an embedder and has no vectors"):
            open_retriever("dense", index)
        with pytest.raises(
            UnknownName, match="Known: bm25, dense, grep, hybrid; did you mean 'dense'"
        ):
            open_retriever("dens", index)


def test_specs_print_and_parse_back():
    printed = {name: str(spec_of(RETRIEVERS.create(name))) for name in RETRIEVERS}
    assert printed == {
        "bm25": "bm25(k1=1.5, b=0.75, stem=english, stop=english, context=none)",
        "dense": "dense",
        "grep": "grep(ignore_case=true)",
        "hybrid": "hybrid(fusion=rrf, rrf_k=60, weight=0.5, depth=100, k1=1.5, b=0.75, "
        "stem=english, stop=english)",
    }
    for name, spec in printed.items():
        assert RETRIEVERS.create(spec) == RETRIEVERS.create(name)


def test_search_takes_the_collection_ingested_last(tmp_path, index_of, hash_embedder):
    index_of(ANIMALS, hash_embedder).close()
    found = search(SearchConfig("whale", store=tmp_path / "store", k=1))
    assert (found.collection, found.chosen, found.n_chunks) == ("docs", True, 2)
    assert [hit.chunk.doc_id for hit in found.hits] == ["b.txt"]
    assert found.documents["b.txt"].text == "blue fox fox whale"


def test_search_says_what_is_missing(tmp_path, index_of, hash_embedder):
    store = tmp_path / "store"
    with pytest.raises(StoreError, match=r"no collection in the store.*ragbench ingest"):
        search(SearchConfig("whale", store=store))
    index_of(ANIMALS, hash_embedder).close()
    with pytest.raises(UsageError, match="k is 51; it must be from 1 to 50"):
        search(SearchConfig("whale", store=store, k=51))
    (store / "store.json").unlink()
    with pytest.raises(UsageError, match="Name one with --collection: docs"):
        search(SearchConfig("whale", store=store))
    (store / "store.json").write_text("[]")
    with pytest.raises(StoreError, match="store is damaged"):
        search(SearchConfig("whale", store=store))


@pytest.mark.slow
@pytest.mark.shared_data
def test_the_real_corpus_is_searched_exactly_and_reproducibly(tmp_path, shared_data):
    paths = (shared_data / "tau3_banking" / "documents",)
    queries = [
        "How do I dispute a credit card charge?",
        "customer lost their debit card abroad",
        "Silver Plus savings account interest rate",
    ]
    store = tmp_path / "store"
    ingest(IngestConfig(paths, store))
    ingest(IngestConfig(paths, store, collection="again"))
    with open_index(store, "documents") as one, open_index(store, "again") as two:
        assert len(one.documents) == 698
        assert one.index_id == two.index_id
        assert one.manifest.recall.recall == two.manifest.recall.recall == 1.0
        matrix = one.embedder.embed([folded(chunk.text) for chunk in one.chunks], "passage")
        for query in queries:
            first = open_retriever("dense", one).retrieve(query, 50)
            assert first == open_retriever("dense", two).retrieve(query, 50)
            best = np.sort(matrix @ one.embed_query(query))[::-1][:50]
            assert [hit.score for hit in first] == pytest.approx(best, abs=2e-5)
        hits = open_retriever("dense", one).retrieve(queries[0], 1)
        assert (
            one.documents[hits[0].chunk.doc_id].title == "How to Dispute a Credit Card Transaction"
        )
