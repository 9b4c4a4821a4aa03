"""Which setup to take: of those that the data cannot tell from the best, the cheapest.

Rules fixed here: every setup is tested against the one with the highest mean, Holm's family being
these tests; those that are not told apart are candidates. Of the candidates the one with the fewest
context tokens is taken, of equal ones the one with the lowest median latency, of equal ones the one
with the highest mean; differences that lie inside their intervals count as equal. What the
questions can tell, and how many would be needed, is worked out for the setup that is taken and the
best, or the next where it is the best itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragbench.compare._noise import Noise
from ragbench.compare._pairs import Values, tested_pairs
from ragbench.compare._power import Power, power
from ragbench.compare._records import CellRecord

__all__ = ["Candidate", "Recommendation", "recommend"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A setup with what decides; None is undefined."""

    cell: CellRecord
    mean: float
    tokens: float | None
    latency_ms: float | None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to take.

    Attributes:
        take: id of the setup.
        best: id of the setup with the highest mean.
        other: id of the setup that the power is about; None when there is no other candidate.
        n_candidates: setups that are not told apart from the best, the best among them.
        n_told: setups that are.
        power: of the questions, about ``take`` and ``other``; None without another.
        is_alike: ``take`` and ``other`` have the same value on every question.
    """

    take: str
    best: str
    other: str | None
    n_candidates: int
    n_told: int
    power: Power | None = None
    is_alike: bool = False


def recommend(
    setups: Sequence[Candidate],
    values: Values,
    groups: Mapping[str, str],
    tokens: Noise,
    latency: Noise,
    seed: int,
) -> Recommendation | None:
    """The setup to take; None when none has a value.

    Args:
        setups: those with a mean, in the order of the table.
        values: of the tested measure, by setup and question.
        groups: independent observation by question.
        tokens: which differences of context tokens are noise.
        latency: which differences of latency are.
        seed: of tests and simulation.
    """
    if not setups:
        return None
    highest = max(one.mean for one in setups)
    best = _cheapest([one for one in setups if one.mean == highest], tokens, latency)
    cells = [one.cell for one in setups]
    names = {cell.cell_id: cell.cell_id for cell in cells}
    tests = tested_pairs(cells, best.cell.cell_id, "baseline", values, groups, "", names, "", seed)
    alike = {pair.second for pair in tests if not pair.is_told} | {best.cell.cell_id}
    candidates = [one for one in setups if one.cell.cell_id in alike]
    take = _cheapest(candidates, tokens, latency)
    rest = [one for one in candidates if one is not take]
    other = best if take is not best else max(rest, key=lambda one: one.mean, default=None)
    sums, sizes = ([], []) if other is None else _differences(values, take, other, groups)
    return Recommendation(
        take=take.cell.cell_id,
        best=best.cell.cell_id,
        other=None if other is None else other.cell.cell_id,
        n_candidates=len(candidates),
        n_told=sum(pair.is_told for pair in tests),
        power=power(sums, sizes, seed) if sums else None,
        is_alike=bool(sums) and not any(sums) and _are_alike(values, take, other),
    )


def _cheapest(setups: Sequence[Candidate], tokens: Noise, latency: Noise) -> Candidate:
    """By tokens, then latency, then mean; what is undefined is dearest."""
    left = list(setups)
    for side, noise in ((_tokens, tokens), (_latency, latency)):
        least = min(left, key=side)
        left = [one for one in left if _is_as_cheap(one, least, side, noise)]
    return max(left, key=lambda one: one.mean)


def _is_as_cheap(
    one: Candidate, least: Candidate, side: Callable[[Candidate], float], noise: Noise
) -> bool:
    if side(one) == side(least):
        return True
    return math.isfinite(side(one)) and noise.is_alike(one.cell.cell_id, least.cell.cell_id)


def _tokens(one: Candidate) -> float:
    return math.inf if one.tokens is None else one.tokens


def _latency(one: Candidate) -> float:
    return math.inf if one.latency_ms is None else one.latency_ms


def _differences(
    values: Values, take: Candidate, other: Candidate, groups: Mapping[str, str]
) -> tuple[list[float], list[int]]:
    """Of each independent observation, the sum of the differences and their number."""
    gathered: dict[str, list[float]] = {}
    theirs = values[other.cell.cell_id]
    for name, mine in values[take.cell.cell_id].items():
        value = theirs[name]
        if mine is not None and value is not None:
            gathered.setdefault(groups[name], []).append(mine - value)
    return [math.fsum(found) for found in gathered.values()], list(map(len, gathered.values()))


def _are_alike(values: Values, take: Candidate, other: Candidate | None) -> bool:
    return other is not None and values[take.cell.cell_id] == values[other.cell.cell_id]
