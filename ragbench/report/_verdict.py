"""One sentence: whether the agent searched too little, too much, or well, and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragbench.report._numbers import count, counts, percent, plural

__all__ = ["searching_line"]

_LIMIT = "up to 5 % of either still counts as well"


def searching_line(summary: Mapping[str, Any], identity: Mapping[str, Any]) -> str:
    """The verdict of `ragbench.runner`'s summary with what could have been avoided, a sentence."""
    found = summary["searching"]
    agent = "the oracle" if identity["agent"] == "oracle" else "the agent"
    if found["verdict"] is None:
        return _nothing(found, agent)
    rest = []
    if found["n_broken_off"]:
        rest.append(f"{plural(found['n_broken_off'], 'trial')} that broke off left out")
    if found["n_not_observed"]:
        rest.append(f"{plural(found['n_not_observed'], 'trial')} with unseen searches left out")
    left_out = "".join(f"; {part}" for part in rest)
    return (
        f"{agent.capitalize()} searched {found['verdict']}: {_missed(found)}, and "
        f"{_excess(found)}; {_LIMIT}{left_out}."
    )


def _nothing(found: Mapping[str, Any], agent: str) -> str:
    if found["n_broken_off"] and not found["n_trials"]:
        return f"Every trial broke off, so nothing can be said of how {agent} searches."
    if found["n_not_observed"] and not found["n_trials"]:
        return f"The searches of {agent} cannot be seen, so nothing can be said of them."
    return f"Nothing had to be looked up, and {agent} was delivered nothing."


def _missed(found: Mapping[str, Any]) -> str:
    n_items, n_missed = found["n_items"], found["n_items_missed"]
    if not n_items:
        return "nothing had to be looked up"
    if not n_missed:
        return f"all {plural(n_items, 'evidence item')} came in time"
    share = percent(n_missed / n_items)
    said = f"{n_missed:,} of {n_items:,} evidence items ({share}) did not come in time"
    if not found["n_items_avoidable"]:
        return f"{said}, none of them for its own searching"
    return (
        f"{said}, {found['n_items_avoidable']:,} of these for its own searching "
        f"({counts(found['causes_avoidable'])})"
    )


def _excess(found: Mapping[str, Any]) -> str:
    n_tokens, n_avoidable = found["tokens"], found["tokens_avoidable"]
    if not n_tokens:
        return "no text was delivered"
    share = percent(n_avoidable / n_tokens)
    return (
        f"{share} of the {count(n_tokens)} delivered tokens were avoidable (after sufficiency, "
        "repeated, or floods)"
    )
