"""What simulating, saving and grading cost in CPU beside the models, which answer at once here.

The agent plays back, message by message, what the oracle said and called in each banking task: its
searches, its unlocking, its reads and writes. So every simulation does the work of a real one, and
nothing is spent on thinking. The user follows the task's script. CPU seconds are those of this
process, all threads. A database of thirty times the rows has thirty customers in the place of each.
"""

from __future__ import annotations

import asyncio
import dataclasses
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ragbench.config import EvalConfig
from ragbench.records import Trajectory
from ragbench.runner import ORACLE, Prepared, Roles, grade, play_trial, prepare, run
from ragbench.simulate import PlaybackAgent, Reply, play_gold

Row = tuple[str, str, str, str]

DOMAIN, SETUP = "banking_knowledge", "bm25"
N_ROUNDS, N_STORED, TIMES = 7, 1000, 30
N_SIMULATIONS = (100, 400, 1600)
SIMULATION_MS, STEP_MS, GRADE_MS = 35, 1, 30
IO = Path("/proc/self/io")


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of doing the work once."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000


def played(prepared: Prepared, roles: Roles, trials: Iterable[int]) -> list[Trajectory]:
    """Every task, one trial after another."""

    async def play() -> list[Trajectory]:
        return [await play_trial(prepared, t, n, roles) for n in trials for t in prepared.tasks]

    return asyncio.run(play())


def playback(prepared: Prepared) -> Roles:
    """An agent that says and calls what the oracle did, and the scripted user."""
    replies = {
        trajectory.task_id: [
            Reply(text=message.content, calls=message.tool_calls, closing=message.closing)
            for message in trajectory.messages
            if message.role == "assistant"
        ]
        for trajectory in played(prepared, ORACLE, [0])
    }
    return Roles(lambda seat: PlaybackAgent(replies[seat.task.id]), ORACLE.make_user)


def enlarged(prepared: Prepared, times: int) -> Prepared:
    """The same evaluation over a database in which every row stands so many times."""
    database = prepared.domain.database.model_copy(deep=True)
    for table in database.__dict__.values():
        for key, row in tuple(table.items()):
            for n in range(1, times):
                table[f"{key}-{n}"] = _stranger(row, n)
    domain = dataclasses.replace(prepared.domain, database=database)
    gold = {task.id: play_gold(domain, task) for task in prepared.tasks}
    return dataclasses.replace(prepared, domain=domain, gold=gold)


def _stranger(row: Any, n: int) -> Any:  # noqa: ANN401  (a row of the domain's own model)
    """The row as another customer has it."""
    found = row.model_copy(deep=True)
    for name in ("name", "customer_id", "account_id", "on"):
        if getattr(found, name, None):
            setattr(found, name, f"{getattr(found, name)}-{n}")
    if hasattr(found, "holders"):
        found.holders = [f"{holder}-{n}" for holder in found.holders]
    return found


def stored(prepared: Prepared, roles: Roles, folder: Path) -> Path:
    """A file of trajectories, as a run stores them."""
    path = folder / "trajectories.jsonl"
    trials = range(-(-N_STORED // len(prepared.tasks)))
    found = played(prepared, roles, trials)[:N_STORED]
    path.write_text("".join(one.model_dump_json() + "\n" for one in found), encoding="utf-8")
    return path


def graded(prepared: Prepared, path: Path) -> None:
    """Read, score and diagnose every stored trajectory."""
    with path.open("rb") as lines:
        for line in lines:
            score = grade(prepared, Trajectory.model_validate_json(line))
            if score.score.reward is None:
                raise RuntimeError(score.score.reason)


def verdict(figure: float, bound: float, what: str) -> str:
    """The bound and whether it holds; it is one for the domain as it is, not for a larger one."""
    if what:
        return "for information: what grows"
    return f"at most {bound} ms: {'holds' if figure <= bound else 'MISSED'}"


def costs(prepared: Prepared, what: str, peer: tuple[str, str, str]) -> list[Row]:
    """CPU of simulating, per simulation and per step, and of grading."""
    roles = playback(prepared)
    trajectories = played(prepared, roles, [0])
    n = len(trajectories)
    n_steps = sum(one.n_steps for one in trajectories) / n
    n_calls = sum(len(m.tool_calls) for one in trajectories for m in one.messages) / n
    taken = [cpu_ms(lambda: played(prepared, roles, [0])) / n for _ in range(N_ROUNDS)]
    simulation = statistics.median(taken)
    with tempfile.TemporaryDirectory() as folder:
        path = stored(prepared, roles, Path(folder))
        grading = cpu_ms(lambda: graded(prepared, path)) / N_STORED
    done = f"{n_steps:.1f} steps, {n_calls:.1f} calls"
    step = simulation / n_steps
    return [
        (
            f"one simulation{what}, {done}, median of {N_ROUNDS} times {n} tasks",
            f"{simulation:.2f} CPU-ms",
            verdict(simulation, SIMULATION_MS, what),
            peer[0],
        ),
        (
            f"the same per step{what}, building included",
            f"{step:.3f} CPU-ms",
            verdict(step, STEP_MS, what),
            peer[1],
        ),
        (
            f"{N_STORED:,} stored trajectories read, scored and diagnosed{what}, each",
            f"{grading:.2f} CPU-ms",
            verdict(grading, GRADE_MS, what),
            peer[2],
        ),
    ]


def n_written() -> int:
    """Bytes that this process has handed to the system to write."""
    counts = dict(line.split(": ") for line in IO.read_text(encoding="utf-8").splitlines())
    return int(counts["wchar"])


def savings(prepared: Prepared) -> list[Row]:
    """Bytes and CPU of whole runs of growing size: simulated, stored, graded, reported."""
    rows, first = [], 0.0
    few = dataclasses.replace(prepared, tasks=prepared.tasks[:10])
    for n in N_SIMULATIONS:
        with tempfile.TemporaryDirectory() as folder:
            config = dataclasses.replace(
                prepared.config, num_trials=n // 10, save_to=Path(folder) / "run"
            )
            work = dataclasses.replace(few, config=config)
            before = n_written()
            taken = cpu_ms(lambda work=work: run(work)) / 1000
            each = (n_written() - before) / n
        first = first or each
        holds = "holds" if each <= 1.05 * first else "MISSED"
        peers = {400: "tau2-bench, small ones: 20.6 CPU-s", 1600: "279 CPU-s, bytes quadratic"}
        rows.append((
            f"a run of {n:,} simulations by the oracle: played, saved, graded",
            f"{each:,.0f} bytes written per simulation; {taken:.1f} CPU-s",
            f"at most 1.05 x the bytes at {N_SIMULATIONS[0]}: {holds}",
            peers.get(n, ""),
        ))  # fmt: skip
    return rows


def measure() -> list[Row]:
    """Costs on the domain as it is and on a large database, and what is written."""
    with tempfile.TemporaryDirectory() as store:
        config = EvalConfig(domain=DOMAIN, retrieval_config=SETUP, store=Path(store), seed=7)
        prepared = prepare(config)
        large = enlarged(prepared, TIMES)
        n_rows = sum(len(table) for table in large.domain.database.__dict__.values())
        peer = (
            "tau2-bench: 346-414 CPU-ms",
            "tau2-bench: 0.77 CPU-ms, building apart",
            "tau2-bench: 114 retail trajectories, 325-351 CPU-ms each",
        )
        return [
            *costs(prepared, "", peer),
            *costs(large, f", database of {n_rows:,} rows", ("", "", "")),
            *savings(prepared),
        ]
