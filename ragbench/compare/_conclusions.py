"""What a table says, in sentences: the winner, the baseline, what cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.compare._results import ORACLE, Results, Row, mean_of

__all__ = ["conclusions"]


def conclusions(results: Results) -> list[str]:
    """What the table says, in sentences: the winner, the baseline, what cannot be told apart."""
    scored = [row for row in results.rows if mean_of(row, results.metric) is not None]
    if not scored:
        return ["No setup has a value of " + results.metric + "."]
    said = [_best_sentence(results, scored)]
    base = next((row for row in scored if row.is_baseline), None)
    if base is None:
        return [*said, "The baseline failed, so that nothing is compared with it."]
    told = [row for row in scored if row.sentence and "cannot be told apart" not in row.sentence]
    told.sort(key=lambda row: -(row.paired.difference if row.paired else 0))
    said += [f"{row.sentence} (p {_p(row.p_holm)})." for row in told[:3]]
    if len(told) > 3:
        said.append(f"{len(told) - 3} more differ from the baseline; the table has them.")
    same = [row for row in scored if "cannot be told apart" in row.sentence]
    if len(same) == 1:
        said.append(f"{same[0].sentence}.")
    elif same:
        n = min(row.paired.n for row in same if row.paired)
        said.append(
            f"{base.label} cannot be told apart from {_listed([row.label for row in same])} on {n} "
            f"{'task' if results.metric == ORACLE else 'question'}{'s' * (n != 1)}."
        )
    return said


def _best_sentence(results: Results, scored: Sequence[Row]) -> str:
    best = [row for row in scored if row.is_best]
    figure = best[0].figures[results.metric]
    names = _listed([row.label for row in best])
    low, high = (100 * (bound or 0) for bound in (figure.low, figure.high))
    return (
        f"{names} {'has' if len(best) == 1 else 'have'} the highest {results.metric}, "
        f"{100 * (figure.mean or 0):.1f} %, 95 % interval {low:.1f} to {high:.1f}."
    )


def _listed(names: Sequence[str], most: int = 6) -> str:
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _p(value: float | None) -> str:
    return "-" if value is None else ("< 0.001" if value < 0.001 else f"{value:.3f}")
