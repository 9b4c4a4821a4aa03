"""The review of one trial: three questions to a judging model, each answered or not judged.

Which assertions of the task hold; whether a simulated customer with a model left its instructions;
which of the agent's claims the passages support that it had. What can be checked without a model
is: a quote must stand in a message of the agent, and a passage that is cited must have reached it
by then. A failing, empty or malformed reply leaves its question not judged, with the reason, and
the other questions unharmed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ragbench.errors import LLMError
from ragbench.evidence import find_quote
from ragbench.judge._prompts import (
    ASSERTIONS,
    CLAIMS,
    DEVIATION,
    PROMPTS,
    assertions_format,
    claims_format,
    deviation_format,
)
from ragbench.judge._transcript import passages_of, passages_text, transcript
from ragbench.llm import ChatRequest, Session, StrictObject, ask_json, tagged
from ragbench.records import (
    AssertionReview,
    ClaimReview,
    DeviationReview,
    Review,
    ReviewedPassage,
    StatementStatus,
    Task,
    Termination,
    Trajectory,
)
from ragbench.score import TrialContext, check_communication, contested_assertion
from ragbench.toolkit import canonical_json

__all__ = ["SCRIPTED", "groundedness", "judge_identity", "review_trial"]

SCRIPTED = "scripted"
"""The user that has no model and cannot leave its script."""

T = TypeVar("T")


def judge_identity(session: Session) -> str:
    """What verdicts depend on: the model, its arguments and address, the version of the prompts."""
    return f"{session.model.identity} prompts={PROMPTS}"


async def review_trial(context: TrialContext, session: Session) -> Review:
    """Ask the judge about one trajectory; its failures become verdicts that are None.

    Nothing is asked that needs no judge: assertions of a task without any, the deviation of a
    scripted customer, claims of an agent that said nothing, and a simulation that failed for
    infrastructure.

    Args:
        context: the trial.
        session: the judge, in the role ``judge`` of this task and trial.

    Raises:
        LLMError: the run's budget is used up (kind ``budget``) or the judge's key is refused
            (``auth``); the trial is to be reviewed later.
    """
    asking = _Asking(context, session)
    task, trajectory = context.task, context.trajectory
    assertions = await asking.assertions(task.evaluation_criteria.nl_assertions)
    statements = await asking.assertions(_contested(context))
    deviation = None if trajectory.user == SCRIPTED else await asking.deviation(task)
    passages = passages_of(trajectory)
    claims = await asking.claims(passages)
    return Review(
        task_id=task.id,
        trial=trajectory.trial,
        judge=judge_identity(session),
        assertions=assertions,
        statements=statements,
        deviation=deviation,
        passages=passages,
        claims=claims,
        llm_calls=tuple(session.calls),
        error="; ".join(asking.failures) or None,
    )


def _contested(context: TrialContext) -> tuple[str, ...]:
    """The contested statements of a trial, as assertions."""
    checks = check_communication(context)
    return tuple(
        contested_assertion(check) for check in checks if check.status is StatementStatus.CONTESTED
    )


def groundedness(review: Review) -> float | None:
    """Supported claims / judged claims, in [0, 1], higher is better; None when none was judged.

    >>> said = [("a", True), ("b", False), ("c", None), ("d", True)]
    >>> claims = [ClaimReview(quote=q, step=1, supported=s, reason="") for q, s in said]
    >>> groundedness(Review(task_id="t", claims=tuple(claims)))  # 2 of the 3 judged
    0.6666666666666666
    """
    judged = [claim.supported for claim in review.claims or () if claim.supported is not None]
    return sum(judged) / len(judged) if judged else None


class _Met(StrictObject):
    reason: str
    met: bool | None


class _Deviated(StrictObject):
    reason: str
    deviated: bool | None
    step: int | None


class _Claim(StrictObject):
    quote: str
    reason: str
    supported: bool | None
    passage: int | None


class _Claims(StrictObject):
    claims: list[_Claim]


class _Asking:
    """The questions about one trial, and what failed among them."""

    def __init__(self, context: TrialContext, session: Session) -> None:
        self._context, self._session = context, session
        self._trajectory = context.trajectory
        self._conversation = tagged("conversation", transcript(self._trajectory))
        self.failures: list[str] = []

    async def assertions(self, texts: Sequence[str]) -> tuple[AssertionReview, ...]:
        if not texts:
            return ()
        numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))
        found, problem = await self._asked(
            "assertions",
            ASSERTIONS,
            f"{self._conversation}\n\n{tagged('statements', numbered)}",
            assertions_format(len(texts)),
            lambda value: _read_verdicts(value, len(texts)),
        )
        verdicts = found or [_Met(reason=problem, met=None)] * len(texts)
        return tuple(
            AssertionReview(assertion=text, met=verdict.met, reason=verdict.reason)
            for text, verdict in zip(texts, verdicts, strict=True)
        )

    async def deviation(self, task: Task) -> DeviationReview:
        found, problem = await self._asked(
            "deviation",
            DEVIATION,
            f"{tagged('instructions', _instructions(task))}\n\n{self._conversation}",
            deviation_format(),
            lambda value: _read_deviation(value, self._trajectory),
        )
        if found is None:
            return DeviationReview(deviated=None, reason=problem)
        return DeviationReview(deviated=found.deviated, step=found.step, reason=found.reason)

    async def claims(self, passages: Sequence[ReviewedPassage]) -> tuple[ClaimReview, ...] | None:
        if not any(m.role == "assistant" and m.content for m in self._trajectory.messages):
            return ()
        read = passages_text(passages, self._context.documents)
        found, _ = await self._asked(
            "claims",
            CLAIMS,
            f"{tagged('passages', read)}\n\n{self._conversation}",
            claims_format(),
            lambda value: _Claims.model_validate(value).claims,
        )
        if found is None:
            return None
        return tuple(_checked(claim, self._trajectory, passages) for claim in found)

    async def _asked(
        self,
        what: str,
        instructions: str,
        material: str,
        form: dict[str, Any],
        read: Callable[[dict[str, Any]], T],
    ) -> tuple[T | None, str]:
        """What was read of the reply, or None and why there is nothing."""
        if self._trajectory.termination is Termination.INFRASTRUCTURE_ERROR:
            return None, "the simulation failed for infrastructure"
        request = ChatRequest(
            messages=(
                {"role": "system", "content": instructions},
                {"role": "user", "content": material},
            ),
            response_format=form,
        )
        try:
            return await ask_json(self._session.complete, request, read), ""
        except LLMError as error:
            if error.stops_run:
                raise
            problem = f"the judge failed ({error.kind}): {error}"
            self.failures.append(f"{what}: {problem}")
            return None, problem


def _read_verdicts(value: dict[str, Any], n: int) -> list[_Met]:
    numbers = [str(number) for number in range(1, n + 1)]
    if set(value) != set(numbers):
        raise ValueError(f"its keys are {sorted(value)}, not {numbers}")
    return [_Met.model_validate(value[number]) for number in numbers]


def _read_deviation(value: dict[str, Any], trajectory: Trajectory) -> _Deviated:
    found = _Deviated.model_validate(value)
    steps = {message.step for message in trajectory.messages if message.role == "user"}
    if found.step is not None and found.step not in steps:
        raise ValueError(f"step {found.step} is no message of the customer's")
    return found


def _checked(
    claim: _Claim, trajectory: Trajectory, passages: Sequence[ReviewedPassage]
) -> ClaimReview:
    """The claim at its step; its verdict is dropped where it cannot stand."""
    step = next(
        (
            message.step
            for message in trajectory.messages
            if message.role == "assistant" and find_quote(message.content or "", claim.quote)
        ),
        None,
    )
    passage = None if claim.passage is None else claim.passage - 1
    problem = None
    if step is None:
        problem = "the quote stands in no message of the agent"
    elif claim.supported and (passage is None or not 0 <= passage < len(passages)):
        problem = f"the judge cites passage {claim.passage}; there are {len(passages)}"
    elif claim.supported and passage is not None and passages[passage].step > step:
        problem = (
            f"the judge cites passage {claim.passage}, which the agent had from step "
            f"{passages[passage].step} only"
        )
    if problem is not None:
        return ClaimReview(
            quote=claim.quote, step=step, supported=None, reason=f"{problem} ({claim.reason})"
        )
    return ClaimReview(
        quote=claim.quote,
        step=step,
        supported=claim.supported,
        passage=passage if claim.supported else None,
        reason=claim.reason,
    )


def _instructions(task: Task) -> str:
    """What the customer was told: its persona, its instructions, its script."""
    scenario = task.user_scenario
    parts = [scenario.persona or ""]
    instructions = scenario.instructions or ""
    parts.append(instructions if isinstance(instructions, str) else canonical_json(instructions))
    parts += [turn.say for turn in scenario.script if turn.say is not None]
    return "\n".join(part for part in parts if part)
