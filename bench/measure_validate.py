"""How long ``ragbench validate banking_knowledge`` takes, and how that grows with the tasks."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ragbench.domains import builtin_domains, load_domain

TIMES = (1, 2)
BOUND_S = 300


def validated(folder: Path, store: Path) -> tuple[float, int, int]:
    """Wall seconds, tasks and replays of one validation."""
    script = str(Path(sys.executable).parent / "ragbench")
    command = [script, "validate", str(folder), "--store", str(store), "--format", "json"]
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    return time.perf_counter() - started, report["n_tasks"], report["n_replays"]


def multiplied(target: Path, times: int) -> Path:
    """The bank with every task so many times."""
    source = builtin_domains()["banking_knowledge"]
    shutil.copytree(source, target)
    settings = target / "domain.toml"
    corpus = load_domain("banking_knowledge").corpus.as_posix()
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("../../corpora/banking_knowledge", corpus), encoding="utf-8")
    for path in sorted((target / "tasks").glob("*.json")):
        task = json.loads(path.read_text(encoding="utf-8"))
        for number in range(1, times):
            twin = task | {"id": f"{task['id']}_{number}"}
            (target / "tasks" / f"{twin['id']}.json").write_text(json.dumps(twin), encoding="utf-8")
    return target


def measure() -> list[tuple[str, str, str, str]]:
    """One row per size, with the seconds per task that each step adds."""
    rows = []
    before: tuple[float, int] | None = None
    with tempfile.TemporaryDirectory() as temporary:
        folder, store = Path(temporary), Path(temporary) / "store"
        validated(multiplied(folder / "first", 1), store)  # the index
        for times in TIMES:
            domain = multiplied(folder / f"bank{times}", times)
            seconds, n_tasks, n_replays = validated(domain, store)
            figure = f"{seconds:.1f} s, {n_replays:,} replays"
            if before is not None:
                added = (seconds - before[0]) / (n_tasks - before[1])
                figure += f", {1000 * added:.0f} ms per further task"
            verdict = "holds" if seconds <= BOUND_S else "MISSED"
            bound = f"at most {BOUND_S} s: {verdict}" if times == 1 else ""
            rows.append((f"{n_tasks} tasks, 300 documents", figure, bound, ""))
            before = (seconds, n_tasks)
    return rows
