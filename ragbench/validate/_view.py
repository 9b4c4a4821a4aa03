"""One task with everything that rules ask about it, worked out once and only when asked for."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ragbench.domains import Domain
from ragbench.errors import DomainError, EvidenceError
from ragbench.evidence import NOT_IN_INDEX, LocatedItem, locate
from ragbench.records import (
    GoldAction,
    Need,
    RewardBasis,
    Task,
    Trajectory,
    TrialScore,
)
from ragbench.runner import Prepared, grade, play_trial, reference_rewards
from ragbench.score import Facts
from ragbench.simulate import GoldPlay, play_gold
from ragbench.validate._missing import MISSING
from ragbench.validate._mutants import Played, Step, play, reads_done
from ragbench.validate._origins import Origin, find_origins
from ragbench.validate._subject import Subject
from ragbench.validate._values import Value, spoken_facts, states

__all__ = ["CODE_FAULTS", "RAISED", "Problem", "TaskView", "raised"]

CODE_FAULTS = (AssertionError, OSError, RuntimeError)
"""What a domain's code raises, beyond what the environment takes for an answer to the caller."""
RAISED = "the domain's code raised "


def raised(error: BaseException) -> str:
    """What was raised, and on which line of which file.

    >>> raised(RuntimeError("lost"))
    "the domain's code raised RuntimeError: lost"
    """
    trace = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(trace[-1].filename).name}, line {trace[-1].lineno})" if trace else ""
    return f"{RAISED}{type(error).__name__}: {error}{where}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Evidence of a need that was not found: in which document, and why."""

    need: str
    doc_id: str
    message: str


