"""A calibrated judge in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ragbench.judge import Calibration
from ragbench.report._numbers import UNDEFINED, percent, plural
from ragbench.statistics import Rate

__all__ = ["calibration_json", "calibration_text"]

_TRUE = {"assertion": "met", "deviation": "deviated", "claim": "supported"}


def calibration_text(found: Sequence[Calibration]) -> str:
    """A paragraph per kind of item: the labels, the judge's errors, the rate corrected."""
    return "\n".join("\n".join(_lines(one)) + "\n" for one in found)


def _lines(one: Calibration) -> Iterator[str]:
    missing = f", {one.n_not_judged} not judged" if one.n_not_judged else ""
    yield f"{one.kind}s: {plural(one.n_judged, 'verdict')}{missing}; true is {_TRUE[one.kind]}"
    yield f"  labelled     {one.n_labelled}, of which {one.n_agreed} agree with the judge"
    yield f"  sensitivity  {_rate(one.sensitivity, 'true')}"
    yield f"  specificity  {_rate(one.specificity, 'false')}"
    yield f"  judge says   {_rate(one.apparent, '')}"
    corrected = one.corrected
    if corrected.share is None:
        yield f"  corrected    {UNDEFINED}: {corrected.reason}"
        return
    interval = f"[{percent(corrected.low)}, {percent(corrected.high)}]"
    reason = f"; {corrected.reason}" if corrected.reason else ""
    yield f"  corrected    {percent(corrected.share)} {interval}{reason}"


def _rate(rate: Rate | None, kind: str) -> str:
    if rate is None:
        return f"{UNDEFINED}: no labelled item is {kind}"
    of = f" of {rate.n} labelled {kind}" if kind else ""
    return f"{percent(rate.share)} [{percent(rate.low)}, {percent(rate.high)}]{of}"


def calibration_json(found: Sequence[Calibration]) -> str:
    """One object by kind."""
    shown = {one.kind: asdict(one) for one in found}
    return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
