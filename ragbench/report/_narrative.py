"""One trial told in a few lines: the label, every search with what it was good for, every need."""

from __future__ import annotations

from collections.abc import Iterator

from ragbench.diagnose import BROKEN_OFF, LABELS
from ragbench.records import CallDiagnosis, ItemDiagnosis, NeedDiagnosis, NeedStatus, TrialScore
from ragbench.report._glossary import CLASS_NAMES
from ragbench.report._numbers import UNDEFINED, count, percent, plural, reward, whole
from ragbench.report._table import shown_rate

__all__ = ["narrative"]


def narrative(score: TrialScore, agent: str, note: str = "", line: int | None = None) -> str:
    """The trial as a block of lines.

    Args:
        score: the trial.
        agent: name of the agent; what the oracle fixes by its construction is marked.
        note: a last line, such as what could not be determined.
        line: the trajectory's line in its file; told with trial and agent, which a file of several
            trials of a task is told apart by.
    """
    found = score.diagnosis
    lucky = ", lucky: success without the evidence" if found.lucky else ""
    if found.label is None:
        lines = ["no label: it failed for infrastructure, or could not be judged"]
    else:
        lines = [f'{found.label}   "{LABELS[found.label]}"{lucky}']
    lines.append(f"  {_outcome(score, agent, line)}")
    if score.termination in BROKEN_OFF:
        lines.append(
            f"  broke off by {score.termination.value}: the label says how far it had come"
        )
    lines += [f"  {_call(number, call)}" for number, call in enumerate(found.calls, 1)]
    if found.n_failed_calls:
        lines.append(f"  {plural(found.n_failed_calls, 'call')} raised an error, counted apart")
    for need in found.needs:
        lines += [f"  {line}" for line in _need(need, found.items)]
    lines += [f"  {line}" for line in _wrong(score)]
    lines += [f"  {line}" for line in _measures(score, agent)]
    lines += [f"  warning: {warning}" for warning in score.provenance]
    if note:
        lines.append(f"  {note}")
    return "\n".join(lines) + "\n"


def _outcome(score: TrialScore, agent: str, line: int | None) -> str:
    parts = [f"task {score.task_id}"]
    if score.trial or line is not None:
        parts.append(f"trial {score.trial}")
    if line is not None:
        parts = [f"line {line}", *parts, f"agent {agent or 'unnamed'}"]
    reason = f" ({score.score.reason})" if score.score.reason else ""
    parts.append(f"reward {reward(score.score.reward)}{reason}")
    attribution = score.diagnosis.attribution
    if attribution is not None:
        parts.append(f"attribution {attribution}")
    return "  ".join(parts)


def _call(number: int, call: CallDiagnosis) -> str:
    kind = UNDEFINED if call.call_class is None else CLASS_NAMES[call.call_class]
    stale = ", stale" if call.stale else ""
    where = f"step {call.step}, {count(call.n_tokens)} tokens"
    return f'call {number} [{kind}{stale}]  "{_one_line(call.query)}"  {where}'


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _need(need: NeedDiagnosis, items: tuple[ItemDiagnosis, ...]) -> Iterator[str]:
    mine = [item for item in items if item.need_id == need.need_id]
    if need.status is NeedStatus.MET:
        yield f"need {need.need_id}: met ({_timing(need, mine)})"
        return
    if len(mine) == 1:
        yield f"need {need.need_id}: {need.status.value} ({_timing(need, mine)}){_cause(mine[0])}"
        return
    yield f"need {need.need_id}: {need.status.value} (needed at step {need.deadline})"
    for item in mine:
        yield f"  item {item.index + 1}: {_covered(need, item)}{_cause(item)}"


def _timing(need: NeedDiagnosis, items: list[ItemDiagnosis]) -> str:
    """When it was needed, and when the last of its items came."""
    steps = [item.covered_at for item in items]
    if None in steps:
        return f"needed at step {need.deadline}, {_uncovered(need)}"
    last = max(step for step in steps if step is not None)
    came = "in the prompt from the start" if last == 0 else f"covered at step {last}"
    return f"needed at step {need.deadline}, {came}"


def _uncovered(need: NeedDiagnosis) -> str:
    return "not seen to come" if need.status is NeedStatus.NOT_KNOWN else "never covered"


def _covered(need: NeedDiagnosis, item: ItemDiagnosis) -> str:
    if item.covered_at is None:
        return _uncovered(need)
    if item.covered_at == 0:
        return "in the prompt from the start"
    return f"covered at step {item.covered_at}"


def _cause(item: ItemDiagnosis) -> str:
    if item.cause is None:
        return ""
    depth = "" if item.cut_off_depth is None else f" (at depth {item.cut_off_depth})"
    return f", cause {item.cause}{depth}"


def _wrong(score: TrialScore) -> Iterator[str]:
    """What was reported falsely, and what a failed trial did otherwise than its gold."""
    for claim in score.score.false_reports:
        yield f"false report: {_one_line(claim)}"
    if score.score.success:
        return
    for check in score.score.actions:
        if check.call_id is None:
            yield f"action {check.action_id}: not attempted"
        for name, (expected, given) in check.differences.items():
            yield f"action {check.action_id}: {name} is {given!r}, expected {expected!r}"
    for said in score.score.communicate:
        if not said.correct:
            why = f" ({_one_line(said.reason)})" if said.reason else ""
            yield f"{said.status.value}: {_one_line(said.info)!r}{why}"
    if score.score.extra_writes:
        yield f"extra writes: {', '.join(score.score.extra_writes)}"


def _measures(score: TrialScore, agent: str) -> Iterator[str]:
    found = score.diagnosis
    delivered = {
        "under_retrieval": percent(found.under_retrieval),
        "over_retrieval": percent(found.over_retrieval),
        "floor": percent(found.over_retrieval_floor),
        "tokens_per_item": whole(found.tokens_per_item),
        "excess_share": percent(found.excess_share),
    }
    searched = {
        "misses_per_call": percent(found.misses_per_call),
        "over_search_rate": shown_rate("over_search_rate", found.over_search_rate, agent),
        "under_search_rate": percent(found.under_search_rate),
    }
    for shown in (delivered, searched):
        yield "  ".join(f"{name} {value}" for name, value in shown.items())
