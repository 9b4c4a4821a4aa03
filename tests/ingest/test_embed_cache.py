"""The embedding cache: one embedding per distinct (model, text) ever."""

import contextlib
import math

import numpy as np
import pytest

from ragbench.errors import ModelUnavailable, StoreError
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


class Behind:
    """A service's model; which one, nobody sees but in its vectors."""

    unpinned = True
    has_prompts = False
    window = None
    identity = "behind(model=m)"

    def __init__(self, turn: float = 0.0, dim: int = 4) -> None:
        self.turn, self.dim, self.asked = turn, dim, []

    def embed(self, texts, kind):
        self.asked += texts
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            angle = len(text) / 10 + self.turn
            vectors[row, :2] = math.cos(angle), math.sin(angle)
        return vectors


def embed(model, path, *texts):
    with contextlib.closing(EmbeddingCache(path)) as cache:
        return embed_cached(model, cache, texts, "passage")


def test_a_model_replaced_behind_its_name_is_refused(tmp_path) -> None:
    embed(Behind(), tmp_path / "cache", "one", "two")
    with pytest.raises(ModelUnavailable, match=r"Another model stands behind .*cosine 0\.540"):
        embed(Behind(turn=1.0), tmp_path / "cache", "three")  # cos 1 rad = 0.5403
    with pytest.raises(ModelUnavailable, match="have 4 and 6 components"):
        embed(Behind(dim=6), tmp_path / "cache", "three")


def test_the_same_model_is_asked_once_more_in_each_process_that_embeds(tmp_path) -> None:
    first = Behind()
    embed(first, tmp_path / "cache", "one")
    assert len(first.asked) == 2  # the text, and the one to know the model by
    again = Behind(turn=0.1)  # cos 0.1 = 0.995: rounding of a server
    with contextlib.closing(EmbeddingCache(tmp_path / "cache")) as cache:
        embed_cached(again, cache, ["one"], "passage")
        assert again.asked == []  # nothing new: nothing is asked
        embed_cached(again, cache, ["two"], "passage")
        embed_cached(again, cache, ["three"], "passage")
    assert again.asked[1:] == ["two", "three"]
    assert len(again.asked) == 3
