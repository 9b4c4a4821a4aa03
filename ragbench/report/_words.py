"""A run in words: what was run, what came out, what the figures mean and do not mean."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.diagnose import ATTRIBUTIONS, LABELS
from ragbench.records import TrialScore
from ragbench.report._glossary import BY_DESIGN, CAUSES, by_design
from ragbench.report._model_words import (
    agent_name,
    counterfactual_lines,
    model_lines,
    review_lines,
    user_name,
)
from ragbench.report._numbers import count, estimate, percent, plural, whole, whole_percents
from ragbench.report._variance_words import variance_lines
from ragbench.report._verdict import searching_line

__all__ = ["Section", "configuration_line", "sections", "trial_name", "words_text"]

_WIDTH = 100
_INDENT = 12
_CUT_SHORT = (
    "max_steps", "max_errors", "timeout", "context_overflow", "agent_error", "user_error",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """A short heading and the statements under it, each one line however long."""

    title: str
    lines: tuple[str, ...]


def words_text(
    resolved: Mapping[str, Any],
    summary: Mapping[str, Any],
    scores: Sequence[TrialScore],
    folder: Path,
    width: int = _WIDTH,
) -> str:
    """The summary for a terminal, wrapped.

    Args:
        resolved: content of ``config.json``.
        summary: content of ``summary.json``.
        scores: the trials.
        folder: the run folder; the last lines say what is in it and how to go on.
        width: of a line.
    """
    out = textwrap.wrap(configuration_line(resolved), width)
    for section in (*sections(resolved, summary, scores), _folder(folder)):
        for number, line in enumerate(section.lines):
            head = section.title if number == 0 else ""
            out += textwrap.wrap(
                whole_percents(line),
                width,
                initial_indent=f"{head:<{_INDENT - 1}} ",
                subsequent_indent=" " * (_INDENT + (4 if line.startswith(" ") else 2)),
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join(out).replace("\N{NO-BREAK SPACE}", " ") + "\n"


def configuration_line(resolved: Mapping[str, Any]) -> str:
    """What was run, in one line."""
    identity = resolved["identity"]
    search = [identity["chunker"]]
    if identity["embedder"] is not None:
        search.append(identity["embedder"])
    search.append("no search tool" if identity["k"] is None else f"k {identity['k']}")
    trials = plural(identity["num_trials"], "trial")
    return (
        f"{identity['domain']}, setup {identity['setup']} ({', '.join(search)}): "
        f"{plural(len(identity['task_ids']), 'task')}, {trials} each, agent "
        f"{agent_name(identity)}, user {user_name(identity)}, seed {identity['seed']}."
    )


def sections(
    resolved: Mapping[str, Any], summary: Mapping[str, Any], scores: Sequence[TrialScore]
) -> tuple[Section, ...]:
    """The summary as sections; one without anything to say is left out."""
    identity = resolved["identity"]
    found = [
        Section("Success", tuple(_success(summary))),
        Section("Searching", (searching_line(summary, identity),)),
        Section("Reference", tuple(_references(identity, summary, scores))),
        Section("Baselines", tuple(counterfactual_lines(summary))),
        Section("Retrieval", tuple(_retrieval(identity, summary))),
        Section("Labels", tuple(_labels(summary))),
        Section("Causes", tuple(_causes(summary, scores))),
        Section("Context", tuple(_context(identity, summary))),
        Section("Failures", tuple(_failures(summary))),
        Section("Review", tuple(review_lines(summary))),
        Section("Models", tuple(model_lines(summary))),
    ]
    return tuple(section for section in found if section.lines)


def _success(summary: Mapping[str, Any]) -> Iterator[str]:
    reward, passes = summary["reward"], summary["pass_hat_k"]
    scored = (
        f"{summary['n_trials_scored']} of {plural(summary['n_trials_expected'], 'trial')} scored"
    )
    yield f"{_pass_one(summary)}; {scored}."
    higher = [f"{name} {_pass_k(summary, name)}" for name in passes if name != "pass^1"]
    if summary["deterministic"]:
        yield "All trials are equal by construction, so only pass^1 is shown."
    elif higher:
        yield f"{', '.join(higher)}."
    yield from variance_lines(summary)
    if not _same(passes["pass^1"], reward["mean"]):
        yield f"Mean reward {estimate(reward)}."
    if summary["n_trials_not_scored"]:
        bounds = summary["reward_bounds"]
        yield (
            f"{plural(summary['n_trials_not_scored'], 'trial')} not scored: if all had failed, "
            f"mean reward {percent(bounds['all_unscored_failed'])}; if all had passed, "
            f"{percent(bounds['all_unscored_passed'])}."
        )


def _pass_k(summary: Mapping[str, Any], name: str) -> str:
    """With its interval, which a run of an earlier version does not have."""
    interval = summary.get("pass_hat_k_intervals", {}).get(name)
    return percent(summary["pass_hat_k"][name]) if interval is None else estimate(interval)


def _pass_one(summary: Mapping[str, Any]) -> str:
    reward, one = summary["reward"], summary["pass_hat_k"]["pass^1"]
    if one is None or not _same(one, reward["mean"]):
        return f"pass^1 {percent(one)}"
    return (
        f"pass^1 {percent(one)}, 95 % interval {percent(reward['low'])} to "
        f"{percent(reward['high'])} over {plural(reward['n'], 'task')}"
    )


def _references(
    identity: Mapping[str, Any], summary: Mapping[str, Any], scores: Sequence[TrialScore]
) -> Iterator[str]:
    own = identity["setup"]
    order = {"no_knowledge": "", own: "", "golden_retrieval": ""} | {own: " (this setup)"}
    figures = [
        f"{name}{mark} {percent(figure['mean'])}{_played_part(figure)}"
        for name, mark in order.items()
        if (figure := summary["references"].get(name)) is not None
    ]
    if figures:
        yield f"The oracle's success: {', '.join(figures)}."
    missing = summary.get("missing_references", {})
    for name, reason in missing.items():
        yield f"No reference under {name}{order.get(name, '')}: {reason}"
    if own not in missing and identity["k"] is None:
        yield (
            "This setup has no search tool, so the oracle acts on what stands in its prompt alone, "
            "never guesses, and acts perfectly on annotated evidence."
        )
    elif own not in missing:
        yield (
            f"The oracle asks exactly the written questions at k {identity['k']}, never guesses, "
            "and acts perfectly once the annotated evidence has come: what this setup loses to "
            "golden_retrieval, its retrieval loses to those questions."
        )
    yield from _styles(summary.get("oracle", {}))
    if figures:
        yield (
            "It is a reference, no upper bound: better queries, a larger k, passages that nobody "
            "annotated, or luck can beat it. It does not say how well an LLM agent would do."
        )
    beaten = [trial_name(score, scores) for score in scores if score.beats_reference]
    if beaten:
        names = ", ".join(beaten)
        yield f"Beat the reference (beats_reference), so review their evidence labels: {names}."


_STYLES = {
    "desk": "asked without names of products (desk)",
    "natural": "asked by somebody who names them (natural)",
}


def _styles(oracle: Mapping[str, Any]) -> Iterator[str]:
    """The oracle's figures by the words in which it asks."""
    said = []
    for style, figures in oracle.items():
        if figures["missing"] is not None:
            said.append(f"{_STYLES[style]} unknown: {figures['missing'].rstrip('.')}")
            continue
        recall = figures["item_recall"]["mean"]
        items = "" if recall is None else f" with {percent(recall)} of the evidence items in time"
        success = percent(figures["oracle_success"]["mean"])
        said.append(f"{_STYLES[style]} oracle_success is {success}{items}")
    if said:
        yield f"Under this setup, {'; '.join(said)}. One item short fails a task."


