"""The environment of one simulation: a private database, the tools, the policy rules.

A call that cannot be done is an answer to the caller, never an exception of the run, and leaves the
database as it was. Reads leave no trace. Which tools there are is in `_offers`; how a database is
versioned, so that a call costs the rows that it touches, in `_versions`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ragbench.domains import Domain
from ragbench.errors import DomainError
from ragbench.records import InitialState, Requestor, RetrievalEvent, Task, ToolCall, Violation
from ragbench.retrieval import KnowledgeTool
from ragbench.simulate._offers import Offers, ToolView
from ragbench.simulate._state import merge
from ragbench.simulate._versions import adopt, delta_hash, fork
from ragbench.toolkit import (
    GIVE_TOOL,
    UNLOCK_TOOL,
    CallContext,
    PastCall,
    RuleContext,
    Tool,
    ToolError,
    canonical_json,
    derived_id,
)

__all__ = ["GIVE_TOOL", "UNLOCK_TOOL", "Environment", "Outcome", "ToolView", "start_of"]

_TOOL_FAULTS = (ToolError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
"""What a domain's function may raise on arguments that it did not foresee; the caller is told."""


_SHOWN = 200
"""How much of malformed arguments an answer repeats."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call answered. ``event`` is set when it was a retrieval call."""

    content: str
    error: bool = False
    event: RetrievalEvent | None = None


