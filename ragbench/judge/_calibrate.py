"""How good the judge is, by a person's labels, and its rates corrected for that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragbench.judge._labels import KINDS, JudgedItem, Key
from ragbench.statistics import Corrected, Rate, corrected_rate, rate_of

__all__ = ["Calibration", "calibrate"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The judge on one kind of item.

    Attributes:
        kind: assertion (true: met), deviation (true: deviated) or claim (true: supported).
        n_judged: items with a verdict.
        n_not_judged: items without; in no rate.
        n_labelled: judged items with a label.
        n_agreed: those of them on which judge and person agree.
        sensitivity: share the judge calls true of what the person calls true; None without such.
        specificity: share the judge calls false of what the person calls false; None without such.
        apparent: the judge's share of true, over all judged items.
        corrected: that share, corrected for the judge's errors.
    """

    kind: str
    n_judged: int
    n_not_judged: int
    n_labelled: int
    n_agreed: int
    sensitivity: Rate | None
    specificity: Rate | None
    apparent: Rate
    corrected: Corrected


def calibrate(items: Sequence[JudgedItem], labels: Mapping[Key, bool]) -> tuple[Calibration, ...]:
    """The judge on every kind of which it judged anything."""
    found = (_of_kind(kind, [item for item in items if item.key[2] == kind], labels)
             for kind in KINDS)  # fmt: skip
    return tuple(one for one in found if one is not None)


def _of_kind(
    kind: str, items: Sequence[JudgedItem], labels: Mapping[Key, bool]
) -> Calibration | None:
    judged = [(item.key, item.verdict) for item in items if item.verdict is not None]
    apparent = rate_of(_by_task(judged))
    if apparent is None:
        return None
    labelled = [(key, verdict, labels[key]) for key, verdict in judged if key in labels]
    sensitivity = rate_of(_by_task((key, verdict) for key, verdict, label in labelled if label))
    specificity = rate_of(
        _by_task((key, not verdict) for key, verdict, label in labelled if not label)
    )
    return Calibration(
        kind=kind,
        n_judged=len(judged),
        n_not_judged=len(items) - len(judged),
        n_labelled=len(labelled),
        n_agreed=sum(verdict == label for _, verdict, label in labelled),
        sensitivity=sensitivity,
        specificity=specificity,
        apparent=apparent,
        corrected=corrected_rate(apparent, sensitivity, specificity),
    )


def _by_task(verdicts: Iterable[tuple[Key, bool]]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for key, verdict in verdicts:
        found.setdefault(key[0], []).append(verdict)
    return found
