"""Grading a stored run again: scores and diagnoses from its trajectories, nothing simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragbench.config import EvalConfig
from ragbench.domains import Domain, load_domain
from ragbench.errors import RunError
from ragbench.records import TrialScore
from ragbench.runner._folder import RunFolder
from ragbench.runner._loop import completed
from ragbench.runner._prepare import Prepared
from ragbench.runner._resolved import config_of, corpus_hash
from ragbench.runner._results import Results
from ragbench.runner._run import Finished, Interrupted, RunResult
from ragbench.runner._stored import Key, Stored
from ragbench.runner._watch import Silent, Watcher
from ragbench.runner._work import Work

__all__ = ["Rescoring", "rescore", "rescoring"]


@dataclass(frozen=True, slots=True)
class Rescoring:
    """What a run says about itself, as it is needed to grade it again.

    Attributes:
        stored: content of ``config.json``.
        config: the options of the run, with the tasks that there still are.
        domain: the domain as it is now.
        gone: tasks of the run that the domain no longer has.
    """

    folder: Path
    stored: dict[str, Any]
    config: EvalConfig
    domain: Domain
    gone: tuple[str, ...]


def rescoring(
    folder: Path,
    *,
    fresh_tasks: bool = False,
    changes: Mapping[str, Any] | None = None,
) -> Rescoring:
    """Read a run's configuration and hold the domain against it.

    Args:
        folder: the run folder.
        fresh_tasks: grade with the tasks as they are now; without it the domain must be that of
            the run.
        changes: fields of the configuration that differ from the run's, such as the store, or the
            judge for what it has not read yet. Without one, stored reviews alone are used.

    Raises:
        RunError: the folder holds no run, or the domain has changed since.
    """
    if not (folder / "config.json").is_file():
        raise RunError(
            f"{str(folder)!r} holds no run: there is no config.json. Name a folder that "
            "ragbench eval wrote."
        )
    stored = RunFolder(folder).configuration()
    config = replace(config_of(stored, folder), **{"judge_llm": None, **(changes or {})})
    identity = stored["identity"]
    domain = load_domain(config.domain)
    if domain.sha256 != identity["domain_sha256"] and not fresh_tasks:
        raise RunError(
            f"The domain {domain.name!r} is not as it was when {str(folder)!r} was run (sha256 "
            f"{domain.sha256[:12]} now, {identity['domain_sha256'][:12]} then). Grade with the "
            "tasks as they are now by --fresh-tasks, or restore the domain."
        )
    known = {task.id for task in domain.tasks}
    wanted = identity["task_ids"]
    there = tuple(task_id for task_id in wanted if task_id in known)
    if not there:
        raise RunError(
            f"The domain {domain.name!r} has none of the tasks of {str(folder)!r} any more: "
            f"{', '.join(wanted[:10])}{', ...' if len(wanted) > 10 else ''}."
        )
    gone = tuple(task_id for task_id in wanted if task_id not in known)
    config = replace(config, task_ids=there, split=None, num_tasks=None)
    return Rescoring(folder, stored, config, domain, gone)


def rescore(rescoring: Rescoring, prepared: Prepared, watcher: Watcher | None = None) -> RunResult:
    """Grade every stored trajectory again and replace the run's results.

    Equal tasks, code and index give ``scores.jsonl`` the same bytes as before. Causes that need
    the run's index are kept from the earlier diagnosis, and marked, when it is no longer there.

    Args:
        rescoring: the run, from `rescoring`.
        prepared: its domain, prepared with ``to_play=False`` from its configuration.
        watcher: is told of the judge's reviews.

    Raises:
        RunError: the folder is locked or damaged, or the corpus is not that of the run.
        Interrupted: an interrupt came; what the judge had read is stored.
    """
    identity, folder = rescoring.stored["identity"], RunFolder(rescoring.folder)
    _check_corpus(prepared, identity)
    n_wanted = len(identity["task_ids"]) * identity["num_trials"]
    with folder.locked():
        folder.mend()
        stored = Stored(folder)
        stored.check_tasks(prepared.domain.tasks)
        work = Work(prepared, stored, watcher or Silent())
        results = Results(prepared, stored, n_wanted, work.judge, _earlier(folder))
        try:
            scores, summary = completed(_work(work, results))
        except KeyboardInterrupt:
            raise Interrupted(folder.path, len(stored.trajectories()), n_wanted) from None
    return RunResult(
        folder=folder.path,
        resolved=rescoring.stored,
        scores=scores,
        summary=summary,
        n_played=0,
        n_kept=len(stored.trajectories()),
        notes=(*((folder.torn,) if folder.torn else ()), *prepared.models.notes),
        stopped=work.stopped,
    )


async def _work(work: Work, results: Results) -> Finished:
    await work.reviews()
    return await results.write(await results.graded())


def _earlier(folder: RunFolder) -> dict[Key, TrialScore]:
    """The scores of the grading before, by task and trial."""
    scores = folder.stored("scores.jsonl", TrialScore)
    return {(score.task_id, score.trial): score for score in scores}


def _check_corpus(prepared: Prepared, identity: Mapping[str, Any]) -> None:
    then = identity.get("corpus_sha256")
    now = corpus_hash(prepared)
    if then is not None and then != now:
        raise RunError(
            f"The corpus of {prepared.domain.name!r} is not that of the run (sha256 {now[:12]} "
            f"now, {then[:12]} then): what the searches delivered cannot be held against other "
            "documents. Restore the corpus, or run the tasks again."
        )
