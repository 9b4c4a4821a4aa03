"""A garage with agent and user tools, hand-written rankings, and one call that plays a task.

D1 has 400 characters; w = D1#0-400 holds the passages P = D1[100,300) and R = D1[300,400),
a = D1#0-200 half of P; c = D2#0-150 holds Q = D2[0,80). z is a chunk of D3 without evidence.
"""

import asyncio
import datetime as dt
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ragbench.diagnose import diagnose_trial
from ragbench.domains import Domain
from ragbench.evidence import locate
from ragbench.records import Chunk, Document, InlinedSpan, Task, ToolCall
from ragbench.retrieval import Hit, KnowledgeTool
from ragbench.score import TrialContext, replay, score_trial
from ragbench.simulate import (
    Environment,
    GoldOrder,
    Observation,
    OracleAgent,
    Orchestrator,
    Reply,
    ScriptedUser,
    play_gold,
)
from ragbench.toolkit import CallContext, FreeText, ToolError, tool

DOCUMENTS = {
    "D1": Document("D1", "One", "x" * 400),
    "D2": Document("D2", "Two", "y" * 150),
    "D3": Document("D3", "Three", "z" * 100),
}
CHUNKS = {"a": ("D1", 0, 200), "w": ("D1", 0, 400), "c": ("D2", 0, 150), "z": ("D3", 0, 100)}
P = {"doc_id": "D1", "start": 100, "end": 300, "loader": "files"}
R = {"doc_id": "D1", "start": 300, "end": 400, "loader": "files"}
Q = {"doc_id": "D2", "start": 0, "end": 80, "loader": "files"}


class Slot(BaseModel):
    day: str
    note: FreeText = ""


class Garage(BaseModel):
    bookings: dict[str, Slot] = {}
    lifted: bool = False
    devices: dict[str, int] = {"meter": 0, "pump": 0, "lamp": 0}
    colour: str = ""
    parked: bool = False


@tool("read")
def list_bookings(db: Garage) -> list[Slot]:
    """All bookings."""
    return list(db.bookings.values())


@tool("write")
def book(
    db: Garage, day: str, seats: int = 1, note: FreeText = "", *, context: CallContext
) -> dict[str, Any]:
    """Book a day."""
    if day == "never":
        raise ToolError("No such day.")
    made = context.new_id("B")
    db.bookings[made] = Slot(day=day, note=note)
    return {"booking": {"id": made}, "day": day}


@tool("write")
def cancel(db: Garage, booking_id: str) -> str:
    """Cancel a booking."""
    del db.bookings[booking_id]
    return "cancelled"


@tool("write", discoverable=True)
def lift_barrier_42(db: Garage) -> str:
    """Lift the barrier."""
    db.lifted = True
    return "lifted"


@tool("write", user=True)
def restart(db: Garage, device: str) -> str:
    """Switch a device off and on."""
    db.devices[device] += 1
    return "restarted"


@tool("write", user=True, discoverable=True)
def hold_button_9(db: Garage, device: str) -> str:
    """Hold the hidden button."""
    db.devices[device] += 100
    return "held"


@tool("write")
def paint(db: Garage, colour: str) -> str:
    """Paint the gate; the last coat is the one that shows."""
    db.colour = colour
    return "painted"


@tool("write")
def park(db: Garage) -> str:
    """Park in the first booked place."""
    if not db.bookings:
        raise ToolError("Nothing is booked.")
    db.parked = True
    return "parked"


TOOLS = (list_bookings, book, cancel, lift_barrier_42, restart, hold_button_9, paint, park)
DOMAIN = Domain(
    name="garage",
    description="",
    path=Path(),
    corpus=Path(),
    now=dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
    retrieval_tool="search",
    default_setup="dense",
    default_k=5,
    loader="files",
    policy="",
    database=Garage(),
    tools={made.name: made for made in TOOLS},
    rules=(),
    tasks=(),
    sha256="",
)


class Rankings:
    """A retriever whose answers were written by hand."""

    n_chunks = len(CHUNKS)

    def __init__(self, rankings: dict[str, str]) -> None:
        self.rankings = rankings

    def retrieve(self, query: str, n: int, where: Any = None) -> list[Hit]:
        names = self.rankings.get(query, "z").split()[:n]
        return [Hit(chunk(name), 1 / rank, rank) for rank, name in enumerate(names, 1)]


def chunk(name: str) -> Chunk:
    doc_id, start, end = CHUNKS[name]
    return Chunk(doc_id, start, end, DOCUMENTS[doc_id].text[start:end], 100)


class Says:
    """An agent or a user that gives the replies it was made with, then the last one again."""

    name = "says"
    script_delivered: bool | None = None

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.seen: list[Observation] = []

    async def step(self, observation: Observation) -> Reply:
        self.seen.append(observation)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def text(words: str, closing: bool = False) -> Reply:
    return Reply(text=words, closing=closing)


