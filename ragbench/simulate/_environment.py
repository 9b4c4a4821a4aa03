"""The environment of one simulation: a private database, the tools, the policy rules.

A call that cannot be done is an answer to the caller, never an exception of the run, and leaves the
database as it was. Reads leave no trace. A discoverable tool does not exist until it is unlocked.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from ragbench.domains import Domain
from ragbench.errors import DomainError
from ragbench.records import InitialState, Requestor, RetrievalEvent, Task, ToolCall, Violation
from ragbench.retrieval import KnowledgeTool
from ragbench.simulate._state import clone, comparable, merge, state_hash
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

__all__ = ["GIVE_TOOL", "UNLOCK_TOOL", "Environment", "Outcome", "ToolView"]

_TOOL_FAULTS = (ToolError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
"""What a domain's function may raise on arguments that it did not foresee; the caller is told."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call answered. ``event`` is set when it was a retrieval call."""

    content: str
    error: bool = False
    event: RetrievalEvent | None = None


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool as its caller sees it: name, description, parameters as JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class Environment:
    """One simulation's world.

    Args:
        domain: the domain.
        task: the task, whose initial state is applied.
        knowledge: the retrieval tools, none when the setup offers none.

    Raises:
        DomainError: the task's initial state does not fit the database or cannot be played.
    """

    def __init__(self, domain: Domain, task: Task, knowledge: Iterable[KnowledgeTool] = ()) -> None:
        self._domain, self._task = domain, task
        self._knowledge = {tool.name: tool for tool in knowledge}
        self._unlocked: set[str] = set()
        self._equal_calls: Counter[str] = Counter()
        self.past: list[PastCall] = []
        self.changes: list[str] = []
        self.violations: list[Violation] = []
        self.db: BaseModel = _initial(domain, task)
        for action in (task.initial_state or InitialState()).initialization_actions or ():
            self._initialise(action)

    def tools(self, requestor: Requestor) -> list[ToolView]:
        """The tools that the agent or the user can call now."""
        views = [
            ToolView(tool.name, tool.description, tool.schema) for tool in self._mine(requestor)
        ]
        if requestor == "assistant":
            views += self._meta_tools()
            views += [
                ToolView(tool.name, tool.description, tool.schema)
                for tool in self._knowledge.values()
            ]
        return views

    def call(self, call: ToolCall, step: int, position: int) -> Outcome:
        """Execute a call and check the policy rules."""
        knowledge = self._knowledge.get(call.name)
        if knowledge is not None and call.requestor == "assistant":
            content, event = knowledge.call(call, step, position)
            outcome = Outcome(content, event.error is not None, event)
            self.past.append(PastCall(call, step, "", outcome.error))
            return outcome
        try:
            content = self._execute(call, step)
        except ToolError as error:
            outcome = Outcome(f"Error: {error}", error=True)
            self.past.append(PastCall(call, step, outcome.content, error=True))
            return outcome
        self.past.append(PastCall(self._received(call), step, content, error=False))
        return Outcome(content)

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
        """Hash of the comparable state now."""
        return state_hash(self.db)

    def _mine(self, requestor: Requestor) -> list[Tool]:
        tools = [tool for tool in self._domain.tools.values() if tool.requestor == requestor]
        if requestor == "user" and self._task.user_tools is not None:
            allowed = {*self._task.user_tools, *self._unlocked}
            tools = [tool for tool in tools if tool.name in allowed]
        return [tool for tool in tools if not tool.discoverable or tool.name in self._unlocked]

    def _meta_tools(self) -> list[ToolView]:
        schema = {
            "type": "object",
            "properties": {"tool_name": {"type": "string"}},
            "required": ["tool_name"],
            "additionalProperties": False,
        }
        meta = {
            "assistant": ToolView(
                UNLOCK_TOOL,
                "Make a tool available to you whose exact name a document gives.",
                schema,
            ),
            "user": ToolView(
                GIVE_TOOL, "Give the customer a tool whose exact name a document gives.", schema
            ),
        }
        hidden = {tool.requestor for tool in self._domain.tools.values() if tool.discoverable}
        return [view for requestor, view in meta.items() if requestor in hidden]

    def _execute(self, call: ToolCall, step: int) -> str:
        meta = [view.name for view in self._meta_tools()]
        if call.requestor == "assistant" and call.name in meta:
            return self._unlock(call)
        tools = {tool.name: tool for tool in self._mine(call.requestor)}
        if call.name not in tools:
            known = sorted([*tools, *(meta if call.requestor == "assistant" else [])])
            raise ToolError(f"No tool is called {call.name!r}. Known: {', '.join(known)}")
        tool = tools[call.name]
        result, before = self._apply(tool, call)
        self._check_rules(self._received(call), tool, result, before, step)
        return _rendered(result)

    def _received(self, call: ToolCall) -> ToolCall:
        """The call with the arguments that the tool received: rules do not judge spelling."""
        return call.model_copy(update={"arguments": self.normalised(call.name, call.arguments)})

    def _unlock(self, call: ToolCall) -> str:
        name = call.arguments.get("tool_name")
        wanted: Requestor = "assistant" if call.name == UNLOCK_TOOL else "user"
        if set(call.arguments) != {"tool_name"} or not isinstance(name, str):
            raise ToolError(f"{call.name} takes exactly one argument, tool_name (a string).")
        tool = self._domain.tools.get(name)
        if tool is None or not tool.discoverable or tool.requestor != wanted:
            raise ToolError(
                f"No tool called {name!r} can be unlocked. Take the name from a document."
            )
        self._unlocked.add(name)
        return json.dumps(
            {"unlocked": name, "description": tool.description, "parameters": tool.schema}
        )

    def _apply(self, tool: Tool, call: ToolCall) -> tuple[Any, BaseModel]:
        try:
            parsed = tool.arguments.model_validate(call.arguments)
        except ValidationError as error:
            raise ToolError(_argument_message(tool, error)) from error
        arguments = {name: getattr(parsed, name) for name in type(parsed).model_fields}
        before, made = self.db, itertools.count()
        database = clone(before)  # a read gets a copy too: it leaves no trace
        if tool.kind == "write":
            self.db = database
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
        try:
            # What a tool prints is not a result of the command that plays it.
            with contextlib.redirect_stdout(sys.stderr):
                result = tool.function(database, **arguments)
        except _TOOL_FAULTS as error:
            self.db = before
            message = (
                str(error) if isinstance(error, ToolError) else f"{type(error).__name__}: {error}"
            )
            raise ToolError(message) from error
        self._equal_calls[key] += 1
        if tool.kind == "write" and comparable(before) != comparable(database):
            self.changes.append(call.id)
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


def _initial(domain: Domain, task: Task) -> BaseModel:
    state = task.initial_state or InitialState()
    if state.message_history:
        raise DomainError(
            f"Task {task.id!r} starts from a message history, which is not supported. "
            "Let the script's opening turn say what has happened before."
        )
    changes = (state.initialization_data or {}).get("agent_data")
    if not changes:
        initial: BaseModel = clone(domain.database)
        return initial
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
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)
