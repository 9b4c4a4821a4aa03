"""A grid with a setup that asks a chat model, over real HTTP."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from model_server import ModelServer, error, says

from ragbench.compare import compare, plan_grid
from ragbench.config import CompareConfig

DELAY_S = 0.2


@pytest.fixture
def config(tmp_path) -> CompareConfig:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "fees.md").write_text("A wire transfer costs 25 dollars.", encoding="utf-8")
    (docs / "hours.md").write_text("The branch opens at nine.", encoding="utf-8")
    question = {
        "id": "cash",
        "question": "How much to send cash?",
        "evidence": [{"doc_id": "fees.md", "quote": "costs 25 dollars"}],
    }
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(question) + "\n", encoding="utf-8")
    return CompareConfig(
        corpus=docs,
        questions=questions,
        store=tmp_path / "store",
        save_to=tmp_path / "run",
        chunkers=("document",),
        k=(1,),
    )


def compared(config, server):
    asking = f"bm25+llm_rewrite(model=openai/m, base_url={server.url})"
    return compare(plan_grid(replace(config, retrievers=("bm25", asking)))).cells


def test_a_setup_that_asks_a_model_has_figures_and_its_latency_has_the_waiting(config) -> None:
    reply = says('{"query": "wire transfer"}').but(delay_s=DELAY_S)
    with ModelServer([reply, reply]) as server:
        plain, asking = compared(config, server)
        assert len(server.requests) == 2  # to warm up, and for the question
    assert plain.questions[0].values["R@1"] == 0.0
    assert asking.questions[0].values["R@1"] == 1.0
    assert asking.questions[0].search_ms >= DELAY_S * 1000
    assert "prompt=1" in asking.retriever_identity


def test_a_model_that_fails_costs_its_own_setup(config) -> None:
    with ModelServer(lambda body: error(401)) as server:
        plain, asking = compared(config, server)
    assert plain.error is None
    assert asking.error.startswith("LLMError: The model 'openai/m'")
    assert asking.questions == ()
