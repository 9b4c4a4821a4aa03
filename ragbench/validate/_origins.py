"""Where every gold argument and every statement comes from: found verbatim, or declared.

A value that stands in what the user says, in an earlier result, in the evidence of its needs or in
the policy is found by itself; so is what the agent has given to an earlier call, and a choice from
a list that the tool gives. Anything else has to be declared in the task's ``derivations``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ragbench.records import Constant, Derivation
from ragbench.score import Facts
from ragbench.toolkit import RESERVED_TOOLS
from ragbench.validate._formula import Formula, FormulaError, parse_formula, round_half_up
from ragbench.validate._values import Value, leaves, states, value_of

if TYPE_CHECKING:
    from ragbench.validate._view import TaskView

__all__ = ["Origin", "Target", "find_origins"]

_PERCENT = 100
"""The one number that a formula may use though no text states it: what makes a share of percent."""


@dataclass(frozen=True, slots=True)
class Target:
    """A gold argument or a statement.

    Attributes:
        name: ``<action id>.<argument>`` or ``communicate:<i>``.
        consumer: the action's id or ``communicate:<i>``, as needs name it.
        raw: the value.
        values: what of it has to come from somewhere.
        names_tool: it is the name of a tool to unlock or to hand over.
    """

    name: str
    consumer: str
    raw: Any
    values: tuple[Value, ...]
    names_tool: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a target comes from.

    Attributes:
        sources: every place in which it stands: ``user``, ``result``, ``evidence``, ``policy``,
            ``call`` (an argument of an earlier gold action), ``choice`` (a list of the tool).
        declared: the task's own word for it, None when there is none.
        numbers: the numbers of its formula.
        problem: why what is declared does not hold, empty when it does.
        trusted: what has to be believed: the reasons of a judgement or of constants.
    """

    target: Target
    sources: frozenset[str]
    declared: Derivation | None = None
    numbers: tuple[Decimal, ...] = ()
    problem: str = ""
    trusted: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the agent can know it."""
        return bool(self.sources) if self.declared is None else not self.problem

    @property
    def from_documents(self) -> bool:
        """Whether the agent can know it from its evidence alone."""
        if self.declared is not None:
            return self.declared.origin in ("evidence", "formula", "judgement")
        return "evidence" in self.sources and not self.sources & {"result", "choice"}


def find_origins(view: TaskView) -> dict[str, Origin]:
    """The origin of every compared gold argument and every statement, by target."""
    return {target.name: _origin(view, target) for target in _targets(view)}


def _targets(view: TaskView) -> Iterator[Target]:
    for action in view.actions:
        filled = view.played.arguments[action.action_id]
        for name in view.played.compared[action.action_id]:
            if isinstance(action.arguments[name], str) and "${" in action.arguments[name]:
                continue  # the replay has taken it from the result that it names
            yield Target(
                f"{action.action_id}.{name}",
                action.action_id,
                filled[name],
                _values(filled[name]),
                action.name in RESERVED_TOOLS,
            )
    for index, statement in enumerate(view.task.evaluation_criteria.statements):
        name = f"communicate:{index}"
        yield Target(name, name, statement.shown, _values(statement.shown))


def _values(raw: Any) -> tuple[Value, ...]:  # noqa: ANN401  (any JSON value)
    return tuple(value for leaf in leaves(raw) if (value := value_of(leaf)) is not None)


def _origin(view: TaskView, target: Target) -> Origin:
    texts = _texts(view, target)
    sources = {
        name
        for name, facts in texts.items()
        if all(any(states(one, value) for one in facts) for value in target.values)
    }
    if _is_choice(view, target) or not target.values:
        sources.add("choice")
    if set(target.values) <= _called(view, target):
        sources.add("call")
    declared = view.task.derivations.get(target.name)
    if declared is None:
        return Origin(target, frozenset(sources))
    if declared.origin == "judgement":
        return Origin(target, frozenset(sources), declared, trusted=(str(declared.why),))
    if declared.origin == "formula":
        return _calculated(target, frozenset(sources), declared, texts)
    problem = "" if declared.origin in sources else _absent(declared.origin)
    return Origin(target, frozenset(sources), declared, problem=problem)


def _texts(view: TaskView, target: Target) -> Mapping[str, list[Facts]]:
    """What the agent can read before it acts, by source."""
    ids = [action.action_id for action in view.actions]
    earlier = ids[: ids.index(target.consumer)] if target.consumer in ids else ids
    return {
        "user": [view.said],
        "result": [view.result_facts[action_id] for action_id in earlier],
        "evidence": [view.evidence_facts(target.consumer)],
        "policy": [view.subject.policy],
    }


def _called(view: TaskView, target: Target) -> set[Value]:
    """The values of the agent's own earlier calls, as numbers, dates and texts without unit."""
    found: set[Value] = set()
    for action in view.actions:
        if action.action_id == target.consumer:
            break
        if action.requestor == "assistant":
            found |= set(_values(view.played.arguments[action.action_id]))
    return found | {v for v in target.values if Value(number=v.number) in found and v.number}


