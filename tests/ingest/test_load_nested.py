"""Nested records, numbers as they are written, and tables with uneven rows: values by hand."""

from __future__ import annotations

import json

import pytest

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load import LOADERS, Source


def load(tmp_path, name: str, text: str, spec: str = "files"):
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return LOADERS.create(spec).load(Source(tmp_path / name, name, tmp_path))


def one(tmp_path, name: str, text: str, spec: str = "files"):
    (document,) = load(tmp_path, name, text, spec)
    return document


@pytest.mark.parametrize(
    ("fields", "metadata"),
    [
        ('"address": {"city": "Bonn", "at": {"zip": "0042"}}',
         {"address.city": "Bonn", "address.at.zip": "0042"}),
        ('"tags": ["a", 2, null, true]', {"tags": "a, 2, true"}),
        ('"fees": [{"usd": 3}, {"usd": 4.5}]', {"fees[1].usd": 3, "fees[2].usd": 4.5}),
        ('"mixed": ["a", {"b": 1}]', {"mixed[1]": "a", "mixed[2].b": 1}),
        ('"grid": [[1, 2], [3]]', {"grid[1]": "1, 2", "grid[2]": "3"}),
        ('"none": null, "empty": [], "void": {}', {}),
        ('"a.b": 1, "a": {"b": 2}', {"a.b": 1, "a.b (2)": 2}),
        ('"fee": 12.50', {"fee": "12.50"}),
        ('"fee": 12.5', {"fee": 12.5}),
        ('"n": 1e3, "m": -0, "big": 12345678901234567890', {
            "n": "1e3", "m": "-0", "big": "12345678901234567890"}),
        ('"exact": 0.1000000000000000055', {"exact": "0.1000000000000000055"}),
        ('"code": "0042"', {"code": "0042"}),
        ('"n": [NaN, Infinity, -Infinity]', {"n": "NaN, Infinity, -Infinity"}),
        ('"fees": [1.50, 2.00]', {"fees": "1.50, 2.00"}),
        ('"title": {"rendered": "Fees"}', {"title.rendered": "Fees"}),
        ('"same": 1, "same": 1', {"same": 1}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_metadata_of_nested_fields(tmp_path, name, fields, metadata):
    document = one(tmp_path, name, f'{{"text": "x", {fields}}}')
    assert (document.text, document.metadata) == ("x", metadata)
    assert {type(value) for value in document.metadata.values()} <= {str, int, float, bool}


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        ({"body": {"text": "A fee."}}, "files(text_fields=body.text)", "A fee."),
        ({"body": {"text": "A fee."}, "body.text": "B"}, "files(text_fields=body.text)", "B"),
        ({"s": [{"t": "A"}, {"u": 1}, {"t": "B"}]}, "files(text_fields=s.t)", "A\n\nB"),
        ({"a": {"b": {"c": "deep"}}}, "files(text_fields='x,a.b.c')", "deep"),
        ({"t": {"n": "Fees"}, "text": "A"}, "files(text_fields='t.n+text')", "Fees\n\nA"),
        ({"text": ["One.", "Two."]}, "files", "One.\n\nTwo."),
        ({"content": {"fee": {"usd": 3}, "on": True}}, "files", "fee.usd: 3\non: true"),
        ({"content": [{"h": "Fees", "p": ["a", "b"]}]}, "files", "[1].h: Fees\n[1].p: a, b"),
    ],
)  # fmt: skip
def test_nested_texts(tmp_path, value, spec, text):
    assert one(tmp_path, "a.json", json.dumps(value), spec).text == text


def test_the_text_of_a_path_is_no_metadata_twice(tmp_path):
    text = '{"id": "x", "body": {"text": "A", "lang": "en"}, "meta": {"title": "T"}}'
    spec = "files(text_fields=body.text, title_fields=meta.title)"
    document = one(tmp_path, "a.jsonl", text, spec)
    assert (document.title, document.text, document.metadata) == ("T", "A", {"body.lang": "en"})


def test_a_title_that_is_not_taken_stays(tmp_path):
    text = '{"question": "Why?", "title": "FAQ", "text": "So."}'
    document = one(tmp_path, "a.json", text, "files(title_fields='question,title')")
    assert (document.title, document.metadata) == ("Why?", {"title": "FAQ"})


@pytest.mark.parametrize("fields", ['"fee": 1, "fee": 2', '"a": [{"fee": 1, "fee": 2}]'])
def test_a_key_twice_costs_its_record(tmp_path, fields):
    records = load(tmp_path, "a.json", f'[{{"text": "x", {fields}}}, {{"text": "y"}}]')
    assert [document.text for document in records] == ["y"]
    (bad,) = records.unread
    assert (bad.name, bad.reason) == ("a.json::1", "malformed")
    assert "Record 1 has the key 'fee' twice" in bad.detail


def test_paths_are_named_where_the_text_is_missing(tmp_path):
    with pytest.raises(DocumentUnreadable, match=r"Fields found: body, body\.text\."):
        load(tmp_path, "a.json", '{"body": {"text": "x"}}')
    with pytest.raises(DocumentUnreadable, match=r"Record 1 is list, not an object"):
        load(tmp_path, "a.json", '[[{"text": "x"}]]')
    with pytest.raises(DocumentUnreadable, match=r"no text field"):
        load(tmp_path, "a.json", '{"text": 1e3}')


def test_many_nested_fields_are_counted(tmp_path):
    fields = json.dumps([{"usd": n} for n in range(501)])
    document = one(tmp_path, "a.json", f'{{"text": "x", "fees": {fields}}}')
    assert len(document.metadata) == 500
    assert document.left_out == {"metadata field": 1}


@pytest.mark.parametrize(
    ("table", "texts", "metadata", "left_out"),
    [
        ("text,a,b\nx,1\n", ["x"], {"a": "1"}, {"missing field of a short row": 1}),
        ("text,,b\nx,1,2\n", ["x"], {"column 2": "1", "b": "2"}, {}),
        ("text,column 2,\nx,1,2\n", ["x"], {"column 2": "1", "column 3": "2"}, {}),
        ("text,,column 2\nx,1,2\n", ["x"], {"column 2 (2)": "1", "column 2": "2"}, {}),
        ("text,note,note\nx,1,2\n", ["x"], {"note": "1", "note (2)": "2"}, {}),
        ("text,a\n\n , \nx,1\n", ["x"], {"a": "1"}, {}),
        ("service;price\nWire;1,50\n", ["service: Wire\nprice: 1,50"],
         {"service": "Wire", "price": "1,50"}, {}),
        ("service,price,\nWire,2,new\n", ["service: Wire\nprice: 2\ncolumn 3: new"],
         {"service": "Wire", "price": "2", "column 3": "new"}, {}),
        ("service,price,note\nWire,2\n", ["service: Wire\nprice: 2"],
         {"service": "Wire", "price": "2"}, {"missing field of a short row": 1}),
    ],
)  # fmt: skip
def test_uneven_tables(tmp_path, table, texts, metadata, left_out):
    (document,) = load(tmp_path, "a.csv", table)
    assert [document.text] == texts
    assert (document.metadata, document.left_out) == (metadata, left_out)


def test_fields_joined_of_a_table(tmp_path):
    (document,) = load(tmp_path, "a.csv", "head,body\nA,B\n", "files(text_fields='head+body')")
    assert document.text == "A\n\nB"


@pytest.mark.parametrize(
    ("table", "fragment"),
    [
        ("text,a\nx,1,2\n", "Line 2 has 3 fields where the header has 2"),
        ("id,id,text\n1,2,x\n", "Two columns are called 'id'"),
        ("text,a\n", "holds no record"),
    ],
)
def test_tables_that_are_refused(tmp_path, table, fragment):
    with pytest.raises(DocumentUnreadable, match=fragment):
        load(tmp_path, "a.csv", table)
