"""What a comparison decides: clusters, small samples, the recommendation, pairs, slices."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ragbench.compare import (
    CellRecord,
    QuestionRecord,
    QuestionResult,
    compare,
    conclusions,
    make_results,
    plan_grid,
    sign_flip_p,
)
from ragbench.compare._power import power
from ragbench.config import CompareConfig
from ragbench.errors import UnknownName


def asked(n, text="Question {}?", group="g{}", **labels):
    return [
        QuestionRecord(
            id=f"q{i}", text=text.format(i), group=group.format(i), grades={"d": 1}, evidence=(),
            labels={key: (values[i],) for key, values in labels.items()},
        )
        for i in range(n)
    ]  # fmt: skip


def cell(name, values, tokens=100, ms=1.0, k=5):
    return CellRecord(
        cell_id=f"{name}-{k}", name=f"fixed / {name} / k={k}", loader="files", chunker="fixed",
        embedder=None, retriever=name, k=k,
        questions=tuple(
            QuestionResult(
                id=f"q{n}", values={f"R@{k}": float(value)}, n_tokens=tokens, search_ms=ms
            )
            for n, value in enumerate(values)
        ),
    )  # fmt: skip


def test_one_question_twenty_times_is_one_observation() -> None:
    a, b = cell("a", [0] * 20), cell("b", [1] * 20)
    results = make_results(asked(20, "Sunday?"), [a, b], "a-5", "R", seed=0)
    assert (results.n_questions, results.n_groups) == (20, 1)
    other = results.rows[1]
    assert other.paired.p == 1.0  # + and - alike: 2 of 2
    # One value of 1 from -1 to 1: 2 x 1 / (1 + 1.96^2) - 1 = -0.587.
    assert (other.paired.low, other.paired.high) == (pytest.approx(-0.587, abs=1e-3), 1.0)
    # Twenty different ones are told apart; 20 / 23.84 of 0 to 1 = 83.9.
    results = make_results(asked(20), [a, b], "a-5", "R", seed=0)
    assert results.rows[1].p_holm < 0.001
    assert results.rows[1].figures["R"].low == pytest.approx(20 / (20 + 1.959964**2))


def test_equal_questions_in_other_words_are_not_one_and_equal_groups_join() -> None:
    questions = asked(4, group="g{}")
    same = [one.model_copy(update={"text": text}) for one, text in zip(
        questions, ("Open on Sunday?", "open, on SUNDAY", "Open Sunday?", "Open on Sunday?"),
        strict=True,
    )]  # fmt: skip
    # 0, 1 and 3 are one question, 2 is another.
    results = make_results(same, [cell("a", [0, 0, 1, 0])], "a-5", "R", seed=0)
    assert results.n_groups == 2
    # What has to be found is part of a question.
    other = [same[0], same[1].model_copy(update={"grades": {"e": 1}}), *same[2:]]
    assert make_results(other, [cell("a", [0] * 4)], "a-5", "R", seed=0).n_groups == 3


@pytest.mark.shared_data
def test_the_file_of_one_question_twenty_times(shared_data, tmp_path) -> None:
    folder = shared_data / "cases" / "compare"
    config = CompareConfig(
        corpus=folder / "docs", questions=folder / "q_dup20.jsonl", store=tmp_path / "store",
        save_to=tmp_path / "run", chunkers=("document", "fixed(size_tokens=8)"),
        retrievers=("bm25",), k=(1,),
    )  # fmt: skip
    result = compare(plan_grid(config))
    results = make_results(result.questions, result.cells, result.baseline, result.metric, 0)
    assert results.n_groups < results.n_questions
    if results.n_groups == 1:
        assert results.rows[1].p_holm == 1.0
    for row in results.rows:
        figure = row.figures["span_recall"]
        assert figure.high - figure.low > 0.2


def test_a_single_question_is_never_sure() -> None:
    figure = make_results(asked(1), [cell("a", [1])], "a-5", "R", seed=0).rows[0].figures["R"]
    assert (figure.low, figure.high) == (pytest.approx(0.2065, abs=1e-4), 1.0)  # 1 / 4.8415
    figure = make_results(asked(1), [cell("a", [0])], "a-5", "R", seed=0).rows[0].figures["R"]
    assert (figure.low, figure.high) == (0.0, pytest.approx(0.7935, abs=1e-4))


def test_the_first_line_takes_the_cheapest_of_those_not_told_apart() -> None:
    # b is best by one question of forty; a is not told apart and costs less; c is told apart.
    base = [1.0] * 30 + [0.0] * 10
    a = cell("a", base, tokens=100)
    b = cell("b", [1.0] * 31 + [0.0] * 9, tokens=400)
    c = cell("c", [0.0] * 40, tokens=10)
    results = make_results(asked(40), [a, b, c], "a-5", "R", seed=0)
    found = results.recommendation
    assert (found.take, found.best, found.n_candidates, found.n_told) == ("a-5", "b-5", 2, 1)
    assert [row.is_taken for row in results.rows] == [True, False, False]
    first = conclusions(results)[0]
    assert first.startswith("Take a: not told apart from the best (b) and the cheapest of those by")
    assert "; 40 questions cannot separate them, about " in first
    # One difference of 1 in forty: n p = 1.96 sqrt(n p) at half of the draws, so that n p = 3.84;
    # four in five need about (1.96 + 0.84)^2 = 7.85 differences: 7.85 x 40 = 314.
    assert 200 < found.power.needed < 320
    # Equal tokens: the faster one; equal latency: the better one.
    quick = cell("b", [1.0] * 31 + [0.0] * 9, ms=0.5)
    assert make_results(asked(40), [a, quick], "a-5", "R", 0).recommendation.take == "b-5"
    slow = cell("b", [1.0] * 31 + [0.0] * 9, ms=9.0)
    assert make_results(asked(40), [a, slow], "a-5", "R", 0).recommendation.take == "a-5"
    equal = cell("b", [1.0] * 31 + [0.0] * 9)
    assert make_results(asked(40), [a, equal], "a-5", "R", 0).recommendation.take == "b-5"


def test_setups_that_answer_alike_say_so_and_one_setup_stands_alone() -> None:
    results = make_results(asked(9), [cell("a", [1] * 9), cell("b", [1] * 9)], "a-5", "R", 0)
    assert "both have the same value on each of 9 questions" in conclusions(results)[0]
    results = make_results(asked(9), [cell("a", [1] * 9)], "a-5", "R", 0)
    assert conclusions(results)[0] == "Take a: there is no other setup."


def test_needed_questions_and_detectable_differences_hold_in_the_test_itself() -> None:
    # Drawn anew from the same differences, the sign-flip test finds them about four times in five.
    generator = np.random.default_rng(3)
    observed = [*generator.choice([-1.0, 0.0, 1.0], 60, p=[0.1, 0.7, 0.2])]
    found = power(observed, [1] * 60, seed=0)
    assert found == power(observed, [1] * 60, seed=0)
    n = found.needed
    told = [sign_flip_p(generator.choice(observed, n).tolist(), seed=0) <= 0.05 for _ in range(100)]
    assert 0.65 <= np.mean(told) <= 0.92
    around = np.array(observed) - np.mean(observed)
    shifted = around + found.detectable
    told = [sign_flip_p(generator.choice(shifted, 60).tolist(), seed=0) <= 0.05 for _ in range(100)]
    assert 0.65 <= np.mean(told) <= 0.92
    # Clusters of three questions each count in questions.
    assert power([3 * one for one in observed], [3] * 60, seed=0).needed == 3 * n
    assert power([1.0, -1.0], [1, 1], seed=0).needed is None
    assert power([1.0] * 5, [1] * 5, seed=0).detectable is None
    assert power([1.0] * 5, [1] * 5, seed=0).needed == 6


def test_pairs_are_one_family() -> None:
    cells = [cell("a", [0] * 12), cell("b", [1] * 12), cell("a", [0] * 12, k=9),
             cell("b", [1] * 12, k=9)]  # fmt: skip
    counts = {"baseline": 3, "same-k": 2, "all": 6}
    for pairs, n in counts.items():
        results = make_results(asked(12), cells, "a-9", "R", 0, pairs=pairs)
        assert len(results.pairs) == n
        told = [pair for pair in results.pairs if pair.is_told]
        # Each told pair has p = 2 / 4096; all of them are equal, so that Holm multiplies by n.
        assert {pair.p_holm for pair in told} == {n * 2 / 4096}
        assert len(told) == {"baseline": 2, "same-k": 2, "all": 4}[pairs]
        assert all(
            pair.first == "a-9" for pair in results.pairs if "a-9" in (pair.first, pair.second)
        )
    assert "Of 6 pairs 4 can be told apart." in conclusions(results)
    assert results.rows[0].paired is not None  # against the baseline, of the same family
    with pytest.raises(UnknownName, match="choice of pairs is called 'some'"):
        make_results(asked(12), cells, "a-9", "R", 0, pairs="some")


def test_slices_by_a_property_of_documents() -> None:
    questions = asked(4, corpus=["x", "x", "y", "y"], category=["faq", "faq", "faq", "policy"])
    questions[3] = questions[3].model_copy(update={"labels": {"corpus": ("x", "y")}})
    cells = [cell("a", [1, 0, 1, 1]), cell("b", [1, 1, 0, 0])]
    results = make_results(questions, cells, "a-5", "R", 0, by="corpus")
    # q3 has documents in both: x holds q0, q1, q3, y holds q2, q3.
    found = {one.value: (one.n_questions, one.figures["a-5"].mean, one.figures["b-5"].mean)
             for one in results.slices.slices}  # fmt: skip
    assert found == {"x": (3, pytest.approx(2 / 3), pytest.approx(2 / 3)), "y": (2, 1, 0)}
    by = make_results(questions, cells, "a-5", "R", 0, by="category").slices
    assert [(one.value, one.n_questions) for one in by.slices] == [("(none)", 1), ("faq", 3)]
    with pytest.raises(UnknownName, match="did you mean 'corpus'"):
        make_results(questions, cells, "a-5", "R", 0, by="corpsu")


def test_slices_of_a_grid_come_from_the_documents_and_k_may_be_a_thousand(tmp_path) -> None:
    docs = tmp_path / "docs"
    (docs / "faq").mkdir(parents=True)
    (docs / "rules").mkdir()
    for n in range(6):
        folder = "faq" if n % 2 else "rules"
        (docs / folder / f"{n}.md").write_text(f"# Word{n}\n\nAbout word{n} and fees.")
    lines = [
        {"question": f"word{n} fees", "relevant": [f"{'faq' if n % 2 else 'rules'}/{n}.md"]}
        for n in range(6)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    config = CompareConfig(
        corpus=docs, questions=tmp_path / "q.jsonl", store=tmp_path / "store",
        save_to=tmp_path / "run", chunkers=("document",), retrievers=("bm25",), k=(1, 1000),
        by="corpus",
    )  # fmt: skip
    result = compare(plan_grid(config))
    results = make_results(
        result.questions, result.cells, result.baseline, result.metric, 0, by=config.by
    )
    assert [(one.value, one.n_questions) for one in results.slices.slices] == [
        ("faq", 3), ("rules", 3)
    ]  # fmt: skip
    assert result.cells[1].questions[0].values["R@1000"] == 1
    assert result.cells[1].questions[0].values["P@1000"] == pytest.approx(1 / 1000)
    assert len(result.cells[1].questions[0].documents) == 6
