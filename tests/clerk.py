"""A model for the mock domain, as a plan for `tests/model_server.py`: the same answer each time.

As the agent it searches once for what the customer says and then states a due date, which solves
the tasks that need nothing else. Told the rule in its prompt, it extends the belt sander as well:
that task fails for retrieval alone. As the customer it asks once and stops. As the judge it finds
that everything holds.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

server = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "model_server.py")))

DUE = "It is due on 2026-03-03. ###DONE###"
RULE = "a power tool by 3 days"


def role_of(body: Any) -> str:
    """Who asks: ``agent``, ``user`` or ``judge``."""
    system = body["messages"][0]["content"]
    if system.startswith("You review one finished conversation"):
        return "judge"
    return "user" if system.startswith("You play a customer") else "agent"


def answer(body: Any) -> Any:
    """What the model says to a request."""
    return {"agent": _agent, "user": _user, "judge": _judge}[role_of(body)](body)


def _agent(body: Any) -> Any:
    messages = body["messages"]
    n_replies = sum(message["role"] == "assistant" for message in messages)
    said = next(m["content"] for m in messages if m["role"] == "user")
    if n_replies:
        return server.says(DUE)
    if RULE in messages[0]["content"] and "belt sander" in said:
        return server.calls(("extend_loan", {"loan_id": "L-501", "days": 3}))
    names = [tool["function"]["name"] for tool in body.get("tools", ())]
    if "search_policies" in names:
        return server.calls(("search_policies", {"query": said}))
    return server.says(DUE)


def _user(body: Any) -> Any:
    n_replies = sum(message["role"] == "assistant" for message in body["messages"])
    return server.says("###STOP###" if n_replies else "When is my tool due?")


def _judge(body: Any) -> Any:
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    if "claims" in schema:
        return server.says(json.dumps({"claims": []}))
    if "deviated" in schema:
        found = {"reason": "It asked what it was to ask.", "deviated": False, "step": None}
        return server.says(json.dumps(found))
    verdict = {"reason": "Step 1 says so.", "met": True}
    return server.says(json.dumps(dict.fromkeys(schema, verdict)))
