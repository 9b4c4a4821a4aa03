"""Gates: a floor for a measure, that setups must reach; and the measures' names without cutoff.

A gate names a measure as the table does, with its cutoff: ``R@5=0.80``. It concerns the setups of
that k (all, for a measure without cutoff), and every one of them must reach it; a setup that failed
or whose measure is undefined has not reached it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ragbench.compare._grid import Cell
from ragbench.compare._measure import measures_at
from ragbench.compare.measures import parse_measure
from ragbench.errors import SpecError, UnknownName, UsageError

__all__ = ["Gate", "GateOutcome", "at_k", "check_gates", "measure_head", "parse_gates"]


@dataclass(frozen=True, slots=True)
class Gate:
    """A floor.

    Attributes:
        measure: with its cutoff.
        floor: a mean below it closes the gate.
        cell_ids: whom it concerns.
    """

    measure: str
    floor: float
    cell_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """What a setup reached; None when it failed or the measure is undefined."""

    measure: str
    floor: float
    setup: str
    reached: float | None

    @property
    def is_open(self) -> bool:
        """Whether the setup reached the floor."""
        return self.reached is not None and self.reached >= self.floor

    def __str__(self) -> str:
        found = "undefined" if self.reached is None else f"{self.reached:.4f}"
        return f"{self.setup}: {self.measure} is {found}, the floor is {self.floor:g}"


def measure_head(name: str) -> str:
    """The canonical name of a measure without its cutoff.

    Raises:
        UnknownName, SpecError: it is no measure, or none that a grid computes.

    >>> measure_head("nDCG@10"), measure_head("span_recall( unit = tokens )")
    ('nDCG', 'span_recall(unit=tokens)')
    >>> measure_head("precision_omega")
    'precision_omega'
    """
    plain = name.rpartition("@")[0] if "@" in name else name
    try:
        head = str(parse_measure(f"{plain}@1")).removesuffix("@1")
    except UnknownName:
        raise
    except SpecError:
        head = str(parse_measure(plain))
    known = [measure.removesuffix("@1") for measure in measures_at(1)]
    if head not in known:
        raise UnknownName("measure of a comparison", name, known)
    return head


@cache
def at_k(head: str, k: int) -> str:
    """The name of a measure at a setup's k.

    >>> at_k("R", 5), at_k("precision_omega", 5)
    ('R@5', 'precision_omega')
    """
    return f"{head}@{k}" if f"{head}@{k}" in measures_at(k) else head


def parse_gates(texts: Sequence[str], cells: Sequence[Cell]) -> tuple[Gate, ...]:
    """The gates that were given.

    Raises:
        UsageError: a gate is not ``MEASURE=VALUE``, its value is not from 0 to 1, or no setup has
            its k.
        UnknownName, SpecError: its measure is none.
    """
    return tuple(_parse(text, cells) for text in texts)


def _parse(text: str, cells: Sequence[Cell]) -> Gate:
    name, _, value = text.rpartition("=")
    try:
        floor = float(value)
    except ValueError:
        floor = -1.0
    if not name or not 0 <= floor <= 1:
        raise UsageError(
            f"--fail-under {text!r} is no gate. The form is MEASURE=VALUE with a value from 0 to "
            "1, such as R@5=0.80."
        )
    head = measure_head(name)
    cutoff = name.rpartition("@")[2] if "@" in name else ""
    concerned = [c for c in cells if at_k(head, c.k) == (f"{head}@{cutoff}" if cutoff else head)]
    if not concerned:
        ks = sorted({cell.k for cell in cells})
        examples = ", ".join(at_k(head, k) for k in ks)
        raise UsageError(f"--fail-under {text!r}: no setup measures that. Measured: {examples}")
    return Gate(at_k(head, concerned[0].k), floor, tuple(cell.cell_id for cell in concerned))


def check_gates(
    gates: Sequence[Gate], names: Mapping[str, str], means: Mapping[str, Mapping[str, float | None]]
) -> list[GateOutcome]:
    """What every setup that a gate concerns reached.

    Args:
        gates: the gates.
        names: of the setups, by cell.
        means: by cell and measure; a failed cell has none.
    """
    return [
        GateOutcome(gate.measure, gate.floor, names[cell], means[cell].get(gate.measure))
        for gate in gates
        for cell in gate.cell_ids
    ]
