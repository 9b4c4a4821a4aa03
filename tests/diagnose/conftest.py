"""Two documents, three chunks, and a builder of trajectories that are then diagnosed.

D1 has 400 characters, D2 150, none of them white space. P = D1[100,300) and Q = D2[0,80) are
evidence; a = D1#0-200, b = D1#200-400, c = D2#0-150, w = D1#0-400, z0 to z9, the tenths of D3, and
s0 to s99, its hundredths, are chunks of 100 tokens each. D1 is of the kind fees, D2 of hours.
"""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ragbench.diagnose import diagnose_trial
from ragbench.domains import Domain
from ragbench.evidence import locate
from ragbench.records import (
    Document,
    HitRecord,
    InlinedSpan,
    Message,
    RetrievalEvent,
    Task,
    Termination,
    ToolCall,
    Trajectory,
)
from ragbench.score import TrialContext, replay, score_trial
from ragbench.simulate import play_gold
from ragbench.toolkit import RuleContext, rule, tool

DOCUMENTS = {
    "D1": Document("D1", "One", "x" * 400, {"kind": "fees"}),
    "D2": Document("D2", "Two", "y" * 150, {"kind": "hours"}),
    "D3": Document("D3", "Three", "z" * 1000),
}
P = {"doc_id": "D1", "start": 100, "end": 300, "loader": "files"}
Q = {"doc_id": "D2", "start": 0, "end": 80, "loader": "files"}
CHUNKS = {"a": ("D1", 0, 200), "b": ("D1", 200, 400), "c": ("D2", 0, 150), "w": ("D1", 0, 400)}
CHUNKS |= {f"z{n}": ("D3", 100 * n, 100 * n + 100) for n in range(10)}
CHUNKS |= {f"s{n}": ("D3", 10 * n, 10 * n + 10) for n in range(100)}


class Marks(BaseModel):
    marks: dict[str, int] = {}


@tool("write")
def mark(db: Marks, key: str, value: int = 1) -> str:
    """Write a mark."""
    db.marks[key] = value
    return "marked"


@tool("write", discoverable=True)
def stamp_77(db: Marks, key: str) -> str:
    """Write a mark that only a document tells how to make."""
    db.marks[key] = 77
    return "stamped"


@tool("read")
def look(db: Marks, key: str) -> int | None:
    """Read a mark."""
    return db.marks.get(key)


@rule(hard=True)
def never_13(context: RuleContext) -> str | None:
    """No mark is 13."""
    return "13" if context.call.arguments.get("value") == 13 else None


DOMAIN = Domain(
    name="marks",
    description="",
    path=Path(),
    corpus=Path(),
    now=dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
    retrieval_tool="search",
    default_setup="dense",
    default_k=2,
    loader="files",
    policy="",
    database=Marks(),
    tools={made.name: made for made in (mark, stamp_77, look)},
    rules=(never_13,),
    tasks=(),
    sha256="",
)


def hits_of(names: Sequence[str]) -> tuple[HitRecord, ...]:
    return tuple(
        HitRecord(doc_id=doc_id, start=start, end=end, score=1 / rank, rank=rank, n_tokens=100)
        for rank, (doc_id, start, end) in enumerate((CHUNKS[name] for name in names), 1)
    )


class Ranked:
    """A probe: rankings written by hand, the chunks of the index, and what is far from all."""

    k = 2
    search_tool: str | None = "search"
    far: Sequence[str] = ()

    def __init__(self, chunks: str = "w c", **rankings: str) -> None:
        self.chunks = [CHUNKS[name] for name in chunks.split()]
        self.rankings = rankings

    def hits(self, query: str, depth: int, tool: str) -> Sequence[HitRecord]:
        return hits_of(self.rankings.get(query, "").split())[:depth]

    def nearness(self, query: str, texts: Sequence[str]) -> float:
        return 0.39999 if query in self.far else 0.4

    def chunk_spans(self, doc_id: str) -> Sequence[tuple[int, int]]:
        return [(start, end) for name, start, end in self.chunks if name == doc_id]


