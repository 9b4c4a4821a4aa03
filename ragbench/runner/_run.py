"""Run a domain's tasks into a run folder, continue where an earlier run stopped, and grade."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.metadata
import json
import platform
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ragbench
from ragbench.config import EvalConfig
from ragbench.ingest.chunk import count_tokens
from ragbench.records import Task, Termination, Trajectory, TrialScore
from ragbench.retrieval import inlined_spans
from ragbench.runner._folder import RunFolder, configuration_hash
from ragbench.runner._play import grade, play_trial, reference_rewards
from ragbench.runner._prepare import Prepared
from ragbench.runner._summary import summarise

__all__ = ["RunResult", "run"]

_REFERENCES = ("no_knowledge", "golden_retrieval")
_PACKAGES = (
    "chromadb",
    "bm25s",
    "google-re2",
    "numpy",
    "onnxruntime",
    "pydantic",
    "pypdf",
    "PyStemmer",
    "scipy",
    "sentence-transformers",
    "tokenizers",
)

OnTrial = Callable[[int, int, Trajectory], None]


@dataclass(frozen=True, slots=True)
class RunResult:
    """A finished run.

    Attributes:
        folder: where it is stored.
        n_played: simulations played by this call.
        n_kept: simulations that an earlier call had stored.
        notes: what a person should be told, such as a torn line that was mended.
    """

    folder: Path
    resolved: dict[str, Any]
    scores: tuple[TrialScore, ...]
    summary: dict[str, Any]
    n_played: int
    n_kept: int
    notes: tuple[str, ...]


def run(prepared: Prepared, on_trial: OnTrial | None = None) -> RunResult:
    """Play what is missing, grade everything, write the folder's files.

    Raises:
        RunError: the run folder is locked, damaged or holds another configuration.
    """
    resolved = _resolved(prepared)
    config = prepared.config
    name = f"{prepared.domain.path.name}-{configuration_hash(resolved['identity'])}"
    folder = RunFolder(config.save_to or Path("runs") / name)
    with folder.opened(resolved, config.fresh):
        folder.mend()
        stored = folder.trajectories()
        wanted = [(task, trial) for task in prepared.tasks for trial in range(config.num_trials)]
        missing = [
            (task, trial)
            for task, trial in wanted
            if (task.id, trial) not in stored
            or stored[task.id, trial].termination is Termination.INFRASTRUCTURE_ERROR
        ]
        finished = None if missing else folder.finished()
        if finished is None:
            asyncio.run(_play_all(prepared, missing, folder, len(wanted), on_trial))
            finished = _finish(prepared, folder, len(wanted))
    return RunResult(
        folder=folder.path,
        resolved=resolved,
        scores=finished[0],
        summary=finished[1],
        n_played=len(missing),
        n_kept=len(wanted) - len(missing),
        notes=(folder.torn,) if folder.torn else (),
    )


def _finish(
    prepared: Prepared, folder: RunFolder, n_wanted: int
) -> tuple[tuple[TrialScore, ...], dict[str, Any]]:
    """Grade every stored trajectory and write scores and summary."""
    config = prepared.config
    scores, references = asyncio.run(_graded(prepared, folder.trajectories()))
    summary = summarise(
        scores,
        n_expected=n_wanted,
        num_trials=config.num_trials,
        seed=config.seed,
        deterministic=config.agent == "oracle" and config.user == "scripted",
        references=references,
        prompt_tokens=_prompt_tokens(prepared),
    )
    folder.write_scores(scores)
    folder.write("summary.json", json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    return tuple(scores), summary


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


async def _play_all(
    prepared: Prepared,
    missing: list[tuple[Task, int]],
    folder: RunFolder,
    n_wanted: int,
    on_trial: OnTrial | None,
) -> None:
    bound = asyncio.Semaphore(prepared.config.max_concurrency)
    n_done = n_wanted - len(missing)

    async def play(task: Task, trial: int) -> None:
        nonlocal n_done
        async with bound:
            trajectory = await play_trial(prepared, task, trial)
            folder.append(trajectory)
        n_done += 1
        if on_trial is not None:
            on_trial(n_done, n_wanted, trajectory)

    async with asyncio.TaskGroup() as group:
        for task, trial in missing:
            group.create_task(play(task, trial))


async def _graded(
    prepared: Prepared, stored: Mapping[tuple[str, int], Trajectory]
) -> tuple[list[TrialScore], dict[str, dict[str, float | None]]]:
    scores = [grade(prepared, stored[key]) for key in sorted(stored)]
    references = {name: await reference_rewards(prepared, name) for name in _REFERENCES}
    own = prepared.setup.name
    if own not in references:
        is_oracle = prepared.config.agent == "oracle"
        references[own] = (
            {score.task_id: score.score.reward for score in scores if score.trial == 0}
            if is_oracle
            else await reference_rewards(prepared, None)
        )
    beaten = [
        score.model_copy(update={"beats_reference": bool(score.score.success) and reference < 1})
        if (reference := references[own].get(score.task_id)) is not None
        else score
        for score in scores
    ]
    return beaten, references


def _resolved(prepared: Prepared) -> dict[str, Any]:
    """The resolved configuration: what decides the result, and what only describes the machine."""
    config = prepared.config
    return {
        "schema_version": 1,
        "identity": {
            "ragbench": ragbench.__version__,
            "domain": prepared.domain.name,
            "domain_sha256": prepared.domain.sha256,
            "setup": prepared.setup.name,
            "retriever": prepared.retrieval,
            "index_id": prepared.index.index_id,
            "loader": prepared.domain.loader,
            "chunker": prepared.index.manifest.chunker,
            "embedder": prepared.index.manifest.embedder,
            "k": prepared.probe.k if prepared.probe else None,
            "agent": config.agent,
            "user": config.user,
            "task_ids": [task.id for task in prepared.tasks],
            "num_trials": config.num_trials,
            "max_steps": config.max_steps,
            "max_errors": config.max_errors,
            "seed": config.seed,
        },
        "options": _options(config),
        "environment": {
            "python": platform.python_version(),
            "parsers": prepared.index.manifest.loader,
            "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
            "commit": _commit(),
        },
    }


def _options(config: EvalConfig) -> dict[str, Any]:
    """What was asked for, so that the run can be resumed by its name alone."""
    options = dataclasses.asdict(config)
    for name in ("save_to", "fresh", "max_concurrency"):
        del options[name]
    return {**options, "store": str(config.store), "task_ids": list(config.task_ids)}


def _commit() -> str | None:
    """The checkout's commit when ragbench runs from one, else None."""
    here = Path(ragbench.__file__).parent
    if not (here.parent / ".git").exists():
        return None
    command = ["git", "-C", str(here), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
