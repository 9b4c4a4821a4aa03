"""What a page's own style sheet hides, and heads of tables over two rows: values by hand."""

from __future__ import annotations

import pytest

from ragbench.ingest.load import LOADERS, Source


def load(tmp_path, page: str):
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    return LOADERS.create("files").load(Source(tmp_path / "a.html", "a.html", tmp_path))[0]


BODY = "<p id=i class='a b'>One</p><p class=b>Two</p><div>Three</div>"


@pytest.mark.parametrize(
    ("sheet", "text", "n_hidden"),
    [
        (".a { display: none }", "Two\n\nThree", 1),
        (".a{display:none!important}", "Two\n\nThree", 1),
        ("#i{visibility:hidden}", "Two\n\nThree", 1),
        ("div, .x { color: red; display : none; }", "One\n\nTwo", 1),
        ("p.a.b { DISPLAY: NONE }", "Two\n\nThree", 1),
        ("p { display: none }", "Three", 2),
        ("/* .b{display:none} */ .c{display:none}", "One\n\nTwo\n\nThree", 0),
        ("@media print { .b { display: none } } .a { display: none }", "Two\n\nThree", 1),
        ("@import 'x.css'; .a { display: none }", "Two\n\nThree", 1),
        (".b{display:none} #i{display:block}", "One\n\nThree", 1),  # an id is stronger
        ("#i{display:none} .b{display:block}", "Two\n\nThree", 1),  # a class is not
        (".b{display:none} .b{display:block}", "One\n\nTwo\n\nThree", 0),
        (".b{display:none} body > p{display:block}", "Three", 2),  # tags are weaker
        (".b{display:none} p:hov({display:x}", "One\n\nTwo\n\nThree", 0),  # not to be read
        ("body .a{display:none}", "One\n\nTwo\n\nThree", 0),  # not a selector of one element
        (".b{display:none} body p.b{display:block}", "One\n\nTwo\n\nThree", 0),
        (".a{visibility:hidden;display:block}", "Two\n\nThree", 1),
        (".a{display:", "One\n\nTwo\n\nThree", 0),
    ],
)
def test_sheets(tmp_path, sheet, text, n_hidden):
    document = load(tmp_path, f"<html><head><style>{sheet}</style></head><body>{BODY}")
    assert document.text == text
    assert document.left_out == ({"hidden": n_hidden} if n_hidden else {})


def test_a_sheet_for_print_and_a_style_of_ones_own(tmp_path):
    page = "<style media=print>.a{display:none}</style><p class=a>One</p>"
    assert load(tmp_path, page).text == "One"
    page = "<style>.a{display:none}</style><p class=a style='display:block'>One</p><p class=a>Two"
    assert load(tmp_path, page).text == "One"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("<thead><tr><th rowspan=2>Fee<th colspan=2>Abroad<tr><th>Min<th>Max</thead>"
         "<tr><td>Wire<td>5<td>9", "Fee | Abroad > Min | Abroad > Max\nWire | 5 | 9"),
        ("<tr><th><th colspan=2>Abroad<tr><th>Fee<th>Min<th>Max<tr><td>Wire<td>5<td>9",
         "Fee | Abroad > Min | Abroad > Max\nWire | 5 | 9"),
        ("<thead><tr><th colspan=2>Prices<tr><th>Fee<th>USD</thead><tr><td>Wire<td>5",
         "Prices\nFee | USD\nWire | 5"),
        ("<tr><th>Wire<td>5<tr><th>Card<td>6", "Wire | 5\nCard | 6"),
        ("<tr><th>Fee<th>USD<tr><td>Wire<td>5", "Fee | USD\nWire | 5"),
    ],
)  # fmt: skip
def test_heads_over_two_rows(tmp_path, table, text):
    assert load(tmp_path, f"<table>{table}</table>").text == text
