"""Running every rule over a domain, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragbench.config import ValidateConfig
from ragbench.domains import builtin_domains
from ragbench.errors import DomainError
from ragbench.ingest.pipeline import ingest
from ragbench.validate import (
    contradiction,
    difficulty,
    form,
    money,
    mutation,
    necessity,
    replay,
    runs,
    sufficiency,
)
from ragbench.validate._missing import FOREIGN
from ragbench.validate._rule import RULES, Finding, Flaw, Rule, Severity, rules_in_order
from ragbench.validate._subject import Ingest, Subject, find_subject
from ragbench.validate._view import CODE_FAULTS, TaskView, raised
from ragbench.validate.difficulty import Difficulty, difficulty_of
from ragbench.validate.necessity import NearHit, near_hits

__all__ = ["NotChecked", "Report", "validate"]

CHECKS = (form, money, replay, mutation, sufficiency, necessity, contradiction, difficulty, runs)
"""The modules that hold the rules; importing them has registered these."""


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A rule that could not be checked, why, and for how many tasks (ids, in order)."""

    rule: str
    reason: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a validation found.

    Attributes:
        findings: by group, rule and task.
        not_checked: what could not be checked, and why.
        difficulties: figures per task, in file order.
        trusted: per task, what is taken on trust: judgements and constants of derivations.
        near_hits: per task, marked documents that come near a need; unmarked ones are findings.
        n_replays: how often calls were executed on a fresh copy of the database.
    """

    domain: str
    n_tasks: int
    n_documents: int
    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    difficulties: tuple[Difficulty, ...]
    trusted: tuple[tuple[str, str, str], ...]
    near_hits: tuple[tuple[str, NearHit], ...]
    n_replays: int

    @property
    def n_errors(self) -> int:
        """Findings that make the domain invalid."""
        return sum(finding.severity is Severity.ERROR for finding in self.findings)


def validate(config: ValidateConfig, run_ingest: Ingest = ingest) -> Report:
    """Check a domain by every rule.

    A domain that does not load is a finding, not an error. Findings about foreign tasks are
    warnings at most: who reads them is not who wrote them.

    Args:
        config: what to validate.
        run_ingest: how to ingest; the command line passes one with a progress bar.

    Raises:
        UsageError: no such domain, task or setup.
        RunError: one of the runs is none, or is not finished.
    """
    try:
        subject = find_subject(config, run_ingest)
    except DomainError as error:
        return _unloadable(config, error)
    views = [TaskView(subject, task) for task in subject.tasks]
    findings: list[Finding] = []
    not_checked: list[NotChecked] = []
    for rule in rules_in_order():
        findings += _apply(rule, subject, views, not_checked)
    return Report(
        domain=subject.name,
        n_tasks=len(views),
        n_documents=len(subject.documents),
        findings=tuple(findings),
        not_checked=tuple(not_checked),
        difficulties=tuple(difficulty_of(view) for view in views if not view.missing("located")),
        trusted=tuple(entry for view in views for entry in _trusted(view)),
        near_hits=tuple(entry for view in views for entry in _near_hits(view)),
        n_replays=subject.replays.n,
    )


def _apply(
    rule: Rule, subject: Subject, views: list[TaskView], not_checked: list[NotChecked]
) -> Iterator[Finding]:
    if rule.scope == "domain":
        reason = _missing(rule, subject)
        if reason:
            not_checked.append(NotChecked(rule.id, reason, ()))
            return
        for flaw in rule.check(subject):
            yield _finding(rule, flaw, subject, flaw.task, flaw.file or subject.folder)
        return
    reasons: dict[str, list[str]] = {}
    for view in views:
        reason = next((r for need in rule.needs if (r := view.missing(need))), None)
        if reason:
            reasons.setdefault(reason, []).append(view.task.id)
            continue
        try:
            for flaw in rule.check(view):
                view.flawed.update({rule.group} if rule.severity is Severity.ERROR else ())
                yield _finding(rule, flaw, subject, view.task.id, flaw.file or view.file)
        except (*CODE_FAULTS, DomainError) as error:
            view.flawed.add("replay")  # what its code answers is not known: nothing more is played
            flaw = Flaw(f"{raised(error)}, while {rule.id} was checked")
            yield _finding(RULES["replay.raises"], flaw, subject, view.task.id, view.file)
    not_checked += [NotChecked(rule.id, why, tuple(ids)) for why, ids in reasons.items()]


def _missing(rule: Rule, subject: Subject) -> str | None:
    if "native" in rule.needs and subject.domain is None:
        return FOREIGN
    if "documents" in rule.needs and not subject.documents:
        return "there are no documents"
    if "scopes" in rule.needs and subject.domain is None and not subject.has_scopes:
        return (
            "no document carries a version, a product or a region, so that nothing could decide "
            "between two values"
        )
    return None


def _finding(rule: Rule, flaw: Flaw, subject: Subject, task: str | None, file: Path) -> Finding:
    severity = rule.severity
    if subject.domain is None and severity is Severity.ERROR:
        severity = Severity.WARNING
    return Finding(rule.id, severity, task, str(file), flaw.message, rule.remedy)


def _trusted(view: TaskView) -> Iterator[tuple[str, str, str]]:
    if any(view.missing(need) for need in ("native", "gold", "located", "script")):
        return
    for origin in view.origins.values():
        for why in origin.trusted:
            yield view.task.id, origin.target.name, why


def _near_hits(view: TaskView) -> Iterator[tuple[str, NearHit]]:
    if any(view.missing(need) for need in RULES["necessity.value"].needs):
        return
    yield from ((view.task.id, hit) for hit in near_hits(view) if hit.mark is not None)


def _unloadable(config: ValidateConfig, error: DomainError) -> Report:
    rule = RULES["form.domain"]
    folder = str(builtin_domains().get(config.domain, Path(config.domain)))
    finding = Finding(rule.id, rule.severity, None, folder, str(error), rule.remedy)
    reason = "the domain does not load (see form.domain)"
    others = tuple(NotChecked(o.id, reason, ()) for o in rules_in_order() if o.id != rule.id)
    return Report(config.domain, 0, 0, (finding,), others, (), (), (), 0)
