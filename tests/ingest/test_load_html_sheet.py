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
        (".b{display:none} p:hov({display:x}", "Three", 2),  # not to be read: dropped
        ("body .a{display:none}", "Two\n\nThree", 1),
        ("div .a{display:none}", "One\n\nTwo\n\nThree", 0),  # no div around it
        (".b:not(.a){display:none}", "One\n\nThree", 1),
        ("body > :first-child{display:none}", "Two\n\nThree", 1),
        (".a:hover, .a::before{display:none}", "One\n\nTwo\n\nThree", 0),
        (
            "@media screen{.a{display:none}} @media (min-width:9px){.b{display:none}}",
            "Two\n\nThree",
            1,
        ),
        ("div{text-decoration: red line-through}", "One\n\nTwo", "struck out"),
        (".b{display:none} body p.b{display:block}", "One\n\nTwo\n\nThree", 0),
        (".a{visibility:hidden;display:block}", "Two\n\nThree", 1),
        (".a{display:", "One\n\nTwo\n\nThree", 0),
    ],
)
def test_sheets(tmp_path, sheet, text, n_hidden):
    document = load(tmp_path, f"<html><head><style>{sheet}</style></head><body>{BODY}")
    assert document.text == text
    kinds = {0: {}, "struck out": {"struck out": 1}}
    assert document.left_out == kinds.get(n_hidden, {"hidden": n_hidden})


@pytest.mark.parametrize(
    ("page", "text", "left_out"),
    [
        ("<style>.f{vertical-align:super} .l{vertical-align:sub}</style>"
         "<p>$80<b class=f>4</b> and I<b class=l>7</b>", "$80[4] and I[7]", {}),
        ("<style>.h{visibility:hidden} .v{visibility:visible}</style>"
         "<p>One</p><div class=h>Two <b class=v>Three <i class=h>Four</i></b> Five</div>",
         "One\n\nThree", {"hidden": 2}),
        ("<style>#t .x{display:none!important}</style><div id=t>One"
         "<p class=x style='display:block'>Two</div>", "One", {"hidden": 1}),
        ("<p>One <span aria-hidden=true>$5</span><span class=sr-only>5 dollars</span></p>"
         "<h2>Two <a aria-hidden=true href='#x'>#</a></h2>", "One $5\n\nTwo", {"hidden": 2}),
        ("<p>One</p></body> two </html> three <p>four", "One\n\ntwo three\n\nfour", {}),
        ("<p>One</p></body></html>\n<!-- end -->\n", "One", {}),
        ("<table>stray 9<tr><td>a<td>1<tr>odd<td>b<td>2</table>",
         "stray 9odd\n\na | 1\nb | 2", {}),
        ("<table><tr><td>a<tr><td>b<div>c</div></table>", "a\nb c", {}),
        ("<body><a href='#m'>Skip</a><nav>Menu</nav><p>Before</p><main id=m>In"
         "<aside>Note</aside></main><aside>Ad</aside><p>After</p><footer>C</footer>",
         "Before\n\nIn\n\nNote\n\nAfter",
         {"outside of main": 2, "navigation": 1, "page header or footer": 1}),
        ("<body><div hidden><main>In</main></div>", "In", {}),
    ],
)  # fmt: skip
def test_as_browsers_show_it(tmp_path, page, text, left_out):
    document = load(tmp_path, page)
    assert (document.text, dict(document.left_out)) == (text, left_out)


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
