"""A trial on the page: its row, and behind it needs, searches, actions and what had to be said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from ragbench.diagnose import ATTRIBUTIONS, BROKEN_OFF, LABELS
from ragbench.records import (
    ActionCheck,
    CallClass,
    CallDiagnosis,
    ItemDiagnosis,
    NeedDiagnosis,
    NeedStatus,
    TrialScore,
)
from ragbench.report._glossary import CAUSES, CLASS_NAMES
from ragbench.report._markup import Markup, element, join, raw
from ragbench.report._numbers import UNDEFINED, count, counts, percent, plural, reward, whole
from ragbench.report._passages import Delivered, Passages
from ragbench.report._review_html import review_rows
from ragbench.report._table import shown_diagnosis, shown_rate

__all__ = ["badge", "label_tone", "trial_html"]

_TONES = {
    "no_retrieval_needed": "good", "efficient": "good", "excess_retrieval": "warn",
    "not_observed": "warn", "unneeded_retrieval": "warn", "evidence_late": "warn",
    "evidence_unused": "bad", "not_offered": "bad", "missed_retrieval": "bad",
    "evidence_missed": "bad", "evidence_partial": "bad",
}  # fmt: skip
_NEED_TONES = {
    NeedStatus.MET: "good", NeedStatus.LATE: "warn", NeedStatus.UNMET: "bad",
    NeedStatus.NOT_KNOWN: "warn",
}  # fmt: skip
_CALL_TONES = {
    CallClass.USEFUL: "good", CallClass.UNNEEDED: "warn",
    CallClass.REDUNDANT: "warn", CallClass.MISSED: "bad",
}  # fmt: skip


def badge(text: str, tone: str = "") -> Markup:
    """A word on coloured ground; the word alone carries the meaning."""
    return element("span", text, cls=f"badge {tone}".strip())


def label_tone(label: str | None) -> str:
    """``good``, ``warn`` or ``bad``."""
    return _TONES.get(label or "", "")


def trial_html(score: TrialScore, name: str, agent: str, passages: Passages) -> Markup:
    """A row that opens to everything known about the trial."""
    needs = (
        _need_row(need, items, score.task_id, passages)
        for need, items in zip(*_needs(score), strict=True)
    )
    calls = _call_rows(score, passages)
    sections = [
        _outcome(score),
        _table("Needs", ("need", "status", "needed at", "evidence"), needs),
        _table("Searches", ("", "class", "query", "tokens", "evidence so far"), calls),
        _table(
            "Gold actions", ("action", "tool", "outcome"), map(_action_row, score.score.actions)
        ),
        _table("To be said", ("what", "outcome"), _communicate_rows(score)),
        _table("Judge", ("what", "verdict", "reason"), _review_rows(score, passages)),
    ]
    return element(
        "details",
        element("summary", _row(score, name, agent)),
        element("div", *sections, cls="inside"),
        cls="trial",
        id=f"{score.task_id}.{score.trial}",
    )


def _row(score: TrialScore, name: str, agent: str) -> Markup:
    found, success = shown_diagnosis(score), score.score.success
    tone = {True: "good", False: "bad", None: ""}[success]
    flags = [
        flag
        for flag, on in (("lucky", found.lucky), ("beats_reference", score.beats_reference))
        if on
    ]
    label = join(
        [
            badge(found.label or UNDEFINED, label_tone(found.label)),
            *(badge(flag, "warn") for flag in flags),
        ],
        " ",
    )
    cells: list[tuple[object, str]] = [
        (element("b", *_breakable(name)), ""),
        (badge(reward(score.score.reward), tone), "num"),
        (label, ""),
        (count(found.n_calls), "num"),
        (percent(found.under_retrieval), "num"),
        (percent(found.over_retrieval), "num"),
        (percent(found.over_retrieval_floor), "num"),
        (whole(found.tokens_per_item), "num"),
        (percent(found.excess_share), "num"),
        (percent(found.misses_per_call), "num"),
        (shown_rate("over_search_rate", found.over_search_rate, agent), "num"),
        (_whole(found.causes), ""),
        (found.attribution or UNDEFINED, ""),
    ]
    return element("div", *(element("span", cell, cls=cls) for cell, cls in cells), cls="cells")


def _breakable(name: str) -> Iterable[object]:
    """A name that may be broken after its underscores rather than anywhere."""
    for part in re.split(r"(?<=_)", name):
        yield from (part, raw("<wbr>"))


def _whole(causes: Mapping[str, int]) -> Markup:
    """Causes with their counts, broken between causes only."""
    if not causes:
        return element("span", UNDEFINED)
    return join(
        [element("span", counts({name: n}), cls="whole") for name, n in causes.items()], ", "
    )


def _outcome(score: TrialScore) -> Markup:
    found = score.diagnosis
    lines = [
        element("p", _labelled(score)),
        element(
            "p",
            f"Ended by {score.termination.value} after {plural(score.n_steps, 'step')}. "
            + "; ".join(f"{name} {reward(value)}" for name, value in score.score.components.items())
            + (f". {score.score.reason}" if score.score.reason else ""),
        ),
    ]
    if found.attribution is not None:
        meaning = ATTRIBUTIONS.get(found.attribution, "")
        lines.append(element("p", f"Failed by {found.attribution}: {meaning}."))
    lines += [element("p", f"Hard violation: {text}") for text in score.score.hard_violations]
    for claim in score.score.false_reports:
        lines.append(element("p", f"False report: {claim}"))
    if score.score.extra_writes:
        lines.append(element("p", f"Extra writes: {', '.join(score.score.extra_writes)}"))
    figures = {
        "evidence_recall": percent(found.evidence_recall),
        "late_recall": percent(found.late_recall),
        "document_recall": percent(found.document_recall),
        "under_search_rate": percent(found.under_search_rate),
        "duplicate_ratio": percent(found.duplicate_ratio),
        "excess_tokens": f"{count(found.excess_tokens)} of {count(found.retrieved_tokens)}",
        "calls_to_sufficiency": count(found.calls_to_sufficiency),
        "context_utilization": percent(found.context_utilization),
    }
    shown = (
        element("span", element("span", f"{key} ", cls="soft"), element("b", value))
        for key, value in figures.items()
    )
    return element("div", *lines, element("p", *shown, cls="figures"))


def _labelled(score: TrialScore) -> str:
    """The label and what it means; of a trial that broke off, only how far it had come."""
    label = score.diagnosis.label
    if label is None:
        return "No label: it failed for infrastructure, or could not be judged."
    broken = f" It broke off by {score.termination.value}; the label says how far it had come."
    return f"{label}: {LABELS.get(label, '')}.{broken if score.termination in BROKEN_OFF else ''}"


def _table(title: str, head: Sequence[str], rows: Iterable[Markup]) -> Markup:
    body = list(rows)
    if not body:
        return Markup("")
    header = element("tr", *(element("th", name, cls=_class_of(name)) for name in head))
    return element("section", element("h3", title), element("table", header, *body))


def _class_of(column: str) -> str:
    return "num" if column in ("", "tokens", "needed at", "evidence so far") else ""


def _needs(score: TrialScore) -> tuple[list[NeedDiagnosis], list[list[ItemDiagnosis]]]:
    needs = list(score.diagnosis.needs)
    return needs, [
        [i for i in score.diagnosis.items if i.need_id == need.need_id] for need in needs
    ]


def _need_row(
    need: NeedDiagnosis, items: list[ItemDiagnosis], task_id: str, passages: Passages
) -> Markup:
    return element(
        "tr",
        element("td", need.need_id),
        element("td", badge(need.status.value, _NEED_TONES[need.status])),
        element("td", f"step {need.deadline}", cls="num"),
        element(
            "td",
            *(
                element(
                    "div",
                    _item(item, need.status is not NeedStatus.NOT_KNOWN),
                    *_evidence(passages.evidence.get((task_id, item.need_id, item.index), [])),
                )
                for item in items
            ),
        ),
    )


def _evidence(alternatives: list[tuple[str, str]]) -> Iterable[Markup]:
    for where, text in alternatives:
        yield element("blockquote", text, element("cite", where))


def _item(item: ItemDiagnosis, known: bool) -> str:
    never = "never came" if known else "was not seen to come"
    came = never if item.covered_at is None else f"came at step {item.covered_at}"
    if item.covered_at == 0:
        came = "stood in the prompt"
    text = f"item {item.index + 1} {came}"
    if item.cause is not None:
        text += f": {item.cause}, {CAUSES[item.cause].meaning if item.cause in CAUSES else ''}"
    if item.cut_off_depth is not None:
        text += f" (a query or the question covers it at depth {item.cut_off_depth})"
    return text


def _call_rows(score: TrialScore, passages: Passages) -> Iterable[Markup]:
    for number, call in enumerate(score.diagnosis.calls, 1):
        yield element(
            "tr",
            element("td", str(number), cls="num"),
            element("td", _call_badge(call)),
            element(
                "td",
                element("code", call.query),
                element("span", f"  step {call.step}", cls="soft"),
                *_hits(passages.hits.get((score.task_id, score.trial, call.call_id), [])),
            ),
            element("td", count(call.n_tokens), cls="num"),
            element("td", percent(call.evidence_recall), cls="num"),
        )
    if score.diagnosis.n_failed_calls:
        text = f"{plural(score.diagnosis.n_failed_calls, 'call')} raised an error, counted apart"
        yield element("tr", element("td", text, colspan="5"))


def _hits(hits: list[Delivered]) -> Iterable[Markup]:
    if hits:
        yield element(
            "ol",
            *(
                element(
                    "li",
                    hit.where,
                    *(badge(f"evidence: {name}", "good") for name in hit.touches),
                )
                for hit in hits
            ),
            cls="hits soft",
        )


def _call_badge(call: CallDiagnosis) -> Markup:
    if call.call_class is None:
        return badge(CLASS_NAMES[None])
    text = CLASS_NAMES[call.call_class] + (", stale" if call.stale else "")
    return badge(text, _CALL_TONES[call.call_class])


def _action_row(check: ActionCheck) -> Markup:
    if check.call_id is None:
        outcome: list[object] = [badge("not attempted", "bad")]
    elif check.correct:
        outcome = [badge("correct", "good"), element("span", f" step {check.step}", cls="soft")]
    else:
        outcome = [badge("wrong", "bad"), element("span", f" step {check.step}", cls="soft")]
    for name, (expected, given) in check.differences.items():
        outcome.append(
            element("div", f"{name}: expected ", _value(expected), ", found ", _value(given))
        )
    return element(
        "tr",
        element("td", check.action_id),
        element("td", element("code", check.name)),
        element("td", *outcome),
    )


def _value(value: object) -> Markup:
    return element("code", json.dumps(value, ensure_ascii=False, sort_keys=True))


def _review_rows(score: TrialScore, passages: Passages) -> Iterable[Markup]:
    for what, (verdict, tone), reason in review_rows(
        passages.reviews.get((score.task_id, score.trial))
    ):
        yield element(
            "tr",
            element("td", what),
            element("td", badge(verdict, tone)),
            element("td", reason, cls="soft"),
        )


def _communicate_rows(score: TrialScore) -> Iterable[Markup]:
    for check in score.score.communicate:
        said = badge(check.status.value, "good" if check.correct else "bad")
        step = f" step {check.step}" if check.step is not None else ""
        outcome = [said, element("span", step, cls="soft")]
        if check.reason:
            outcome.append(element("div", check.reason, cls="soft"))
        yield element("tr", element("td", check.info), element("td", *outcome))
