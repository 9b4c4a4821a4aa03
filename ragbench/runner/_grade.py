"""The score and diagnosis of one stored simulation; the stored simulation is not changed."""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path

from ragbench.diagnose import Probe, diagnose_trial
from ragbench.errors import LLMError
from ragbench.records import Diagnosis, Review, Score, Trajectory, TrialScore
from ragbench.runner._prepare import Prepared
from ragbench.score import TrialContext, replay, score_trial

__all__ = ["context_of", "grade", "not_judged", "with_kept_causes"]

_UNDETERMINED = "undetermined"


def grade(prepared: Prepared, trajectory: Trajectory, review: Review | None = None) -> TrialScore:
    """Score and diagnose a stored trajectory.

    When a domain's own code raises in it, the trial is not judged, and its reason says so.

    Args:
        prepared: the evaluation; without its index, causes that need it are undetermined.
        trajectory: what happened.
        review: what a judge said of it; without one, assertions in words are not judged.
    """
    try:
        return _graded(prepared, trajectory, review)
    except Exception as error:  # noqa: BLE001  (the other end of the boundary around a task)
        trace = traceback.format_exception_only(error)[-1].strip()
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}, line {where.lineno}"
        return not_judged(trajectory, f"could not be judged: {trace} ({place})")


def not_judged(
    trajectory: Trajectory, reason: str, attribution: str | None = "infrastructure"
) -> TrialScore:
    """The score of a trial that has none: neither a success nor a failure."""
    return TrialScore(
        task_id=trajectory.task_id,
        trial=trajectory.trial,
        termination=trajectory.termination,
        n_steps=trajectory.n_steps,
        score=Score(reward=None, reason=reason),
        diagnosis=Diagnosis(label=None, attribution=attribution),
    )


def context_of(prepared: Prepared, trajectory: Trajectory) -> TrialContext:
    """The trajectory with what it is held against, its calls replayed."""
    task = prepared.task(trajectory.task_id)
    return TrialContext(
        domain=prepared.domain,
        task=task,
        gold=prepared.gold[task.id],
        trajectory=trajectory,
        items=prepared.items[task.id],
        documents=prepared.documents,
        replayed=replay(prepared.domain, task, trajectory, prepared.gold[task.id].start),
    )


def _graded(prepared: Prepared, trajectory: Trajectory, review: Review | None) -> TrialScore:
    context = context_of(prepared, trajectory)
    score = score_trial(context, review)
    return TrialScore(
        task_id=trajectory.task_id,
        trial=trajectory.trial,
        termination=trajectory.termination,
        n_steps=trajectory.n_steps,
        score=score,
        diagnosis=_diagnosis(context, score, prepared.probe),
    )


def _diagnosis(context: TrialContext, score: Score, probe: Probe | None) -> Diagnosis:
    """The diagnosis; where a search asks a model that fails, causes are undetermined."""
    try:
        return diagnose_trial(context, score, probe)
    except LLMError:
        return diagnose_trial(context, score, None)


def with_kept_causes(
    prepared: Prepared, trajectory: Trajectory, review: Review | None, earlier: TrialScore | None
) -> TrialScore:
    """Grade a trajectory whose index is no longer at hand.

    Causes that only the index could tell are those of the earlier diagnosis, which is marked; an
    item that was covered then, or an earlier diagnosis that is missing, leaves ``undetermined``.
    """
    score = grade(replace(prepared, probe=None), trajectory, review)
    if earlier is None:
        return score
    known = {(item.need_id, item.index): item for item in earlier.diagnosis.items}
    kept, items = False, []
    for item in score.diagnosis.items:
        before = known.get((item.need_id, item.index))
        if item.cause == _UNDETERMINED and before is not None and before.cause is not None:
            kept = True
            cause = {"cause": before.cause, "cut_off_depth": before.cut_off_depth}
            item = item.model_copy(update=cause)
        items.append(item)
    update = {"items": tuple(items), "causes_kept": kept}
    return score.model_copy(update={"diagnosis": score.diagnosis.model_copy(update=update)})