def _played_part(figure: Mapping[str, Any]) -> str:
    """Over how many tasks a reference is, where the oracle can play only some."""
    if not figure["n_undefined"]:
        return ""
    return f" (over the {figure['n']} of {figure['n'] + figure['n_undefined']} tasks it can play)"


_FURTHER = ("excess_share", "misses_per_call", "over_search_rate")


def _retrieval(identity: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[str]:
    means, pooled, tokens = summary["by_task"], summary["pooled"], summary["tokens"]
    floor = percent(means["over_retrieval_floor"]["mean"])
    shown = [
        f"under_retrieval {estimate(means['under_retrieval'])}",
        f"over_retrieval {estimate(means['over_retrieval'])} (floor of this chunking {floor})",
    ]
    for name in _FURTHER:
        fixed = by_design(name, means[name]["mean"], identity["agent"])
        text = f"{percent(means[name]['mean'])} by design" if fixed else estimate(means[name])
        shown.append(f"{name} {text}")
    shown.append(f"tokens per covered item {whole(tokens['per_item'])}")
    yield f"{', '.join(shown)} (means over tasks)."
    for name in _FURTHER:
        if by_design(name, means[name]["mean"], identity["agent"]):
            yield f"By design: {BY_DESIGN[name].reason}."
    if tokens["in_prompt"]:
        n = summary["n_trials_expected"]
        yield (
            f"{count(round(tokens['in_prompt'] / n))} tokens of documents stood in the prompt per "
            "trial; what no search delivered counts in no over_retrieval."
        )
    if not pooled["n_calls"] and not pooled["n_failed_calls"]:
        yield "No search was made."
        return
    stale = f" ({pooled['n_stale']} stale)" if pooled["n_stale"] else ""
    failed = (
        f", and {pooled['n_failed_calls']} that raised an error" if pooled["n_failed_calls"] else ""
    )
    per_success = tokens["per_success"]
    success = "no success" if per_success is None else f"{count(round(per_success))} per success"
    yield (
        f"{pooled['n_calls']} {'search' if pooled['n_calls'] == 1 else 'searches'}: "
        f"{pooled['n_useful']} useful, {pooled['n_unneeded']} after sufficiency, "
        f"{pooled['n_redundant']} redundant, {pooled['n_missed']} missed{stale}{failed}; "
        f"{count(tokens['retrieved'])} tokens retrieved, {success}."
    )


def _labels(summary: Mapping[str, Any]) -> Iterator[str]:
    for name in LABELS:
        if name in summary["labels"]:
            yield f"{summary['labels'][name]:>3} {name}: {LABELS[name]}"
    broken = sum(summary["labels_broken_off"].values())
    if broken:
        yield (
            f"{broken:>3} without one here: {'it' if broken == 1 else 'they'} broke off, and what "
            "was not searched or done by then says nothing of what would have been."
        )
    if summary.get("n_false_reports"):
        yield (
            f"{summary['n_false_reports']:>3} with a report that the changes of the database "
            "contradict (a flag, no reward)"
        )
    if summary["n_lucky"]:
        yield f"{summary['n_lucky']:>3} of them lucky: success without the evidence"


def _causes(summary: Mapping[str, Any], scores: Sequence[TrialScore]) -> Iterator[str]:
    for name, cause in CAUSES.items():
        if name in summary["causes"]:
            depth = f" (at depth {_depths(scores)})" if name == "cut_off" else ""
            said = f"{cause.meaning}{depth}; remedy: {cause.remedy}"
            yield f"{summary['causes'][name]:>3} {name}: {said}"
    if summary.get("n_causes_kept"):
        yield (
            f"Those of {plural(summary['n_causes_kept'], 'trial')} are kept from an earlier "
            "diagnosis, whose index is no longer there."
        )


def _depths(scores: Sequence[TrialScore]) -> str:
    depths = {item.cut_off_depth for score in scores for item in score.diagnosis.items}
    return ", ".join(str(depth) for depth in sorted(depth for depth in depths if depth is not None))


def _context(identity: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[str]:
    square = summary["context_by_success"]
    if not any(square.values()):
        return
    yield (
        f"With all evidence in time {square['sufficient_success']} succeeded and "
        f"{square['sufficient_failure']} failed; without it {square['insufficient_success']} "
        f"succeeded and {square['insufficient_failure']} failed (trials with needs)."
    )
    if identity["agent"] == "oracle":
        yield (
            "By design: the oracle acts when, and only when, its evidence has come, so its success "
            "follows its context and its failures are retrieval's."
        )


def _failures(summary: Mapping[str, Any]) -> Iterator[str]:
    short = {name: n for name, n in summary["terminations"].items() if name in _CUT_SHORT}
    if short:
        how = ", ".join(f"{n} by {name}" for name, n in short.items())
        yield f"{plural(sum(short.values()), 'trial')} cut short ({how}); their labels say less."
    for name, meaning in ATTRIBUTIONS.items():
        if name in summary["attributions"]:
            yield f"{summary['attributions'][name]:>3} {name}: {meaning}"


def _folder(folder: Path) -> Section:
    return Section(
        "Run",
        (
            f"{folder}: report.html shows every trial; scores.jsonl, summary.json and "
            "trajectories.jsonl hold the data.",
            f"ragbench eval --resume {folder} reports it again, or continues what is missing; "
            f"ragbench score {folder} grades it again.",
        ),
    )


def trial_name(score: TrialScore, scores: Sequence[TrialScore]) -> str:
    """A task's id, with the trial where the run has several."""
    several = any(other.trial > 0 for other in scores)
    return f"{score.task_id} (trial {score.trial})" if several else score.task_id


def _same(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return abs(left - right) < 1e-9
