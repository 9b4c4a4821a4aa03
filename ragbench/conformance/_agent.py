"""What an agent of the user's own is held to: it plays a task of the sample domain to an end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragbench.config import EvalConfig
from ragbench.conformance._findings import Finding, tried
from ragbench.records import Termination, Trajectory
from ragbench.runner import RunFolder, prepare, run

__all__ = ["check_agent"]

_FAILED = {Termination.AGENT_ERROR, Termination.TIMEOUT, Termination.INFRASTRUCTURE_ERROR}
_TIMEOUT_S = 60.0


def check_agent(spec: str, folder: Path) -> list[Finding]:
    """Plays two tasks without raising; whether its searches can be seen.

    Args:
        spec: ``FILE.py:NAME``.
        folder: where the index and the run are kept meanwhile.
    """
    played: list[Trajectory] = []

    def plays() -> Iterator[str]:
        config = EvalConfig(
            domain="mock",
            store=folder / "store",
            retrieval_config="bm25",
            agent=spec,
            num_tasks=2,
            max_steps=40,
            timeout_s=_TIMEOUT_S,
            save_to=folder / "run",
        )
        run(prepare(config))
        played.extend(RunFolder(folder / "run").trajectories().values())
        for one in played:
            if one.termination in _FAILED:
                last = (one.error or "").strip().splitlines()[-1:]
                yield f"Task {one.task_id!r} ended with {one.termination.value}: {' '.join(last)}"

    findings = tried("Plays two tasks of the domain mock", plays)
    return [*findings, *tried("Its searches can be seen", lambda: _seen(played))]


def _seen(played: list[Trajectory]) -> Iterator[Finding]:
    if played and not any(one.events for one in played):
        yield Finding(
            "Its searches can be seen",
            "note",
            "It neither called the search tool nor reported a search of its own, so that its "
            "label is not_observed. Report them (docs/agents.md), or declare own_search = False.",
        )
    unmatched = [text for one in played for event in one.events for text in event.unmatched]
    if unmatched:
        yield Finding(
            "Its searches can be seen",
            "note",
            f"{len(unmatched)} reported passages were not found in the documents, for example "
            f"{unmatched[0]}",
        )
