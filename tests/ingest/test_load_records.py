"""Files of records: JSON lines, tables, JSON arrays; a bad record costs itself alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.errors import DocumentUnreadable, SpecError
from ragbench.ingest.load import LOADERS, Records, Source, load_many

SPEC = "files"


def load(tmp_path: Path, name: str, data: bytes | str, spec: str = SPEC, **metadata):
    """The documents as (id, title, text), and the bad records as (name, reason, detail)."""
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    records = LOADERS.create(spec).load(Source(path, name, tmp_path, metadata))
    assert isinstance(records, Records)
    documents = [(d.doc_id, d.title, d.text) for d in records]
    return documents, [(u.name, u.reason, u.detail) for u in records.unread]


def refused(tmp_path: Path, name: str, data: bytes | str, spec: str = SPEC) -> tuple[str, str]:
    with pytest.raises(DocumentUnreadable) as caught:
        load(tmp_path, name, data, spec)
    return caught.value.reason, caught.value.detail


def test_json_lines(tmp_path):
    lines = [
        {"id": "fees", "title": "Fees", "content": "A wire costs $25.", "product": "card"},
        "",
        {"text": "No id: called by its line."},
    ]
    data = "\n".join(json.dumps(line) if line else "" for line in lines)
    documents, unread = load(tmp_path, "a.jsonl", data)
    assert documents == [
        ("a.jsonl::fees", "Fees", "A wire costs $25."),
        ("a.jsonl::3", "a", "No id: called by its line."),
    ]
    assert unread == []


def test_the_record_of_a_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 7, "text": "# Fees\\n\\nA fee.", "year": 2024, "more": {"a": 1}}\r\n')
    (document,) = LOADERS.create(SPEC).load(Source(path, "a.jsonl", tmp_path, {"product": "card"}))
    assert (document.doc_id, document.aliases) == ("a.jsonl::7", ("7",))
    assert document.metadata == {"year": 2024, "more.a": 1, "product": "card"}
    assert document.place_at(3).heading == "Fees"
    assert len(document.sha256) == 64


BAD_LINES = [
    # line, reason, fragment
    (b"{", "malformed", "Line 2 is not JSON: Expecting property name"),
    (b"[1]", "malformed", "Line 2 is list, not an object"),
    (b'{"body": "x"}', "malformed", "Fields found: body."),
    (b'{"text": 3}', "malformed", "Line 2 has no text field"),
    (b'{"text": " "}', "empty", "Line 2 holds no text in its field 'text'"),
    (b'{"id": "a", "text": "again"}', "malformed", "Its id 'a' is also that of 'f.jsonl::1'"),
    (b'{"text": "\xff"}', "undecodable", "The byte 0xff after 10 characters of the line"),
    (b'{"text": "\0"}', "undecodable", "NUL byte after 10 characters"),
    (b"[" * 100_000, "malformed", "Line 2 cannot be read: maximum recursion depth"),
    (b"9" * 5_000, "malformed", "Line 2 cannot be read: Exceeds the limit"),
]


@pytest.mark.parametrize(("line", "reason", "fragment"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_costs_itself_alone(tmp_path, line, reason, fragment):
    data = b'{"id": "a", "text": "one"}\n' + line + b'\n{"text": "three"}\n'
    documents, ((name, why, detail),) = load(tmp_path, "f.jsonl", data)
    assert [text for _, _, text in documents] == ["one", "three"]
    assert (name, why, fragment in detail) == ("f.jsonl::2", reason, True), detail


def test_a_line_too_long_to_hold(tmp_path, monkeypatch):
    from ragbench.ingest.load import _records

    monkeypatch.setattr(_records, "MAX_RECORD_CHARS", 100)
    data = '{"text": "one"}\n{"text": "' + "x" * 3_000_000 + '"}\n{"text": "three"}\n'
    documents, unread = load(tmp_path, "f.jsonl", data)
    assert [doc_id for doc_id, _, _ in documents] == ["f.jsonl::1", "f.jsonl::3"]
    assert unread == [
        ("f.jsonl::2", "memory", "The line is longer than 100 characters. Split the record.")
    ]


def test_field_names(tmp_path):
    data = '{"question": "Why?", "answer": "So.", "key": 4}\n{"answer": " ", "long": "Text"}'
    spec = "files(text_fields='answer, long', title_fields=question, id_fields=key)"
    documents, unread = load(tmp_path, "f.jsonl", data, spec)
    assert documents == [("f.jsonl::4", "Why?", "So."), ("f.jsonl::2", "f", "Text")]
    assert unread == []
    reason, detail = refused(tmp_path, "f.jsonl", data)
    assert reason == "malformed"
    assert detail == (
        "None of its records (2) could be read. The first: Line 1 has no text field. A document is "
        "an object with its text in 'content' or 'text', optionally 'title', 'id'. Fields found: "
        "question, answer, key. Name the field in the loader, as in --loader "
        "'files(text_fields=body)'."
    )
    with pytest.raises(SpecError, match="text_fields names no field"):
        LOADERS.create("files(text_fields=' , ')")


@pytest.mark.parametrize(
    ("data", "reason", "fragment"),
    [
        (b"", "empty", "0 bytes"),
        (b"\n \n", "empty", "no record"),
        (b"%PDF-1.4 ...", "mislabelled", "a PDF"),
        (bytes(range(256)), "mislabelled", "binary data"),
        ('{"text": "x"}'.encode("utf-16-le"), "undecodable", "UTF-16LE without a byte-order mark"),
        (b"Dear customer,\n", "malformed", "Line 1 is not JSON"),
    ],
)
def test_a_file_without_a_record(tmp_path, data, reason, fragment):
    why, detail = refused(tmp_path, "f.jsonl", data)
    assert (why, fragment in detail) == (reason, True), detail


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_by_mark(tmp_path, encoding):
    data = '{"text": "Gebühr 5 €"}\n{"text": "zwei"}\n'.encode(encoding)
    assert load(tmp_path, "f.jsonl", data)[0][0][2] == "Gebühr 5 €"
    data = "id,text\nä,Gebühr 5 €\n".encode(encoding)
    assert load(tmp_path, "f.csv", data)[0] == [("f.csv::ä", "f", "Gebühr 5 €")]


def test_a_spreadsheet_in_another_encoding_says_so(tmp_path):
    path = tmp_path / "f.csv"
    rows = "".join(f"{n};Gebühr für Überweisungen, fällig zum Monatsende\n" for n in range(20))
    path.write_bytes(("id;text\n" + rows).encode("cp1252"))
    documents = list(LOADERS.create(SPEC).load(Source(path, "f.csv", tmp_path)))
    assert documents[3].text == "Gebühr für Überweisungen, fällig zum Monatsende"
    assert documents[3].metadata["encoding"] in {"cp1252", "cp1250", "latin_1", "iso8859_15"}


def test_torn_utf16_is_said(tmp_path):
    data = '{"text": "one"}\n{"text": "two"}\n'.encode("utf-16")
    documents, ((name, reason, _),) = load(tmp_path, "f.jsonl", data + b"x")
    assert [text for _, _, text in documents] == ["one", "two"]
    assert (name, reason) == ("f.jsonl::3", "undecodable")


def test_a_table(tmp_path):
    data = (
        "id,title,text,product,note\r\n"
        'a,"Fees, all","Two\r\nlines with ""quotes""",card,\r\n'
        "\r\n"
        ",,Plain,loan,x\r\n"
    )
    path = tmp_path / "t.csv"
    path.write_bytes(data.encode())
    one, two = LOADERS.create(SPEC).load(Source(path, "t.csv", tmp_path))
    assert (one.doc_id, one.title, one.text) == (
        "t.csv::a",
        "Fees, all",
        'Two\r\nlines with "quotes"',
    )
    assert (one.metadata, one.aliases) == ({"product": "card"}, ("a",))
    # line 1 is the header, 2-3 the first row, 4 is empty
    assert (two.doc_id, two.title, two.metadata) == (
        "t.csv::5",
        "t",
        {"product": "loan", "note": "x"},
    )


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.csv", "id,text\n1,a b\n"),
        ("t.csv", "id;text\n1;a b\n"),
        ("t.csv", "id\ttext\n1\ta b\n"),
        ("t.tsv", "id\ttext\n1\ta b\n"),
        ("t.csv", "\n\n id , text ,\n1,a b,,,\n"),
        ("T.CSV", '"id","text"\n"1","a b"'),
    ],
)
def test_separators(tmp_path, name, data):
    assert load(tmp_path, name, data)[0] == [(f"{name}::1", name[0], "a b")]


