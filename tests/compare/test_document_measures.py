"""Document measures: worked cases, then agreement with pytrec_eval on random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragbench.compare import (
    document_scores,
    rank_hits_of,
    rank_scores,
    run_scores,
    trec_qrels,
    trec_run,
    without_self_hits,
)
from ragbench.compare.measures import parse_measure
from ragbench.errors import QuestionSetError, UsageError
from ragbench.records import HitRecord


def score(name, grades, ranking) -> float:
    measure = parse_measure(name)
    return document_scores([measure], {"q": grades}, {"q": ranking})[measure]["q"]


# Grades a 2, b 1, c 1; five chunks of a, x, a, b, y. Documents rank a 1, x 2, b 3, y 4.
GRADES = {"a": 2, "b": 1, "c": 1, "x": 0}
CHUNKS = ["a", "x", "a", "b", "y"]
LOG = math.log2
IDEAL = 2 / LOG(2) + 1 / LOG(3) + 1 / LOG(4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("R@1", 1 / 3),
        ("R@3", 1 / 3),  # three chunks are two documents, a and x: b is the fourth chunk
        ("R@4", 2 / 3),
        ("R@5", 2 / 3),
        ("R(count=documents)@3", 2 / 3),  # a, x, b
        ("P@1", 1 / 1),
        ("P@3", 1 / 3),  # one relevant document, a, among three chunks
        ("P@4", 2 / 4),
        ("P@5", 2 / 5),
        ("P(count=documents)@3", 2 / 3),
        ("P@10", 2 / 10),  # fewer results than k: the denominator stays
        ("nDCG@3", (2 / LOG(2)) / IDEAL),  # b is not yet there
        ("nDCG@4", (2 / LOG(2) + 1 / LOG(4)) / IDEAL),  # b ranks third among documents
        ("nDCG(count=documents)@3", (2 / LOG(2) + 1 / LOG(4)) / IDEAL),
        ("nDCG@1", 1.0),
        ("nDCG", (2 / LOG(2) + 1 / LOG(4)) / IDEAL),
        ("RR", 1.0),
        ("AP", (1 / 1 + 2 / 3) / 3),  # a at rank 1, b at rank 3, c not found
        ("AP@3", (1 / 1) / 3),
        ("AP(count=documents)@3", (1 / 1 + 2 / 3) / 3),
    ],
)
def test_k_counts_chunks_and_documents_rank_by_first_appearance(name, value) -> None:
    assert score(name, GRADES, CHUNKS) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("ranking", "rr", "rr_at_2"),
    [
        (["x", "x", "b"], 1 / 2, 0.0),  # b is the second document, but the third chunk
        (["x", "y", "z"], 0.0, 0.0),
        (["c"], 1.0, 1.0),
        ([], 0.0, 0.0),
    ],
)
def test_reciprocal_rank(ranking, rr, rr_at_2) -> None:
    assert score("RR", GRADES, ranking) == rr
    assert score("RR@2", GRADES, ranking) == rr_at_2


def test_five_chunks_of_one_relevant_document_are_one_document() -> None:
    assert score("P@5", {"a": 1}, ["a"] * 5) == 1 / 5
    assert score("R@5", {"a": 1}, ["a"] * 5) == 1.0


def test_a_question_that_is_missing_from_the_run_counts_zero() -> None:
    measures = [parse_measure(name) for name in ("R@5", "RR", "nDCG@5")]
    found = document_scores(measures, {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"]})
    for measure in measures:
        assert list(found[measure].items()) == [("q1", 1.0), ("q2", 0.0)]


def test_what_cannot_be_scored_is_refused() -> None:
    recall = [parse_measure("R@5")]
    with pytest.raises(QuestionSetError, match="'q' has no document of grade 1 or more"):
        document_scores(recall, {"q": {"a": 0}}, {"q": ["a"]})
    with pytest.raises(UsageError, match="results for the question 'other'"):
        document_scores(recall, {"q": {"a": 1}}, {"other": ["a"]})
    with pytest.raises(UsageError, match="bm25, q7: the score of 'b' is nan"):
        rank_scores({"a": 1.0, "b": math.nan}, "bm25, q7")
    with pytest.raises(UsageError, match="the score of 'a' is inf"):
        rank_scores({"a": math.inf})


def hit(doc_id, start, value) -> HitRecord:
    return HitRecord(doc_id=doc_id, start=start, end=start + 9, score=value, rank=1, n_tokens=2)


def test_ties_go_by_document_and_position_ascending() -> None:
    assert rank_scores({"b": 0.5, "a": 0.5, "c": 0.5, "d": 0.1}) == ["a", "b", "c", "d"]
    hits = [hit("b", 0, 0.5), hit("a", 0, 0.5), hit("c", 10, 0.7), hit("a", 9, 0.7)]
    assert rank_hits_of(hits) == ["a", "c", "a", "b"]
    with pytest.raises(UsageError, match="the chunk 'a#0-9' was returned twice"):
        rank_hits_of([hit("a", 0, 0.5), hit("a", 0, 0.4)])


def test_scores_that_single_precision_cannot_tell_apart_are_no_tie() -> None:
    # trec_eval holds scores as 32-bit floats, where these are equal; "b" would then come first.
    assert rank_scores({"a": 200.00002, "b": 200.00001}) == ["a", "b"]
    assert np.float32(200.00002) == np.float32(200.00001)
    assert score("RR", {"a": 1}, rank_scores({"a": 200.00002, "b": 200.00001})) == 1.0


def test_a_run_of_scored_documents_is_ranked_in_double_precision() -> None:
    measures = [parse_measure(name) for name in ("RR", "RR@1", "P@1", "P(count=documents)@2")]
    grades = {"near": {"a": 1}, "fallen": {"a": 1}, "mixed": {"a": 1}, "none": {"a": 1}}
    run = {
        "near": {"b": 200.00001, "a": 200.00002},  # equal as 32-bit floats
        "fallen": {"x": 0.9, "a": 0.5},  # already in order
        "mixed": {"b": 0.5, "a": 0.5},  # tied: a before b
    }
    found = run_scores(measures, grades, run)
    rr, rr_at_1, p_at_1, p_at_2 = (found[measure] for measure in measures)
    assert rr == {"near": 1.0, "fallen": 0.5, "mixed": 1.0, "none": 0.0}
    assert rr_at_1 == p_at_1 == {"near": 1.0, "fallen": 0.0, "mixed": 1.0, "none": 0.0}
    assert p_at_2 == {"near": 0.5, "fallen": 0.5, "mixed": 0.5, "none": 0.0}
    for wrong in ([math.nan], [1.0, math.nan], [math.inf, 1.0], [1.0, -math.inf]):
        with pytest.raises(UsageError, match="q: the score of 'd"):
            run_scores(measures, {"q": {"d0": 1}}, {"q": {f"d{i}": s for i, s in enumerate(wrong)}})


def test_self_hits_are_dropped_on_request_only_and_counted() -> None:
    run = {"d1": {"d1": 9.0, "d2": 1.0}, "d3": {"d2": 1.0}}
    assert without_self_hits(run) == ({"d1": {"d2": 1.0}, "d3": {"d2": 1.0}}, 1)
    assert score("RR", {"d1": 1}, rank_scores(run["d1"])) == 1.0


def test_trec_files() -> None:
    assert trec_run({"q 1": ["b", "a", "b"]}, "x") == "q%201 Q0 b 1 2 x\nq%201 Q0 a 2 1 x\n"
    assert trec_qrels({"q": {"100%.md": 2, "b": 0}}) == "q 0 100%.md 2\nq 0 b 0\n"
    # Where a name with white space would become another's, the percent sign is written out too.
    assert trec_qrels({"q": {"a b": 1, "a%20b": 2}}) == "q 0 a%20b 1\nq 0 a%2520b 2\n"


IR_NAMES = {
    "R@5": "recall_5",
    "R@100": "recall_100",
    "P@5": "P_5",
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
    "RR": "recip_rank",
    "AP": "map",
    "AP@10": "map_cut_10",
}


def random_case(generator) -> tuple[dict[str, int], dict[str, float]]:
    """Grades 0 to 3 and scores of at most six values, so that most cases have ties."""
    names = [f"d{i}" for i in range(generator.integers(1, 40))]
    grades = {name: int(generator.integers(0, 4)) for name in names if generator.random() < 0.5}
    grades[names[0]] = 1
    found = [name for name in [*names, "u1", "u2"] if generator.random() < 0.7]
    scores = {name: float(generator.integers(0, 6)) / 4 for name in found}
    return grades, scores


def test_agreement_with_pytrec_eval_on_a_thousand_random_cases() -> None:
    import pytrec_eval

    generator = np.random.default_rng(20240)
    cases = {f"q{i}": random_case(generator) for i in range(1000)}
    grades = {name: case[0] for name, case in cases.items()}
    run = {name: case[1] for name, case in cases.items()}
    assert sum(len(set(s.values())) < len(s) for s in run.values()) > 800  # ties
    ranked = {name: rank_scores(scores) for name, scores in run.items()}
    # trec_eval ranks ties by id, descending: it is given scores without ties.
    untied = {q: {d: float(-at) for at, d in enumerate(ids)} for q, ids in ranked.items()}
    theirs = pytrec_eval.RelevanceEvaluator(grades, set(IR_NAMES.values())).evaluate(untied)
    measures = {name: parse_measure(name) for name in IR_NAMES}
    rankings = {name: rank_scores(scores) for name, scores in run.items()}
    ours = document_scores(list(measures.values()), grades, rankings)
    assert run_scores(list(measures.values()), grades, run) == ours
    for name, trec_name in IR_NAMES.items():
        for question, value in ours[measures[name]].items():
            expected = theirs.get(question, {}).get(trec_name, 0.0) if run[question] else 0.0
            assert value == pytest.approx(expected, abs=1e-9), (name, question)


def test_repeats_in_one_question_do_not_change_another() -> None:
    """With a repeat somewhere, results are cut before they are scored; else ir_measures cuts."""
    generator = np.random.default_rng(7)
    cases = {f"q{i}": random_case(generator) for i in range(100)}
    grades = {name: case[0] for name, case in cases.items()}
    rankings = {name: rank_scores(case[1]) for name, case in cases.items()}
    measures = [parse_measure(name) for name in ("R@5", "P@5", "nDCG@10", "RR@3", "AP@10")]
    plain = document_scores(measures, grades, rankings)
    repeated = document_scores(
        measures, {**grades, "z": {"a": 1}}, {**rankings, "z": ["a", "a", "b"]}
    )
    for measure in measures:
        for name, value in plain[measure].items():
            assert repeated[measure][name] == pytest.approx(value, abs=1e-12)
