"""The work of one run: simulate, review, simulate under other setups.

Every piece of work is stored when it ends and is not done again. Going over budget stops new pieces
and drops those that would have to ask a model again; everything stored is graded all the same. A
key that is refused ends the work at once: what had ended is stored, and goes on with a right one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ragbench.errors import LLMError
from ragbench.judge import judge_identity, review_trial
from ragbench.llm import Models, Session
from ragbench.records import Review, Trajectory
from ragbench.runner._folder import (
    OTHER_SETUPS,
    SPENDING,
    reviews_of,
    trajectories_of,
)
from ragbench.runner._grade import context_of
from ragbench.runner._others import estimate, wanted_under
from ragbench.runner._play import play_trial
from ragbench.runner._prepare import Prepared, with_setup
from ragbench.runner._results import Results, Scores
from ragbench.runner._roles import roles_for
from ragbench.runner._stored import Key, Stored
from ragbench.runner._usage import Account, Spending
from ragbench.runner._watch import Watcher
from ragbench.runner._writer import LineWriter

__all__ = ["Work"]

J = TypeVar("J")


class Work:
    """One start of a run over its opened folder.

    Args:
        prepared: the evaluation.
        stored: what its folder holds.
        watcher: is told what happens.

    Attributes:
        stopped: why the work ended before everything was done, None while nothing ended it.
    """

    def __init__(self, prepared: Prepared, stored: Stored, watcher: Watcher) -> None:
        self._prepared, self._stored, self._watcher = prepared, stored, watcher
        self._config, self._folder = prepared.config, stored.folder
        self._models = prepared.models
        judge = self._config.judge_llm
        self._judge = self._models.chat(judge) if judge is not None else None
        self._now = Account()
        self.stopped: str | None = None

    @property
    def judge(self) -> str | None:
        """What the judge's verdicts depend on, None without a judge."""
        return None if self._judge is None else judge_identity(Session(self._judge, "judge"))

    async def everything(self, wanted: Sequence[Key], results: Results) -> Scores:
        """Do what is missing; returns the scores of the run's own trials."""
        async with _Spending(self._models, self._stored, self._now):
            await self._play(wanted, None)
            await self._review(None)
            scores = await results.graded()
            asked = wanted_under(self._config, self._prepared.setup.name, scores)
            self._tell_estimate(asked)
            for setup, keys in asked.items():
                await self._play(keys, setup)
                await self._review(setup)
        return scores

    async def reviews(self) -> None:
        """Have the judge read what it has not read."""
        async with _Spending(self._models, self._stored, self._now):
            for setup in (None, *OTHER_SETUPS):
                await self._review(setup)

    def _tell_estimate(self, asked: dict[str, list[Key]]) -> None:
        missing = {name: len(self._stored.missing(keys, name)) for name, keys in asked.items()}
        if any(missing.values()) and not self.stopped:
            own = list(self._stored.trajectories().values())
            self._watcher.note(estimate(own, {name: n for name, n in missing.items() if n}))

    async def _play(self, wanted: Sequence[Key], setup: str | None) -> None:
        missing = self._stored.missing(wanted, setup)
        if not missing or self.stopped:
            return
        prepared = self._prepared if setup is None else with_setup(self._prepared, setup)
        roles = roles_for(prepared, self._models if setup is None else self._models.scoped(setup))

        async def play(key: Key) -> Trajectory:
            task = prepared.task(key[0])
            return await play_trial(prepared, task, key[1], roles)

        name = "simulations" if setup is None else f"simulations under {setup}"
        self._watcher.begins(name, len(wanted) - len(missing), len(wanted))
        await self._all(missing, play, trajectories_of(setup), setup)

    async def _review(self, setup: str | None) -> None:
        config = self._config.judge_llm
        if config is None or self.judge is None or self.stopped:
            return
        judge = (self._models if setup is None else self._models.scoped(setup)).chat(config)
        waiting = self._stored.unreviewed(self.judge, self._prepared.tasks, setup)
        if not waiting:
            return

        async def review(trajectory: Trajectory) -> Review:
            session = Session(judge, "judge", trajectory.task_id, trajectory.trial)
            return await review_trial(context_of(self._prepared, trajectory), session)

        self._watcher.begins("reviews", 0, len(waiting))
        await self._all(waiting, review, reviews_of(setup), setup)

    async def _all(
        self,
        jobs: Sequence[J],
        make: Callable[[J], Awaitable[Trajectory | Review]],
        file: str,
        setup: str | None,
    ) -> None:
        """Do the jobs, so many at a time, and store what each of them makes.

        Raises:
            RunError: the file cannot be written.
            LLMError: a provider refuses the key (kind ``auth``); what is at work is dropped.
        """
        waiting = iter(jobs)

        async def worker(writer: LineWriter) -> None:
            for job in waiting:
                if self.stopped:
                    return
                self._watcher.started()
                try:
                    made = await make(job)
                except LLMError as error:
                    if error.kind != "budget":
                        raise
                    self.stopped = str(error)
                    self._watcher.dropped()
                    return
                try:
                    await writer.add(made)
                finally:  # also in an interrupt: leaving the writer waits for the disk
                    self._stored.keep(made, setup)
                    self._now.add("now", made.llm_calls)
                self._watcher.ended(made)

        with LineWriter(self._folder.path / file) as writer:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(self._config.max_concurrency, len(jobs))):
                        group.create_task(worker(writer))
            except BaseExceptionGroup as errors:
                raise errors.exceptions[0] from None


class _Spending:
    """Counts what earlier starts have cost against the budget, and keeps what no record shows.

    That is what was spent on simulations that were dropped, for the budget or by an interrupt, and
    on searches that ask a model, whose calls have rows of their own.
    """

    def __init__(self, models: Models, stored: Stored, now: Account) -> None:
        self._models, self._stored, self._now = models, stored, now

    async def __aenter__(self) -> None:
        self._models.count_earlier(self._stored.account.known_usd or 0.0)

    async def __aexit__(self, *exception: object) -> None:
        await self._models.close()
        searches = self._models.take_component_calls()
        for call in searches:
            self._now.add("searches", [call])
        more = Spending(
            cost_usd=round(max(self._models.spent_usd - (self._now.known_usd or 0.0), 0.0), 9),
            n_unpriced=max(self._models.n_unpriced - self._now.n_unpriced, 0),
            searches=searches,
        )
        if more.cost_usd or more.n_unpriced or searches:
            self._stored.folder.add(SPENDING, more)
            self._stored.account.add_spending([more])
