"""A report as a person reads it, and as JSON."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Iterator, Sequence

from ragbench.validate._rule import Severity, rules_in_order
from ragbench.validate._validate import Report
from ragbench.validate.difficulty import Difficulty

__all__ = ["report_json", "report_text"]

_WIDTH = 100
_INDENT = "    "


def report_json(report: Report) -> str:
    """The report as one JSON object, with a final newline."""
    content = dataclasses.asdict(report) | {
        "n_errors": report.n_errors,
        "rules": [rule.id for rule in rules_in_order()],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def report_text(report: Report) -> str:
    """The report in words and tables, with a final newline."""
    blocks = [
        f"{report.domain}: {_count(report.n_tasks, 'task')}, "
        f"{_count(report.n_documents, 'document')}",
        *_findings(report),
        *_not_checked(report),
        *_trusted(report),
        *_near_hits(report),
        *_difficulty(report.difficulties),
        _last(report),
    ]
    return "\n\n".join(blocks) + "\n"


def _findings(report: Report) -> Iterator[str]:
    for finding in report.findings:
        where = f"{finding.task} ({finding.file})" if finding.task else finding.file
        yield "\n".join(
            [
                f"{finding.severity.value} {finding.rule}: {where}",
                *_wrapped(finding.message),
                *_wrapped(f"To do: {finding.remedy}"),
            ]
        )


def _not_checked(report: Report) -> Iterator[str]:
    if not report.not_checked:
        return
    lines = ["Not checked"]
    by_reason: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for entry in report.not_checked:
        by_reason.setdefault((entry.reason, entry.tasks), []).append(entry.rule)
    for (reason, tasks), rules in by_reason.items():
        whom = f" ({_count(len(tasks), 'task')}{_named(tasks)})" if tasks else ""
        lines += _wrapped(f"{', '.join(rules)}: {reason}{whom}", "  ")
    unchecked = {entry.rule for entry in report.not_checked}
    checked = [rule.id for rule in rules_in_order() if rule.id not in unchecked]
    lines += _wrapped(f"Checked everywhere: {', '.join(checked) or 'nothing'}", "  ")
    yield "\n".join(lines)


def _trusted(report: Report) -> Iterator[str]:
    if report.trusted:
        lines = ["Taken on trust: declared, and not to be checked by a machine"]
        for task, target, why in report.trusted:
            lines += _wrapped(f"{task}, {target}: {why}", "  ")
        yield "\n".join(lines)


def _near_hits(report: Report) -> Iterator[str]:
    if report.near_hits:
        lines = ["Near hits, marked: documents beside the evidence (the passages are in the JSON)"]
        for task, hit in report.near_hits:
            lines += _wrapped(f"{task}, {hit.need_id}: {hit.doc_id}, {hit.mark}", "  ")
        yield "\n".join(lines)


def _difficulty(difficulties: Sequence[Difficulty]) -> Iterator[str]:
    if not difficulties:
        return
    setups = list(dict.fromkeys(name for one in difficulties for name in one.solved))
    rows = [["task", "level", "needs", "hops", "tokens", "overlap", *setups]]
    for one in difficulties:
        solved = [{True: "yes", False: "no", None: "-"}[one.solved.get(name)] for name in setups]
        overlap = "-" if one.overlap is None else f"{one.overlap:.0%}"
        figures = [str(one.n_needs), str(one.hops), f"{one.evidence_tokens:,}", overlap]
        rows.append([one.task, one.level or "-", *figures, *solved])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["Difficulty: what the oracle solves, tokens of the evidence, words shared with it"]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  " + "  ".join(cells).rstrip())
    yield "\n".join(lines)


def _last(report: Report) -> str:
    counts = [
        _count(sum(f.severity is severity for f in report.findings), severity.value)
        for severity in (Severity.ERROR, Severity.WARNING)
    ]
    return f"{', '.join(counts)}; {_count(report.n_replays, 'replay')}."


def _named(tasks: Sequence[str]) -> str:
    return f": {', '.join(tasks)}" if len(tasks) <= 3 else ""


def _wrapped(text: str, indent: str = _INDENT) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
