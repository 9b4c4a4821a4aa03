"""Question files are read strictly: what is wrong is named with its file and line."""

from __future__ import annotations

import json

import pytest

from ragbench.errors import QuestionSetError, UnknownName
from ragbench.interop import (
    read_beir,
    read_beir_documents,
    read_chunking_eval,
    read_questions,
    read_tau_documents,
    read_tau_questions,
)
from ragbench.records import Passage

GOOD = '{"question": "q", "relevant": ["a"]}\n'


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_json_lines(tmp_path) -> None:
    text = (
        '\ufeff{"question": "Fee?", "evidence": [{"doc_id": "a", "quote": "$5"}]}\n'
        "\n"
        '{"id": "two", "question": "B\u2028?", "paraphrases": ["C?"], "group": "g", '
        '"evidence": [{"any_of": [{"doc_id": "a"}, {"doc_id": "b", "quote": "x"}]}]}\r\n'
        '{"question": "Which?", "relevant": {"a": 2, "b": 0}}\n'
        '{"question": "Which?", "relevant": ["a", "b"]}'
    )
    found = read_questions(write(tmp_path / "mine.jsonl", text))
    assert found.name == "mine"
    assert [q.id for q in found.questions] == ["1", "two", "4", "5"]  # else the line is the id
    assert [q.group for q in found.questions] == ["1", "g", "4", "5"]
    first, two, graded, listed = found.questions
    assert first.evidence[0].any_of == (Passage(doc_id="a", quote="$5"),)
    assert two.text == "B\u2028?"
    assert two.paraphrases == ("C?",)
    assert [p.quote for p in two.evidence[0].any_of] == [None, "x"]
    assert graded.relevant == {"a": 2, "b": 0}
    assert listed.relevant == {"a": 1, "b": 1}
    assert listed.where == f"{tmp_path / 'mine.jsonl'}:5"