def _is_choice(view: TaskView, target: Target) -> bool:
    """Whether the tool itself lists the value among those that it takes."""
    action = next((a for a in view.actions if a.action_id == target.consumer), None)
    tool = view.domain.tools.get(action.name) if action is not None else None
    if tool is None:
        return False
    described = tool.schema.get("properties", {}).get(target.name.rpartition(".")[2], {})
    return target.raw in described.get("enum", [])


def _absent(origin: str) -> str:
    return {
        "user": "the user does not say it unasked",
        "result": "no earlier result states it",
        "evidence": "the evidence of its needs does not state it",
        "policy": "the policy does not state it",
    }[origin]


def _calculated(
    target: Target,
    sources: frozenset[str],
    declared: Derivation,
    texts: Mapping[str, list[Facts]],
) -> Origin:
    try:
        formula = parse_formula(declared.formula or "")
        names, numbers, trusted = _bound(formula, declared)
        value = formula.value(names)
    except FormulaError as error:
        return Origin(target, sources, declared, problem=f"its formula is wrong: {error}")
    problem = _unstated(numbers, formula, texts) or _unequal(target, value)
    return Origin(target, sources, declared, numbers, problem, trusted)


def _bound(
    formula: Formula, declared: Derivation
) -> tuple[dict[str, Fraction], tuple[Decimal, ...], tuple[str, ...]]:
    """What the names stand for, every number to be stated, and what is to be believed."""
    names: dict[str, Fraction] = {}
    numbers = list(formula.numbers)
    trusted = []
    for name in declared.names:
        if name not in formula.names:
            raise FormulaError(f"the name {name!r} is given and not used")
    for name, bound in declared.names.items():
        if isinstance(bound, Constant):
            trusted.append(f"{name} = {bound.value:g}: {bound.why}")
            names[name] = Fraction(str(bound.value))
        else:
            numbers.append(Decimal(str(bound)))
            names[name] = Fraction(str(bound))
    return names, tuple(numbers), tuple(trusted)


def _unstated(
    numbers: tuple[Decimal, ...], formula: Formula, texts: Mapping[str, list[Facts]]
) -> str:
    facts = [one for group in texts.values() for one in group]
    wanted = {format(number.normalize(), "f"): Value(number=number) for number in numbers}
    wanted |= {date.isoformat(): Value(date=date) for date in formula.dates}
    for shown, value in wanted.items():
        if value.number == _PERCENT:
            continue
        if not any(states(one, value) for one in facts):
            return (
                f"its formula uses {shown}, which neither the user, nor an earlier result, nor the "
                "evidence of its needs, nor the policy states"
            )
    return ""


def _unequal(target: Target, value: Fraction) -> str:
    (expected, *more) = target.values or (None,)
    if expected is None or more or expected.number is None:
        return f"a formula gives a number, and {target.raw!r} is none"
    gold = Fraction(expected.number)
    exponent = expected.number.as_tuple().exponent
    digits = max(2, -exponent if isinstance(exponent, int) else 0)
    if gold in (value, round_half_up(value, digits)):
        return ""
    return f"its formula gives {float(value):.10g}, and the gold value is {target.raw!r}"
