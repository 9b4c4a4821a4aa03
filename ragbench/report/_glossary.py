"""What columns, causes and call classes mean, what to do about each cause, and what is by design.

Labels and attributions are explained where they are decided, in `ragbench.diagnose`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragbench.records import CallClass

__all__ = [
    "BY_DESIGN",
    "CALL_CLASSES",
    "CAUSES",
    "CLASS_NAMES",
    "COLUMNS",
    "ByDesign",
    "Cause",
    "by_design",
]


@dataclass(frozen=True, slots=True)
class Cause:
    """What a cause says, and what to try."""

    meaning: str
    remedy: str


CAUSES: Mapping[str, Cause] = {
    "not_in_index": Cause(
        "the evidence's document is not in the index",
        "ingest the document, or see why it was not read",
    ),
    "lost_in_parsing": Cause(
        "the document is there, the passage is not in its loaded text",
        "another loader, or mend the file",
    ),
    "not_offered": Cause("the setup gave no search tool", "a setup with a search tool"),
    "not_searched": Cause(
        "no search returned before the evidence was needed", "make the agent search before it acts"
    ),
    "truncated": Cause(
        "found, but cut off the delivered result", "raise or drop max_result_tokens"
    ),
    "not_asked": Cause(
        "searches were made, none of them near what was needed",
        "make the agent search for each thing that it has to know",
    ),
    "filtered": Cause(
        "a query finds it within k, but the call's own filter left its document out",
        "let the agent search without that filter, or mend the documents' metadata",
    ),
    "own_k": Cause(
        "a query finds it within the setup's k, but the call asked for fewer hits",
        "let the agent leave k alone",
    ),
    "split": Cause("no single chunk holds the passage", "larger chunks, or chunks that overlap"),
    "query": Cause(
        "the written question finds it within k, the agent's queries did not",
        "better queries (another prompt for the agent, or rewriting)",
    ),
    "cut_off": Cause("it ranks below k, within 4k", "a larger k, or a reranker"),
    "ranking": Cause("it ranks below 4k for every query", "another retriever or embedder"),
    "undetermined": Cause(
        "the run's index, or a written question, is missing, or the searches cannot be seen",
        "diagnose with the index of the run",
    ),
}
"""Every cause of an evidence item that did not come in time, in order of precedence."""

CALL_CLASSES: Mapping[str, str] = {
    "useful": "covered evidence that was still open, or added to it",
    "unneeded": "no evidence was open any more (or ever)",
    "redundant": "an equal search had been made before",
    "missed": "evidence was open and none came; stale when at least 90 % of it had been seen",
}

CLASS_NAMES: Mapping[CallClass | None, str] = {
    CallClass.USEFUL: "useful",
    CallClass.UNNEEDED: "after sufficiency",
    CallClass.REDUNDANT: "redundant",
    CallClass.MISSED: "missed",
    None: "failed",
}
"""Call classes as people read them; None is a call that raised."""

COLUMNS: Mapping[str, str] = {
    "reward": "product over the task's reward basis, from 0 to 1; 1 is success",
    "label": "what the retrieval of the trial was like, one of the labels below",
    "calls": "searches that returned a result",
    "under_retrieval": "share of the evidence items that had not come when they were needed; "
    "lower is better",
    "over_retrieval": "share of the delivered characters that are no evidence; lower is better, "
    "but not below its floor",
    "floor": "what over_retrieval is when exactly the chunks with evidence come (1 - "
    "precision-omega): short evidence in larger chunks alone gives this much",
    "tokens_per_item": "delivered tokens per evidence item that a search covered; lower is better",
    "excess_share": "share of the delivered tokens in hits without any evidence; 4 of 5 hits is "
    "ordinary at k = 5; lower is better",
    "misses_per_call": "share of the searches that brought nothing although evidence was open; "
    "lower is better",
    "over_search_rate": "share of the searches made after sufficiency, or repeated; lower is "
    "better",
    "causes": "why evidence did not come in time, one cause per evidence item",
    "attribution": "what a failed trial failed by, the first that holds",
}
"""The columns of the table of trials. A `-` is undefined: nothing to measure, never 0."""


@dataclass(frozen=True, slots=True)
class ByDesign:
    """A value that the oracle's construction fixes, so that it says nothing about the retrieval."""

    value: float
    reason: str


BY_DESIGN: Mapping[str, ByDesign] = {
    "over_search_rate": ByDesign(
        0, "the oracle never searches without an open item and never asks the same question twice"
    ),
    "late_recall": ByDesign(0, "the oracle acts only after the evidence of its needs has come"),
    "post_sufficiency_calls": ByDesign(0, "the oracle stops searching when all evidence has come"),
    "lucky": ByDesign(0, "the oracle never acts on a need that is not met"),
    "beats_reference": ByDesign(0, "the oracle is the reference"),
}


def by_design(measure: str, value: float | None, agent: str) -> bool:
    """Whether the oracle's construction fixes the value; another value than that is shown plainly.

    >>> by_design("over_search_rate", 0.0, "oracle"), by_design("over_search_rate", 0.0, "llm")
    (True, False)
    """
    fixed: ByDesign | None = BY_DESIGN.get(measure)
    return agent == "oracle" and fixed is not None and value is not None and value == fixed.value
