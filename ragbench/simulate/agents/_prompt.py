"""What an LLM agent's system prompt holds; the same for every trial of a task."""

from __future__ import annotations

import datetime as dt

from ragbench.config import ToolMode
from ragbench.simulate._roles import DONE

__all__ = ["agent_prompt", "written_date"]

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_TALK = (
    "You are talking to a customer. A reply without a tool call is sent to the customer; the "
    "customer does not see tool calls and their results. Ask for what you need to know, and do "
    "what the rules above say."
)
_ENDING = (
    "When everything that the customer asked for is done or turned down and you need no further "
    f"answer, put {DONE} at the end of that last message."
)
_ENDING_ACTION = (
    "When everything that the customer asked for is done or turned down and you need no further "
    "answer, use the action end_conversation for that last message."
)


def agent_prompt(policy: str, now: dt.datetime, knowledge: str, tool_mode: ToolMode) -> str:
    """The policy, today's date, the documents where the setup inlines them, how to talk and end.

    Args:
        policy: the domain's policy.
        now: the domain's fixed clock.
        knowledge: the inlined documents, empty for none.
        tool_mode: decides how the agent closes.
    """
    parts = [policy.strip(), f"Now it is {written_date(now)}."]
    if knowledge:
        parts.append(f"# Documents\n\n{knowledge.strip()}")
    ending = _ENDING_ACTION if tool_mode == "schema" else _ENDING
    parts.append(f"# The conversation\n\n{_TALK} {ending}")
    return "\n\n".join(parts)


def written_date(now: dt.datetime) -> str:
    """A date and time with its weekday, in English whatever the locale.

    >>> written_date(dt.datetime(2026, 3, 2, 10))
    'Monday, 2026-03-02, 10:00'
    """
    return f"{_DAYS[now.weekday()]}, {now:%Y-%m-%d, %H:%M}"
