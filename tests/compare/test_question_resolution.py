"""Questions meet documents: spans, grades, and errors that name the line."""

from __future__ import annotations

import json

import pytest

from ragbench.compare import (
    Item,
    best_of_parts,
    document_scores,
    domain_questions,
    in_windows,
    rank_scores,
    resolve,
    tau_questions,
)
from ragbench.compare.measures import parse_measure
from ragbench.domains import load_domain
from ragbench.errors import EvidenceError, QuestionSetError, UsageError
from ragbench.ingest.chunk import count_tokens
from ragbench.interop import read_chunking_eval, read_questions, read_tau_documents
from ragbench.records import Chunk, Document, Question, QuestionSet
from ragbench.retrieval import Hit

FEES = Document(
    "fees.md", "Fees", "A wire costs $25. A check is free. A wire is fast.", aliases=("f",)
)
WIRES = Document("wires.md", "Wires", "Each wire costs twenty-five dollars.")
DOCUMENTS = {document.doc_id: document for document in (FEES, WIRES)}


def questions(tmp_path, *lines) -> QuestionSet:
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return read_questions(path)


def test_quotes_become_spans_and_documents_grades(tmp_path) -> None:
    found = resolve(
        questions(
            tmp_path,
            {
                "question": "Cost of a wire?",
                "evidence": [
                    {"any_of": [{"doc_id": "f", "quote": "costs\n$25"}, {"doc_id": "wires.md",
                     "quote": "twenty-five dollars"}]},
                    {"doc_id": "fees.md", "quote": "A wire", "occurrence": 2},
                ],
            },
            {"question": "All fees?", "relevant": {"f": 2, "wires.md": 1}},
            {"question": "And whole?", "evidence": [{"doc_id": "fees.md"}]},
        ),
        DOCUMENTS,
        "files",
    )  # fmt: skip
    # "A wire costs $25. A check is free. A wire is fast.": "costs $25" at 7, the second "A wire" at
    # 35; "Each wire costs twenty-five dollars.": the quote at 16.
    assert found[0].items == (
        Item((("fees.md", (7, 16)), ("wires.md", (16, 35)))),
        Item((("fees.md", (35, 41)),)),
    )
    assert found[0].grades == {"fees.md": 1, "wires.md": 1}
    assert (found[1].items, found[1].grades) == (None, {"fees.md": 2, "wires.md": 1})
    assert (found[2].items, found[2].grades) == (None, {"fees.md": 1})


@pytest.mark.parametrize(
    ("evidence", "error", "message"),
    [
        ([{"doc_id": "fees.md", "quote": "A wire"}], EvidenceError, "stands 2 times"),
        ([{"doc_id": "fees.md", "quote": "gratis"}], EvidenceError, "does not stand"),
        ([{"doc_id": "fee.md", "quote": "x"}], QuestionSetError,
         "no document 'fee.md'; did you mean 'fees.md'"),
        ([{"doc_id": "fees.md", "start": 0, "end": 3, "loader": "files(pdf=pdfium)"}],
         EvidenceError, "offsets refer to the loader"),
        ([{"doc_id": "fees.md", "start": 0, "end": 300, "loader": "files"}],
         EvidenceError, "end after the text"),
    ],
)  # fmt: skip
def test_what_is_not_found_names_the_line(tmp_path, evidence, error, message) -> None:
    good = {"question": "ok", "evidence": [{"doc_id": "fees.md", "quote": "free"}]}
    found = questions(tmp_path, good, {"question": "bad", "evidence": evidence})
    with pytest.raises(error, match=message) as caught:
        resolve(found, DOCUMENTS, "files")
    assert str(caught.value).startswith(f"{tmp_path / 'mine.jsonl'}:2: ")


def test_under_another_loader_a_quote_is_lost_and_an_unread_document_is_missing() -> None:
    asked = Question.model_validate({
        "id": "q", "text": "?", "evidence": [
            {"any_of": [{"doc_id": "fees.md", "quote": "gratis for all"}]},
            {"any_of": [{"doc_id": "scan.pdf", "quote": "sealed"}]},
            {"any_of": [{"doc_id": "fees.md", "quote": "free"}]},
        ]})  # fmt: skip
    found = QuestionSet(name="s", questions=(asked,), loader="files(pdf=pdfium)")
    (one,) = resolve(found, DOCUMENTS, "files", unread=["scan.pdf"])
    assert one.items == (
        Item((), "gratis for all"), Item((), "sealed"), Item((("fees.md", (29, 33)),))
    )  # fmt: skip
    assert one.grades == {"fees.md": 1, "scan.pdf": 1}
    with pytest.raises(QuestionSetError, match=r"no document 'scan\.pdf'"):
        resolve(found, DOCUMENTS, "files")


def test_two_spellings_of_one_loader_are_one_loader() -> None:
    from ragbench.ingest.load import LOADERS
    from ragbench.registry import spec_of

    place = {"doc_id": "fees.md", "start": 0, "end": 6, "loader": "files"}
    asked = Question.model_validate({"id": "q", "text": "?", "evidence": [{"any_of": [place]}]})
    found = QuestionSet(name="s", questions=(asked,), loader="files")
    (one,) = resolve(found, DOCUMENTS, str(spec_of(LOADERS.create("files"))))
    assert one.items == (Item((("fees.md", (0, 6)),)),)


