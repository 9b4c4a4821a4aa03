"""The work of a validation grows with the number of tasks, and not faster."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from ragbench.config import ValidateConfig
from ragbench.validate import validate

FERRY = Path(__file__).parent / "ferry"
SETUPS = ("no_knowledge", "bm25", "golden_retrieval")


def n_replays(folder: Path, copies: int, store: Path) -> int:
    """Validate the domain with every task standing in it so many times, under ids of its own."""
    shutil.copytree(FERRY, folder)
    for path in sorted((folder / "tasks").glob("*.json")):
        task = json.loads(path.read_text(encoding="utf-8"))
        for number in range(1, copies):
            twin = task | {"id": f"{task['id']}_{number}"}
            (folder / "tasks" / f"{twin['id']}.json").write_text(json.dumps(twin), encoding="utf-8")
    report = validate(ValidateConfig(str(folder), store=store, setups=SETUPS))
    assert report.n_tasks == 6 * copies
    assert report.findings == ()
    return report.n_replays


def test_twice_the_tasks_are_twice_the_replays(tmp_path) -> None:
    once = n_replays(tmp_path / "once", 1, tmp_path / "store")
    assert once > 6 * 10
    assert n_replays(tmp_path / "twice", 2, tmp_path / "store") == 2 * once
    assert n_replays(tmp_path / "five", 5, tmp_path / "store") == 5 * once


def test_the_replays_of_one_task_are_those_that_its_actions_ask_for(tmp_path) -> None:
    shutil.copytree(FERRY, tmp_path / "ferry")
    config = ValidateConfig(
        str(tmp_path / "ferry"), "which_day", store=tmp_path / "store", setups=SETUPS
    )
    # play_gold 2; doing nothing 1; oracle with golden retrieval 2 (play, score); the gold itself 1;
    # without its one statement 1; harmless differences 1; no writes; three setups with 2 each.
    assert validate(config).n_replays == 2 + 1 + 2 + 1 + 1 + 1 + 3 * 2
