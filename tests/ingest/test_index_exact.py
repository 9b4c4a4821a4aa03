"""On every shipped corpus: two builds find the same, and what brute force finds."""

import numpy as np
import pytest

from ragbench.config import IngestConfig, SearchConfig
from ragbench.ingest.embed import EMBEDDERS, EmbeddingCache, embed_cached
from ragbench.ingest.index import describe_collection, open_index
from ragbench.ingest.pipeline import ingest
from ragbench.retrieval import search

QUERIES = [
    "What does a late return cost?",
    "How long may a loan be extended?",
    "fee for an international wire transfer",
    "annual percentage yield of a savings account",
    "dispute a card transaction",
    "who may close an account",
    "closed on holidays",
    "xyzzy",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.mark.parametrize("corpus", ["mock", "banking_knowledge"])
def test_two_builds_and_brute_force_agree(corpus, store, repository):
    paths = (repository / "corpora" / corpus,)
    builds = [f"{corpus}-one", f"{corpus}-two"]
    reports = [ingest(IngestConfig(paths, store, collection=name)) for name in builds]
    assert reports[1].n_embedded == 0
    assert reports[0].index_id == reports[1].index_id
    with open_index(store, builds[0]) as one, open_index(store, builds[1]) as two:
        assert one.manifest.recall.recall == two.manifest.recall.recall == 1.0
        assert one.manifest.search == two.manifest.search == "hnsw"
        for query in [*QUERIES, *(chunk.text for chunk in one.chunks)]:
            vector = one.embed_query(query)
            assert one.nearest(vector, 10) == two.nearest(vector, 10)
            exact = one._brute_force(vector, 10, None)
            assert [score for _, score in one.nearest(vector, 10)] == pytest.approx(
                [score for _, score in exact], abs=3e-6
            )
    assert describe_collection(store, builds[0]).manifest.recall.k == min(10, reports[0].n_chunks)


@pytest.mark.parametrize("corpus", ["mock", "banking_knowledge"])
def test_hits_are_those_of_the_bare_vectors(corpus, store, repository):
    """Nothing of the index has a part in what is expected: the texts, the model, one product."""
    ingest(IngestConfig((repository / "corpora" / corpus,), store, collection=f"{corpus}-one"))
    cache = EmbeddingCache(store / "embeddings.sqlite")
    model = EMBEDDERS.create("minilm")
    with open_index(store, f"{corpus}-one") as index:
        chunks = index.chunks
    matrix, _ = embed_cached(model, cache, [chunk.text for chunk in chunks], "passage")
    for query in QUERIES:
        asked, _ = embed_cached(model, cache, [query], "query")
        scores = np.round((matrix @ asked[0]).astype(float), 5)
        order = sorted(zip(scores, (chunk.chunk_id for chunk in chunks), strict=True), reverse=True)
        found = search(SearchConfig(query, store, f"{corpus}-one", k=10))
        # The last digit may differ: a score that falls between two is rounded either way.
        assert [hit.score for hit in found.hits] == pytest.approx(
            [score for score, _ in order[:10]], abs=1.1e-5
        )
        clear = [name for score, name in order[:10] if score > order[10][0] + 2e-5] if (
            len(order) > 10
        ) else [name for _, name in order]  # fmt: skip
        assert set(clear) <= {hit.chunk.chunk_id for hit in found.hits}
    cache.close()
