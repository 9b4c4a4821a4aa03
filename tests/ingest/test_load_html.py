"""HTML: what a reader of the page sees, worked out by hand from the rules of the format."""

from __future__ import annotations

import pytest

from ragbench.ingest.load import LOADERS, Source
from ragbench.records import Document


def page(tmp_path, body: str | bytes, head: str = "") -> Document:
    path = tmp_path / "a.html"
    if isinstance(body, str):
        body = f"<!doctype html><html><head>{head}<title>T</title></head><body>{body}".encode()
    path.write_bytes(body)
    (document,) = LOADERS.create("files").load(Source(path, "a.html", tmp_path))
    return document


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("$35<sup>1</sup>", "$35[1]"),
        ("12<sup><a href='#n'>2</a></sup> dollars", "12[2] dollars"),
        ("40 m<sup>2</sup>, 10<sup>6</sup>", "40 m[2], 10[6]"),
        ("35<sup>1</sup><sup>,</sup><sup>2</sup>", "35[1],[2]"),
        ("2<sup>3<sup>4</sup></sup>", "2[3[4]]"),
        ("35<sup>[4]</sup> and 6<sup>(5)</sup>", "35[4] and 6(5)"),  # apart already
        ("the 1<sup>st</sup> and 22<sup>nd</sup>", "the 1st and 22nd"),
        ("35<sup>a</sup>, 35<sup>*</sup>, Visa<sup>®</sup>", "35[a], 35*, Visa®"),
        ("<sup>1</sup> Waived", "[1] Waived"),
        ("35<sup></sup> and 6<sup> </sup>", "35 and 6"),
        ('35<span style="font-size:70%; Vertical-Align: super">1</span>', "35[1]"),
        ("H<sub>2</sub>O, C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>", "H2O, C6H12O6"),
        ("Ca(OH)<sub>2</sub>, CO<sub>2</sub>", "Ca(OH)2, CO2"),
        ("x<sub>i</sub>, fee<sub>3</sub>, log<sub>2</sub>8", "x[i], fee[3], log[2]8"),
        ("12<sub>2</sub>", "12[2]"),
        ("index I<sub>7</sub> of T<sub>1</sub>, O<sub>2</sub>", "index I[7] of T[1], O2"),
    ],
)
def test_raised_and_lowered_text_changes_no_number(tmp_path, markup, text):
    assert page(tmp_path, f"<p>{markup}</p>").text == text


@pytest.mark.parametrize(
    ("markup", "text", "left_out"),
    [
        ("was <del>50</del> <ins>35</ins>", "was 35", {"deleted": 1}),
        ("was <s>50</s> 35 <strike>x</strike>", "was 35", {"struck out": 2}),
        ('<span style="text-decoration: line-through">50</span> 35', "35", {"struck out": 1}),
        ("<del> </del>35", "35", {}),  # nothing was lost
        ("<span hidden>a</span>b", "b", {"hidden": 1}),
        ("<span hidden=until-found>a</span>b", "ab", {}),  # found by the browser's search
        ('<span aria-hidden="true">a</span>b', "ab", {}),
        ('<i style="display:none">a</i><i style="visibility: hidden">b</i>c', "c", {"hidden": 2}),
        ('<i style="display:inline">a</i>b', "ab", {}),
        ("<template>a</template><noscript>b</noscript><script>c</script>d", "d", {}),
        ("<select><option>a</select><textarea>b</textarea>c", "c", {"form field": 2}),
        ("<input value=5><input type=hidden value=6>c", "c", {"form field": 1}),
        ("<input type=checkbox checked> yes <input type=radio> no", "☒ yes ☐ no", {}),
        ("<!-- secret -->a", "a", {}),
    ],
)
def test_what_is_not_shown_is_left_out_and_counted(tmp_path, markup, text, left_out):
    document = page(tmp_path, f"<p>{markup}</p>")
    assert (document.text, dict(document.left_out)) == (text, left_out)


def test_details_are_content_and_a_closed_dialog_is_none(tmp_path):
    document = page(
        tmp_path,
        "<details><summary>Fees</summary>35</details><dialog>Cookies</dialog>"
        "<dialog open>Shown</dialog>",
    )
    assert document.text == "Fees\n\n35\n\nShown"
    assert document.left_out == {"hidden": 1}


