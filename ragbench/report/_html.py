"""``report.html``: one static page about a run, from nothing but its stored figures.

No network, no script, no time, no path: equal scores give equal bytes. Everything that was read is
escaped (`ragbench.report._markup`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.diagnose import ATTRIBUTIONS, LABELS
from ragbench.records import CallClass, Review, TrialScore
from ragbench.report._glossary import (
    BY_DESIGN,
    CALL_CLASSES,
    CAUSES,
    CLASS_NAMES,
    COLUMNS,
    by_design,
)
from ragbench.report._markup import Markup, element, join, raw
from ragbench.report._numbers import UNDEFINED, count, percent, whole, whole_percents
from ragbench.report._passages import Passages, passages_of
from ragbench.report._style import STYLE
from ragbench.report._trial_html import badge, label_tone, trial_html
from ragbench.report._verdict import searching_line
from ragbench.report._words import configuration_line, sections, trial_name
from ragbench.runner import Prepared, RunFolder, RunResult

__all__ = ["render_html", "write_report"]

_RATES = ("excess_share", "misses_per_call", "over_search_rate")
_WORDS = ("task", "label", "causes", "attribution")


def write_report(result: RunResult, prepared: Prepared) -> Path:
    """Write ``report.html`` into the run's folder by atomic rename; returns its path."""
    folder = RunFolder(result.folder)
    reviews = folder.stored("reviews.jsonl", Review)
    passages = passages_of(prepared, folder.trajectories().values(), reviews)
    page = render_html(result.resolved, result.summary, result.scores, passages)
    folder.write("report.html", page)
    return result.folder / "report.html"


