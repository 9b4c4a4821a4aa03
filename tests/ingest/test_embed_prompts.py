"""Prompts by family and by the model's own word; cutting to a dimension; naming what is cut."""

import json

import numpy as np
import pytest

from ragbench.errors import ModelUnavailable
from ragbench.ingest.embed import over_window
from ragbench.ingest.embed._base import unit_vectors
from ragbench.ingest.embed._prompts import NO_PROMPTS, Prompts, find_prompts, prompts_of_folder

SEARCH = "Represent this sentence for searching relevant passages: "
TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("intfloat/e5-large-unsupervised", "query: ", "passage: "),
        ("intfloat/multilingual-e5-base", "query: ", "passage: "),
        ("models/my_e5", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", TASK, ""),
        ("intfloat/e5-mistral-7b-instruct", TASK, ""),
        ("Alibaba-NLP/gte-Qwen2-1.5B-instruct", TASK, ""),
        ("BAAI/bge-small-en-v1.5", SEARCH, ""),
        ("BAAI/bge-large-en", SEARCH, ""),
        ("BAAI/bge-base-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-m3", "", ""),
        ("thenlper/gte-base", "", ""),
        ("Alibaba-NLP/gte-multilingual-base", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("some/face5-model", "", ""),
    ],
)
def test_a_family_is_known_by_its_name(name, query, passage):
    assert find_prompts([name], {}) == Prompts(query, passage)


def test_the_models_own_prompts_come_first():
    own = {"query": "Q: ", "document": "D: ", "corpus": "C: ", "sts": "S: "}
    assert find_prompts(["intfloat/e5-small"], own) == Prompts("Q: ", "D: ")
    assert find_prompts(["x"], {"query": "", "corpus": "C: "}) == Prompts("", "C: ")
    # Empty ones are what a model without prompts has: the family decides.
    empty = {"query": "", "document": None}
    assert find_prompts(["intfloat/e5-small"], empty) == Prompts("query: ", "passage: ")
    assert not find_prompts(["x"], empty)


def test_prompts_that_nobody_can_place_are_an_error():
    with pytest.raises(ModelUnavailable, match=r"brings the prompts 'sts', 'web'.*prompts=none"):
        find_prompts(["x"], {"web": "w", "sts": "s"})


def test_a_folder_is_known_by_its_files(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    assert prompts_of_folder(folder) == NO_PROMPTS
    (folder / "config.json").write_text(json.dumps({"_name_or_path": "intfloat/e5-small"}))
    assert prompts_of_folder(folder) == Prompts("query: ", "passage: ")
    own = folder / "config_sentence_transformers.json"
    own.write_text(json.dumps({"prompts": {"query": "Q: "}}))
    assert prompts_of_folder(folder) == Prompts("Q: ", "")
    own.write_text("[]")
    with pytest.raises(ModelUnavailable, match="holds no JSON object"):
        prompts_of_folder(folder)
    own.write_text("{")
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        prompts_of_folder(folder)


def test_prompts_print_into_an_identity():
    assert str(NO_PROMPTS) == "none"
    assert str(Prompts("a: ")) == '{"query": "a: ", "passage": ""}'


def test_unit_vectors():
    # (3, 4) has length 5; zero stays zero.
    raw = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert unit_vectors(raw, "m") == pytest.approx(np.array([[0.6, 0.8], [0.0, 0.0]]))
    assert unit_vectors(raw, "m", dim=1).tolist() == [[1.0], [0.0]]
    with pytest.raises(ModelUnavailable, match="'m' has 2 dimensions, fewer than dim=3"):
        unit_vectors(raw, "m", dim=3)
    for bad in (np.nan, np.inf):
        with pytest.raises(ModelUnavailable, match="holds NaN or infinity"):
            unit_vectors(np.array([[1.0, bad]]), "m")


def test_what_is_cut_is_named_worst_first():
    assert over_window([5, 9, 8, 9, 7], 7) == [(1, 9), (3, 9), (2, 8)]
    assert over_window([5, 9], None) == []
