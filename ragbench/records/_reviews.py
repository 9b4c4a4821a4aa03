"""Reviews: what a judging model says of one trajectory, as one JSON line of ``reviews.jsonl``.

Everywhere None means not judged: it is neither a pass nor a failure, and the reason says why.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from ragbench.records._trajectory import LLMCall

__all__ = [
    "AssertionReview",
    "ClaimReview",
    "DeviationReview",
    "Review",
    "ReviewedPassage",
]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AssertionReview(_Record):
    """Whether a natural-language assertion of the task holds."""

    assertion: str
    met: bool | None
    reason: str


class DeviationReview(_Record):
    """Whether the simulated customer left its instructions or its script.

    ``step`` is that of the first message that did, None where none did or the judge named none.
    """

    deviated: bool | None
    step: int | None = None
    reason: str


class ReviewedPassage(_Record):
    """A passage that the agent had: delivered by a search, or inlined.

    ``step`` is the first step that could use it, 0 for what stood in the prompt.
    """

    doc_id: str
    start: int
    end: int
    step: int


class ClaimReview(_Record):
    """A statement of the agent about what the documents say, and whether a passage supports it.

    Attributes:
        quote: the agent's words.
        step: of the first message of the agent that holds them, None when none does.
        supported: by a passage that the agent had at that step.
        passage: which one, as a place in the review's ``passages``, from 0.
    """

    quote: str
    step: int | None
    supported: bool | None
    passage: int | None = None
    reason: str


class Review(_Record):
    """One trajectory reviewed.

    Attributes:
        judge: what the verdicts depend on: the model, its arguments, the version of the prompts.
        assertions: one per assertion of the task, in its order.
        statements: one per contested statement, as an assertion that the agent made it.
        deviation: None where the user has no model that could deviate.
        passages: what the agent had, in the order in which the judge read it.
        claims: None when the judge failed to list them.
        llm_calls: every call of the judge, also those that failed.
        error: what failed, None when nothing did.
    """

    schema_version: Literal[1] = 1
    task_id: str
    trial: int = 0
    judge: str = ""
    assertions: tuple[AssertionReview, ...] = ()
    statements: tuple[AssertionReview, ...] = ()
    deviation: DeviationReview | None = None
    passages: tuple[ReviewedPassage, ...] = ()
    claims: tuple[ClaimReview, ...] | None = ()
    llm_calls: tuple[LLMCall, ...] = ()
    error: str | None = None