def render_html(
    resolved: Mapping[str, Any],
    summary: Mapping[str, Any],
    scores: Sequence[TrialScore],
    passages: Passages | None = None,
) -> str:
    """The page.

    Args:
        resolved: content of ``config.json``.
        summary: content of ``summary.json``.
        scores: the trials, in the order to show.
        passages: the text of the evidence and what the searches delivered, when at hand.
    """
    identity = resolved["identity"]
    title = f"{identity['domain']}, {identity['setup']}"
    head = element(
        "head",
        raw('<meta charset="utf-8">'),
        raw('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", f"ragbench: {title}"),
        element("style", raw(STYLE)),
    )
    body = element(
        "main",
        _header(resolved, summary),
        _tiles(identity, summary),
        _panels(resolved, summary, scores),
        element("h2", "Trials"),
        _trials(identity, scores, passages or Passages()),
        element("h2", "What the words mean"),
        _glossary(),
        _footer(identity),
    )
    return f'<!doctype html>\n<html lang="en">{head}\n{element("body", body)}</html>\n'


def _header(resolved: Mapping[str, Any], summary: Mapping[str, Any]) -> Markup:
    identity = resolved["identity"]
    title = element("h1", identity["domain"], " ", element("small", f"setup {identity['setup']}"))
    verdict = element("p", whole_percents(searching_line(summary, identity)), cls="verdict")
    return element("header", title, element("p", configuration_line(resolved)), verdict)


def _tiles(identity: Mapping[str, Any], summary: Mapping[str, Any]) -> Markup:
    means, tokens = summary["by_task"], summary["tokens"]
    reward = summary["reward"]
    scored = f"{summary['n_trials_scored']} of {summary['n_trials_expected']} trials scored"
    per_success = tokens["per_success"]
    return element(
        "section",
        _tile("pass^1", percent(summary["pass_hat_k"]["pass^1"]), f"{_interval(reward)}{scored}"),
        _rate("under_retrieval", means["under_retrieval"], identity["agent"]),
        _tile(
            "over_retrieval",
            percent(means["over_retrieval"]["mean"]),
            f"floor of this chunking {percent(means['over_retrieval_floor']['mean'])}; "
            f"{_interval(means['over_retrieval'])}{means['over_retrieval']['n']} tasks",
        ),
        _tile(
            "tokens per covered item",
            whole(tokens["per_item"]),
            "all delivered tokens / evidence items that searches covered",
        ),
        *(_rate(name, means[name], identity["agent"]) for name in _RATES),
        _tile(
            "tokens per success",
            UNDEFINED if per_success is None else count(round(per_success)),
            f"{count(tokens['retrieved'])} retrieved, "
            f"{count(tokens['excess'])} of them in hits without evidence",
        ),
        cls="tiles",
    )


def _rate(name: str, figure: Mapping[str, Any], agent: str) -> Markup:
    if by_design(name, figure["mean"], agent):
        return _tile(name, percent(figure["mean"]), f"by design: {BY_DESIGN[name].reason}")
    undefined = f", {figure['n_undefined']} undefined" if figure["n_undefined"] else ""
    return _tile(
        name, percent(figure["mean"]), f"{_interval(figure)}{figure['n']} tasks{undefined}"
    )


def _tile(name: str, figure: str, note: str) -> Markup:
    return element(
        "div",
        element("div", name, cls="name"),
        element("div", figure, cls="figure"),
        element("div", whole_percents(note), cls="note"),
        cls="tile",
    )


def _interval(figure: Mapping[str, Any]) -> str:
    if figure["low"] is None:
        return ""
    return f"{percent(figure['low'])} to {percent(figure['high'])}; "


def _panels(
    resolved: Mapping[str, Any], summary: Mapping[str, Any], scores: Sequence[TrialScore]
) -> Markup:
    written = {section.title: section.lines for section in sections(resolved, summary, scores)}
    own = resolved["identity"]["setup"]
    texts = {title: _paragraphs(lines) for title, lines in written.items()}
    nothing = element("p", "None.", cls="soft")
    return element(
        "section",
        _panel(
            "What the oracle reaches", _references(summary, own), texts.get("Reference", nothing)
        ),
        _panel("Success and searches", texts["Success"], texts["Retrieval"]),
        _panel("Labels", _named(summary["labels"], LABELS, label_tone)),
        _panel("Why evidence was missing or late", _causes(summary) or nothing),
        _panel("Context and success", _square(summary["context_by_success"])),
        _panel(
            "What failed trials failed by", _named(summary["attributions"], ATTRIBUTIONS) or nothing
        ),
        *(
            _panel(title, texts[name])
            for name, title in (
                ("Baselines", "The same agent otherwise"),
                ("Review", "What the judge found"),
                ("Models", "Models"),
            )
            if name in texts
        ),
        cls="panels",
    )


def _panel(title: str, *content: Markup) -> Markup:
    return element("div", element("h3", title), *content, cls="panel")


def _paragraphs(lines: Iterable[str]) -> Markup:
    return join([element("p", whole_percents(line)) for line in lines])


def _references(summary: Mapping[str, Any], own: str) -> Markup:
    order = {"no_knowledge": 0, "golden_retrieval": 2}
    names = sorted(summary["references"], key=lambda name: (order.get(name, 1), name))
    rows = [
        element(
            "div",
            element("b", name + (" (this setup)" if name == own else "")),
            _bar(summary["references"][name]),
            element("span", percent(summary["references"][name]["mean"]), cls="num"),
            cls="row own" if name == own else "row",
        )
        for name in names
    ]
    return element("div", *rows, cls="bars")


def _bar(figure: Mapping[str, Any]) -> Markup:
    """A bar with its interval as a line; lengths are percents of the track."""
    if figure["mean"] is None:
        return element("span", cls="bar")
    low, high = 100 * figure["low"], 100 * figure["high"]
    return element(
        "span",
        element("i", style=f"width:{100 * figure['mean']:.2f}%"),
        element("u", style=f"left:{low:.2f}%;width:{high - low:.2f}%"),
        cls="bar",
    )


def _named(found: Mapping[str, int], meanings: Mapping[str, str], tone: Any = None) -> Markup:  # noqa: ANN401
    rows = [
        element(
            "tr",
            element("td", str(found[name]), cls="count"),
            element("td", badge(name, tone(name) if tone else "")),
            element("td", meaning, cls="soft"),
        )
        for name, meaning in meanings.items()
        if name in found
    ]
    return element("table", *rows) if rows else Markup("")


def _causes(summary: Mapping[str, Any]) -> Markup:
    rows = [
        element(
            "tr",
            element("td", str(summary["causes"][name]), cls="count"),
            element("td", badge(name)),
            element(
                "td", element("span", f"{cause.meaning}. ", cls="soft"), f"Remedy: {cause.remedy}."
            ),
        )
        for name, cause in CAUSES.items()
        if name in summary["causes"]
    ]
    return element("table", *rows) if rows else Markup("")


def _square(square: Mapping[str, int]) -> Markup:
    head = element("tr", *(element("th", text) for text in ("", "succeeded", "failed")))
    rows = [
        element(
            "tr",
            element("td", text),
            *(
                element("td", str(square[f"{key}_{end}"]), cls="big")
                for end in ("success", "failure")
            ),
        )
        for key, text in (
            ("sufficient", "all evidence in time"),
            ("insufficient", "evidence missing or late"),
        )
    ]
    note = element("p", "Trials of tasks with needs that have a reward.", cls="soft")
    return join([element("table", head, *rows, cls="square"), note])


def _trials(
    identity: Mapping[str, Any], scores: Sequence[TrialScore], passages: Passages
) -> Markup:
    head = element(
        "div",
        *(element("span", name, cls=_align(name)) for name in ("task", *COLUMNS)),
        cls="cells head",
    )
    rows = [
        trial_html(score, trial_name(score, scores), identity["agent"], passages)
        for score in scores
    ]
    return element("div", element("div", head, *rows, cls="trials"), cls="scroll")


def _align(column: str) -> str:
    return "" if column in _WORDS else "num"


def _glossary() -> Markup:
    parts: dict[str, Mapping[str, str]] = {
        "Columns": {**COLUMNS, "-": "undefined: nothing to measure, never 0"},
        "Labels": LABELS,
        "Searches": {
            CLASS_NAMES[CallClass(name)]: meaning for name, meaning in CALL_CLASSES.items()
        },
        "Causes": {
            name: f"{cause.meaning}; remedy: {cause.remedy}" for name, cause in CAUSES.items()
        },
        "Failures": ATTRIBUTIONS,
        "By design, when the agent is the oracle": {n: d.reason for n, d in BY_DESIGN.items()},
    }
    return element(
        "div", *(_definitions(title, words) for title, words in parts.items()), cls="glossary"
    )


def _definitions(title: str, words: Mapping[str, str]) -> Markup:
    pairs = (element("dt", word) + element("dd", meaning) for word, meaning in words.items())
    return element("section", element("h3", title), element("dl", *map(raw, pairs)))


def _footer(identity: Mapping[str, Any]) -> Markup:
    return element(
        "footer",
        f"ragbench {identity['ragbench']}; domain {identity['domain_sha256'][:12]}, index "
        f"{identity['index_id']}. The whole configuration is in config.json beside this page.",
    )
