"""A cross-encoder over a retriever, with a tiny model of random weights that the test saves."""

import random
import time

import pytest

from ragbench.errors import ModelUnavailable, SpecError
from ragbench.retrieval import RERANKERS, CrossEncoder, open_retriever

WORDS = "fee wire transfer account card limit late waived monthly interest".split()
TEXTS = {
    f"{i:02d}.txt": " ".join(random.Random(i).choices(WORDS, k=4 + 3 * (i % 9))) for i in range(24)
}


def save_model(folder, labels=1):
    """A BERT of two layers and 32 dimensions, seeded, and its tokenizer."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(3)
    folder.mkdir()
    (folder / "words.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])
    )
    tokenizer = BertTokenizerFast(str(folder / "words.txt"), model_max_length=64)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, num_labels=labels, initializer_range=0.5,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("models") / "tiny")


def test_the_first_hits_are_ordered_by_the_model(index_of, model):
    index = index_of(TEXTS)
    first = open_retriever("bm25", index).retrieve("late fee", 10)
    reranker = CrossEncoder(str(model))
    scores = [reranker.score("late fee", [hit.chunk.text])[0] for hit in first]
    expected = sorted(zip(scores, [hit.chunk.chunk_id for hit in first], strict=True), reverse=True)
    retriever = open_retriever(f"bm25+rerank(model='{model}', depth=10)", index)
    assert retriever.n_chunks == 24
    for n in (1, 5, 10, 24):
        hits = retriever.retrieve("late fee", n)
        assert [hit.chunk.chunk_id for hit in hits] == [name for _, name in expected[:n]]
        assert [hit.score for hit in hits] == pytest.approx([s for s, _ in expected[:n]], abs=2e-5)
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.chunk for hit in hits] != [hit.chunk for hit in first]


def test_a_score_does_not_depend_on_the_others(model):
    reranker = CrossEncoder(str(model))
    texts = list(TEXTS.values())
    one = reranker.score("late fee", texts)
    other = reranker.score("late fee", texts[::-1])[::-1]
    assert one == pytest.approx(other, abs=1e-5)
    assert len(set(one)) == len(set(texts))
    assert reranker.score("late fee", []) == []


def test_a_filter_and_a_query_without_hits(index_of, model):
    metadata = {name: {"half": int(name < "12.txt")} for name in TEXTS}
    retriever = open_retriever(f"bm25+rerank(model='{model}')", index_of(TEXTS, metadata=metadata))
    hits = retriever.retrieve("fee", 50, {"half": 1})
    assert hits
    assert all(hit.chunk.doc_id < "12.txt" for hit in hits)
    assert retriever.retrieve("nothing", 5) == []


def test_its_identity_follows_the_weights_and_not_the_place(model, tmp_path):
    identity = CrossEncoder(str(model)).identity
    assert identity.startswith("cross_encoder(model=tiny, depth=50) weights=")
    assert CrossEncoder(str(save_model(tmp_path / "tiny"))).identity == identity

    import torch
    from transformers import BertForSequenceClassification

    changed = BertForSequenceClassification.from_pretrained(tmp_path / "tiny")
    with torch.no_grad():
        changed.classifier.bias += 1
    changed.save_pretrained(tmp_path / "tiny")
    assert CrossEncoder(str(tmp_path / "tiny")).identity != identity


def test_a_model_of_the_hub_without_a_network_fails_soon(index_of, monkeypatch):
    index = index_of(TEXTS)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    started = time.perf_counter()
    with pytest.raises(ModelUnavailable, match=r"'nobody/none' cannot be loaded.*hf download"):
        open_retriever("bm25+rerank(model=nobody/none)", index)
    assert time.perf_counter() - started < 30


def test_a_folder_without_a_model_and_a_model_of_another_kind(tmp_path):
    with pytest.raises(ModelUnavailable, match="must hold a cross-encoder"):
        _ = CrossEncoder(str(tmp_path)).identity
    save_model(tmp_path / "three", labels=3)
    with pytest.raises(ModelUnavailable, match="has 3 outputs; a reranker has one"):
        _ = CrossEncoder(str(tmp_path / "three")).identity


def test_the_spec():
    assert RERANKERS.defaults("cross_encoder") == (
        "cross_encoder(model=cross-encoder/ms-marco-MiniLM-L6-v2, depth=50)"
    )
    with pytest.raises(SpecError, match="depth is 0; it must be at least 1"):
        RERANKERS.create("cross_encoder(depth=0)")
