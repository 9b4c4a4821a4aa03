"""The scripted user: says and does what the task's script holds, and nothing else."""

from __future__ import annotations

from ragbench.errors import UsageError
from ragbench.records import LLMCall, ScriptTurn, Task, ToolCall
from ragbench.simulate._environment import Environment
from ragbench.simulate._gold import GoldPlay
from ragbench.simulate._roles import STOP, Observation, Reply
from ragbench.toolkit import canonical_json

__all__ = ["ScriptedUser"]


class ScriptedUser:
    """Plays the first unplayed turn whose condition holds, else acknowledges.

    It stops after the agent's closing message: one marked as closing, or a second message in a row
    since which the agent called no tool while nothing of the script could be played. A turn
    ``on_reply`` waits for words of the agent; the result of an own action is none.

    Args:
        task: the task with its script.
        gold: its gold actions, played; conditions ``after: <action>`` look at them.
        environment: where the actions happen.

    Raises:
        UsageError: the task has no script.
    """

    name = "scripted"
    llm_calls: tuple[LLMCall, ...] = ()

    def __init__(self, task: Task, gold: GoldPlay, environment: Environment) -> None:
        self.check(task)
        self._task, self._gold, self._environment = task, gold, environment
        self._unplayed = list(task.user_scenario.script)
        self._n_idle = 0
        self._n_calls_seen = 0
        self._opened = False
        self._replied = False
        self.script_delivered: bool | None = False

    @staticmethod
    def check(task: Task) -> None:
        """Raise UsageError when the scripted user cannot play the task."""
        if not task.user_scenario.script:
            raise UsageError(
                f"Task {task.id!r} has no script for the scripted user. Write one under "
                "user_scenario.script; see docs/domains.md."
            )

    async def step(self, observation: Observation) -> Reply:
        """Answer the observation."""
        self._replied = any(message.role == "assistant" for message in observation.messages)
        turn = self._next_turn()
        self._opened = True
        if turn is not None:
            self._n_idle = 0
            self._unplayed.remove(turn)
            return self._played(turn)
        closing = any(message.closing for message in observation.messages)
        if closing or (self._replied and self._idle()):
            return self._stop()
        return Reply(text="All right, please go on.")

    def _next_turn(self) -> ScriptTurn | None:
        for turn in self._unplayed:
            if self._holds(turn):
                return turn
        return None

    def _holds(self, turn: ScriptTurn) -> bool:
        if turn.when == "opening":
            return not self._opened
        if turn.when == "on_reply":
            return self._opened and self._replied
        return turn.after is not None and self._performed(turn.after)

    def _performed(self, action_id: str) -> bool:
        actions = {action.action_id: action for action in self._task.evaluation_criteria.actions}
        action = actions[action_id]
        wanted = self._compared(action_id, self._gold.arguments[action_id])
        return any(
            not past.error
            and (past.call.name, past.call.requestor) == (action.name, action.requestor)
            and self._compared(action_id, past.call.arguments) == wanted
            for past in self._environment.past
        )

    def _compared(self, action_id: str, arguments: dict[str, object]) -> str:
        given = self._environment.normalised(_named(self._task, action_id), arguments)
        return canonical_json({name: given.get(name) for name in self._gold.compared[action_id]})

    def _played(self, turn: ScriptTurn) -> Reply:
        if turn.stop:
            return self._stop()
        if turn.do is not None:
            arguments = self._gold.arguments[turn.do]
            name = _named(self._task, turn.do)
            call = ToolCall(id="", name=name, arguments=arguments, requestor="user")
            return Reply(calls=(call,))
        return Reply(text=turn.say)

    def _idle(self) -> bool:
        n_calls = sum(past.call.requestor == "assistant" for past in self._environment.past)
        self._n_idle = self._n_idle + 1 if n_calls == self._n_calls_seen else 1
        self._n_calls_seen = n_calls
        return self._n_idle >= 2

    def _stop(self) -> Reply:
        left = [turn for turn in self._unplayed if not turn.stop and self._holds(turn)]
        self.script_delivered = not left
        return Reply(text=STOP)


def _named(task: Task, action_id: str) -> str:
    for action in task.evaluation_criteria.actions:
        if action.action_id == action_id:
            return action.name
    raise UsageError(f"Task {task.id!r} has no action {action_id!r}.")
