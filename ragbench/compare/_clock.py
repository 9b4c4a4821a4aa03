"""How far a grid is, and about how long it still takes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragbench.compare._grid import Cell
from ragbench.compare._records import CellRecord

__all__ = ["CellDone", "Clock"]

_LATER = 20
"""How much less a further cell of a collection costs than its first, for the estimate."""


@dataclass(frozen=True, slots=True)
class CellDone:
    """Told after each cell.

    Attributes:
        seconds_left: an estimate; None before there is anything to estimate from.
    """

    record: CellRecord
    n_done: int
    n_wanted: int
    seconds_left: float | None


class Clock:
    """Estimates what is left: work times seconds per work, of each model as it was measured.

    The first cell of a collection carries its chunks, which are embedded for it; another one over
    the same collection counts as a fraction of that.
    """

    def __init__(self, missing: Sequence[Cell], n_cells: int, sizes: Mapping[str, int]) -> None:
        self._n_wanted, self._n_done = n_cells, n_cells - len(missing)
        self._last = time.monotonic()
        self._left: dict[str, tuple[str | None, float]] = {}
        made: set[tuple[str, str | None]] = {(chunker, None) for chunker in sizes}
        for cell in missing:
            size = float(sizes.get(cell.chunker, 1))
            is_first = (cell.chunker, cell.embedder) not in made
            self._left[cell.cell_id] = (cell.embedder, size if is_first else size / _LATER)
            made.add((cell.chunker, cell.embedder))
        self._spent: dict[str | None, tuple[float, float]] = {}

    def done(self, record: CellRecord) -> CellDone:
        """Note a finished cell; time since the one before counts as its model's."""
        now = time.monotonic()
        _, size = self._left.pop(record.cell_id)
        seconds, sizes = self._spent.get(record.embedder, (0.0, 0.0))
        self._spent[record.embedder] = (seconds + now - self._last, sizes + size)
        self._last = now
        self._n_done += 1
        return CellDone(record, self._n_done, self._n_wanted, self._seconds_left())

    def _seconds_left(self) -> float | None:
        rates = {name: seconds / size for name, (seconds, size) in self._spent.items() if size}
        models = [rate for name, rate in rates.items() if name is not None]
        if not models and any(name is not None for name, _ in self._left.values()):
            return None
        usual = sum(models) / len(models) if models else 0.0
        return sum(rates.get(name, usual) * size for name, size in self._left.values())