def test_csv_with_quotes_json_and_documents(tmp_path) -> None:
    quotes = write(
        tmp_path / "quotes.csv",
        "question,doc_id,quote,doc_id_2,quote_2\n"
        '"Two\nlines?",a.md,"say ""no""",b.md,twice\n'
        "One?,a.md,once,,\n",
    )
    found = read_questions(quotes)
    assert [q.id for q in found.questions] == ["2", "4"]  # the line that a row begins in
    passages = [item.any_of[0] for item in found.questions[0].evidence]
    assert passages == [
        Passage(doc_id="a.md", quote='say "no"'),
        Passage(doc_id="b.md", quote="twice"),
    ]
    assert len(found.questions[1].evidence) == 1
    cells = write(
        tmp_path / "cells.tsv",
        'id\tquestion\trelevant\tevidence\nx\tA?\t"[""a""]"\t\n'
        'y\tB?\t\t"[{""doc_id"": ""a"", ""quote"": ""q""}]"\n',
    )
    x, y = read_questions(cells).questions
    assert (x.id, x.relevant) == ("x", {"a": 1})
    assert y.evidence[0].any_of == (Passage(doc_id="a", quote="q"),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"question": "q", "relevant": ["a"]', ":2: not JSON: Expecting ',' delimiter"),
        ("[1]", ":2: expected a JSON object, found "),
        (
            '{"questions": "q", "relevant": ["a"]}',
            ":2: 'questions' is not known.*did you mean 'question'",
        ),
        ('{"relevant": ["a"]}', ":2: 'question' is missing. Found: relevant"),
        ('{"question": 5, "relevant": ["a"]}', ":2: 'question' must be text, found 5"),
        (
            '{"question": " ", "relevant": ["a"]}',
            ":2: 'question' is empty",
        ),
        (
            '{"question": "q"}',
            ":2: a question needs 'evidence' .* or 'relevant' .*; neither is given",
        ),
        ('{"question": "q", "relevant": ["a"], "evidence": [{"doc_id": "a"}]}', "both are given"),
        ('{"question": "q", "relevant": ["a", "a"]}', ":2: the document 'a' is relevant twice"),
        ('{"question": "q", "relevant": {"a": 1, "a": 2}}', ":2: .*the key 'a' stands twice"),
        (
            '{"question": "q", "relevant": {"a": 0}}',
            ":2: the question '2' has no document of grade 1",
        ),
        (
            '{"question": "q", "relevant": {"a": -1}}',
            ":2: the question '2' has no document of grade 1",
        ),
        ('{"question": "q", "relevant": {"a": 1.5}}', ":2: relevant.a: must be a whole number"),
        ('{"question": "q", "relevant": {"a": NaN}}', ":2: .*NaN is no number"),
        ('{"question": "q", "evidence": ["a"]}', ":2: an item of evidence is 'a'"),
        (
            '{"question": "q", "evidence": [{"doc_id": "a", "quote": " "}]}',
            ":2: .*a quote may not be empty",
        ),
        ('{"question": "q", "evidence": [{"doc_id": "a", "qoute": "x"}]}', ":2: .*qoute"),
        (
            '{"id": "1", "question": "q", "relevant": ["a"]}',
            r":2: the id '1' stands at .*mine\.jsonl:1 already",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message) -> None:
    path = write(tmp_path / "mine.jsonl", GOOD + line + "\n")
    with pytest.raises(QuestionSetError, match=r"mine\.jsonl.*" + message):
        read_questions(path)


def test_bad_files(tmp_path) -> None:
    for name, content, message in [
        ("a.jsonl", "", "a.jsonl is empty"),
        ("b.jsonl", "\n\n", "b.jsonl is empty"),
        (
            "c.jsonl",
            GOOD.encode() + b'{"question": "\xff"}\n',
            "c.jsonl:2: byte 15 of the line is not UTF-8",
        ),
        ("d.csv", "", "d.csv is empty. It needs the columns: question"),
        ("e.csv", "question,relevant\n", "e.csv has a header and no row"),
        ("f.csv", "Question;relevant\nq;a\n", "f.csv:1: the column 'question' is missing"),
        ("g.csv", "question,doc_id,quote\nq,a\n", "g.csv:2: the row has 2 cells, the header 3"),
        ("h.csv", "question,doc_id,quote\nq,a,\n", "h.csv:2: doc_id is 'a' and quote is ''"),
        ("i.csv", "question,answer\nq,a\n", "i.csv:2: 'answer' is not known. Allowed: question"),
        ("j.csv", 'question,doc_id,quote\nq,a,"b\n', "j.csv:2: a malformed row begins here"),
        ("k.csv", "question,question\nq,a\n", "k.csv:1: the column 'question' stands twice"),
        ("l.csv", "question,relevant\nq,a.md\n", "l.csv:2: not JSON"),
        ("m.xlsx", "", "questions are read from .jsonl, .csv, .tsv, not from '.xlsx'"),
    ]:
        with pytest.raises(QuestionSetError, match=message):
            read_questions(write(tmp_path / name, content))
    with pytest.raises(QuestionSetError, match=r"none\.jsonl cannot be read: No such file"):
        read_questions(tmp_path / "none.jsonl")


def beir(folder, qrels="q1\td1\t2\nq1\td2\t0\nq2\td2\t0\n", corpus="", queries=""):
    write(
        folder / "corpus.jsonl",
        '{"_id": "d1", "title": "T", "text": "x", "metadata": {"url": "u", "l": [1]}}\n'
        '{"_id": "d2", "text": ""}\n' + corpus,
    )
    texts = "".join(json.dumps({"_id": f"q{i}", "text": f"Q{i}?"}) + "\n" for i in (1, 2, 3))
    write(folder / "queries.jsonl", texts + queries)
    write(folder / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\n" + qrels)
    return folder


def test_a_beir_folder(tmp_path) -> None:
    found = read_beir(beir(tmp_path / "set"))
    assert found.name == "set"
    (question,) = found.questions
    assert (question.id, question.text, question.relevant) == ("q1", "Q1?", {"d1": 2, "d2": 0})
    assert found.left_out == {"not judged in test.tsv": 1, "without a relevant document": 1}
    (first,) = read_beir_documents(tmp_path / "set")  # d2 has neither title nor text
    assert (first.doc_id, first.title, first.text) == ("d1", "T", "T\n\nx")
    assert first.metadata == {"url": "u", "l": "[1]"}
    assert found.without_text == ("d2",)
    with pytest.raises(UnknownName, match="No split of set is called 'dev'"):
        read_beir(tmp_path / "set", split="dev")


def test_grades_of_a_beir_folder(tmp_path) -> None:
    # Below 0 is judged and not relevant; a whole number may be written with a point.
    qrels = "q1\td1\t2.0\nq1\td2\t-2\nq2\td2\t-1.0\nq2\td1\t+1\nq3\td1\t1.\n"
    found = read_beir(beir(tmp_path / "set", qrels=qrels))
    grades = {question.id: question.relevant for question in found.questions}
    assert grades == {"q1": {"d1": 2, "d2": -2}, "q2": {"d2": -1, "d1": 1}, "q3": {"d1": 1}}
    line = '{"question": "q", "relevant": {"a": 2.0, "b": -1}}'
    (question,) = read_questions(write(tmp_path / "mine.jsonl", line)).questions
    assert question.relevant == {"a": 2, "b": -1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"qrels": "q9\td1\t1\n"}, r"test\.tsv:2: queries\.jsonl has no query 'q9'"),
        ({"qrels": "q1\td1\t1\nq1\td9\t1\n"}, r"test\.tsv:3: corpus\.jsonl has no document 'd9'"),
        ({"qrels": "q1\td1\t1.5\n"}, r"test\.tsv:2: the grade '1\.5' is not a whole number"),
        ({"qrels": "q1\td1\tone\n"}, r"test\.tsv:2: the grade 'one' is not a whole number"),
        ({"qrels": "q1\td1\t-1\n"}, "set has no question: 2 not judged in test.tsv; 1 without"),
        ({"qrels": "q1\td1\t1\nq1\td1\t1\n"}, r"test\.tsv:3: the document 'd1' is judged twice"),
        ({"qrels": ""}, r"test\.tsv has a header and no row"),
        ({"qrels": "q1\td1\t0\n"}, "set has no question: 2 not judged in test.tsv; 1 without"),
        ({"corpus": '{"_id": "d1", "text": "y"}\n'}, r"corpus\.jsonl:3: the id 'd1' stands at"),
        (
            {"queries": '{"_id": 7, "text": "y"}\n'},
            r"queries\.jsonl:4: '_id' must be text, found 7",
        ),
    ],
)
def test_a_bad_beir_folder_is_named(tmp_path, changes, message) -> None:
    with pytest.raises(QuestionSetError, match=message):
        read_beir(beir(tmp_path / "set", **changes))


