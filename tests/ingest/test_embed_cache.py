"""The embedding cache: one embedding per distinct (model, text) ever."""

import numpy as np
import pytest

from ragbench.errors import StoreError
from ragbench.ingest.embed import EmbeddingCache, embed_cached


class Counting:
    """Embeds a text as its length and remembers what it was asked for."""

    def __init__(self, identity="counting", has_prompts=False, fail_after=None):
        self.identity, self.has_prompts, self.window = identity, has_prompts, None
        self.asked, self.fail_after = [], fail_after

    def embed(self, texts, kind):
        if self.fail_after is not None and len(self.asked) >= self.fail_after:
            raise KeyboardInterrupt
        self.asked += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    def count_truncated(self, texts):
        return 0


def test_each_distinct_text_is_embedded_once(tmp_path):
    embedder = Counting()
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    vectors, n_new = embed_cached(embedder, cache, ["a", "bb", "a"], "passage")
    assert vectors.tolist() == [[1, 1], [2, 1], [1, 1]]
    assert n_new == 2
    cache.close()
    again = EmbeddingCache(tmp_path / "e.sqlite")
    vectors, n_new = embed_cached(embedder, again, ["bb", "ccc"], "query")
    assert vectors.tolist() == [[2, 1], [3, 1]]
    assert n_new == 1
    assert sorted(embedder.asked) == ["a", "bb", "ccc"]
    again.close()


def test_models_and_prompts_are_told_apart(tmp_path):
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    first, second = Counting("first"), Counting("second", has_prompts=True)
    embed_cached(first, cache, ["a"], "passage")
    embed_cached(second, cache, ["a"], "passage")
    embed_cached(second, cache, ["a"], "query")
    embed_cached(second, cache, ["a"], "query")
    assert (first.asked, second.asked) == (["a"], ["a", "a"])
    cache.close()


def test_what_was_embedded_before_an_interruption_is_kept(tmp_path):
    texts = [f"text {i}" for i in range(150)]
    broken = Counting(fail_after=128)  # batches of 64: two succeed
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    told = []
    with pytest.raises(KeyboardInterrupt):
        embed_cached(broken, cache, texts, "passage", told.append)
    cache.close()
    assert told == [64, 64]
    whole = Counting()
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    vectors, n_new = embed_cached(whole, cache, texts, "passage")
    assert n_new == 150 - 128
    assert vectors[:, 0].tolist() == [len(text) for text in texts]
    assert not set(whole.asked) & set(broken.asked)
    cache.close()


def test_an_embedder_that_pays_by_request_has_each_request_committed(tmp_path):
    texts = [f"{i:02}" for i in range(10)]
    broken = Counting(fail_after=6)
    broken.batch = 3  # requests of 3, 3, and one that fails
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    with pytest.raises(KeyboardInterrupt):
        embed_cached(broken, cache, texts, "passage")
    cache.close()
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    assert embed_cached(Counting(), cache, texts, "passage")[1] == 10 - 6
    cache.close()


def test_nothing_to_embed(tmp_path):
    cache = EmbeddingCache(None)
    vectors, n_new = embed_cached(Counting(), cache, [], "passage")
    assert (len(vectors), n_new) == (0, 0)
    cache.close()


def test_a_damaged_file_is_a_store_error(tmp_path):
    path = tmp_path / "e.sqlite"
    path.write_bytes(b"this is no database, and long enough to be sure of it" * 50)
    with pytest.raises(
        StoreError, match=r"embedding cache '.*e\.sqlite' cannot be used.*delete it"
    ):
        EmbeddingCache(path)