BAD_ROWS = [
    # rows after "id,text", names and reasons, fragment, texts that are read
    ("1,a\n2\n3,c\n", [("t.csv::3", "empty")], "Line 3 holds no text in its field", "ac"),
    ("1,a\n2,b,x\n3,c\n", [("t.csv::3", "malformed")], "Line 3 has 3 fields", "ac"),
    ("1,a\n2,\n3,c\n", [("t.csv::3", "empty")], "Line 3 holds no text in its field 'text'", "ac"),
    ("1,a\n1,b\n3,c\n", [("t.csv::3", "malformed")], "Its id '1' is also that of 't.csv::2'", "ac"),
    ('1,a\n2,"b"x\n3,c\n', [("t.csv::3", "malformed")], "Line 3 cannot be read", "ac"),
    ('1,a\n2,"b\n3,c\n', [("t.csv::3", "malformed")], "opens in line 3 and is not closed", "a"),
    ('1,a\n2,"b\n3,"c"\n4,d\n', [("t.csv::3", "malformed")], "Lines 3 to 4 cannot", "ad"),
    (b"1,a\n2,\xff\n3,\xc3\xbc\n", [("t.csv::3", "undecodable")], "byte 0xff after 2", "aü"),
    (b"1,a\n2,\0\n3,c\n", [("t.csv::3", "undecodable")], "NUL byte", "ac"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "names", "fragment", "texts"), BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_a_bad_row_costs_itself_alone(tmp_path, rows, names, fragment, texts):
    data = b"id,text\n" + (rows if isinstance(rows, bytes) else rows.encode())
    documents, unread = load(tmp_path, "t.csv", data)
    assert [text for _, _, text in documents] == list(texts)
    assert [entry[:2] for entry in unread] == names
    assert fragment in unread[0][2]


@pytest.mark.parametrize(
    ("data", "reason", "fragment"),
    [
        ("body\nb\n", "malformed", "'content' or 'text'. Columns found: body"),
        ("id,text,text\n1,a,b\n", "malformed", "Two columns are called 'text'"),
        ("id,text\n", "empty", "no record"),
        ("", "empty", "0 bytes"),
        ('"id,text\n1,2\n', "malformed", "names no column 'content' or 'text'"),
        ("PK\3\4", "mislabelled", "a ZIP archive"),
    ],
)  # fmt: skip
def test_a_table_without_records(tmp_path, data, reason, fragment):
    why, detail = refused(tmp_path, "t.csv", data)
    assert (why, fragment in detail) == (reason, True), detail


def test_an_article_longer_than_the_librarys_field_limit(tmp_path):
    text = "word " * 100_000  # 500,000 characters; the csv module's own limit is 131,072
    assert load(tmp_path, "t.csv", f'id,text\n1,"{text}"\n')[0][0][2] == text


def test_records_of_an_array_stand_alone_too(tmp_path):
    items = [{"id": 2, "text": "a"}, {"text": "b"}, ["c"], {"text": " "}, {"text": "e"}]
    documents, unread = load(tmp_path, "a.json", json.dumps(items))
    assert documents == [("a.json::2", "a", "a"), ("a.json::5", "a", "e")]
    assert [entry[:2] for entry in unread] == [
        ("a.json::2", "malformed"),  # the second record is called 2, as the first one's id is
        ("a.json::3", "malformed"),
        ("a.json::4", "empty"),
    ]


def test_an_array_that_a_worker_parses(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"text": "long " * 300_000}, {"text": ""}]))  # above 1 MB
    ((_, records),) = load_many([Source(path, "a.json", tmp_path)], LOADERS.create(SPEC))
    assert [document.doc_id for document in records] == ["a.json::1"]
    assert [entry.name for entry in records.unread] == ["a.json::2"]


