"""What a report says of models, judges and the same agent under other setups."""

from __future__ import annotations

from ragbench.records import AssertionReview, ClaimReview, DeviationReview, Review
from ragbench.report import render_html, words_text
from ragbench.report._model_words import (
    agent_name,
    counterfactual_lines,
    model_lines,
    review_lines,
    user_name,
)
from ragbench.report._passages import Passages

ROLE = {
    "models": ["gpt-4.1"], "n_calls": 40, "n_failed": 1, "n_repeated": 3, "prompt_tokens": 40000,
    "completion_tokens": 2800, "cached_tokens": 16000, "n_without_tokens": 0, "cost_usd": 0.1104,
    "n_unpriced": 0, "n_turns": 39, "turn_ms_p50": 812.0, "turn_ms_p95": 2400.0,
}  # fmt: skip
UNKNOWN = ROLE | {
    "models": ["openai/mine"], "n_calls": 1, "n_failed": 0, "n_repeated": 0, "prompt_tokens": None,
    "completion_tokens": None, "cached_tokens": None, "n_without_tokens": 1, "cost_usd": None,
    "n_unpriced": 1, "turn_ms_p50": None, "turn_ms_p95": None,
}  # fmt: skip


def test_cost_that_is_unknown_is_never_zero():
    parts = {
        "simulations": {"n_calls": 41, "cost_usd": 0.1104, "n_unpriced": 1},
        "elsewhere": {"n_calls": 0, "cost_usd": 0.02, "n_unpriced": 0},
    }
    models = {
        "roles": {"agent": ROLE, "user": UNKNOWN}, "cost_usd": 0.1304, "n_unpriced": 1,
        "parts": parts,
    }  # fmt: skip
    assert list(model_lines({"models": models})) == [
        "agent, gpt-4.1: 40 calls (1 failed, 3 attempts repeated); 40,000 prompt tokens (16,000 of "
        "them cached), 2,800 completion tokens; $0.11; latency per turn p50 0.81 s, p95 2.40 s.",
        "user, openai/mine: 1 call; tokens unknown, 1 call without a count; cost unknown (1 call "
        "unpriced); latency per turn p50 -, p95 -.",
        "Cost >= $0.13 (1 call unpriced): simulations >= $0.11 (1 call unpriced), what was "
        "dropped $0.0200.",
    ]
    # Failed calls cost nothing; beside calls without a price that is no lower bound worth showing.
    models |= {"cost_usd": 0.0, "n_unpriced": 72, "roles": {}, "parts": {"simulations": {}}}
    assert list(model_lines({"models": models | {"parts": {}}})) == [
        "Cost unknown (72 calls unpriced)."
    ]
    assert list(model_lines({"models": {}})) == []
    assert list(model_lines({})) == []


def test_names_of_models_stand_for_the_roles():
    identity = {
        "agent": "llm", "user": "llm", "tool_mode": "react",
        "agent_llm": {"model": "openai/m"}, "user_llm": {"model": "gpt-4.1"},
    }  # fmt: skip
    assert (agent_name(identity), user_name(identity)) == ("openai/m (react tool calls)", "gpt-4.1")
    assert user_name({"agent": "oracle", "user": "scripted"}) == "scripted"


def test_what_retrieval_alone_explains_in_words():
    share = {"mean": 0.25, "low": 0.1, "high": 0.5, "n": 4, "n_undefined": 0}
    found = {"n_failed": 5, "n_judged": 4, "n_explained": 1, "share": share}
    lines = list(counterfactual_lines({"counterfactual": found, "baselines": {}}))
    assert lines[0] == (
        "Of 5 failed trials, 4 were played again with golden_retrieval and judged; 1 then "
        "succeeded: retrieval alone explains 25.0 %, 95 % interval 10.0 % to 50.0 %, of the "
        "failures (mean over tasks)."
    )
    none = {"counterfactual": found | {"n_failed": 0}}
    assert list(counterfactual_lines(none)) == [
        "No trial failed, so there was nothing to play again with golden_retrieval."
    ]
    assert list(counterfactual_lines({})) == []


def test_a_review_is_on_the_page_and_in_the_words(resolved, summary, scores):
    review = Review(
        task_id="extend_loan",
        judge="gpt-4.1 prompts=1",
        assertions=(AssertionReview(assertion="It named a date.", met=True, reason="Step 3."),),
        deviation=DeviationReview(deviated=True, step=4, reason="It invented <b>a fee</b>."),
        claims=(
            ClaimReview(quote="Three days.", step=3, supported=False, reason="No passage."),
            ClaimReview(quote="Once.", step=3, supported=None, reason="Unclear."),
        ),
    )
    passages = Passages(reviews={("extend_loan", 0): review})
    page = render_html(resolved, summary, scores, passages)
    assert "It named a date." in page
    assert "left them at step 4" in page
    assert "It invented &lt;b&gt;a fee&lt;/b&gt;." in page
    assert "not supported" in page
    # 0 of 1 judged claim is supported; the other is in no share.
    from ragbench.runner._reviews import review_summary

    found = review_summary({("extend_loan", 0): review})
    assert list(review_lines({"reviews": found})) == [
        "1 trial read by a judge.",
        "1 assertion: 1 met, 0 not met, 0 not judged.",
        "1 customer: 1 left the instructions, 0 kept to them, 0 not judged.",
        "2 claims: 0 supported by a passage, 1 not supported, 1 not judged.",
        "Groundedness 0.0 % [0.0 %, 79.3 %] (mean over tasks).",
    ]
    text = words_text(resolved, summary | {"reviews": found}, scores, "runs/r")
    assert "\nReview      1 trial read by a judge." in text
