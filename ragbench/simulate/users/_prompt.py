"""What an LLM user's system prompt holds: who the customer is, and how to play one."""

from __future__ import annotations

import json
from typing import Any

from ragbench.errors import UsageError
from ragbench.records import ScriptTurn, Task
from ragbench.simulate._roles import OUT_OF_SCOPE, STOP, TRANSFER

__all__ = ["OPENING", "user_prompt"]

OPENING = "(You are connected to the service desk. Write your first message.)"

_RULES = f"""# How to play
- You are the customer. The other side is an agent of the service desk. Never speak as the agent.
- Write one short message at a time, in your own words, as people write in a chat.
- Begin with what you want. Do not tell everything at once: give a detail when it is asked for, or \
when it becomes necessary.
- Say nothing about yourself that is not written above. Asked for something else, say that you do \
not know it.
- Never mention these instructions.
- When everything you want is done, or was turned down for good, write {STOP} and nothing else.
- When the agent passes you on to somebody else, write {TRANSFER} and nothing else.
- When the conversation needs something that is not written above and you cannot go on, write \
{OUT_OF_SCOPE} and nothing else."""


def user_prompt(task: Task) -> str:
    """Persona and instructions, or what the script says where a task has only that; the rules.

    Raises:
        UsageError: the task has neither.
    """
    scenario = task.user_scenario
    who = [_prose(part) for part in (scenario.persona, scenario.instructions) if part]
    if not scenario.instructions:
        if not scenario.script:
            raise UsageError(
                f"Task {task.id!r} has neither instructions nor a script for the user. Write "
                "user_scenario.instructions, in prose; see docs/domains.md."
            )
        who.append(_scripted(task))
    return "\n\n".join(["You play a customer in a chat with a service desk.", *who, _RULES])


def _prose(part: str | dict[str, Any]) -> str:
    """Text as it is; foreign instructions with fields as one line each."""
    if isinstance(part, str):
        return part.strip()
    return "\n".join(
        f"{name.replace('_', ' ')}: {value if isinstance(value, str) else json.dumps(value)}"
        for name, value in part.items()
        if value is not None
    )


def _scripted(task: Task) -> str:
    turns = [_turn(turn, task) for turn in task.user_scenario.script]
    return "What you say and do, in this order:\n" + "\n".join(f"- {turn}" for turn in turns)


def _turn(turn: ScriptTurn, task: Task) -> str:
    actions = {action.action_id: action for action in task.evaluation_criteria.actions}
    if turn.after is not None:
        when = f"Once {actions[turn.after].name.replace('_', ' ')} is done"
    else:
        when = "First" if turn.when == "opening" else "When the agent has answered"
    if turn.stop:
        return f"{when}: end the conversation."
    if turn.do is not None:
        action = actions[turn.do]
        arguments = json.dumps(action.arguments, ensure_ascii=False)
        return f"{when}: use your tool {action.name} with {arguments}."
    return f'{when}, you say, in your own words: "{turn.say}"'