def test_a_tau_folder(tmp_path) -> None:
    document = {"id": "d1", "title": "T", "content": "x"}
    write(tmp_path / "documents" / "one.json", json.dumps(document))
    task = {
        "id": "t1",
        "user_scenario": {"instructions": {"reason": "Help.", "known": ["A", "B"]}},
        "required_documents": ["d1"],
    }
    write(tmp_path / "tasks" / "t1.json", json.dumps(task))
    write(
        tmp_path / "tasks" / "t2.json", json.dumps({**task, "id": "t2", "required_documents": []})
    )
    found = read_tau_questions(tmp_path)
    (question,) = found.questions
    assert (question.id, question.text, question.group) == ("t1", "Help.\nA\nB", "t1")
    assert question.relevant == {"d1": 1}
    assert found.left_out == {"tasks without required documents": 1}
    for change, message in [
        ({"required_documents": ["d9"]}, "the task 't1' requires the document 'd9'"),
        ({"user_scenario": {}}, "the task 't1' has no user instructions"),
        ({"id": "t2"}, r"t2\.json.*the id 't2' stands at .*t1\.json already"),
    ]:
        write(tmp_path / "tasks" / "t1.json", json.dumps({**task, **change}))
        write(tmp_path / "tasks" / "t2.json", json.dumps({**task, "id": "t2"}))
        with pytest.raises(QuestionSetError, match=message):
            read_tau_questions(tmp_path)
    write(tmp_path / "tasks" / "t1.json", "{")
    with pytest.raises(QuestionSetError, match=r"t1\.json cannot be read as JSON"):
        read_tau_questions(tmp_path)
    write(tmp_path / "documents" / "two.json", json.dumps(document))
    with pytest.raises(QuestionSetError, match=r"two\.json: a second document has the id 'd1'"):
        read_tau_documents(tmp_path)
    with pytest.raises(QuestionSetError, match="holds no document"):
        read_tau_documents(tmp_path / "tasks")


def chunking(tmp_path, references, corpus_id="c"):
    write(tmp_path / "corpora" / "c.md", "The fee\r\nis 5.")
    cell = (references if isinstance(references, str) else json.dumps(references)).replace(
        '"', '""'
    )
    text = f'question,references,corpus_id\nFee?,"{cell}",{corpus_id}\n'
    return write(tmp_path / "set" / "questions.csv", text)