class TaskView:
    """A task of the subject.

    Args:
        subject: the domain.
        task: the task.
    """

    def __init__(self, subject: Subject, task: Task) -> None:
        self.subject, self.task = subject, task
        self.flawed: set[str] = set()
        """Groups in which an error was found for this task; kept by who runs the rules."""

    @property
    def file(self) -> Path:
        """The task's file."""
        return self.subject.files[self.task.id]

    @property
    def domain(self) -> Domain:
        """The domain.

        Raises:
            DomainError: foreign tasks have none; rules that need it say ``native``.
        """
        if self.subject.domain is None:
            raise DomainError(f"{self.subject.name!r} has no tools and no database.")
        return self.subject.domain

    @property
    def actions(self) -> tuple[GoldAction, ...]:
        """The gold actions, in order."""
        return self.task.evaluation_criteria.actions

    def missing(self, need: str) -> str | None:
        """Why what a rule needs is not there, None when it is."""
        return MISSING[need](self)

    @cached_property
    def located(self) -> tuple[tuple[LocatedItem, ...], tuple[Problem, ...]]:
        """The evidence that was found, and what was not; need by need, passage by passage."""
        items: list[LocatedItem] = []
        problems: list[Problem] = []
        for need in self.task.needs:
            items += self._locate(need, problems)
        return tuple(items), tuple(problems)

    def _locate(self, need: Need, problems: list[Problem]) -> tuple[LocatedItem, ...]:
        documents = self.subject.documents
        loader = self.subject.domain.loader if self.subject.domain else ""
        for item in need.evidence:
            for passage in item.any_of:
                alone = need.model_copy(
                    update={"evidence": (item.model_copy(update={"any_of": (passage,)}),)}
                )
                try:
                    (found,) = locate([alone], documents, loader, own_loader=True)
                except EvidenceError as error:
                    problems.append(Problem(need.id, passage.doc_id, str(error)))
                    continue
                if found.problem == NOT_IN_INDEX:
                    problems.append(Problem(need.id, passage.doc_id, NOT_IN_INDEX))
        if any(problem.need == need.id for problem in problems):
            return ()
        return locate([need], documents, loader, own_loader=True)

    @cached_property
    def gold(self) -> tuple[GoldPlay | None, str]:
        """The gold actions played twice, or why they cannot be."""
        self.subject.replays.n += 2
        try:
            return play_gold(self.domain, self.task), ""
        except DomainError as error:
            return None, str(error).removeprefix(f"Task {self.task.id!r}: ")
        except CODE_FAULTS as error:
            return None, raised(error)

    @property
    def played(self) -> GoldPlay:
        """The gold actions, played; for rules that need ``gold``."""
        play, reason = self.gold
        if play is None:
            raise DomainError(reason)
        return play

    @cached_property
    def golden(self) -> tuple[Trajectory, TrialScore]:
        """The oracle with the required documents in its prompt, played and scored."""
        prepared = replace(self.subject.under("golden_retrieval"), **self._own())
        self.subject.replays.n += 2
        trajectory = asyncio.run(play_trial(prepared, self.task, 0))
        return trajectory, grade(prepared, trajectory)

    @property
    def prepared(self) -> Prepared:
        """The evaluation of this task alone; for rules that need ``gold`` and ``located``."""
        return replace(self.subject.under("golden_retrieval"), **self._own())

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The gold actions as calls, with their references filled in."""
        return tuple(
            Step(action.name, self.played.arguments[action.action_id], action.requestor)
            for action in self.actions
        )

    @cached_property
    def replayed(self) -> Played:
        """The gold actions followed by every statement, scored."""
        return self.play(self.steps)

    def play(self, steps: tuple[Step, ...], said: tuple[str, ...] | None = None) -> Played:
        """Calls, then statements (by default all that the task wants), scored by the scorer."""
        self.subject.replays.n += 1
        if said is None:
            said = tuple(one.shown for one in self.task.evaluation_criteria.statements)
        return play(self.prepared, self.task, steps, said)

    @cached_property
    def results(self) -> Mapping[str, str]:
        """What every gold action answered, by action id."""
        answers = reads_done(self.replayed.trajectory)
        return dict(zip((a.action_id for a in self.actions), answers, strict=True))

    @cached_property
    def result_facts(self) -> Mapping[str, Facts]:
        """What these answers state."""
        return {action_id: spoken_facts(text) for action_id, text in self.results.items()}

    @cached_property
    def said_text(self) -> str:
        """What the user says unasked: all that the script holds."""
        return "\n".join(turn.say for turn in self.task.user_scenario.script if turn.say)

    @cached_property
    def said(self) -> Facts:
        """What the user states unasked."""
        return spoken_facts(self.said_text)

    def evidence_text(self, need_ids: frozenset[str]) -> str:
        """The passages of the needs, every alternative."""
        texts = {d: document.text for d, document in self.subject.documents.items()}
        return "\n\n".join(
            texts[passage.doc_id][slice(*(passage.span or (None, None)))]
            for item in self.located[0]
            if item.need_id in need_ids
            for passage in item.any_of
        )

    def evidence_facts(self, consumer: str) -> Facts:
        """What the evidence of a gold action's or statement's needs states."""
        return self._stated(frozenset(need.id for need in self.task.needs_of(consumer)))

    def evidence_facts_of(self, need_id: str) -> Facts:
        """What the evidence of a need states."""
        return self._stated(frozenset({need_id}))

    def _stated(self, need_ids: frozenset[str]) -> Facts:
        if need_ids not in self._evidence:
            self._evidence[need_ids] = spoken_facts(self.evidence_text(need_ids))
        return self._evidence[need_ids]

    @cached_property
    def _evidence(self) -> dict[frozenset[str], Facts]:
        return {}

    @cached_property
    def oracle_success(self) -> dict[str, bool | None]:
        """Whether the oracle solves the task, by setup; empty when it cannot be played."""
        needs = ("gold", "located", "script", "questions")
        if any(self.missing(need) for need in needs):
            return {}
        found: dict[str, bool | None] = {}
        for name in self.subject.config.setups:
            prepared = replace(self.subject.under(name), **self._own())
            self.subject.replays.n += 2
            rewards = asyncio.run(reference_rewards(prepared, None))
            reward = rewards[self.task.id]
            found[name] = None if reward is None else reward >= 1.0
        return found

    def _own(self) -> dict[str, Any]:
        """What of an evaluation is this task's own."""
        return {
            "tasks": (self.task,),
            "gold": {self.task.id: self.played},
            "items": {self.task.id: self.located[0]},
        }

    @cached_property
    def origins(self) -> Mapping[str, Origin]:
        """Where every compared argument and every statement comes from, by target."""
        return find_origins(self)

    def gold_values(self, need: Need) -> list[Value]:
        """What of its consumers' values, and of the numbers of their formulas, a need states."""
        values: dict[Value, None] = {}
        for origin in self.origins.values():
            if origin.target.consumer in need.needed_by and origin.from_documents:
                numbers = [Value(number=number) for number in origin.numbers]
                values.update(dict.fromkeys([*origin.target.values, *numbers]))
        facts = self.evidence_facts_of(need.id)
        return [value for value in values if states(facts, value)]

    @cached_property
    def writes(self) -> tuple[int, ...]:
        """Positions of the gold actions that may change the database."""
        tools = self.domain.tools
        return tuple(
            number
            for number, action in enumerate(self.actions)
            if action.name not in tools or tools[action.name].kind == "write"
        )

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """Positions of the gold actions whose arguments the reward looks at."""
        if RewardBasis.ACTION in self.task.evaluation_criteria.reward_basis:
            return tuple(range(len(self.actions)))
        return self.writes

    def without(self, number: int) -> Played:
        """The gold actions without one of them, scored."""
        if number not in self._without:
            self._without[number] = self.play((*self.steps[:number], *self.steps[number + 1 :]))
        return self._without[number]

    @cached_property
    def _without(self) -> dict[int, Played]:
        return {}

    @cached_property
    def unmissed(self) -> frozenset[int]:
        """Positions of the gold writes without which a trial has reward 1 all the same."""
        return frozenset(number for number in self.writes if self.without(number).passed)