def test_headers_of_sections_are_content_and_those_of_the_page_are_none(tmp_path):
    document = page(
        tmp_path,
        "<header><p>Banner</p></header><section><header><h2>Late</h2><p>Trailers.</p></header>"
        "<p>14 a day.</p><footer><p>Until June.</p></footer></section>"
        "<aside><header><h3>Note</h3></header>x</aside><footer>Imprint</footer>",
    )
    assert document.text == "Late\n\nTrailers.\n\n14 a day.\n\nUntil June.\n\nNote\n\nx"
    assert [p.heading for p in document.places] == ["Late", "Late > Note"]
    assert document.left_out == {"page header or footer": 2}


def test_what_stands_around_the_main_part_is_counted(tmp_path):
    document = page(
        tmp_path, "<nav>Home</nav><div><p>ad</p></div><main hidden>old</main><main>new</main>"
    )
    assert document.text == "ad\n\nnew"
    assert document.left_out == {"navigation": 1, "hidden": 1}


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ol start=4><li>a<li value=9>b<li>c</ol>", "4. a\n9. b\n10. c"),
        ("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
        ("<ol reversed start=10><li>a<li>b</ol>", "10. a\n9. b"),
        ("<ol type=a start=26><li>a<li>b</ol>", "z. a\naa. b"),
        ("<ol type=I><li>a<li type=i>b</ol>", "I. a\nii. b"),
        ('<ol style="list-style-type: upper-alpha"><li>a</ol>', "A. a"),
        ('<ol style="list-style: none"><li>a</ol>', "a"),
        ("<ol start=0><li>a<li value=-3>b</ol>", "0. a\n-3. b"),
        ("<ol><li>a<ol type=a><li>b<li>c</ol><li>d</ol>", "1. a\na. b\nb. c\n2. d"),
        ("<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a\nb\n2. c"),
        ("<ol><li><ol><li>b</ol></ol>", "1. 1. b"),
        ("<ol><li><p>a</p><p>b</p><li>c</ol>", "1. a\n\nb\n\n2. c"),
        ("<ol><li hidden>a<li>b</ol>", "1. b"),
        ("<ul><li>a<li value=7>b</ul>", "a\nb"),
    ],
)
def test_items_of_ordered_lists_carry_their_numbers(tmp_path, markup, text):
    assert page(tmp_path, markup).text == text


