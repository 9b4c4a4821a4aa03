"""A person's verdicts on what the judge judged, from a CSV; and the blank CSV to fill in.

A line is one item: an assertion, the customer's deviation, or a claim of one trial. What the judge
said is not in it, so that the person is not told; which items are labelled is drawn at random, so
that the judge's errors among them are those among all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragbench.errors import RunError
from ragbench.records import Review

__all__ = ["COLUMNS", "KINDS", "JudgedItem", "blank_labels", "judged_items", "read_labels"]

KINDS = ("assertion", "deviation", "claim")
COLUMNS = ("task_id", "trial", "kind", "number", "text", "label")
_NEEDED = ("task_id", "trial", "kind", "number", "label")
_LABELS = {"true": True, "false": False}

Key = tuple[str, int, str, int]
"""Task, trial, kind, and the place among the trial's items of that kind, from 1."""


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One thing that the judge judged, and what it said; None is not judged."""

    key: Key
    text: str
    verdict: bool | None


def judged_items(reviews: Iterable[Review]) -> tuple[JudgedItem, ...]:
    """Every assertion, deviation and claim of the reviews, by task, trial, kind and number."""
    ordered = sorted(reviews, key=lambda review: (review.task_id, review.trial))
    return tuple(item for review in ordered for item in _of_review(review))


def _of_review(review: Review) -> Iterator[JudgedItem]:
    trial = (review.task_id, review.trial)
    for number, one in enumerate(review.assertions, start=1):
        yield JudgedItem((*trial, "assertion", number), one.assertion, one.met)
    if review.deviation is not None:
        text = "the customer left its instructions"
        yield JudgedItem((*trial, "deviation", 1), text, review.deviation.deviated)
    for number, claim in enumerate(review.claims or (), start=1):
        text = f"a passage supports: {claim.quote}"
        yield JudgedItem((*trial, "claim", number), text, claim.supported)


def blank_labels(items: Sequence[JudgedItem], n: int, seed: int) -> str:
    """A CSV of n judged items of each kind, drawn at random, with an empty column ``label``.

    Args:
        items: of a run.
        n: how many of each kind; all, where there are fewer.
        seed: of the draw.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for kind in KINDS:
        found = [item for item in items if item.key[2] == kind and item.verdict is not None]
        drawn = sorted(generator.permutation(len(found))[:n].tolist())
        writer.writerows((*found[i].key, found[i].text, "") for i in drawn)
    return out.getvalue()


def read_labels(path: Path, items: Sequence[JudgedItem]) -> dict[Key, bool]:
    """A person's verdicts by item; lines whose label is empty are not labelled.

    Raises:
        RunError: the file cannot be read, lacks a column, or a line names an item that the run does
            not have, names it again, or has another label than true or false.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RunError(f"The labels {str(path)!r} cannot be read: {error}.") from error
    missing = [name for name in _NEEDED if not rows or name not in rows[0]]
    if missing:
        raise RunError(
            f"The labels {str(path)!r} have no column {missing[0]!r} or no line. Needed: "
            f"{', '.join(_NEEDED)}. A blank file: ragbench calibrate RUN --sample 50"
        )
    known = {item.key for item in items}
    labels: dict[Key, bool] = {}
    for number, row in enumerate(rows, start=1):
        where = f"{path}, line {number} below the header"
        key, text = _key(row, where), (row["label"] or "").strip().lower()
        if key not in known:
            raise RunError(
                f"{where}: the run's reviews have no {key[2]} {key[3]} of task {key[0]!r}, trial "
                f"{key[1]}. Labels belong to the run whose reviews they were drawn from."
            )
        if not text:
            continue
        if text not in _LABELS:
            raise RunError(f"{where}: the label {row['label']!r} is neither true nor false.")
        if key in labels:
            raise RunError(f"{where}: this {key[2]} has a label already. Keep one line of each.")
        labels[key] = _LABELS[text]
    return labels


def _key(row: Mapping[str, str | None], where: str) -> Key:
    kind = (row["kind"] or "").strip()
    if kind not in KINDS:
        raise RunError(f"{where}: the kind {kind!r} is none of {', '.join(KINDS)}.")
    try:
        trial, number = int(row["trial"] or ""), int(row["number"] or "")
    except ValueError as error:
        raise RunError(f"{where}: trial and number are whole numbers: {error}.") from error
    return row["task_id"] or "", trial, kind, number
