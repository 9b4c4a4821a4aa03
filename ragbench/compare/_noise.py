"""Which differences of two setups lie outside their intervals, side by side for a whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragbench.compare._intervals import drawn_means
from ragbench.compare._power import FEWEST

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Noise"]


class Noise:
    """The noise of one side (recall, tokens or latency) of every setup.

    Args:
        columns: a value per observation, by setup; None where it is undefined. Compared are the
            observations that all setups have a value of.
        groups: of every observation.
        seed: of the draws.
    """

    def __init__(
        self, columns: Mapping[str, Sequence[float | None]], groups: Sequence[str], seed: int
    ) -> None:
        import numpy as np

        rows = list(zip(*columns.values(), strict=True))
        whole = [n for n, row in enumerate(rows) if None not in row]
        kept = [groups[n] for n in whole]
        self._places = {name: place for place, name in enumerate(columns)}
        self._means: np.ndarray | None = None
        if columns and len(set(kept)) >= FEWEST:
            matrix = np.array([rows[n] for n in whole], dtype=float)
            self._means = drawn_means(matrix, kept, seed)

    def is_told(self, one: str, other: str) -> bool:
        """Whether the 95 % interval of the difference of two setups leaves out 0.

        With fewer than six independent observations nothing is told.
        """
        return self._means is not None and self._is_apart(self._means, one, other)

    def is_alike(self, one: str, other: str) -> bool:
        """Whether that interval holds 0; with fewer than six observations nobody knows."""
        return self._means is not None and not self._is_apart(self._means, one, other)

    def _is_apart(self, means: np.ndarray, one: str, other: str) -> bool:
        import numpy as np

        differences = means[:, self._places[one]] - means[:, self._places[other]]
        low, high = np.percentile(differences, [2.5, 97.5])
        return not low <= 0 <= high
