"""A run for programs: JSON with everything, CSV with a row per trial."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.records import Diagnosis, TrialScore

__all__ = ["run_json", "trials_csv"]

_DETAILS = ("needs", "items", "calls")
_MEASURES = [name for name in Diagnosis.model_fields if name not in _DETAILS]
_COLUMNS = (
    "task_id",
    "trial",
    "termination",
    "n_steps",
    "reward",
    "beats_reference",
    *_MEASURES,
    "causes",
)


def run_json(scores: Sequence[TrialScore], **rest: Mapping[str, Any] | str) -> str:
    """One object: what is given by name (``summary`` and the like), then ``trials``."""
    trials = [score.model_dump(mode="json") for score in scores]
    return json.dumps({**rest, "trials": trials}, indent=2, ensure_ascii=False) + "\n"


def trials_csv(scores: Sequence[TrialScore]) -> str:
    """A row per trial; an empty cell is undefined; causes as ``name:count``, separated by ``;``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for score in scores:
        found = score.diagnosis
        measures = [getattr(found, name) for name in _MEASURES]
        causes = ";".join(f"{name}:{n}" for name, n in found.causes.items())
        head = (score.task_id, score.trial, score.termination.value, score.n_steps)
        writer.writerow((*head, score.score.reward, score.beats_reference, *measures, causes))
    return out.getvalue()
