"""What a rule is, what it finds, and the registry of all rules.

A rule is a function that yields flaws, under a decorator that says what it is called, how grave a
flaw is, what it means and what to do. Its id is ``<group>.<name>``; the groups are the modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ragbench.validate._subject import Subject
    from ragbench.validate._view import TaskView

__all__ = [
    "GROUPS",
    "RULES",
    "Finding",
    "Flaw",
    "Need",
    "Rule",
    "Severity",
    "domain_rule",
    "rules_in_order",
    "task_rule",
]

GROUPS = (
    "form",
    "replay",
    "mutation",
    "sufficiency",
    "necessity",
    "contradiction",
    "difficulty",
    "runs",
)
"""In the order in which they are checked: a later one needs what an earlier one found in order."""

Need = Literal[
    "native",
    "documents",
    "scopes",
    "script",
    "questions",
    "spans",
    "located",
    "gold",
    "judged",
    "graded",
    "solved",
]
"""What a rule needs of a task before it can say anything; `TaskView.missing` knows each."""


class Severity(StrEnum):
    """How grave a finding is; only an error makes the domain invalid."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that a rule found.

    Attributes:
        message: what is wrong, with the offending value.
        file: where; None means the task's file, or the domain's folder.
        task: which task, for rules on the whole domain; None when it is none in particular.
    """

    message: str
    file: Path | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of ``ragbench validate``.

    Attributes:
        id: ``<group>.<name>``.
        means: what the rule asks for and why, in one or two sentences.
        remedy: what to do about a finding.
        needs: what has to be there or in order before the rule can be checked.
        scope: whether ``check`` is called once or once per task.
    """

    id: str
    severity: Severity
    means: str
    remedy: str
    needs: tuple[Need, ...]
    scope: Literal["domain", "task"]
    check: Callable[[Any], Iterable[Flaw]]

    @property
    def group(self) -> str:
        """The part of the id before the point."""
        return self.id.split(".")[0]


@dataclass(frozen=True, slots=True)
class Finding:
    """A flaw with the rule that it broke.

    Attributes:
        task: the task's id, None when the finding concerns no task in particular.
        file: path of the file to look into.
    """

    rule: str
    severity: Severity
    task: str | None
    file: str
    message: str
    remedy: str


RULES: dict[str, Rule] = {}
"""Every rule by its id."""


def task_rule(
    id: str,
    severity: Severity,
    *,
    means: str,
    remedy: str,
    needs: tuple[Need, ...] = (),
) -> Callable[[Callable[[TaskView], Iterable[Flaw]]], Rule]:
    """Make a function of one task a rule.

    Raises:
        ValueError: the id is taken, or its group is none of `GROUPS`.
    """

    def make(check: Callable[[TaskView], Iterable[Flaw]]) -> Rule:
        return _registered(Rule(id, severity, means, remedy, needs, "task", check))

    return make


def domain_rule(
    id: str,
    severity: Severity,
    *,
    means: str,
    remedy: str,
    needs: tuple[Need, ...] = (),
) -> Callable[[Callable[[Subject], Iterable[Flaw]]], Rule]:
    """Make a function of the whole domain a rule; see `task_rule`."""

    def make(check: Callable[[Subject], Iterable[Flaw]]) -> Rule:
        return _registered(Rule(id, severity, means, remedy, needs, "domain", check))

    return make


def rules_in_order() -> list[Rule]:
    """Every rule, in the order in which they are checked."""
    return sorted(RULES.values(), key=lambda rule: GROUPS.index(rule.group))


def _registered(rule: Rule) -> Rule:
    if rule.id in RULES:
        raise ValueError(f"Two rules are called {rule.id!r}")
    if rule.group not in GROUPS:
        raise ValueError(f"The rule {rule.id!r} is of no group; known: {', '.join(GROUPS)}")
    RULES[rule.id] = rule
    return rule