def test_a_domains_needs_are_questions_whose_group_is_the_task() -> None:
    domain = load_domain("mock")
    found = domain_questions(domain)
    needs = [(task, need) for task in domain.tasks for need in task.needs]
    assert [q.id for q in found.questions] == [f"{task.id}.{need.id}" for task, need in needs]
    assert [q.group for q in found.questions] == [task.id for task, _ in needs]
    assert [q.text for q in found.questions] == [need.question for _, need in needs]
    assert (found.loader, found.style) == (domain.loader, "desk")
    assert found.left_out == {}
    bare = domain.tasks[0].model_copy(update={"needs": ()})
    from dataclasses import replace

    with pytest.raises(QuestionSetError, match="No task of 'mock' has a need with a question"):
        domain_questions(replace(domain, tasks=(bare,)))


def test_a_domains_needs_in_the_words_of_somebody_who_names_the_product() -> None:
    from dataclasses import replace

    domain = load_domain("mock")
    bare = [
        task.model_copy(
            update={"needs": tuple(n.model_copy(update={"natural": None}) for n in task.needs)}
        )
        for task in domain.tasks
    ]
    task = next(task for task in bare if task.needs)
    first, *rest = task.needs
    worded = first.model_copy(update={"natural": "At the tool library, how long?"})
    tasks = [
        task.model_copy(update={"needs": (worded, *rest)}) if one is task else one for one in bare
    ]
    found = domain_questions(replace(domain, tasks=tuple(tasks)), "natural")
    assert [q.text for q in found.questions] == ["At the tool library, how long?"]
    assert (found.questions[0].paraphrases, found.style) == (first.paraphrases, "natural")
    n_needs = sum(len(task.needs) for task in domain.tasks)
    assert found.left_out == {"needs without a natural question": n_needs - 1}
    with pytest.raises(QuestionSetError, match="has a need with a natural question"):
        domain_questions(replace(domain, tasks=tuple(bare)), "natural")


def test_windows_hold_the_whole_text_and_fit() -> None:
    text = " ".join(f"word{i} costs ${i}." for i in range(200))
    found = QuestionSet.model_validate(
        {"name": "s", "questions": [
            {"id": "long", "text": text, "relevant": {"a": 1}},
            {"id": "short", "text": "What?", "relevant": {"a": 1}},
        ]})  # fmt: skip
    long, short = in_windows(found, 64).questions
    assert "".join("".join(part.split()) for part in long.parts) == "".join(text.split())
    assert len(long.parts) > 10
    assert max(map(count_tokens, long.parts)) <= 64
    assert long.queries == long.parts
    assert short.queries == ("What?",)
    with pytest.raises(UsageError, match="A window of 7 tokens"):
        in_windows(found, 7)


def test_a_chunk_has_the_best_score_of_all_parts() -> None:
    def hit(doc_id, score) -> Hit:
        return Hit(Chunk(doc_id, 0, 9, "x", 1), score, 1)

    found = best_of_parts([[hit("a", 0.5), hit("b", 0.4)], [hit("b", 0.6), hit("c", 0.5)]], 3)
    assert [(h.chunk.doc_id, h.score, h.rank) for h in found] == [
        ("b", 0.6, 1), ("a", 0.5, 2), ("c", 0.5, 3),
    ]  # fmt: skip


@pytest.mark.shared_data
def test_the_published_questions_resolve_to_their_contents(shared_data) -> None:
    folder = shared_data / "chunking_eval"
    found = read_chunking_eval(folder / "questions_df.csv", folder / "corpora")
    texts = {path.name: path.read_text(encoding="utf-8") for path in (folder / "corpora").iterdir()}
    documents = {name: Document(name, name, text) for name, text in texts.items()}
    resolved = resolve(found, documents, "files")
    assert len(resolved) == 276
    assert all(len(one.grades) == 1 for one in resolved)


@pytest.mark.shared_data
def test_the_tau3_tasks_and_the_best_possible_recall(shared_data) -> None:
    folder = shared_data / "tau3_banking"
    documents = {document.doc_id: document for document in read_tau_documents(folder)}
    assert len(documents) == 698
    resolved = resolve(tau_questions(folder), documents, "files")
    assert len(resolved) == 49
    grades = {one.question.id: one.grades for one in resolved}
    perfect = {name: rank_scores({doc: 1.0 for doc in found}) for name, found in grades.items()}
    measure = parse_measure("R@10")
    values = document_scores([measure], grades, perfect)[measure].values()
    ceiling = [min(1, 10 / len(found)) for found in grades.values()]
    assert sum(values) / 49 == pytest.approx(sum(ceiling) / 49)
    windows = tau_questions(folder, query="windows", window_tokens=128)
    assert all(count_tokens(part) <= 128 for q in windows.questions for part in q.parts)
    assert sum(len(q.parts) > 1 for q in windows.questions) > 40
