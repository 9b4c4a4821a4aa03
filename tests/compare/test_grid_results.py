"""The table of a grid: means, intervals, differences, the front, sentences; worked by hand."""

from __future__ import annotations

import pytest

from ragbench.compare import (
    CellRecord,
    IngestRecord,
    QuestionRecord,
    QuestionResult,
    bootstrap_interval,
    check_gates,
    conclusions,
    make_results,
)
from ragbench.compare._gate import Gate

INGEST = IngestRecord(
    collection="c", index_id="i", seconds=1.5, n_documents=2, n_chunks=4, n_tokens=100,
    n_embedded=4, n_cached=0, n_truncated=0, index_bytes=1000,
)  # fmt: skip


def cell(retriever: str, values: list[float | None], tokens: int = 100, ms: float = 1.0, **rest):
    embedder = None if retriever == "bm25" else "minilm"
    parts = ["fixed", *([embedder] if embedder else []), retriever, "k=5"]
    return CellRecord(
        cell_id=retriever, name=" / ".join(parts), loader="files", chunker="fixed",
        embedder=embedder, retriever=retriever, k=5, ingest=INGEST,
        questions=tuple(
            QuestionResult(
                id=f"q{n}", values={"R@5": value}, n_tokens=tokens, search_ms=ms,
                embed_ms=None if embedder is None else 10.0 + n,
            )
            for n, value in enumerate(values)
        ),
        **rest,
    )  # fmt: skip


def questions(n: int, groups: list[str] | None = None) -> list[QuestionRecord]:
    groups = groups or [f"g{i}" for i in range(n)]
    return [
        QuestionRecord(
            id=f"q{i}", text=f"Question {i}?", group=groups[i], grades={"d": 1}, evidence=()
        )
        for i in range(n)
    ]


def test_difference_p_and_verdict_by_hand() -> None:
    bm25, dense = cell("bm25", [0, 0, 1, 1]), cell("dense", [1, 1, 1, 1])
    results = make_results(questions(4), [bm25, dense], "bm25", "R", seed=0)
    base, other = results.rows
    assert base.figures["R"].mean == 0.5
    assert other.figures["R"].mean == 1.0
    assert (base.paired, base.p_holm, base.is_baseline) == (None, None, True)
    # Differences 1, 1, 0, 0: of 16 sign patterns those with equal signs on the first two reach
    # |sum| 2: half of them.
    assert (other.paired.difference, other.paired.p, other.p_holm) == (0.5, 0.5, 0.5)
    assert other.sentence == "bm25 and dense cannot be told apart on 4 questions".replace(
        "dense", "minilm / dense"
    )
    assert (base.is_best, other.is_best) == (False, True)


def test_twelve_equal_differences_are_told_apart_and_holm_counts_the_setups() -> None:
    bm25, dense = cell("bm25", [0.0] * 12), cell("dense", [1.0] * 12)
    hybrid = cell("hybrid", [0.0] * 12)
    results = make_results(questions(12), [bm25, dense, hybrid], "bm25", "R", seed=0)
    _, best, same = results.rows
    # 2 of 2^12 patterns reach the observed sum: p = 2 / 4096; Holm doubles the smaller of two.
    assert best.paired.p == pytest.approx(2 / 4096)
    assert best.p_holm == pytest.approx(4 / 4096)
    assert (same.paired.p, same.p_holm) == (1.0, 1.0)
    said = conclusions(results)
    assert said[0] == (
        "Take minilm / dense: it has the highest R, and every other setup is told apart from it."
    )
    # 12 / (12 + 1.96^2) = 12 / 15.84 = 75.8 %: twelve questions are never 100 to 100; differences
    # from -1 to 1 have twice that width: 2 x 0.758 - 1 = 51.5.
    assert said[1] == "minilm / dense has the highest R, 100.0 %, 95 % interval 75.8 to 100.0."
    assert said[2] == (
        "minilm / dense beats bm25 by 100.0 points of R, 95 % interval 51.5 to 100.0 (p < 0.001)."
    )
    assert said[3] == "bm25 and minilm / hybrid cannot be told apart on 12 questions."


