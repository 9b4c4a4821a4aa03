"""Runs by their folder or by their name below ``runs/``."""

from __future__ import annotations

from pathlib import Path

from ragbench.errors import RunError

__all__ = ["RUNS", "run_folder"]

RUNS = Path("runs")


def run_folder(name: str) -> Path:
    """The folder of the run of that name.

    Raises:
        RunError: there is no such run.
    """
    for place in (Path(name), RUNS / name):
        if (place / "config.json").is_file():
            return place
    known = sorted(path.parent.name for path in RUNS.glob("*/config.json"))
    shown = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
    raise RunError(
        f"There is no run {name!r}: no folder of that name, here or below {RUNS}/, holds a "
        f"config.json. Runs here: {shown or 'none'}."
    )
