"""The results of a run from what its folder holds: scores, and the summary of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.ingest.chunk import count_tokens
from ragbench.records import Trajectory, TrialScore
from ragbench.retrieval import inlined_spans
from ragbench.runner._folder import OTHER_SETUPS
from ragbench.runner._grade import grade, not_judged, with_kept_causes
from ragbench.runner._others import (
    GOLDEN,
    baseline_summary,
    counterfactual_summary,
    wanted_under,
)
from ragbench.runner._prepare import Prepared, with_setup
from ragbench.runner._references import asks_model, references
from ragbench.runner._reviews import review_summary
from ragbench.runner._stored import Key, Stored
from ragbench.runner._summary import oracle_summary, summarise

__all__ = ["Results", "left_over"]

Scores = tuple[TrialScore, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """Grades what a run folder holds and writes the results into it.

    Attributes:
        n_wanted: trials that the run was to have.
        judge: what the verdicts of the judge asked for depend on, None without a judge.
        earlier: scores of an earlier grading, whose causes are kept where the index has changed.
    """

    prepared: Prepared
    stored: Stored
    n_wanted: int
    judge: str | None = None
    earlier: Mapping[Key, TrialScore] | None = None

    async def graded(self, setup: str | None = None) -> Scores:
        """The scores of the simulations under a setup, None for the run's own."""
        prepared = self.prepared if setup is None else with_setup(self.prepared, setup)
        trajectories = self.stored.trajectories(setup)
        scores = []
        for key in sorted(trajectories):
            scores.append(self._graded(prepared, trajectories[key], setup))
            await asyncio.sleep(0)  # here an interrupt gets through
        return tuple(scores)

    def _graded(self, prepared: Prepared, trajectory: Trajectory, setup: str | None) -> TrialScore:
        key = (trajectory.task_id, trajectory.trial)
        if all(task.id != trajectory.task_id for task in prepared.tasks):
            gone = f"the domain has no task {trajectory.task_id!r} any more"
            return not_judged(trajectory, gone, attribution=None)
        review = self.stored.reviews(setup).get(key)
        if not trajectory.offered or trajectory.index_id == prepared.index.index_id:
            return grade(prepared, trajectory, review)
        earlier = (self.earlier or {}).get(key) if setup is None else None
        return with_kept_causes(prepared, trajectory, review, earlier)

    async def write(self, scores: Scores) -> tuple[Scores, dict[str, Any]]:
        """Write ``scores.jsonl`` and ``summary.json``; returns what is in them.

        Args:
            scores: of the run's own trials, as `graded` gives them.
        """
        config = self.prepared.config
        is_oracle = config.agent == "oracle" and config.user == "scripted"
        own = {s.task_id: s for s in scores if s.trial == 0} if is_oracle else None
        found = await references(self.prepared, own)
        rewards = found.rewards()
        reference = rewards.get(self.prepared.setup.name, {})
        scores = tuple(_against(score, reference.get(score.task_id)) for score in scores)
        summary = summarise(
            scores,
            n_expected=self.n_wanted,
            num_trials=config.num_trials,
            deterministic=is_oracle and not asks_model(self.prepared.setup),
            references=rewards,
            missing_references=found.missing,
            oracle=oracle_summary(found),
            prompt_tokens=_prompt_tokens(self.prepared),
        )
        summary |= await self._beside(scores)
        folder = self.stored.folder
        folder.write_scores(scores)
        folder.write("summary.json", json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
        return scores, summary

    async def _beside(self, scores: Scores) -> dict[str, Any]:
        """What stands in the summary beside the figures of the run's own trials."""
        others = {
            setup: await self.graded(setup)
            for setup in OTHER_SETUPS
            if self.stored.trajectories(setup)
        }
        baselines = {
            setup: figures
            for setup, graded in others.items()
            if (figures := baseline_summary(scores, graded)) is not None
        }
        asked = wanted_under(self.prepared.config, self.prepared.setup.name, scores)
        found: dict[str, Any] = {
            "models": self.stored.account.summary(),
            "reviews": review_summary(self.stored.reviews()),
            "n_causes_kept": sum(score.diagnosis.causes_kept for score in scores),
            "baselines": baselines,
            "counterfactual": None,
            "left_over": left_over(self.stored, self.prepared, asked, self.judge),
        }
        if GOLDEN in others or GOLDEN in asked:
            again = others.get(GOLDEN, ())
            found["counterfactual"] = counterfactual_summary(scores, again)
        return found


def left_over(
    stored: Stored, prepared: Prepared, asked: Mapping[str, Sequence[Key]], judge: str | None
) -> dict[str, int]:
    """Pieces of work beside the run's own simulations that are still to be done, by kind."""
    left = {setup: len(stored.missing(keys, setup)) for setup, keys in asked.items()}
    if judge is not None:
        left["reviews"] = sum(
            len(stored.unreviewed(judge, prepared.tasks, setup)) for setup in (None, *asked)
        )
    return {name: n for name, n in left.items() if n}


def _against(score: TrialScore, reference: float | None) -> TrialScore:
    if reference is None:
        return score
    beats = bool(score.score.success) and reference < 1
    return score.model_copy(update={"beats_reference": beats})


def _prompt_tokens(prepared: Prepared) -> dict[str, int]:
    """Tokens of the documents that the setup puts into the prompt, by task."""
    tokens: dict[tuple[str, int, int], int] = {}
    found = {}
    for task in prepared.tasks:
        items = prepared.items[task.id]
        spans = inlined_spans(prepared.setup, task, items, prepared.documents)
        for span in spans:
            key = (span.doc_id, span.start, span.end)
            if key not in tokens:
                text = prepared.documents[span.doc_id].text[span.start : span.end]
                tokens[key] = count_tokens(text)
        found[task.id] = sum(tokens[span.doc_id, span.start, span.end] for span in spans)
    return found
