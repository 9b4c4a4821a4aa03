"""Run a domain's tasks into a run folder, continue where an earlier run stopped, and grade."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.errors import LLMError
from ragbench.llm import check_key
from ragbench.records import TrialScore
from ragbench.runner._folder import RunFolder, configuration_hash
from ragbench.runner._others import wanted_under
from ragbench.runner._prepare import Prepared
from ragbench.runner._resolved import resolved
from ragbench.runner._results import Results, Scores, left_over
from ragbench.runner._stored import Key, Stored
from ragbench.runner._summary import SUMMARY_SCHEMA
from ragbench.runner._watch import Silent, Watcher
from ragbench.runner._work import Work

__all__ = ["Interrupted", "RunResult", "run"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run as far as it came.

    Attributes:
        folder: where it is stored.
        n_played: simulations that this call set out to play.
        n_kept: simulations that an earlier call had stored.
        notes: what a person should be told, such as a torn line that was mended.
        stopped: why it ended before everything was done, None when nothing is left.
    """

    folder: Path
    resolved: dict[str, Any]
    scores: tuple[TrialScore, ...]
    summary: dict[str, Any]
    n_played: int
    n_kept: int
    notes: tuple[str, ...]
    stopped: str | None = None


class Interrupted(KeyboardInterrupt):
    """An interrupt in the middle of a run: what had ended is stored, the rest is dropped."""

    def __init__(self, folder: Path, n_stored: int, n_wanted: int) -> None:
        super().__init__()
        self.folder, self.n_stored, self.n_wanted = folder, n_stored, n_wanted


def run(prepared: Prepared, watcher: Watcher | None = None) -> RunResult:
    """Play what is missing, grade everything, write the folder's files.

    Raises:
        RunError: the run folder is locked, damaged or holds another configuration.
        LLMError: the variable that is to hold a model's key is not set, or a provider refuses the
            key.
        Interrupted: an interrupt came; the same call continues.
    """
    configuration, config = resolved(prepared), prepared.config
    name = f"{prepared.domain.path.name}-{configuration_hash(configuration['identity'])}"
    folder = RunFolder(config.save_to or Path("runs") / name)
    wanted = [(task.id, trial) for task in prepared.tasks for trial in range(config.num_trials)]
    if config.fresh:
        _check_keys(prepared)  # before the earlier run goes
    with folder.opened(configuration, config.fresh):
        folder.mend()
        stored = Stored(folder)
        stored.check_tasks(prepared.domain.tasks)
        work = Work(prepared, stored, watcher or Silent())
        results = Results(prepared, stored, len(wanted), work.judge)
        n_missing = len(stored.missing(wanted))
        done = None if n_missing else _finished(folder, stored, prepared, work.judge)
        if done is None:
            _check_keys(prepared)
            folder.retract()
            try:
                done = asyncio.run(_work(work, wanted, results))
            except KeyboardInterrupt:
                n_stored = len(wanted) - len(stored.missing(wanted))
                raise Interrupted(folder.path, n_stored, len(wanted)) from None
            except LLMError as error:
                n_stored = len(wanted) - len(stored.missing(wanted))
                raise _stopped(error, folder.path, n_stored, len(wanted)) from None
    return RunResult(
        folder=folder.path,
        resolved=configuration,
        scores=done[0],
        summary=done[1],
        n_played=n_missing,
        n_kept=len(wanted) - n_missing,
        notes=(*((folder.torn,) if folder.torn else ()), *prepared.models.notes),
        stopped=work.stopped,
    )


def _stopped(error: LLMError, folder: Path, n_stored: int, n_wanted: int) -> LLMError:
    """The refusal of a key, with how far the run had come and how it goes on."""
    return LLMError(
        error.kind,
        f"{error} The run stopped at that: {n_stored} of {n_wanted} simulations are stored, and "
        "the same command plays the others. By the run's name: ragbench eval --resume "
        f"{folder}",
    )


def _check_keys(prepared: Prepared) -> None:
    """Refuse to begin without a key that is wanted, rather than fail in every simulation."""
    config = prepared.config
    for model in (config.agent_llm, config.user_llm, config.judge_llm):
        if model is not None and config.llm_cache != "replay":
            check_key(model)


Finished = tuple[Scores, dict[str, Any]]


async def _work(work: Work, wanted: list[Key], results: Results) -> Finished:
    return await results.write(await work.everything(wanted, results))


def _finished(
    folder: RunFolder, stored: Stored, prepared: Prepared, judge: str | None
) -> Finished | None:
    """The results that are stored, None when something that is asked for now is missing."""
    found = folder.finished()
    if found is None or found[1].get("schema_version") != SUMMARY_SCHEMA:
        return None  # what an earlier version wrote is graded again from the trajectories
    asked = wanted_under(prepared.config, prepared.setup.name, found[0])
    return None if left_over(stored, prepared, asked, judge) else found
