"""Write a domain's `db.json` and `tasks/*.json` from the areas of its corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from corpus_areas import Area
from corpus_facts import Facts
from corpus_rows import read_rows, rows_text
from corpus_tasks import read_tasks

__all__ = ["write_domain"]


def write_domain(areas: list[Area], facts: Facts, target: Path) -> tuple[list[str], list[Any]]:
    """Write the database and the tasks into `target`; return problems and the tasks.

    Task files that no source gives are removed.
    """
    rows, problems = read_rows(areas, facts)
    tasks = read_tasks(areas, facts, rows)
    (target / "tasks").mkdir(parents=True, exist_ok=True)
    _write(target / "db.json", rows_text(rows))
    for path in (target / "tasks").glob("*.json"):
        if path.stem not in tasks:
            path.unlink()
    for name, task in tasks.items():
        _write(target / "tasks" / f"{name}.json", json.dumps(task, indent=1, ensure_ascii=False))
    return problems, list(tasks.values())


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
