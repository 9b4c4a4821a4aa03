"""Document measures of a whole run against ir_measures handed the same scores, nothing checked.

Both sides get 10,000 questions of 100 scored documents, best first, in dictionaries and give every
measure of every question. The bare side lets trec_eval rank; ragbench refuses scores that are not
finite, ranks in double precision and cuts where chunks repeat a document. A third row has chunks:
the same results, three of four documents standing there more than once.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

N_QUESTIONS = 10_000
N_HITS = 100
N_RUNS = 7
BOUND = 1.2
NAMES = ("nDCG@10", "RR", "R@100", "AP")

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def make() -> tuple[Grades, Scores]:
    """Seeded grades and scores rounded as retrievers round them, so that some are tied."""
    import numpy as np

    generator = np.random.default_rng(0)
    grades: Grades = {}
    scores: Scores = {}
    for i in range(N_QUESTIONS):
        found = generator.choice(100_000, N_HITS, replace=False)
        values = np.sort(np.round(generator.random(N_HITS), 5))[::-1]
        scores[f"q{i}"] = dict(zip((f"d{n}" for n in found), values.tolist(), strict=True))
        judged = generator.choice(found, 8, replace=False)
        grades[f"q{i}"] = {f"d{n}": int(generator.integers(0, 3)) for n in judged}
        grades[f"q{i}"]["d100000"] = 1
    return grades, scores


def seconds(work: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measure() -> list[tuple[str, str, str, str]]:
    """Medians of interleaved runs, and their ratio to the bound."""
    import ir_measures

    from ragbench.compare import document_scores, run_scores
    from ragbench.compare.measures import DocumentMeasure, parse_measure

    grades, scores = make()
    measures = [m for m in map(parse_measure, NAMES) if isinstance(m, DocumentMeasure)]
    bases = list(map(ir_measures.parse_measure, NAMES))

    def bare() -> object:
        return list(ir_measures.iter_calc(bases, grades, scores))

    def ours() -> object:
        return run_scores(measures, grades, scores)

    chunks = {
        name: [doc_id for doc_id in found for _ in range(1 + (int(doc_id[1:]) % 4 > 0))][:N_HITS]
        for name, found in scores.items()
    }

    def of_chunks() -> object:
        return document_scores(measures, grades, chunks)

    works = {"bare": bare, "ours": ours, "chunks": of_chunks}
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(N_RUNS):
        for name, work in works.items():
            taken[name].append(seconds(work))
    median = {name: statistics.median(values) for name, values in taken.items()}
    ratio = median["ours"] / median["bare"]
    verdict = "holds" if ratio <= BOUND else "MISSED"
    size = f"{N_QUESTIONS:,} questions x {N_HITS} results"
    return [
        (f"bare ir_measures, {', '.join(NAMES)}, {size}", f"{median['bare']:.2f} s", "", ""),
        (
            "ragbench, from scores to every measure of every question",
            f"{median['ours']:.2f} s, {ratio:.2f} x",
            f"at most {BOUND} x bare ir_measures: {verdict}",
            "ranx 0.43 s after a first call of 3-16 s",
        ),
        (
            "ragbench, of ranked chunks that repeat documents",
            f"{median['chunks']:.2f} s, {median['chunks'] / median['bare']:.2f} x",
            "",
            "",
        ),
    ]
