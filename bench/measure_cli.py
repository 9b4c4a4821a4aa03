"""How long the command line takes to say what it can do, against importing click alone."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

N_RUNS = 15


def seconds(command: list[str]) -> float:
    """Wall seconds of one run."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def measure() -> list[tuple[str, str, str, str]]:
    """Medians of interleaved runs, and their ratio to the bound."""
    script = str(Path(sys.executable).parent / "ragbench")
    commands = {
        "import click": [sys.executable, "-c", "import click"],
        "ragbench --help": [script, "--help"],
        "ragbench eval --help": [script, "eval", "--help"],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(N_RUNS):
        for name, command in commands.items():
            taken[name].append(seconds(command))
    median = {name: statistics.median(values) for name, values in taken.items()}
    base = median["import click"]
    rows = [(f"`python -c 'import click'`, median of {N_RUNS}", f"{base * 1000:.0f} ms", "", "")]
    for name in ("ragbench --help", "ragbench eval --help"):
        ratio = median[name] / base
        verdict = "holds" if ratio <= 3 else "MISSED"
        rows.append((
            f"`{name}`",
            f"{median[name] * 1000:.0f} ms, {ratio:.2f} x",
            f"at most 3 x `import click`: {verdict}",
            "tau2-bench `--help`: 4.0 CPU-s",
        ))  # fmt: skip
    return rows