def test_a_chunking_evaluation_file(tmp_path) -> None:
    references = [{"content": "fee\r\nis", "start_index": 4, "end_index": 11}]
    found = read_chunking_eval(chunking(tmp_path, references), tmp_path / "corpora")
    (question,) = found.questions
    assert (found.name, found.loader, question.id) == ("set", "files", "2")
    assert question.evidence[0].any_of == (Passage(doc_id="c.md", loader="files", start=4, end=11),)


@pytest.mark.parametrize(
    ("references", "corpus_id", "message"),
    [
        (
            [{"content": "fee", "start_index": 5, "end_index": 8}],
            "c",
            ":2: between 5 and 8 stands 'ee",
        ),
        ([{"content": "f", "start_index": 5, "end_index": 5}], "c", ":2: the offsets 5 and 5"),
        ([{"content": "f", "start_index": "4", "end_index": 5}], "c", ":2: the offsets '4' and 5"),
        ([{"content": "f", "start_index": 4, "end_index": 99}], "c", ":2: between 4 and 99"),
        ([{"start_index": 4, "end_index": 5}], "c", ":2: 'content' is missing"),
        ([], "c", ":2: 'references' must be a list of at least one"),
        ("{", "c", ":2: not JSON"),
        ([{"content": "f", "start_index": 4, "end_index": 5}], "d", ":2: .* has no corpus 'd'"),
    ],
)
def test_a_bad_chunking_evaluation_row_is_named(tmp_path, references, corpus_id, message) -> None:
    path = chunking(tmp_path, references, corpus_id)
    with pytest.raises(QuestionSetError, match=r"questions\.csv" + message):
        read_chunking_eval(path, tmp_path / "corpora")


def test_a_missing_column_is_named(tmp_path) -> None:
    path = write(tmp_path / "q.csv", "question,refs,corpus_id\na,b,c\n")
    with pytest.raises(QuestionSetError, match=r"q\.csv:1: the column 'references' is missing"):
        read_chunking_eval(path, tmp_path)


@pytest.mark.shared_data
def test_the_published_questions(shared_data) -> None:
    folder = shared_data / "chunking_eval"
    found = read_chunking_eval(folder / "questions_df.csv", folder / "corpora")
    assert len(found.questions) == 276
    assert {q.evidence[0].any_of[0].doc_id for q in found.questions} == {
        "chatlogs.md",
        "state_of_the_union.md",
        "wikitexts.md",
    }


def test_every_bad_line_is_named_by_the_field_as_it_was_written(tmp_path) -> None:
    lines = [
        GOOD.strip(),
        '{"question": "", "relevant": ["a"]}',
        "no json",
        '{"question": "q", "evidence": [{"doc_id": "a", "quot": "x"}]}',
        '{"question": "q", "evidence": [{"any_of": [{"doc_id": 7, "quote": "x"}]}]}',
        '{"question": "q", "paraphrases": "x", "relevant": ["a"]}',
    ]
    path = write(tmp_path / "mine.jsonl", "\n".join(lines))
    with pytest.raises(QuestionSetError) as caught:
        read_questions(path)
    assert str(caught.value).splitlines() == [
        "5 lines are wrong:",
        f"  {path}:2: 'question' is empty.",
        f"  {path}:3: not JSON: Expecting value at character 1.",
        # A lone passage: the user wrote no any_of.
        f"  {path}:4: evidence[0].quot: no field is called 'quot'; did you mean 'quote'?",
        f"  {path}:5: evidence[0].any_of[0].doc_id: must be text (given: 7)",
        f"  {path}:6: paraphrases: must be a list (given: 'x')",
    ]


def test_every_bad_row_is_named(tmp_path) -> None:
    rows = ["question,doc_id,quote", "q,a,x", ",a,x", "q,,", "q,a", "q,a,x"]
    path = write(tmp_path / "mine.csv", "\n".join(rows))
    with pytest.raises(QuestionSetError) as caught:
        read_questions(path)
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()[1:]] == [
        f"  {path}:{number}" for number in (3, 4, 5)
    ]


def test_a_file_of_bad_lines_shows_twenty_of_them(tmp_path) -> None:
    path = write(tmp_path / "mine.jsonl", "x\n" * 50)
    with pytest.raises(QuestionSetError) as caught:
        read_questions(path)
    lines = str(caught.value).splitlines()
    assert lines[0] == "50 lines are wrong:"
    assert lines[-1] == "  and 30 more"
    assert len(lines) == 22