def calls(*made: tuple[Any, ...], text: str | None = None) -> Reply:
    """A reply with calls ``(name, arguments[, id])``."""
    return Reply(
        text=text,
        calls=tuple(
            ToolCall(id=rest[0] if rest else "", name=name, arguments=arguments)
            for name, arguments, *rest in made
        ),
    )


class Played:
    """What a simulation did."""

    def __init__(self, orchestrator: Orchestrator, task: Task) -> None:
        self.orchestrator, self.task = orchestrator, task
        self.environment = orchestrator.environment
        self.messages = orchestrator.messages
        self.events = orchestrator.events
        self.termination = orchestrator.termination
        self.user = orchestrator.user

    @property
    def queries(self) -> list[str]:
        return [event.query for event in self.events]

    @property
    def deeds(self) -> list[str]:
        """Every message: who, then the text or the calls."""
        shown = []
        for message in self.messages:
            if message.role == "tool":
                continue
            parts = [message.content] if message.content else []
            parts += [
                f"{call.name}({', '.join(str(v) for v in call.arguments.values())})"
                for call in message.tool_calls
            ]
            shown.append(f"{message.role}: {' + '.join(parts)}")
        return shown

    def trajectory(self) -> Any:
        return self.orchestrator.trajectory(
            self.task, trial=0, seed=0, setup="dense", offered=True, index_id="i", inlined=(),
            started=time.perf_counter(),
        )  # fmt: skip


def make_task(
    actions: Iterable[tuple[Any, ...]] = (),
    needs: Iterable[dict[str, Any]] = (),
    script: Iterable[dict[str, Any]] = ({"say": "Hello", "when": "opening"},),
    say: Iterable[str] = (),
    **more: Any,
) -> Task:
    """Gold actions ``(id, name, arguments)``; user tools are the user's."""
    users = {made.name for made in TOOLS if made.requestor == "user"}
    return Task.model_validate(
        {
            "id": "t",
            "user_scenario": {"script": list(script)},
            "evaluation_criteria": {
                "actions": [
                    {
                        "action_id": action_id,
                        "name": name,
                        "arguments": arguments,
                        "requestor": "user" if name in users else "assistant",
                    }
                    for action_id, name, arguments in actions
                ],
                "communicate_info": list(say),
            },
            "needs": list(needs),
        }
        | more
    )


def need(
    id: str, by: str, *items: Any, question: str | None = None, also: str = ""
) -> dict[str, Any]:
    return {
        "id": id,
        "question": question or f"{id}?",
        "paraphrases": also.split(),
        "evidence": [{"any_of": [item]} for item in items or (P,)],
        "needed_by": by.split(),
    }


def play(
    task: Task,
    rankings: dict[str, str] | None = None,
    inlined: str = "",
    agent: Any = None,
    user: Any = None,
    style: Any = "desk",
    **limits: int,
) -> Played:
    """Play a task; without rankings no search tool is offered."""
    knowledge = (
        ()
        if rankings is None
        else (KnowledgeTool("search", Rankings(rankings), DOCUMENTS, "i", k=2),)
    )
    environment = Environment(DOMAIN, task, knowledge)
    gold = play_gold(DOMAIN, task)
    spans = [InlinedSpan(doc_id=d, start=s, end=e) for d, s, e in map(CHUNKS.get, inlined.split())]
    oracle = OracleAgent(
        task,
        gold,
        locate(task.needs, DOCUMENTS, "files", own_loader=True),
        {doc_id: document.text for doc_id, document in DOCUMENTS.items()},
        spans,
        "search" if knowledge else None,
        GoldOrder(DOMAIN, task, gold),
        style,
    )
    orchestrator = Orchestrator(
        environment, agent or oracle, user or ScriptedUser(task, gold, environment), **limits
    )
    asyncio.run(orchestrator.run())
    return Played(orchestrator, task)


def diagnose(played: Played) -> Any:
    task, trajectory = played.task, played.trajectory()
    context = TrialContext(
        domain=DOMAIN,
        task=task,
        gold=play_gold(DOMAIN, task),
        trajectory=trajectory,
        items=locate(task.needs, DOCUMENTS, "files", own_loader=True),
        documents=DOCUMENTS,
        replayed=replay(DOMAIN, task, trajectory),
    )
    return diagnose_trial(context, score_trial(context), None)


@pytest.fixture
def kit():
    """What tests build tasks, roles and simulations from."""

    class Kit:
        p, q, r = P, Q, R
        domain = DOMAIN
        says = Says

    for function in (make_task, need, play, diagnose, text, calls):
        setattr(Kit, function.__name__, staticmethod(function))
    return Kit