class Environment:
    """One simulation's world.

    Args:
        domain: the domain.
        task: the task, whose initial state is applied.
        knowledge: the retrieval tools, none when the setup offers none.
        start: what `start_of` made of the domain and the task, if it was made before.

    Raises:
        DomainError: the task's initial state does not fit the database or cannot be played.
    """

    def __init__(
        self,
        domain: Domain,
        task: Task,
        knowledge: Iterable[KnowledgeTool] = (),
        start: BaseModel | None = None,
    ) -> None:
        self._domain, self._task = domain, task
        self._knowledge = {tool.name: tool for tool in knowledge}
        self._offers = Offers(domain, task, self._knowledge.values())
        self._equal_calls: Counter[str] = Counter()
        self.past: list[PastCall] = []
        self.changes: list[str] = []
        self.violations: list[Violation] = []
        self._start = start_of(domain, task) if start is None else start
        self.db: BaseModel = fork(self._start)
        for action in (task.initial_state or InitialState()).initialization_actions or ():
            self._initialise(action)

    def tools(self, requestor: Requestor) -> list[ToolView]:
        """The tools that the agent or the user can call now."""
        return list(self._offers.to(requestor).views)

    def call(self, call: ToolCall, step: int, position: int) -> Outcome:
        """Execute a call and check the policy rules."""
        if call.malformed is not None:
            return self._malformed(call, step, position)
        knowledge = self._knowledge.get(call.name)
        if knowledge is not None and call.requestor == "assistant":
            content, event = knowledge.call(call, step, position)
            outcome = Outcome(content, event.error is not None, event)
            self.past.append(PastCall(call, step, "", outcome.error))
            return outcome
        try:
            content, received = self._execute(call, step)
        except ToolError as error:
            outcome = Outcome(f"Error: {error}", error=True)
            self.past.append(PastCall(call, step, outcome.content, error=True))
            return outcome
        self.past.append(PastCall(received, step, content, error=False))
        return Outcome(content)

    def waits(self, call: ToolCall) -> bool:
        """Whether the call waits for something outside this process, such as a model."""
        knowledge = self._knowledge.get(call.name)
        return knowledge is not None and call.requestor == "assistant" and knowledge.waits

    def ask(self, assertion: Mapping[str, Any]) -> Any:  # noqa: ANN401  (whatever a tool returns)
        """What a read tool answers to an environment assertion; no trace, no unlocking.

        Raises:
            DomainError: the assertion names no read tool; the task is wrong.
            ToolError: the tool refuses to answer.
        """
        name = str(assertion.get("func_name", assertion.get("name")))
        tool = self._domain.tools.get(name)
        if tool is None or tool.kind != "read":
            known = sorted(tool.name for tool in self._domain.tools.values() if tool.kind == "read")
            raise DomainError(
                f"Task {self._task.id!r}: the environment assertion {name!r} is no read tool. "
                f"Known: {', '.join(known) or 'none'}."
            )
        arguments = dict(assertion.get("arguments") or {})
        call = ToolCall(id="assertion", name=name, arguments=arguments, requestor=tool.requestor)
        return self._apply(tool, call)[0]

    def normalised(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call as its tool would receive them; see `Tool.normalised`."""
        tool = self._domain.tools.get(name)
        return tool.normalised(arguments) if tool is not None else dict(arguments)

    def state_hash(self) -> str:
        """Hash of the comparable state now, to be compared with that of another world of the task.

        It is that of what differs from the task's start, so that the size of the database does not
        count.
        """
        return delta_hash(self._start, self.db)

    def _malformed(self, call: ToolCall, step: int, position: int) -> Outcome:
        """The answer to a call whose arguments are no JSON object; a search is an event too."""
        shown = (call.malformed or "")[:_SHOWN]
        problem = f"The arguments of {call.name!r} are no JSON object: {shown!r}. Send an object."
        event = None
        knowledge = self._knowledge.get(call.name)
        if knowledge is not None and call.requestor == "assistant":
            _, event = knowledge.call(call, step, position)  # without a query it only notes
            event = event.model_copy(update={"error": problem})
        outcome = Outcome(f"Error: {problem}", error=True, event=event)
        self.past.append(PastCall(call, step, outcome.content, error=True))
        return outcome

    def _execute(self, call: ToolCall, step: int) -> tuple[str, ToolCall]:
        """The answer, and the call as its tool received it: rules do not judge spelling."""
        offer = self._offers.to(call.requestor)
        if call.name in offer.unlocking:
            return self._offers.unlock(call), self._received(call)
        tool = offer.tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted([*offer.tools, *offer.unlocking]))
            raise ToolError(f"No tool is called {call.name!r}. Known: {known}")
        result, before = self._apply(tool, call)
        received = self._received(call)
        self._check_rules(received, tool, result, before, step)
        return _rendered(result), received

    def _received(self, call: ToolCall) -> ToolCall:
        return call.model_copy(update={"arguments": self.normalised(call.name, call.arguments)})

    def _apply(self, tool: Tool, call: ToolCall) -> tuple[Any, BaseModel]:
        """What the tool returns, and the database before; a write that worked is in `db` then."""
        try:
            parsed = tool.arguments.model_validate(call.arguments)
        except ValidationError as error:
            raise ToolError(_argument_message(tool, error)) from error
        arguments = {name: getattr(parsed, name) for name in type(parsed).model_fields}
        before, made = self.db, itertools.count()
        compared = {name: arguments[name] for name in arguments if name not in tool.free_text}
        key = canonical_json([tool.name, compared])
        ordinal = self._equal_calls[key]
        context = CallContext(
            now=self._domain.now,
            requestor=call.requestor,
            new_id=lambda prefix: derived_id(prefix, tool.name, compared, ordinal, next(made)),
        )
        if tool.wants_context:
            arguments["context"] = context
        database = fork(before)  # a read gets one too: whatever it does there is thrown away
        try:
            # What a tool prints is not a result of the command that plays it.
            with contextlib.redirect_stdout(sys.stderr):
                result = tool.function(database, **arguments)
        except _TOOL_FAULTS as error:
            raise ToolError(_fault(tool, error)) from error
        self._equal_calls[key] += 1
        if tool.kind == "write":
            if adopt(before, database):
                self.changes.append(call.id)
            self.db = database
        return result, before

    def _check_rules(
        self,
        call: ToolCall,
        tool: Tool,
        result: Any,  # noqa: ANN401
        before: BaseModel,
        step: int,
    ) -> None:
        context = RuleContext(
            call, tool, result, before, self.db, tuple(self.past), self._domain.now
        )
        for rule in self._domain.rules:
            try:
                message = rule.check(context)
            except _TOOL_FAULTS as error:
                raise DomainError(
                    f"The rule {rule.name!r} of {self._domain.path / 'rules.py'} raised "
                    f"{type(error).__name__}: {error} (on {call.name}). A rule takes one "
                    "RuleContext and returns a message or None."
                ) from error
            if message is not None:
                self.violations.append(
                    Violation(
                        rule=rule.name, hard=rule.hard, call_id=call.id, step=step, message=message
                    )
                )

    def _initialise(self, action: Mapping[str, Any]) -> None:
        call = ToolCall(
            id="initial",
            name=str(action.get("name", action.get("func_name"))),
            arguments=dict(action.get("arguments", {})),
            requestor="user" if action.get("env_type") == "user" else "assistant",
        )
        tool = self._domain.tools.get(call.name)
        if tool is None:
            raise DomainError(
                f"Task {self._task.id!r}: the initial action {call.name!r} is no tool."
            )
        try:
            self._apply(tool, call)
        except ToolError as error:
            raise DomainError(
                f"Task {self._task.id!r}: the initial {call.name} fails: {error}"
            ) from error
        self.changes.clear()


def _fault(tool: Tool, error: Exception) -> str:
    """What a tool said when it refused; of a fault of its own, where in its code it stands."""
    if isinstance(error, ToolError):
        return str(error)
    file = tool.function.__code__.co_filename
    frames = traceback.extract_tb(error.__traceback__)
    line = next((f.lineno for f in reversed(frames) if f.filename == file), None)
    where = Path(file).name if line is None else f"{Path(file).name}, line {line}"
    return f"{type(error).__name__}: {error} ({where})"


def start_of(domain: Domain, task: Task) -> BaseModel:
    """The database at the start of a task, before its initial actions; not to be changed.

    It is the domain's own when the task changes nothing in it.

    Raises:
        DomainError: the task's initial state does not fit the database.
    """
    state = task.initial_state or InitialState()
    if state.message_history:
        raise DomainError(
            f"Task {task.id!r} starts from a message history, which is not supported. "
            "Let the script's opening turn say what has happened before."
        )
    changes = (state.initialization_data or {}).get("agent_data")
    if not changes:
        return domain.database
    try:
        return merge(domain.database, changes)
    except ValidationError as error:
        raise DomainError(
            f"Task {task.id!r}: its initial state is no valid database: {error}"
        ) from error


def _argument_message(tool: Tool, error: ValidationError) -> str:
    details = [
        f"{'.'.join(str(part) for part in detail['loc']) or 'arguments'}: {detail['msg']}"
        for detail in error.errors()
    ]
    return f"{tool.name} was called with bad arguments. {'; '.join(details)}."


def _rendered(result: Any) -> str:  # noqa: ANN401  (whatever a tool returns)
    if isinstance(result, str):
        return result
    if isinstance(result, BaseModel):
        return result.model_dump_json()
    return json.dumps(result, ensure_ascii=False, default=_jsonable)


def _jsonable(value: Any) -> Any:  # noqa: ANN401  (whatever json cannot write)
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return float(value) if isinstance(value, Decimal) else str(value)
