"""Record one trajectory per retrieval label in the mock domain: domains/mock/recorded/labels.jsonl.

Every trajectory is played by the real environment with the real search tool; only the agent's
messages are written here. Latencies and durations are left out, so that the file is the same
whenever and wherever it is made. Usage:

    python scripts/record_mock.py [--out FILE] [--store DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragbench.config import EvalConfig
from ragbench.records import Task, ToolCall, Trajectory
from ragbench.runner import ORACLE, Prepared, play_trial, prepare
from ragbench.simulate import PlaybackAgent, Reply

TARGET = Path(__file__).resolve().parent.parent / "domains" / "mock" / "recorded" / "labels.jsonl"


def call(tool: str, **arguments: object) -> Reply:
    """A message with one call."""
    return Reply(calls=(ToolCall(id="", name=tool, arguments=arguments),))


def search(query: str, k: int = 1) -> Reply:
    """A message with one search."""
    return call("search_policies", query=query, k=k)


def say(text: str) -> Reply:
    """A closing message."""
    return Reply(text=text, closing=True)


VARGA, OKOYE = call("find_member", name="Ines Varga"), call("find_member", name="Amara Okoye")
SANDER_3, SANDER_7 = (call("extend_loan", loan_id="L-501", days=days) for days in (3, 7))
EXTENSION = "By how many days can the loan of a power tool be extended?"
DUE = say("The rotary hammer is due on 2026-03-03.")
DONE = say("I have extended the loan.")

EXAMPLES: Sequence[tuple[str, str, str, Sequence[Reply]]] = (
    ("no_retrieval_needed", "dense", "due_date", [OKOYE, DUE]),
    ("unneeded_retrieval", "dense", "due_date", [OKOYE, search("rotary hammer due date"), DUE]),
    ("efficient", "dense", "extend_sander", [VARGA, search(EXTENSION), SANDER_3, DONE]),
    (
        "excess_retrieval",
        "dense",
        "extend_sander",
        [
            VARGA,
            search(EXTENSION),
            search(EXTENSION),
            search("power tool reservations"),
            SANDER_3,
            DONE,
        ],
    ),
    ("evidence_unused", "dense", "extend_sander", [VARGA, search(EXTENSION), SANDER_7, DONE]),
    ("not_observed", "no_knowledge", "extend_sander", [VARGA, SANDER_7, DONE]),
    ("not_offered", "no_knowledge", "extend_sander", [VARGA, SANDER_7, DONE]),
    ("missed_retrieval", "dense", "extend_sander", [VARGA, SANDER_3, DONE]),
    (
        "evidence_missed",
        "dense",
        "extend_sander",
        [
            VARGA,
            search("what happens when a tool is stolen"),
            search("opening hours"),
            SANDER_7,
            DONE,
        ],
    ),
    (
        "evidence_partial",
        "dense",
        "hammer_and_theft",
        [
            OKOYE,
            search(EXTENSION),
            call("extend_loan", loan_id="L-506", days=5),
            Reply(text="The rotary hammer is yours for longer."),
            say("I do not know what a stolen tool would cost."),
        ],
    ),
    ("evidence_late", "dense", "extend_sander", [VARGA, SANDER_7, search(EXTENSION), DONE]),
)
"""Label, retrieval setup, task, and the agent's messages."""


def record(label: str, replies: Sequence[Reply], task: Task, prepared: Prepared) -> Trajectory:
    """Play one example."""
    roles = replace(ORACLE, make_agent=lambda _seat: PlaybackAgent(replies))
    number = [example[0] for example in EXAMPLES].index(label)
    played = asyncio.run(play_trial(prepared, task, number, roles))
    events = tuple(event.model_copy(update={"latency_ms": None}) for event in played.events)
    return played.model_copy(
        update={
            "agent": f"example: {label}",
            "events": events,
            "timing": {},
            "searches_seen": label != "not_observed",  # as of an agent with a search of its own
        }
    )


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--store", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        store = options.store or Path(temporary)
        prepared = {
            setup: prepare(EvalConfig(domain="mock", store=store, retrieval_config=setup))
            for setup in ("dense", "no_knowledge")
        }
        lines = []
        for label, setup, task_id, replies in EXAMPLES:
            task = next(task for task in prepared[setup].tasks if task.id == task_id)
            lines.append(record(label, replies, task, prepared[setup]).model_dump_json() + "\n")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("".join(lines), encoding="utf-8", newline="\n")
    print(f"{len(lines)} trajectories in {options.out}")


if __name__ == "__main__":
    main()