TABLES = {
    "rows": (
        "<tr><th>Account<th>Tier<th>Rate<tr><td rowspan=2>Heron<td>Low<td>1.1<tr><td>High<td>2.7"
        "<tr><td colspan=2>Others<td>0.1",
        "Account | Tier | Rate\nHeron | Low | 1.1\nHeron | High | 2.7\nOthers | Others | 0.1",
    ),
    "both": (
        "<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f",
        "a | a | b\na | a | c\nd | e | f",
    ),
    "a cell that hangs in the middle": (
        "<tr><td>a<td rowspan=3>b<td>c<tr><td>d<td>e<tr><td>f",
        "a | b | c\nd | b | e\nf | b",
    ),
    "a row of its own": ("<tr><td colspan=2>Cards<tr><td>a<td>1", "Cards\na | 1"),
    "parts": (
        "<tfoot><tr><td>sum<td>9</tfoot><thead><tr><th>k<th>v</thead><tbody>"
        "<tr><td rowspan=0>a<td>1<tr><td>2<tbody><tr><td rowspan=9>b<td>3<tbody><tr><td>c<td>4",
        "k | v\na | 1\na | 2\nb | 3\nc | 4\nsum | 9",  # no cell reaches beyond its part
    ),
    "hidden": (
        "<tr><td>a<td hidden>x<td>b<tr style='display:none'><td>y<td>z<tr><td>c<td>d",
        "a | b\nc | d",
    ),
    "spans that are none": ("<tr><td colspan=0>a<td rowspan=x>b<tr><td>c<td>d", "a | b\nc | d"),
    "caption": ("<caption>Fees<sup>1</sup></caption><tr><td>a<td>b", "Fees[1]\n\na | b"),
    "a table in a cell": (
        "<tr><th>k<th>v<tr><td>a<td><table><tr><td>1<td>2<tr><td>3<td>4</table>",
        "k | v\na | 1, 2; 3, 4",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(tmp_path, name):
    markup, text = TABLES[name]
    assert page(tmp_path, f"<table>{markup}</table>").text == text


def test_a_cell_over_many_rows_costs_no_more_than_the_table_has(tmp_path):
    markup = "<table><tr><td rowspan=65534 colspan=999999>a<td>b<tr><td>c</table>"
    assert page(tmp_path, markup).text.count("a") == 2 * 1000


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("<ruby>漢<rt>kan</ruby>", "漢(kan)"),
        ("he said <q>no <q>fee</q></q>", "he said “no “fee””"),
        ("<img src=y.png alt='Yes'> wire", "Yes wire"),
        ("<img src=y.png alt=''>wire<img src=x>", "wire"),
        ("35<wbr>00 <abbr title=Dollar>USD</abbr>", "3500 USD"),
        ("35&nbsp;USD &lt;5 &#8364;", "35 USD <5 €"),
        ('<span style="display: block">Fee</span><span style="display:block">35</span>', None),
    ],
)
def test_running_text(tmp_path, markup, text):
    assert page(tmp_path, f"<p>{markup}</p>").text == (text or "Fee\n\n35")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<mi>x</mi><mo>=</mo><mfrac><mn>7</mn><mn>360</mn></mfrac>", "x = 7 / 360"),
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10^6"),
        ("<mn>2</mn><msup><mn>10</mn><mn>6</mn></msup>", "2 10^6"),  # never 210
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a+b) / 2"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<munderover><mo>∑</mo><mn>1</mn><mn>36</mn></munderover><mi>p</mi>", "∑_1^36 p"),
        ("<mroot><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mn>3</mn></mroot>", "(a+1)^(1/3)"),
        ("<msqrt><mi>x</mi></msqrt><mroot><mi>y</mi><mn>3</mn></mroot>", "√(x)y^(1/3)"),
        (
            "<semantics><mn>5</mn><annotation encoding='x-tex'>\\five</annotation></semantics>",
            "5",
        ),
    ],
)
def test_formulas(tmp_path, markup, text):
    assert page(tmp_path, f"<p><math>{markup}</math></p>").text == text


@pytest.mark.parametrize(
    ("label", "codec", "text", "read_as"),
    [
        ("iso-8859-1", "cp1252", "€12 – the customer’s “tariff”", "cp1252"),
        ("us-ascii", "cp1252", "€12 – “tariff”", "cp1252"),
        ("iso-8859-9", "cp1254", "€12 İş", "cp1254"),
        ("gb2312", "gb18030", "费用 €12 镕", "gb18030"),
        ("shift_jis", "cp932", "手数料 ①〜", "cp932"),
        ("ks_c_5601-1987", "cp949", "수수료 똠", "cp949"),
        ("iso-2022-jp", "iso2022_jp", "手数料 12", "iso2022_jp"),
        ("koi8-r", "koi8_r", "Плата 12", "koi8-r"),
    ],
)
def test_labels_of_encodings_mean_what_browsers_take_them_for(
    tmp_path, label, codec, text, read_as
):
    text = text.replace("〜", "～")  # what the Japanese code page of Windows knows
    markup = f'<meta charset="{label}"><title>T</title><p>{text}'
    document = page(tmp_path, markup.encode(codec))
    assert (document.text, document.metadata["encoding"]) == (text, read_as)


def test_bytes_that_windows_1252_leaves_open_do_not_cost_the_page(tmp_path):
    document = page(tmp_path, b'<meta charset="latin1"><p>\x80 5 \x81 \xfcber')
    assert document.text == "€ 5 \x81 über"


def test_a_label_in_a_comment_is_none(tmp_path):
    text = "Плата за карту составляет двенадцать рублей в месяц"
    markup = f'<!-- <meta charset="latin1"> --><meta charset="windows-1251"><p>{text}'
    assert page(tmp_path, markup.encode("cp1251")).text == text


def test_an_unknown_label_is_ignored(tmp_path):
    assert page(tmp_path, '<meta charset="rot13"><p>Gebühr'.encode("cp1252")).text == "Gebühr"
