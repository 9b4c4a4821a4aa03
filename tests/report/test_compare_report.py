"""A grid for programs and people: CSV, JSON, Markdown, TREC files, the terminal, the page."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from ragbench.compare import (
    CellRecord,
    IngestRecord,
    QuestionRecord,
    QuestionResult,
    make_results,
    measures_at,
)
from ragbench.report import (
    compare_csv,
    compare_json,
    compare_table_text,
    compare_words,
    markdown_table,
    render_compare_html,
    write_compare_files,
)

QUESTIONS = (
    QuestionRecord(
        id="q 1", text="What <b>costs</b> a wire?", group="q 1", grades={"price list.md": 1},
        evidence=(("price list.md", 10, 30, "A wire costs $25."),),
    ),
    QuestionRecord(
        id="q2", text="Hours?", group="q2", grades={"hours.md": 1},
        evidence=(("hours.md", None, None, "Hours"),),
    ),
)  # fmt: skip
INGEST = IngestRecord(
    collection="c", index_id="i", seconds=2.04, n_documents=2, n_chunks=1234, n_tokens=9,
    n_embedded=1000, n_cached=234, n_truncated=0, index_bytes=5_250_000,
)  # fmt: skip


def cell(retriever: str, values: tuple[float, float], **rest) -> CellRecord:
    documents = (("price list.md", "hours.md"), ("hours.md",))
    return CellRecord(
        cell_id=f"id-{retriever}", name=f"fixed / minilm / {retriever} / k=5", loader="files",
        chunker="fixed", embedder="minilm", retriever=retriever, k=5, ingest=INGEST,
        questions=tuple(
            QuestionResult(
                id=question.id, values=dict.fromkeys(measures_at(5)) | {"R@5": value},
                n_tokens=1000, search_ms=2.0, embed_ms=8.0, documents=documents[n],
                missed=() if value else (0,),
            )
            for n, (question, value) in enumerate(zip(QUESTIONS, values, strict=True))
        ),
        **rest,
    )  # fmt: skip


FAILED = CellRecord(
    cell_id="id-x", name="fixed / mpnet / dense / k=5", loader="files", chunker="fixed",
    embedder="mpnet", retriever="dense", k=5, error="ModelUnavailable: no <weights>",
)  # fmt: skip


@pytest.fixture(scope="module")
def results():
    cells = [cell("dense", (0.0, 1.0)), cell("hybrid", (1.0, 1.0)), FAILED]
    return make_results(QUESTIONS, cells, "id-dense", "R", seed=0)


def test_csv_has_a_row_per_setup_and_empty_cells_for_what_is_undefined(results) -> None:
    rows = list(csv.DictReader(io.StringIO(compare_csv(results))))
    assert [row["name"].split(" / ")[2] for row in rows] == ["dense", "hybrid", "dense"]
    assert [row["R"] for row in rows] == ["0.5", "1.0", ""]
    assert [row["span_recall"] for row in rows] == ["", "", ""]
    assert rows[1]["against_baseline_difference"] == "0.5"
    assert rows[1]["p_holm"] == "1.0"  # +- and -+ and so on: both signs of one question: 4 / 4
    assert (rows[0]["p50_ms"], rows[0]["search_p50_ms"]) == ("10.0", "2.0")
    assert (rows[0]["ingest_index_bytes"], rows[2]["ingest_index_bytes"]) == ("5250000", "")
    assert rows[2]["error"] == "ModelUnavailable: no <weights>"


def test_json_holds_conclusions_and_every_figure(results) -> None:
    shown = json.loads(compare_json(results))
    assert shown["metric"] == "R"
    assert shown["conclusions"][0].startswith("Take minilm / hybrid: it has the highest R")
    # Differences 1 and 0; fewer than six questions tell nothing whatever they are.
    assert shown["recommendation"]["take"] == "id-hybrid"
    assert shown["recommendation"]["power"]["detectable"] is None
    dense, hybrid, failed = shown["setups"]
    assert dense["figures"]["R"]["mean"] == 0.5
    assert dense["against_baseline"] is None
    assert hybrid["against_baseline"]["n"] == 2
    assert failed["figures"] == {}
    assert failed["error"].startswith("ModelUnavailable")


def test_the_terminal_shows_a_failed_setup_as_failed_never_as_0(results) -> None:
    text = compare_table_text(results)
    (line,) = [line for line in text.splitlines() if "mpnet" in line]
    assert "failed" in line
    assert "0.0" not in line
    (hybrid,) = [line for line in text.splitlines() if "hybrid" in line]
    cells = hybrid.split()
    assert {"1,000", "best,", "front", "5.2", "MB"} <= set(cells)
    assert "2.0 + cache" in hybrid  # 2.04 s, some vectors known before


def test_words_name_the_winner_what_is_alike_and_what_failed(results) -> None:
    said = compare_words(results)
    assert said[0].startswith("Take minilm / hybrid: it has the highest R, is not told apart from ")
    assert said[1] == "With 2 questions no difference can be told from chance."
    assert said[2].startswith("minilm / hybrid has the highest R, 100.0 %")
    assert said[3] == "minilm / dense and minilm / hybrid cannot be told apart on 2 questions."
    assert "Failed: fixed / mpnet / dense / k=5: ModelUnavailable: no <weights>" in said


def test_markdown_has_as_many_cells_in_every_row(results) -> None:
    lines = [line for line in markdown_table(results).splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 3
    assert len({line.count("|") for line in lines}) == 1


def test_trec_files_have_ids_without_white_space(results, tmp_path) -> None:
    write_compare_files(tmp_path, "docs", QUESTIONS, results, {})
    qrels = (tmp_path / "trec" / "qrels.txt").read_text()
    assert qrels == "q%201 0 price%20list.md 1\nq2 0 hours.md 1\n"
    run = (tmp_path / "trec" / "id-dense.k5-documents.run").read_text().splitlines()
    assert run == [
        "q%201 Q0 price%20list.md 1 2 id-dense",
        "q%201 Q0 hours.md 2 1 id-dense",
        "q2 Q0 hours.md 1 1 id-dense",
    ]
    assert not list((tmp_path / "trec").glob("id-x*"))
    import ir_measures

    found = ir_measures.calc_aggregate(
        [ir_measures.R @ 5],
        ir_measures.read_trec_qrels(str(tmp_path / "trec" / "qrels.txt")),
        ir_measures.read_trec_run(str(tmp_path / "trec" / "id-dense.k5-documents.run")),
    )
    assert found == {ir_measures.R @ 5: 1.0}


def test_the_page_escapes_what_was_read_and_loads_nothing(results) -> None:
    page = render_compare_html("docs", QUESTIONS, results, {"packages": {}, "jobs": 1})
    assert "<b>costs</b>" not in page
    assert "&lt;b&gt;costs&lt;/b&gt;" in page
    assert "no &lt;weights&gt;" in page
    assert re.findall(r"(?:src|href)=", page) == []
    assert "url(" not in page
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert data is not None
    loaded = json.loads(data.group(1))
    assert loaded["values"] == {"id-dense": [0, 100], "id-hybrid": [100, 100]}
    assert [question["id"] for question in loaded["questions"]] == ["q 1", "q2"]  # hardest first


def test_equal_cells_give_equal_pages(results) -> None:
    pages = {render_compare_html("docs", QUESTIONS, results, {}) for _ in range(2)}
    assert len(pages) == 1
