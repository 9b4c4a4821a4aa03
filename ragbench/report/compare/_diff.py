"""The difference of two runs in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ragbench.compare import Diff, Difference, NonInferior
from ragbench.report._numbers import UNDEFINED

__all__ = ["diff_json", "diff_text"]


def diff_text(diff: Diff, shown: Sequence[NonInferior] = ()) -> str:
    """Verdicts first, then a line of figures per setup, then what else differs.

    Args:
        diff: of two runs.
        shown: which setups are shown to be within a margin, where that was asked.
    """
    lines = []
    for one in diff.differences:
        prefix = f"{one.name}: " if len(diff.differences) > 1 else ""
        lines.append(f"{prefix}{_verdict(one)}.")
    lines += [f"{one}." for one in shown]
    lines.append("")
    lines += [_figures(one, diff) for one in diff.differences]
    lines += diff.notes
    return "\n".join(lines) + "\n"


def _verdict(one: Difference) -> str:
    if one.error is not None:
        return f"it failed in the second run: {one.error.rstrip('.')}"
    if one.paired is None:
        return "nothing can be compared: no value is defined in both runs"
    return one.sentence


def _figures(one: Difference, diff: Diff) -> str:
    text = f"  {one.name}: {diff.metric} {_percent(one.before)} -> {_percent(one.after)}"
    if one.paired is None:
        return text
    noun = f"{diff.unit}{'s' * (one.paired.n != 1)}"
    undefined = f", {one.paired.n_undefined} undefined" if one.paired.n_undefined else ""
    return (
        f"{text}; {one.n_better} better, {one.n_worse} worse of {one.paired.n} {noun}{undefined}; "
        f"p {one.p_holm:.3g}"
    )


def _percent(value: float | None) -> str:
    return UNDEFINED if value is None else f"{100 * value:.1f} %"


def diff_json(diff: Diff, shown: Sequence[NonInferior] = ()) -> str:
    """One object; arguments as for `diff_text`."""
    entries = [
        {**asdict(one), "is_real": one.is_real, "is_regression": one.is_regression}
        for one in diff.differences
    ]
    found: dict[str, Any] = {
        "unit": diff.unit, "metric": diff.metric, "differences": entries, "notes": list(diff.notes)
    }  # fmt: skip
    if shown:
        found["non_inferior"] = [{**asdict(one), "is_shown": one.is_shown} for one in shown]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
