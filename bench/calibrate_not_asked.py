"""Find the bound of the cause ``not_asked`` again, from trajectories labelled by hand.

``not_asked.jsonl`` holds the queries of one trajectory each and the need that they are held
against; a person said whether any of them asks for it: in the words of an agent, on the subject of
the need or of its document (asked), or on something else (not asked). Of every trajectory the
nearness of its nearest query is taken, as the diagnosis does, and the bound is the middle of the
widest gap among those that separate the two kinds with the fewest errors. Half of the
trajectories, every second one, choose it; the other half say how often it errs. Usage:

    python bench/calibrate_not_asked.py [--all]

With ``--all`` every trajectory is printed with its nearness, from far to near.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ragbench.config import EvalConfig
from ragbench.diagnose import NEAR
from ragbench.records import Need
from ragbench.runner import Prepared, nearness, prepare

LABELLED = Path(__file__).resolve().parent / "not_asked.jsonl"

Case = tuple[float, bool, str]
"""Nearness, whether it was asked, and the trajectory in words."""


def cases() -> list[Case]:
    """Every labelled trajectory, in the order of the file."""
    lines = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    known: dict = {}
    with tempfile.TemporaryDirectory() as store:
        prepared = {
            name: prepare(EvalConfig(domain=name, store=Path(store), retrieval_config="bm25"))
            for name in sorted({line["domain"] for line in lines})
        }
        found = []
        for line in lines:
            here = prepared[line["domain"]]
            (need,) = [n for n in here.task(line["task"]).needs if n.id == line["need"]]
            texts = wordings(need, here)
            near = max(nearness(query, texts, known) for query in line["queries"])
            found.append((near, line["asked"], f"{line['queries']} for {need.question!r}"))
    return found


def wordings(need: Need, prepared: Prepared) -> list[str]:
    """What the diagnosis holds a query against: wordings of the need, titles of its documents."""
    places = [passage.doc_id for item in need.evidence for passage in item.any_of]
    titles = [prepared.documents[doc_id].title for doc_id in places]
    return list(dict.fromkeys((*need.queries("desk"), *need.queries("natural"), *titles)))


def errors(bound: float, found: Sequence[Case]) -> tuple[int, int]:
    """Asked and called not asked; not asked and called asked."""
    return (
        sum(asked and near < bound for near, asked, _ in found),
        sum(not asked and near >= bound for near, asked, _ in found),
    )


def best(found: Sequence[Case]) -> tuple[float, float, float]:
    """The bound in the middle of the widest gap with the fewest errors, and the gap's ends."""
    values = sorted(near for near, _, _ in found)
    gaps = [(low, high) for low, high in itertools.pairwise(values) if low < high]
    low, high = min(gaps, key=lambda gap: (sum(errors(sum(gap) / 2, found)), gap[0] - gap[1]))
    return (low + high) / 2, low, high


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    found = cases()
    if parser.parse_args().all:
        for near, asked, words in sorted(found):
            print(f"{near:6.3f}  {'asked' if asked else 'not asked':9}  {words}")
    n_asked = sum(asked for _, asked, _ in found)
    print(f"{len(found)} trajectories: {n_asked} asked, {len(found) - n_asked} not asked")
    bound, low, high = best(found[::2])
    print(f"one half: bound {bound:.3f}, the gap is {low:.3f} to {high:.3f}")
    print(f"the other half by it: {sum(errors(bound, found[1::2]))} of {len(found[1::2])} wrong")
    bound, low, high = best(found)
    print(f"all: bound {bound:.3f}, the gap is {low:.3f} to {high:.3f}")
    missed, taken = errors(NEAR, found)
    print(f"NEAR = {NEAR}: {missed} asked called not asked, {taken} not asked called asked")


if __name__ == "__main__":
    main()
