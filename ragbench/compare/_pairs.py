"""Which setups are tested against which, and the tests: one family, adjusted together by Holm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ragbench.compare._records import CellRecord
from ragbench.compare._statistics import ALPHA, Paired, compare_paired, holm, verdict
from ragbench.errors import UnknownName

__all__ = ["PAIRS", "Pair", "tested_pairs"]

PAIRS = ("baseline", "same-k", "all")
"""What ``--pairs`` takes."""

Values = Mapping[str, Mapping[str, float | None]]
"""By setup and question, of setups that did not fail."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two setups and their test; the difference is the second minus the first.

    Attributes:
        first: id of the setup that the other is compared with; the baseline where it is of the two.
        second: id of the other.
        p_holm: adjusted over all pairs of the table.
        sentence: the verdict.
    """

    first: str
    second: str
    paired: Paired
    p_holm: float = 1.0
    sentence: str = ""

    @property
    def is_told(self) -> bool:
        """Whether the two are told apart."""
        return self.p_holm <= ALPHA and not self.paired.low <= 0 <= self.paired.high


def tested_pairs(
    cells: Sequence[CellRecord],
    baseline: str,
    pairs: str,
    values: Values,
    groups: Mapping[str, str],
    metric: str,
    labels: Mapping[str, str],
    observation: str,
    seed: int,
) -> list[Pair]:
    """Every pair that is asked for, tested; two setups without a common value are no pair.

    Args:
        cells: the setups, in the order of the table.
        baseline: id of the baseline.
        pairs: ``baseline`` (each setup against it), ``same-k`` (any two of one k) or ``all``.
        values: of the tested measure.
        groups: independent observation by question.
        metric: name of the measure.
        labels: what setups are called, by id.
        observation: what questions are called.
        seed: of the tests.

    Raises:
        UnknownName: there are no such pairs.
    """
    found = []
    for first, second in _asked_for(cells, baseline, pairs):
        if first in values and second in values:
            paired = compare_paired(values[first], values[second], groups, seed)
            if paired is not None:
                found.append(Pair(first, second, paired))
    return [
        replace(pair, p_holm=p_holm, sentence=verdict(
            labels[pair.first],
            labels[pair.second],
            metric,
            pair.paired.difference,
            (pair.paired.low, pair.paired.high),
            p_holm,
            pair.paired.n,
            observation,
            pair.paired.n_groups,
        ))
        for pair, p_holm in zip(found, holm([one.paired.p for one in found]), strict=True)
    ]  # fmt: skip


def _asked_for(cells: Sequence[CellRecord], baseline: str, pairs: str) -> list[tuple[str, str]]:
    if pairs not in PAIRS:
        raise UnknownName("choice of pairs", pairs, PAIRS)
    ids = [cell.cell_id for cell in cells]
    if pairs == "baseline":
        return [(baseline, name) for name in ids if name != baseline]
    k_of = {cell.cell_id: cell.k for cell in cells}
    first_baseline = sorted(ids, key=lambda name: name != baseline)
    return [
        (one, other)
        for one, other in combinations(first_baseline, 2)
        if pairs == "all" or k_of[one] == k_of[other]
    ]