class Trial:
    """Builds a trajectory message by message; every message is a step.

    ``agent("text", search(...), do(...))`` makes one step with two calls.
    """

    def __init__(self) -> None:
        self.needs: list[dict[str, Any]] = []
        self.criteria: dict[str, Any] = {"reward_basis": ["DB", "COMMUNICATE"]}
        self.messages: list[Message] = []
        self.events: list[RetrievalEvent] = []
        self.inlined: list[InlinedSpan] = []
        self.offered = True
        self.searches_seen = True
        self.termination = Termination.USER_STOP
        self.script_delivered: bool | None = True
        self.own_loader = True
        self.n_steps = 0

    def task(self, *actions: tuple[Any, ...], say: Sequence[str] = (), **criteria: Any) -> "Trial":
        """Gold actions ``(name, arguments)``, called a0, a1, ..., and what must be said."""
        self.criteria |= criteria | {
            "actions": [
                {"action_id": f"a{i}", "name": name, "arguments": arguments}
                for i, (name, arguments) in enumerate(actions)
            ],
            "communicate_info": list(say),
        }
        return self

    def need(
        self, id: str, *items: Any, by: str, question: str | None = "question", **more: Any
    ) -> "Trial":
        """A need whose items are passages, or lists of alternative passages."""
        evidence = [{"any_of": item if isinstance(item, list) else [item]} for item in items]
        fields = {"id": id, "question": question, "evidence": evidence, "needed_by": by.split()}
        self.needs.append(fields | more)
        return self

    def inline(self, *names: str) -> "Trial":
        self.inlined += [
            InlinedSpan(doc_id=d, start=s, end=e) for d, s, e in (CHUNKS[name] for name in names)
        ]
        return self

    def user(self, text: str = "hello") -> "Trial":
        self.messages.append(Message(role="user", content=text, step=self.n_steps))
        self.n_steps += 1
        return self

    def agent(self, text: str | None, *deeds: dict[str, Any]) -> "Trial":
        calls, answers = [], []
        for position, deed in enumerate(deeds):
            call_id = f"c{self.n_steps}.{position}"
            calls.append(ToolCall(id=call_id, name=deed["name"], arguments=deed["arguments"]))
            answers.append(
                Message(
                    role="tool",
                    content="",
                    step=self.n_steps,
                    tool_call_id=call_id,
                    requestor="assistant",
                    error=deed["error"],
                )
            )
            if "hits" in deed:
                self.events.append(
                    RetrievalEvent(
                        step=self.n_steps,
                        position=position,
                        call_id=call_id,
                        tool="search",
                        query=deed["arguments"]["query"],
                        parameters=deed["parameters"],
                        hits=deed["hits"],
                        n_delivered=deed["n_delivered"],
                        error="index gone" if deed["error"] else None,
                    )
                )
        message = Message(
            role="assistant", content=text, tool_calls=tuple(calls), step=self.n_steps
        )
        self.messages += [message, *answers]
        self.n_steps += 1
        return self

    def search(self, query: str, found: str = "", **more: Any) -> "Trial":
        return self.agent(None, search(query, found, **more))

    def do(self, name: str, error: bool = False, **arguments: Any) -> "Trial":
        return self.agent(None, do(name, error, **arguments))

    def context(self) -> TrialContext:
        fields = {"id": "t", "needs": self.needs, "evaluation_criteria": self.criteria}
        task = Task.model_validate(fields)
        trajectory = Trajectory(
            task_id="t",
            offered=self.offered,
            searches_seen=self.searches_seen,
            inlined=tuple(self.inlined),
            messages=tuple(self.messages),
            events=tuple(self.events),
            termination=self.termination,
            script_delivered=self.script_delivered,
        )
        return TrialContext(
            domain=DOMAIN,
            task=task,
            gold=play_gold(DOMAIN, task),
            trajectory=trajectory,
            items=locate(task.needs, DOCUMENTS, "files", self.own_loader),
            documents=DOCUMENTS,
            replayed=replay(DOMAIN, task, trajectory),
        )

    def diagnose(self, probe: Any = None) -> Any:
        context = self.context()
        return diagnose_trial(context, score_trial(context), probe)


def search(
    query: str,
    found: str = "",
    delivered: int | None = None,
    error: bool = False,
    parameters: dict[str, Any] | None = None,
) -> dict[str, Any]:
    hits = () if error else hits_of(found.split())
    return {
        "name": "search",
        "arguments": {"query": query} | (parameters or {}),
        "parameters": parameters or {},
        "hits": hits,
        "n_delivered": len(hits) if delivered is None else delivered,
        "error": error,
    }


def do(name: str, error: bool = False, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments, "error": error}


@pytest.fixture
def trial():
    return Trial()


@pytest.fixture
def kit():
    """The names that tests use to build calls, evidence and probes."""

    class Kit:
        p, q = P, Q
        ranked = Ranked
        new = Trial

    Kit.search = staticmethod(search)
    Kit.do = staticmethod(do)
    return Kit
