"""A till with two accounts, and a builder of trajectories that are then scored."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ragbench.domains import Domain
from ragbench.records import Message, RetrievalEvent, Task, Termination, ToolCall, Trajectory
from ragbench.score import Conventions, TrialContext, replay
from ragbench.score.statements import Reading, Told, judge_statement
from ragbench.simulate import play_gold
from ragbench.toolkit import CallContext, FreeText, RuleContext, ToolError, rule, tool


class Account(BaseModel):
    balance: float
    confirmed: bool = False
    note: FreeText | None = None


class Till(BaseModel):
    accounts: dict[str, Account]
    cases: dict[str, str] = {}


@tool("read")
def balance(db: Till, account: str) -> dict[str, Any]:
    """The balance of an account."""
    if account not in db.accounts:
        raise ToolError(f"No account is called {account!r}.")
    return {"account": account, "balance": db.accounts[account].balance}


@tool("read")
def greedy(db: Till) -> list[Account]:
    """A read that takes what it should only look at."""
    db.accounts["A"].balance = 0
    return list(db.accounts.values())


@tool("read", discoverable=True)
def is_confirmed(db: Till, account: str) -> bool:
    """Whether the customer confirmed."""
    return db.accounts[account].confirmed


@tool("write")
def pay(
    db: Till, account: str, amount: float, purpose: str = "fee", note: FreeText | None = None
) -> str:
    """Take an amount from an account."""
    db.accounts[account].balance -= amount
    db.accounts[account].note = note
    if db.accounts[account].balance < 0:
        raise ToolError("The account does not hold that much.")
    return "paid"


@tool("write")
def open_cases(
    db: Till, reason: str, n: int = 1, text: FreeText = "", *, context: CallContext
) -> dict[str, Any]:
    """Open one or more cases."""
    ids = [context.new_id("CASE") for _ in range(n)]
    for made in ids:
        if made in db.cases:
            raise ToolError("That case is open already.")
        db.cases[made] = reason
    return {"ids": ids, "case_id": ids[0]}


@tool("write")
def close_case(db: Till, case_id: str) -> str:
    """Close a case."""
    return db.cases.pop(case_id)


@tool("write", user=True)
def confirm(db: Till, account: str) -> bool:
    """The customer confirms."""
    db.accounts[account].confirmed = True
    return True


@rule(hard=True)
def no_large_payment(context: RuleContext) -> str | None:
    """Never more than 50."""
    large = context.tool.name == "pay" and context.call.arguments["amount"] > 50
    return "more than 50" if large else None


@rule(hard=False)
def search_first(context: RuleContext) -> str | None:
    """Search before any payment."""
    if context.tool.name == "pay" and not context.succeeded("search_policies"):
        return "paid without a search"
    return None


def make_domain() -> Domain:
    tools = (balance, greedy, is_confirmed, pay, open_cases, close_case, confirm)
    return Domain(
        name="till",
        description="",
        path=Path(),
        corpus=Path(),
        now=dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
        retrieval_tool="search_policies",
        default_setup="dense",
        default_k=5,
        loader="files",
        policy="",
        database=Till(accounts={"A": Account(balance=100), "B": Account(balance=10)}),
        tools={made.name: made for made in tools},
        rules=(no_large_payment, search_first),
        tasks=(),
        sha256="",
    )


class Play:
    """Builds a trajectory message by message; every message is a step.

    A call is ``(tool, arguments)``, or ``(tool, arguments, "error")`` when it was answered with an
    error, or ``(tool, arguments, None)`` when it was never answered.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.events: list[RetrievalEvent] = []
        self.n_steps = 0
        self.n_calls = 0

    def agent(self, text: str | None = None, *calls: tuple[Any, ...]) -> "Play":
        return self._message("assistant", text, calls)

    def user(self, text: str | None = None, *calls: tuple[Any, ...]) -> "Play":
        return self._message("user", text, calls)

    def _message(self, role: Any, text: str | None, calls: tuple[Any, ...]) -> "Play":
        made, answers = [], []
        for name, arguments, *rest in calls:
            call = ToolCall(id=f"c{self.n_calls}", name=name, arguments=arguments, requestor=role)
            self.n_calls += 1
            made.append(call)
            if rest == [None]:
                continue
            answers.append(
                Message(
                    role="tool",
                    content="",
                    step=self.n_steps,
                    tool_call_id=call.id,
                    requestor=role,
                    error=bool(rest),
                )
            )
        self.messages.append(
            Message(role=role, content=text, tool_calls=tuple(made), step=self.n_steps)
        )
        self.messages += answers
        self.n_steps += 1
        return self


@pytest.fixture
def play():
    return Play()


@pytest.fixture
def till():
    return make_domain()


@pytest.fixture
def context_of(till):
    """``context_of(play, actions=[...], communicate_info=[...], ...)``: a trial to be scored."""

    def make(play, termination=Termination.USER_STOP, **criteria):
        criteria["actions"] = [
            {"action_id": f"a{i}", "name": name, "arguments": arguments, **more}
            for i, (name, arguments, more) in enumerate(
                (*action, {})[:3] for action in criteria.get("actions", ())
            )
        ]
        task = Task.model_validate({"id": "t", "evaluation_criteria": criteria})
        trajectory = Trajectory(
            task_id="t",
            messages=tuple(play.messages),
            events=tuple(play.events),
            termination=termination,
        )
        return TrialContext(
            domain=till,
            task=task,
            gold=play_gold(till, task),
            trajectory=trajectory,
            items=(),
            documents={},
            replayed=replay(till, task, trajectory),
        )

    return make


BANK = Conventions(
    today=dt.date(2026, 3, 16),
    day_first=True,
    synonyms=(("working days", "business days"), ("working days", "banking days")),
)


@pytest.fixture
def verdict_on():
    """``verdict_on(messages, value)``; a message may begin with ``Customer:``."""

    def judge(messages, value):
        told = [
            Told(step, Reading(text.removeprefix("Customer: "), BANK), text[:9] != "Customer:")
            for step, text in enumerate(messages)
        ]
        return judge_statement(told, (value,) if isinstance(value, str) else value, BANK)

    return judge