def test_columns_carry_the_interval_of_the_tested_statistics() -> None:
    values = [0.0, 0.25, 1.0, 0.5, 0.75, 1.0, 0.0, 1.0]
    groups = ["a", "a", "b", "c", "d", "d", "e", "f"]
    results = make_results(questions(8, groups), [cell("bm25", values)], "bm25", "R", seed=3)
    figure = results.rows[0].figures["R"]
    assert (figure.low, figure.high) == pytest.approx(bootstrap_interval(values, 3, groups))
    assert (results.n_questions, results.n_groups) == (8, 6)


def test_an_undefined_value_is_left_out_and_counted_never_0() -> None:
    results = make_results(
        questions(4), [cell("bm25", [1.0, None, None, 0.0])], "bm25", "R", seed=0
    )
    figure = results.rows[0].figures["R"]
    assert (figure.mean, figure.n, figure.n_undefined) == (0.5, 2, 2)
    nothing = results.rows[0].figures["span_recall"]
    assert (nothing.mean, nothing.n, nothing.n_undefined) == (None, 0, 4)


def test_a_failed_cell_has_no_figures_and_is_never_on_the_front() -> None:
    failed = CellRecord(
        cell_id="x", name="fixed / mpnet / dense / k=5", loader="files", chunker="fixed",
        embedder="mpnet", retriever="dense", k=5, error="ModelUnavailable: no weights",
    )  # fmt: skip
    results = make_results(questions(2), [cell("bm25", [0, 0]), failed], "bm25", "R", seed=0)
    row = results.rows[1]
    assert (row.figures, row.paired, row.p_holm, row.on_front) == ({}, None, None, False)
    assert row.search.p50 is None
    no_base = make_results(questions(2), [failed, cell("bm25", [0, 1])], "x", "R", seed=0)
    assert [row.paired for row in no_base.rows] == [None, None]
    assert conclusions(no_base)[-1].startswith("The baseline failed")


def test_the_front_weighs_recall_tokens_and_latency() -> None:
    def cells(n):
        return [
            cell("bm25", [0.5] * n, tokens=100, ms=1),
            cell("dense", [1.0] * n, tokens=100, ms=5),  # best recall
            cell("hybrid", [0.5] * n, tokens=120, ms=9),  # bm25 is better on two sides
        ]

    # Five questions tell nothing (2 / 2^5 = 0.0625), so that nothing is beaten.
    few = make_results(questions(5), cells(5), "bm25", "R", seed=0)
    assert all(row.on_front for row in few.rows)
    results = make_results(questions(6), cells(6), "bm25", "R", seed=0)
    assert [row.on_front for row in results.rows] == [True, True, False]


def test_latency_with_and_without_the_embedding_of_the_query() -> None:
    results = make_results(questions(3), [cell("dense", [1, 1, 1], ms=2.0)], "dense", "R", seed=0)
    row = results.rows[0]
    assert (row.search.p50, row.search.p95) == (2.0, 2.0)
    assert row.whole.p50 == pytest.approx(13.0)  # 2 + the median of 10, 11, 12
    assert row.whole.p95 == pytest.approx(2 + 11.9)  # 95 % of the way: 11 + 0.9


def test_gates_open_at_the_floor_and_close_on_what_failed() -> None:
    gate = Gate("R@5", 0.5, ("a", "b", "c"))
    names = {"a": "A", "b": "B", "c": "C"}
    outcomes = check_gates([gate], names, {"a": {"R@5": 0.5}, "b": {"R@5": 0.4999}, "c": {}})
    assert [one.is_open for one in outcomes] == [True, False, False]
    assert str(outcomes[1]) == "B: R@5 is 0.4999, the floor is 0.5"
    assert str(outcomes[2]) == "C: R@5 is undefined, the floor is 0.5"
