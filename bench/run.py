"""Measure what docs/benchmarks.md says, and write it there: ``make bench``, or one file by name.

Every ``bench/measure_*.py`` gives rows: what was measured, the figure, the bound it is held to,
whether it holds, and the peer's figure where there is one. Timings are medians of interleaved runs.

    python bench/run.py [--only NAME] [--print]
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- {name}: begin -->", "<!-- {name}: end -->"


def machine() -> str:
    """One line about this machine."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":")[1].strip() if lines else model
    return (
        f"{os.cpu_count()} cores, {model}, Python {platform.python_version()}, {platform.system()}"
    )


def table(rows: list[tuple[str, str, str, str]]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | measured | bound | peer |", "|---|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one measurement, such as cli")
    parser.add_argument("--print", action="store_true", help="print, and leave the page as it is")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    names = sorted(path.stem.removeprefix("measure_") for path in HERE.glob("measure_*.py"))
    if options.only and options.only not in names:
        parser.error(f"no measurement is called {options.only!r}; known: {', '.join(names)}")
    page = PAGE.read_text(encoding="utf-8")
    for name in [options.only] if options.only else names:
        rows = importlib.import_module(f"measure_{name}").measure()
        text = (
            f"Machine: {machine()}. Command: `python bench/run.py --only {name}`.\n\n{table(rows)}"
        )
        print(f"{name}\n{text}\n", flush=True)
        begin, end = BEGIN.format(name=name), END.format(name=name)
        if begin not in page:
            raise SystemExit(f"{PAGE.name} has no place {begin} for these figures; add one.")
        head, _, rest = page.partition(begin)
        page = f"{head}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    if not options.print:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
