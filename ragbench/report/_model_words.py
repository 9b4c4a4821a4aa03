"""A run's models in words: what they cost, what the judge found, the agent under other setups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragbench.report._numbers import UNDEFINED, count, estimate, percent, plural, seconds, usd

__all__ = ["agent_name", "counterfactual_lines", "model_lines", "review_lines", "user_name"]

_PARTS = {
    "simulations": "simulations",
    "no_knowledge": "no_knowledge",
    "golden_retrieval": "golden_retrieval",
    "reviews": "reviews",
    "searches": "searches that ask a model",
    "elsewhere": "what was dropped",
}


def agent_name(identity: Mapping[str, Any]) -> str:
    """The agent as a reader knows it: its model's name and how it calls tools.

    >>> agent_name({"agent": "oracle"})
    'oracle'
    >>> agent_name({"agent": "llm", "agent_llm": {"model": "gpt-4.1"}, "tool_mode": "native"})
    'gpt-4.1 (native tool calls)'
    """
    model = identity.get("agent_llm")
    if model is None:
        return str(identity["agent"])
    return f"{model['model']} ({identity['tool_mode']} tool calls)"


def user_name(identity: Mapping[str, Any]) -> str:
    """The customer: its model's name, or ``scripted``."""
    model = identity.get("user_llm")
    return str(identity["user"] if model is None else model["model"])


def model_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """What the models of the run were asked and what that cost; nothing without models."""
    models = summary.get("models")
    if not models:
        return
    for role, figures in models["roles"].items():
        yield _role(role, figures)
    total = _usd(models)
    parts = [f"{_PARTS.get(name, name)} {_usd(part)}" for name, part in models["parts"].items()]
    yield f"Cost {total}: {', '.join(parts)}." if len(parts) > 1 else f"Cost {total}."


def _role(role: str, figures: Mapping[str, Any]) -> str:
    troubles = [
        f"{count(figures[key])} {word}"
        for key, word in (("n_failed", "failed"), ("n_repeated", "attempts repeated"))
        if figures[key]
    ]
    calls = plural(figures["n_calls"], "call") + (f" ({', '.join(troubles)})" if troubles else "")
    none_counted = figures["prompt_tokens"] is None and figures["completion_tokens"] is None
    tokens = (
        "tokens unknown"
        if none_counted
        else (
            f"{_tokens(figures['prompt_tokens'])} prompt tokens "
            f"({_tokens(figures['cached_tokens'])} of them cached), "
            f"{_tokens(figures['completion_tokens'])} completion tokens"
        )
    )
    if figures["n_without_tokens"]:
        tokens += f", {plural(figures['n_without_tokens'], 'call')} without a count"
    if figures.get("n_without_schema"):
        tokens += (
            f", {plural(figures['n_without_schema'], 'call')} without a JSON schema, which the "
            "model does not take (the replies were checked here)"
        )
    return (
        f"{role}, {', '.join(figures['models'])}: {calls}; {tokens}; "
        f"{_cost(figures)}; latency per turn p50 "
        f"{seconds(figures['turn_ms_p50'])}, p95 {seconds(figures['turn_ms_p95'])}."
    )


def _usd(figures: Mapping[str, Any]) -> str:
    # Calls that failed cost nothing, which says nothing of those whose price is not known.
    known = figures["cost_usd"] or None
    return usd(known if figures["n_unpriced"] else figures["cost_usd"], figures["n_unpriced"])


def _cost(figures: Mapping[str, Any]) -> str:
    shown = _usd(figures)
    return f"cost {shown}" if shown.startswith("unknown") else shown


def _tokens(n: int | None) -> str:
    return "unknown" if n is None else count(n)


def counterfactual_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The agent under other setups: its baselines, and what retrieval alone explains."""
    baselines = summary.get("baselines") or {}
    if baselines:
        figures = [f"{name} {estimate(found['reward'])}" for name, found in baselines.items()]
        yield f"The agent's own mean reward: {', '.join(figures)}."
    found = summary.get("counterfactual")
    if found is None:
        return
    if not found["n_failed"]:
        yield "No trial failed, so there was nothing to play again with golden_retrieval."
        return
    yield (
        f"Of {plural(found['n_failed'], 'failed trial')}, {found['n_judged']} "
        f"{'was' if found['n_judged'] == 1 else 'were'} played again with golden_retrieval and "
        f"judged; {found['n_explained']} then succeeded: retrieval alone explains "
        f"{_share(found['share'])} of the failures (mean over tasks)."
    )
    yield (
        "An agent that answers differently each time may also succeed by chance the second time; "
        "hold the share against pass^1."
    )


def _share(figure: Mapping[str, Any]) -> str:
    if figure["mean"] is None:
        return UNDEFINED
    low, high = percent(figure["low"]), percent(figure["high"])
    return f"{percent(figure['mean'])}, 95 % interval {low} to {high},"


def review_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """What the judge found; nothing without reviews."""
    found = summary.get("reviews")
    if not found:
        return
    failed = f", {found['n_failed']} of them not to the end" if found["n_failed"] else ""
    yield f"{plural(found['n_reviewed'], 'trial')} read by a judge{failed}."
    words = {
        "assertions": ("assertion", "met", "not met"),
        "deviations": ("customer", "left the instructions", "kept to them"),
        "claims": ("claim", "supported by a passage", "not supported"),
    }
    for name, (noun, yes, no) in words.items():
        verdicts = found[name]
        n = sum(verdicts.values())
        if n:
            yield (
                f"{plural(n, noun)}: {verdicts['true']} {yes}, {verdicts['false']} {no}, "
                f"{verdicts['not_judged']} not judged."
            )
    if found["groundedness"]["mean"] is not None:
        yield f"Groundedness {estimate(found['groundedness'])} (mean over tasks)."
