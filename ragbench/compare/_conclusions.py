"""What a table says, in sentences: what to take, how sure that is, what cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence

from ragbench.compare._recommend import Recommendation
from ragbench.compare._results import ORACLE, Results, Row, mean_of

__all__ = ["conclusions"]


def conclusions(results: Results) -> list[str]:
    """What the table says, in sentences; the first one recommends a setup."""
    scored = [row for row in results.rows if mean_of(row, results.metric) is not None]
    if not scored or results.recommendation is None:
        return ["No setup has a value of " + results.metric + "."]
    said = [
        _take(results, results.recommendation),
        *_detectable(results, results.recommendation),
        _best_sentence(results, scored),
    ]
    if results.tested != "baseline":
        return [*said, *_pairs(results)]
    return [*said, *_against_baseline(results, scored)]


def _take(results: Results, found: Recommendation) -> str:
    """The recommendation with its reason, and what the data cannot tell."""
    labels = results.labels
    take, best = labels[found.take], labels[found.best]
    if found.other is None:
        if len(results.rows) == 1:
            return f"Take {take}: there is no other setup."
        rest = "every other setup is" if found.n_told > 1 else "the other one is"
        told = f", and {rest} told apart from it" if found.n_told else ""
        return f"Take {take}: it has the highest {results.metric}{told}."
    cheapest = "the cheapest of those by context tokens, then latency"
    if found.take != found.best:
        reason = f"not told apart from the best ({best}) and {cheapest}"
    else:
        other = labels[found.other]
        more = f" and {found.n_candidates - 2} more" if found.n_candidates > 2 else ""
        reason = f"it has the highest {results.metric}, is not told apart from {other}{more}, and "
        reason += f"is {cheapest}"
    return f"Take {take}: {reason}; {_needed(results, found)}."


def _needed(results: Results, found: Recommendation) -> str:
    if found.power is None or found.other is None:
        return "they have no question in common"
    unit = _unit(results)
    n = found.power.n
    asked = f"{n:,} {unit}{'s' * (n != 1)}{_few(found)}"
    who = "them" if found.n_candidates == 2 else f"it from {results.labels[_not_taken(found)]}"
    if found.is_alike:
        return f"both have the same value on each of {asked}"
    if found.power.needed is None:
        return f"{asked} cannot separate {who}, and no number up to a million would"
    needed = found.power.needed
    if needed <= n:  # the pair alone would be told; Holm's family keeps it together
        return f"{asked} cannot separate {who} among {len(results.rows)} setups; alone they might"
    return f"{asked} cannot separate {who}, about {_about(needed)} would"


def _not_taken(found: Recommendation) -> str:
    return found.best if found.take != found.best else found.other or found.best


def _few(found: Recommendation) -> str:
    power = found.power
    same = power is None or power.n_groups == power.n
    return "" if same or power is None else f" ({power.n_groups:,} independent)"


def _about(n: int) -> str:
    """Two digits of a number that is an estimate.

    >>> _about(1234), _about(57), _about(98765)
    ('1,200', '57', '99,000')
    """
    return f"{round(n, 2 - len(str(n))):,}"


def _detectable(results: Results, found: Recommendation) -> list[str]:
    power = found.power
    if power is None or found.is_alike:
        return []
    asked = f"{power.n:,} {_unit(results)}{'s' * (power.n != 1)}{_few(found)}"
    if power.detectable is None:
        return [f"With {asked} no difference can be told from chance."]
    return [
        f"With {asked} a difference of about {100 * power.detectable:.1f} points of "
        f"{results.metric} is told from chance four times in five."
    ]


def _unit(results: Results) -> str:
    return "task" if results.metric == ORACLE else "question"


def _pairs(results: Results) -> list[str]:
    """Of the tests among pairs: how many tell, and the largest."""
    told = sorted(
        (pair for pair in results.pairs if pair.is_told),
        key=lambda pair: -abs(pair.paired.difference),
    )
    of = "of the same k " if results.tested == "same-k" else ""
    said = [f"Of {len(results.pairs)} pairs {of}{len(told)} can be told apart."]
    said += [f"{pair.sentence} (p {_p(pair.p_holm)})." for pair in told[:3]]
    if len(told) > 3:
        said.append(f"{len(told) - 3} more differ; the table of pairs has them.")
    return said


def _against_baseline(results: Results, scored: Sequence[Row]) -> list[str]:
    base = next((row for row in scored if row.is_baseline), None)
    if base is None:
        return ["The baseline failed, so that nothing is compared with it."]
    told = [row for row in scored if row.sentence and "cannot be told apart" not in row.sentence]
    told.sort(key=lambda row: -(row.paired.difference if row.paired else 0))
    said = [f"{row.sentence} (p {_p(row.p_holm)})." for row in told[:3]]
    if len(told) > 3:
        said.append(f"{len(told) - 3} more differ from the baseline; the table has them.")
    same = [row for row in scored if "cannot be told apart" in row.sentence]
    if len(same) == 1:
        said.append(f"{same[0].sentence}.")
    elif same:
        n = min(row.paired.n for row in same if row.paired)
        said.append(
            f"{base.label} cannot be told apart from {_listed([row.label for row in same])} on {n} "
            f"{_unit(results)}{'s' * (n != 1)}."
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