def test_many_bad_records_are_counted(tmp_path):
    data = '{"text": "good"}\n' + '{"text": ""}\n' * 60 + "{\n" * 3
    _, unread = load(tmp_path, "f.jsonl", data)
    assert len(unread) == 51
    # 63 bad ones, 50 listed: 10 empty and 3 malformed remain
    assert unread[-1] == (
        "f.jsonl::...",
        "empty",
        "13 more of its records could not be read: 10 empty, 3 malformed.",
    )


def test_a_file_removed_while_it_is_read_goes_on(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text('{"text": "one"}\n' * 1 + '{"text": "two"}\n')
    records = LOADERS.create(SPEC).load(Source(path, "f.jsonl", tmp_path))
    path.unlink()
    assert [document.text for document in records] == ["one", "two"]


MEMORY = """
import resource, sys
from pathlib import Path
from ragbench.ingest.load import LOADERS, Source, load_many
path = Path(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
((_, records),) = load_many([Source(path, path.name, path.parent)], LOADERS.create("files"))
n = sum(1 for _ in records)
print(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "big.jsonl"
    line = json.dumps({"text": "word " * 4_000}) + "\n"  # 20 KB
    with path.open("w") as file:
        for _ in range(3_000):  # 60 MB
            file.write(line)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True
    )
    n, kilobytes = map(int, done.stdout.split())
    assert n == 3_000
    assert kilobytes < 20_000  # a third of the file


def test_an_ingest_of_records(tmp_path):
    """A bad record is listed at every ingest, also when its file is not read again."""
    from ragbench.config import IngestConfig
    from ragbench.ingest.pipeline import ingest

    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "faq.jsonl").write_text('{"id": "a", "text": "one"}\n{\n{"id": "c", "text": "three"}\n')
    (docs / "faq.csv").write_text("id,text\n1,x\n2,y\n")
    (docs / "note.md").write_text("note")
    config = IngestConfig((docs,), store=tmp_path / "store", embedder=None)

    def report(config=config):
        found = ingest(config)
        return found.n_documents, [entry.name for entry in found.unread], found.unchanged

    assert report() == (5, ["faq.jsonl::2"], False)
    assert report() == (5, ["faq.jsonl::2"], True)
    (docs / "note.md").write_text("another")
    assert report() == (5, ["faq.jsonl::2"], False)
    fresh = IngestConfig((docs,), store=tmp_path / "fresh", embedder=None)
    assert ingest(fresh).index_id == ingest(config).index_id
    (docs / "faq.jsonl").write_text('{"id": "a", "text": "one"}\n')
    assert report() == (4, [], False)
    (docs / "faq.jsonl").write_text("{\n")
    assert report() == (3, ["faq.jsonl"], False)
