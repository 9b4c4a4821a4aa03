"""BEIR folders through a whole comparison: grades, texts that are empty, titles, exported ids."""

from __future__ import annotations

import json
import shutil

import ir_measures
import pytest

from ragbench.compare import compare, make_results, plan_grid
from ragbench.config import CompareConfig
from ragbench.errors import QuestionSetError
from ragbench.report import write_compare_files

pytestmark = pytest.mark.shared_data


def grid(folder, tmp_path, k=(5,), retrievers=("bm25",)):
    config = CompareConfig(
        corpus=folder, questions=folder, store=tmp_path / "store", save_to=tmp_path / "run",
        chunkers=("document",), retrievers=retrievers, k=k,
    )  # fmt: skip
    result = compare(plan_grid(config))
    results = make_results(result.questions, result.cells, result.baseline, result.metric, 0)
    write_compare_files(result.folder, "set", result.questions, results, {})
    return result, results


def test_a_negative_grade_is_not_relevant(shared_data, tmp_path) -> None:
    # q1: d1 of grade 2, d3 of -2. d1 first gives nDCG@1 = 1 whatever stands behind it.
    result, results = grid(shared_data / "cases" / "beir_negative" / "set", tmp_path, k=(1, 3))
    q1 = result.cells[0].questions[0]
    assert (q1.id, q1.documents) == ("q1", ("corpus.jsonl::d1",))
    assert q1.values["nDCG@1"] == q1.values["R@1"] == q1.values["P@1"] == 1
    # Of three documents one is relevant: P@3 = 1/3, and the grades below 0 take nothing off.
    q1 = result.cells[1].questions[0]
    assert q1.values["P@3"] == pytest.approx(1 / 3)
    assert q1.values["nDCG@3"] == 1
    assert results.rows[0].figures["nDCG"].mean == 1


def test_a_title_is_searched_and_makes_a_document(shared_data, tmp_path) -> None:
    # d4 has a title and no text; q1 asks for it by words of the title.
    result, _ = grid(shared_data / "cases" / "beir_empty_text" / "set", tmp_path)
    assert result.unread == ()
    q1 = result.cells[0].questions[0]
    assert (q1.id, q1.values["R@5"], q1.documents[0]) == ("q1", 1, "corpus.jsonl::d4")


def test_a_relevant_document_without_any_text_counts_as_not_found(shared_data, tmp_path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(shared_data / "cases" / "beir_empty_text" / "set", folder)
    corpus = folder / "corpus.jsonl"
    lines = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    lines = [one | {"title": " "} if one["_id"] == "d4" else one for one in lines]
    corpus.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    result, results = grid(folder, tmp_path)
    assert [question.id for question in result.questions] == ["q1", "q2"]
    assert [question.values["R@5"] for question in result.cells[0].questions] == [0, 1]
    assert results.rows[0].figures["R"].mean == 0.5
    assert [entry.reason for entry in result.unread] == ["empty"]
    # A document that is nowhere in the corpus is still an error.
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td9\t1\n")
    with pytest.raises(QuestionSetError, match="has no document 'd9'"):
        grid(folder, tmp_path)


def test_exported_files_join_the_judgements_and_give_the_figures(shared_data, tmp_path) -> None:
    folder = shared_data / "cases" / "compare" / "b_neg"
    result, results = grid(folder, tmp_path, k=(1, 2, 5))
    trec = result.folder / "trec"
    # White space cannot stand in a TREC file; every other name is as the judgements have it.
    qrels = (trec / "qrels.txt").read_text(encoding="utf-8").splitlines()
    assert qrels == ["q%201 0 doc%20one 3", "q%201 0 doc/two%20x 0", "q2 0 doc/two%20x 1"]
    judged = list(ir_measures.read_trec_qrels(str(trec / "qrels.txt")))
    for row in results.rows:
        cell, k = row.cell, row.cell.k
        for count in ("chunks", "documents"):
            path = trec / f"{cell.cell_id}.k{k}-{count}.run"
            run = list(ir_measures.read_trec_run(str(path)))
            by_question: dict[str, list[float]] = {}
            for one in run:
                by_question.setdefault(one.query_id, []).append(one.score)
            for scores in by_question.values():
                assert scores == sorted(set(scores), reverse=True)
            of = "" if count == "chunks" else "(count=documents)"
            for name, theirs in (("R", ir_measures.R), ("P", ir_measures.P),
                                 ("nDCG", ir_measures.nDCG), ("AP", ir_measures.AP)):  # fmt: skip
                expected = ir_measures.calc_aggregate([theirs @ k], judged, run)[theirs @ k]
                assert row.figures[f"{name}{of}"].mean == pytest.approx(expected)
