"""A grid that runs: what it shares, what fails, what it keeps, what the figures are."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from ragbench.compare import compare, make_results, plan_grid, read_grid
from ragbench.config import CompareConfig
from ragbench.errors import EvidenceError, ModelUnavailable, QuestionSetError, RunError, UsageError
from ragbench.ingest.embed import EMBEDDERS

DOCUMENTS = {
    "fees.md": "# Fees\n\nA wire transfer costs 25 dollars.\n\nA late payment costs 40 dollars.\n",
    "hours.md": "# Hours\n\nThe branch opens at nine.\n\nThe branch closes at five.\n",
    "cards.md": "# Cards\n\nA lost card is replaced within a week.\n",
}
QUESTIONS = [
    {
        "id": "wire",
        "question": "What does a wire transfer cost?",
        "evidence": [{"doc_id": "fees.md", "quote": "A wire transfer costs 25 dollars."}],
    },
    {
        "id": "open",
        "question": "When does the branch open?",
        "evidence": [{"doc_id": "hours.md", "quote": "opens at nine"}],
    },
    {
        "id": "lost",
        "question": "How long until a lost card is replaced?",
        "evidence": [{"doc_id": "cards.md", "quote": "replaced within a week"}],
    },
]


@dataclass(frozen=True)
class Counting:
    """A bag of letters that notes what it embeds; fails when it is told to."""

    name: str = "a"
    fails: bool = False

    embedded: ClassVar[list[tuple[str, str, str]]] = []
    has_prompts: ClassVar[bool] = False
    window: ClassVar[int | None] = None

    @property
    def identity(self) -> str:
        return f"counting({self.name})"

    def embed(self, texts, kind):
        if self.fails:
            raise ModelUnavailable("The weights of 'counting' are not here. Install them.")
        self.embedded.extend((self.name, kind, text) for text in texts)
        rows = np.array(
            [[text.lower().count(chr(97 + i)) + 0.1 for i in range(26)] for text in texts]
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def token_counts(self, texts):
        return [0] * len(texts)

    def count_truncated(self, texts):
        return 0


@pytest.fixture(autouse=True)
def counting():
    EMBEDDERS.register("counting")(Counting)
    Counting.embedded.clear()
    yield
    EMBEDDERS._classes.pop("counting")


@pytest.fixture
def config(tmp_path) -> CompareConfig:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in DOCUMENTS.items():
        (docs / name).write_text(text, encoding="utf-8")
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS), encoding="utf-8")
    return CompareConfig(
        corpus=docs,
        questions=questions,
        store=tmp_path / "store",
        save_to=tmp_path / "run",
        chunkers=("document", "fixed(size_tokens=12)"),
        embedders=("counting", "counting(name=b)"),
        retrievers=("bm25", "dense"),
        k=(1,),
    )


def run(config: CompareConfig):
    return compare(plan_grid(config))


def stored(config: CompareConfig, name: str) -> list[dict]:
    text = (config.save_to / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_figures_of_a_setup_that_a_person_can_follow(config) -> None:
    result = run(replace(config, chunkers=("document",), retrievers=("bm25",)))
    (cell,) = result.cells
    by_id = {question.id: question for question in cell.questions}
    # One chunk per document; bm25 finds the right document for each of the three questions.
    assert {q.documents for q in cell.questions} == {("fees.md",), ("hours.md",), ("cards.md",)}
    assert [by_id[name].values["R@1"] for name in ("wire", "open", "lost")] == [1.0, 1.0, 1.0]
    assert by_id["wire"].values["span_recall@1"] == 1.0
    # Without white space: the evidence "Awiretransfercosts25dollars." has 28 characters, the
    # document "#Fees" 5 + 28 + "Alatepaymentcosts40dollars." 27 = 60.
    assert by_id["wire"].values["span_precision@1"] == pytest.approx(28 / 60)
    assert by_id["wire"].values["IoU@1"] == pytest.approx(28 / 60)
    assert by_id["wire"].values["F1@1"] == pytest.approx(2 * (28 / 60) / (28 / 60 + 1))
    assert by_id["wire"].missed == ()
    assert by_id["wire"].embed_ms is None
    assert cell.ingest.n_chunks == 3
    assert cell.embedder is None


def test_texts_are_embedded_once_per_model_and_queries_too(config) -> None:
    run(config)
    passages = [(name, text) for name, kind, text in Counting.embedded if kind == "passage"]
    passages = [entry for entry in passages if entry[1] != "ready"]  # the check of the model
    queries = [(n, t) for n, kind, t in Counting.embedded if kind == "query" and t != "ready"]
    assert len(passages) == len(set(passages))
    assert sorted(queries) == sorted(
        (name, question["question"]) for name in ("a", "b") for question in QUESTIONS
    )


def test_files_are_parsed_once_for_the_whole_grid(config, monkeypatch) -> None:
    from ragbench.ingest import pipeline

    real, loaded = pipeline.load_many, []

    def counted(sources, *arguments):
        loaded.extend(source.doc_id for source in sources)
        return real(sources, *arguments)

    monkeypatch.setattr(pipeline, "load_many", counted)
    run(config)
    assert sorted(loaded) == sorted(DOCUMENTS)


def test_lent_records_give_the_index_that_parsing_gives(config, tmp_path) -> None:
    run(config)
    from ragbench.config import IngestConfig
    from ragbench.ingest.index import Layout
    from ragbench.ingest.pipeline import ingest

    for record in stored(config, "ingests.jsonl"):
        manifest = Layout(config.store, record["collection"]).current_manifest()
        alone = ingest(
            IngestConfig(
                paths=(config.corpus,),
                store=tmp_path / "alone",
                collection=record["collection"],
                chunker=manifest.chunker,
                embedder=manifest.embedder,
            )
        )
        assert alone.index_id == record["index_id"]


def test_a_model_that_does_not_load_fails_its_cells_and_no_other(config) -> None:
    broken = replace(config, embedders=("counting(fails=true)", "counting(name=b)"))
    result = run(broken)
    failed = [cell for cell in result.cells if cell.error]
    assert {cell.embedder for cell in failed} == {"counting(name=a, fails=true)"}
    assert len(failed) == 2  # 2 chunkers x dense
    assert all(cell.error.startswith("ModelUnavailable: The weights of") for cell in failed)
    assert all(cell.questions == () for cell in failed)
    results = make_results(result.questions, result.cells, result.baseline, result.metric, 0)
    assert [row.figures for row in results.rows if row.cell.error] == [{}, {}]
    assert len([row for row in results.rows if row.figures]) == 4
    # The failed cells are tried again by the same command, the others are not.
    again = run(broken)
    assert again.n_worked == 2
    assert len(stored(config, "cells.jsonl")) == 8  # 6, then the 2 once more


def test_a_finished_grid_is_only_reported_and_another_metric_costs_nothing(config) -> None:
    first = run(config)
    before = (config.save_to / "cells.jsonl").read_bytes()
    again = run(replace(config, metric="R", baseline="document / counting / dense", seed=7))
    assert (first.n_worked, again.n_worked) == (6, 0)
    assert (config.save_to / "cells.jsonl").read_bytes() == before
    assert again.metric == "R"
    assert first.cells == again.cells


def test_another_grid_is_refused_in_the_same_folder_and_fresh_replaces_it(config) -> None:
    run(config)
    other = replace(config, k=(1, 2))
    with pytest.raises(RunError, match=r"another configuration: .*setups is"):
        run(other)
    assert len(run(replace(other, fresh=True)).cells) == 12


def test_a_torn_line_is_mended_and_only_its_cell_runs_again(config) -> None:
    whole = run(config)
    path = config.save_to / "cells.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    mended = run(config)
    assert mended.n_worked == 1
    assert "that cell runs again" in mended.notes[0]
    assert [c.cell_id for c in mended.cells] == [c.cell_id for c in whole.cells]
    assert [[q.values for q in c.questions] for c in mended.cells] == [
        [q.values for q in c.questions] for c in whole.cells
    ]


def test_a_stored_grid_reads_back(config) -> None:
    result = run(config)
    resolved, questions, cells = read_grid(config.save_to)
    assert resolved["identity"]["n_questions"] == 3
    assert questions == result.questions
    assert tuple(cells) == result.cells
    assert questions[0].evidence[0] == ("fees.md", 8, 41, "A wire transfer costs 25 dollars.")


def test_evidence_that_does_not_resolve_names_its_line_before_any_model_is_loaded(config) -> None:
    broken = [*QUESTIONS, {"question": "?", "evidence": [{"doc_id": "fees.md", "quote": "costs"}]}]
    config.questions.write_text("".join(json.dumps(q) + "\n" for q in broken), encoding="utf-8")
    with pytest.raises(EvidenceError, match=r"questions\.jsonl:4.*stands 2 times"):
        run(config)
    assert Counting.embedded == []
    assert not config.save_to.exists()


def test_a_document_that_is_not_in_the_corpus_names_its_line(config) -> None:
    config.questions.write_text(
        json.dumps({"question": "What?", "relevant": ["prices.md"]}) + "\n", encoding="utf-8"
    )
    with pytest.raises(QuestionSetError, match=r"questions\.jsonl:1.*no document 'prices\.md'"):
        run(config)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"domain": "mock"}, "excludes --corpus"),
        ({"questions": None}, "--questions is missing"),
        ({"corpus": None}, "--corpus is missing"),
        ({"corpus": Path("nowhere")}, "--corpus 'nowhere' does not exist"),
        ({"end_to_end": True}, "--end-to-end runs a domain's tasks"),
        ({"baseline": "bm25"}, "picks out 2 setups"),
        ({"baseline": "bm26"}, "is no setup of the grid"),
        ({"metric": "R@5"}, "of another k than the setups with k=1"),
        ({"jobs": 0}, "--jobs is 0"),
        ({"fail_under": ("R@1=0.5",), "fail_under_setup": "x"}, "is no setup of the grid"),
    ],
)
def test_wrong_options_are_refused_before_any_work(config, changes, message) -> None:
    with pytest.raises(UsageError, match=message):
        plan_grid(replace(config, **changes))
    assert not config.store.exists()


def test_windows_are_searched_one_by_one(config) -> None:
    long = "Hello, I have a question. " * 12 + "When does the branch open?"
    config.questions.write_text(
        json.dumps({"id": "long", "question": long, "relevant": ["hours.md"]}) + "\n",
        encoding="utf-8",
    )
    result = run(replace(config, windows=16, chunkers=("document",), embedders=("counting",)))
    queries = [text for _, kind, text in Counting.embedded if kind == "query" and text != "ready"]
    assert len(queries) > 3
    assert long not in queries
    assert "open?" in queries[-1]
    bm25 = result.cells[0]
    assert bm25.questions[0].values["R@1"] == 1.0
    assert result.metric == "R"  # documents alone: there is no span


def test_end_to_end_gives_the_oracles_rewards_per_setup(tmp_path) -> None:
    config = CompareConfig(
        domain="mock",
        store=tmp_path / "store",
        save_to=tmp_path / "run",
        chunkers=("fixed(size_tokens=24)",),
        retrievers=("bm25",),
        k=(1, 5),
        end_to_end=True,
    )
    result = run(config)
    rewards = [cell.oracle for cell in result.cells]
    assert [len(of_cell) for of_cell in rewards] == [9, 9]  # the tasks of mock
    means = [sum(of_cell.values()) / 9 for of_cell in rewards]
    assert means[0] < means[1]  # one passage is not enough for what needs several
    results = make_results(result.questions, result.cells, result.baseline, result.metric, 0)
    assert results.rows[1].figures["oracle_success"].mean == pytest.approx(means[1])
    assert results.correlations["span_recall"].kendall == pytest.approx(1.0)  # two setups, one pair
    assert (tmp_path / "run" / "eval" / result.cells[0].cell_id / "scores.jsonl").is_file()

    by_tasks = make_results(result.questions, result.cells, result.baseline, "oracle_success", 0)
    paired = by_tasks.rows[1].paired
    assert paired.n == 9  # tasks, not questions
    assert paired.difference == pytest.approx(means[1] - means[0])
    # Signs of the tasks that differ, exact: all of them went up.
    n_up = sum(rewards[0][task] != rewards[1][task] for task in rewards[0])
    assert paired.p == pytest.approx(2 / 2**n_up)
    assert (
        "on 9 tasks" in by_tasks.rows[1].sentence or "oracle_success" in by_tasks.rows[1].sentence
    )
    assert (by_tasks.metric, by_tasks.question_metric) == ("oracle_success", "span_recall")


def test_success_is_tested_only_where_tasks_are_played(tmp_path) -> None:
    config = CompareConfig(domain="mock", store=tmp_path, metric="oracle_success")
    with pytest.raises(UsageError, match="Add --end-to-end"):
        plan_grid(config)
