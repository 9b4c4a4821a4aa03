"""DOCX: what a word processor shows, worked out by hand from the rules of the format."""

from __future__ import annotations

import io
import zipfile

import pytest

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load import LOADERS, Source
from ragbench.records import Document

NS = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def word(tmp_path, body: str, main: str = MAIN, relations: str = "", **parts: str) -> Document:
    """A document of this body; parts by name, such as styles, related to it."""
    path = tmp_path / "a.docx"
    targets = "".join(
        f'<Relationship Id="p{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>' for name in parts
    )
    files = {
        "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/"
        f"content-types'><Override PartName='/word/document.xml' ContentType='{main}'/></Types>",
        "_rels/.rels": _rels(
            f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
        ),
        "word/document.xml": f"<w:document {NS}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _rels(targets + relations),
        **{f"word/{name}.xml": f"<w:{name} {NS}>{text}</w:{name}>" for name, text in parts.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name, text in files.items():
            package.writestr(name, text)
    path.write_bytes(buffer.getvalue())
    (document,) = LOADERS.create("files").load(Source(path, "a.docx", tmp_path))
    return document


def _rels(inner: str) -> str:
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{namespace}">{inner}</Relationships>'


def p(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


SUP = '<w:vertAlign w:val="superscript"/>'
SUB = '<w:vertAlign w:val="subscript"/>'
STYLES = (
    '<w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="More"><w:basedOn w:val="Secret"/></w:style>'
    '<w:style w:type="character" w:styleId="Up"><w:rPr>' + SUP + "</w:rPr></w:style>"
    '<w:style w:type="paragraph" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>'
)


@pytest.mark.parametrize(
    ("body", "text", "left_out"),
    [
        (r("$35") + r("1", SUP), "$35[1]", {}),
        (r("$35") + r("1", SUP) + r("2", SUP) + r(" a"), "$35[12] a", {}),  # one mark in two runs
        (r("$35") + r("1", '<w:rStyle w:val="Up"/>'), "$35[1]", {}),
        (r("1") + r("st", SUP) + r(" H") + r("2", SUB) + r("O"), "1st H2O", {}),
        (r("35") + r(" draft", "<w:vanish/>"), "35", {"hidden": 1}),
        (r("35") + r(" draft", '<w:rStyle w:val="More"/>'), "35", {"hidden": 1}),
        (r("35", '<w:vanish w:val="0"/>'), "35", {}),
        (r("50", "<w:strike/>") + r("35") + r("9", "<w:dstrike/>"), "35", {"struck out": 2}),
        (f"<w:del><w:r><w:delText>50</w:delText></w:r></w:del><w:ins>{r('35')}</w:ins>", "35",
         {"deleted": 1}),
        (f"<w:moveFrom>{r('50')}</w:moveFrom><w:moveTo>{r('35')}</w:moveTo>", "35", {"deleted": 1}),
        ("<w:r><w:t>re</w:t><w:softHyphen/><w:t>fund</w:t><w:noBreakHyphen/><w:t>only</w:t>"
         "<w:tab/><w:t>b</w:t></w:r>", "refund-only b", {}),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/>'
         '<w:sym w:font="Symbol" w:char="F0B3"/></w:r>'
         + r("65"), "☑≥65", {}),
        (r("\uf0b3 65", '<w:rFonts w:ascii="Symbol"/>'), "≥ 65", {}),
        ('<w:r><w:sym w:font="Wingdings" w:char="F021"/></w:r>' + r("a"), "\ufffda",
         {"unknown symbol": 1}),
        (f'<w:hyperlink r:id="x">{r("link")}</w:hyperlink><w:smartTag>{r(" tag")}</w:smartTag>'
         f'<w:fldSimple w:instr="PAGE">{r(" 7")}</w:fldSimple>', "link tag 7", {}),
        (f"<w:ruby><w:rt>{r('kan')}</w:rt><w:rubyBase>{r('漢')}</w:rubyBase></w:ruby>",
         "漢(kan)", {}),
    ],
)  # fmt: skip
def test_runs(tmp_path, body, text, left_out):
    document = word(tmp_path, p(body), styles=STYLES)
    assert (document.text, dict(document.left_out)) == (text, left_out)


def test_hidden_by_style_twice_is_shown(tmp_path):
    """Properties that styles toggle cancel each other: hidden paragraph, hidden run."""
    style = '<w:pStyle w:val="Gone"/>'
    body = p(r("a"), style) + p(r("b", '<w:rStyle w:val="Secret"/>'), style)
    assert word(tmp_path, body, styles=STYLES).text == "b"


def field(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def test_fields_show_their_result_and_reach_over_paragraphs(tmp_path):
    inner = field("begin") + field("separate") + r("inner") + field("end")
    code = field("begin") + "<w:r><w:instrText>IF </w:instrText></w:r>" + inner
    body = p(code + field("separate") + r("one")) + p(r("two") + field("end") + r(" three"))
    assert word(tmp_path, body).text == "one\n\ntwo three"


def test_form_fields(tmp_path):
    box = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:checked/></w:checkBox>'
        "</w:ffData></w:fldChar></w:r>"
    )
    choice = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
        '<w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>'
        "</w:ffData></w:fldChar></w:r>"
    )
    body = p(box + field("end") + r("paid ") + choice + field("end"))
    assert word(tmp_path, body).text == "☒ paid blue"


def level(number: int, kind: str, text: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


NUMBERING = (
    '<w:abstractNum w:abstractNumId="5">'
    + level(0, "decimal", "%1.", '<w:pStyle w:val="H1"/>')
    + level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>')
    + level(2, "lowerLetter", "%1.%2(%3)")
    + level(3, "lowerRoman", "(%4)")
    + '</w:abstractNum><w:abstractNum w:abstractNumId="6">'
    + level(0, "bullet", "•")
    + level(1, "upperRoman", "%2)")
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="5"/><w:lvlOverride w:ilvl="0">'
    '<w:startOverride w:val="7"/></w:lvlOverride></w:num>'
)


def item(text: str, number: int, at: int) -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>'
    return p(r(text), numbered)


def test_clauses_carry_their_numbers(tmp_path):
    places = [(1, 0), (1, 1), (1, 2), (1, 2), (1, 3), (1, 1), (1, 2), (2, 0), (2, 1), (1, 0)]
    places += [(3, 0), (3, 1), (0, 0)]
    body = "".join(item("x", number, at) for number, at in places)
    assert [line.removesuffix("x").strip() for line in word(tmp_path, body, numbering=NUMBERING)
            .text.replace("\n\n", "\n").split("\n")] == [
        "1.", "1.1", "1.1(a)", "1.1(b)", "(i)", "1.2", "1.2(a)", "", "I)", "2.", "7.", "7.1", "",
    ]  # fmt: skip


def test_numbers_by_style_stand_in_headings_but_not_in_the_title(tmp_path):
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="H{n}"><w:name w:val="heading {n}"/>'
        '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        for n in (1, 2)
    )
    body = p(r("Fees"), '<w:pStyle w:val="H1"/>') + p(r("Cards"), '<w:pStyle w:val="H2"/>')
    document = word(tmp_path, body + p(r("35")), styles=styles, numbering=NUMBERING)
    assert document.text == "1. Fees\n\n1.1 Cards\n\n35"
    assert [place.heading for place in document.places] == ["1. Fees", "1. Fees > 1.1 Cards"]
    assert document.title == "Fees"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(r(text))}</w:tc>"


def test_merged_cells_are_repeated(tmp_path):
    down, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = (
        row(cell("Account"), cell("Tier"), cell("Rate"))
        + row(cell("Heron", down), cell("Low"), cell("1.1"))
        + row(cell("", on), cell("High"), cell("2.7"))
        + row(cell("Others", '<w:gridSpan w:val="2"/>'), cell("0.1"))
        + row(cell("Notes", '<w:gridSpan w:val="3"/>'))
        + row(cell("x"), cell("y"), properties='<w:gridBefore w:val="1"/>')
        + row(cell("z"), properties="<w:del/>")
    )
    document = word(tmp_path, f"<w:tbl>{body}</w:tbl>")
    assert document.text == (
        "Account | Tier | Rate\nHeron | Low | 1.1\nHeron | High | 2.7\nOthers | Others | 0.1\n"
        "Notes\n | x | y"
    )
    assert document.left_out == {"deleted": 1}


def test_a_table_in_a_cell_keeps_to_its_column(tmp_path):
    inner = f"<w:tbl>{row(cell('1'), cell('2'))}{row(cell('3'), cell('4'))}</w:tbl>"
    body = row(cell("a"), f"<w:tc>{inner}<w:p/></w:tc>")
    assert word(tmp_path, f"<w:tbl>{body}</w:tbl>").text == "a | 1, 2; 3, 4"


def test_notes_follow_under_their_marks(tmp_path):
    def note(kind: str, number: int, text: str) -> str:
        return f'<w:{kind} w:id="{number}">{p(r(text))}</w:{kind}>'

    body = p(
        r("Fee 25") + '<w:r><w:rPr>' + SUP + '</w:rPr><w:endnoteReference w:id="4"/></w:r>'
        + r(" a") + '<w:r><w:footnoteReference w:id="9"/></w:r>'
        + r(" b") + '<w:r><w:footnoteReference w:id="3"/></w:r>'
    )  # fmt: skip
    document = word(
        tmp_path,
        body,
        footnotes=note("footnote", 3, "third") + note("footnote", 9, "ninth")
        + note("footnote", 12, "orphan"),
        endnotes=note("endnote", 4, "end"),
    )  # fmt: skip
    assert document.text == "Fee 25[i] a[1] b[2]\n\n[i] end\n\n[1] ninth\n\n[2] third"
    assert document.left_out == {"note without reference": 1}


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<m:r><m:t>a×</m:t></m:r><m:f><m:num><m:r><m:t>7 %</m:t></m:r></m:num><m:den><m:r>"
         "<m:t>360</m:t></m:r></m:den></m:f>", "a × 7 % / 360"),
        ("<m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup>",
         "10^6"),
        ("<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>", "√(x)"),
        ("<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e>"
         "<m:r><m:t>x</m:t></m:r></m:e></m:d>", "[x]"),
        ("<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub>"
         "<m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:r><m:t>x</m:t></m:r></m:e></m:nary>",
         "∑_i^n x"),
    ],
)  # fmt: skip
def test_equations(tmp_path, markup, text):
    assert word(tmp_path, p(f"<m:oMath>{markup}</m:oMath>")).text == text


def test_text_boxes_and_alternate_content_stand_once(tmp_path):
    def box(text: str) -> str:
        return f"<w:txbxContent>{p(r(text))}</w:txbxContent>"

    body = p(
        r("before") + "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
        + box("boxed") + "</w:drawing></mc:Choice><mc:Fallback><w:pict>" + box("boxed")
        + "</w:pict></mc:Fallback></mc:AlternateContent></w:r>" + r(" after")
    )  # fmt: skip
    body += (
        f"<mc:AlternateContent><mc:Choice Requires='wps'>{p(r('choice'))}</mc:Choice>"
        f"<mc:Fallback>{p(r('fallback'))}</mc:Fallback></mc:AlternateContent>"
    )
    assert word(tmp_path, body).text == "before after\n\nboxed\n\nchoice"


def test_comments_headers_and_pictures_are_counted(tmp_path):
    document = word(
        tmp_path,
        p(r("a") + "<w:r><w:drawing/></w:r>"),
        comments=f'<w:comment w:id="1">{p(r("why?"))}</w:comment>',
        header=p(r("Page 1")),
    )
    assert document.text == "a"
    assert document.left_out == {"picture": 1, "comment": 1, "page header or footer": 1}


def test_a_dangling_relation_costs_what_it_points_to(tmp_path):
    dangling = "".join(
        f'<Relationship Id="d{target}" Type="{OFFICE}/image" Target="{target}"/>'
        for target in ("NULL", "../NULL", "media/gone.png", "")
    )
    assert word(tmp_path, p(r("fee 9")), relations=dangling).text == "fee 9"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("application/vnd.ms-word.document.macroEnabled.main+xml", "macro-enabled Word document"),
        ("application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
         "macro-enabled Word template"),
        (MAIN.replace("document.main", "template.main"), "a Word template"),
    ],
)  # fmt: skip
def test_other_kinds_of_word_files_are_named(tmp_path, kind, words):
    with pytest.raises(DocumentUnreadable, match=words) as raised:
        word(tmp_path, p(r("x")), main=kind)
    assert raised.value.reason == "mislabelled"


@pytest.mark.parametrize(
    ("case", "texts"),
    [
        ("altchunk", ["before\n\nThe imported rule costs 77.\n\nafter"]),
        ("altcontent", ["before\n\nThe choice rule.\n\nafter"]),
        ("hidden", ["The fee is 35. Paid monthly."]),
        ("strict", ["The strict fee is 5."]),
        ("null_rel", ["The quokka fee is 9.", "The numbat fee is 9."]),
        ("symbol", ["☑ Fee waived ≥ 65 years; refund-only"]),
        ("equation", [
            "Interest due is balance × 7.25 % / 360 per day.\n\nminimum = 25\n\nEnd of rule."
        ]),
    ],
)  # fmt: skip
def test_files_of_others(shared_data, case, texts):
    paths = sorted((shared_data / "cases" / f"docx_{case}" / "input").iterdir())
    loader = LOADERS.create("files")
    documents = [loader.load(Source(path, path.name, path.parent)) for path in paths]
    assert [document.text for (document,) in documents] == texts


def test_a_title_that_nobody_wrote_is_none(shared_data):
    paths = sorted((shared_data / "cases" / "docx_default_title" / "input").iterdir())
    loader = LOADERS.create("files")
    documents = [loader.load(Source(path, path.name, path.parent)) for path in paths]
    assert [document.title for (document,) in documents] == ["Card rules", "Loan rules"]


def test_digits_moved_off_the_line_are_set_apart(tmp_path):
    up, down = '<w:position w:val="6"/>', '<w:position w:val="-6"/>'
    slight, words = '<w:position w:val="1"/>', '<w:position w:val="8"/>'
    body = p(r("$39") + r("5", up) + r(", fee") + r("2", down) + r(", 4") + r("0", slight))
    assert word(tmp_path, body + p(r("Up", words))).text == "$39[5], fee[2], 40\n\nUp"


def test_a_note_with_a_mark_of_its_own_takes_no_number(tmp_path):
    own = '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>†</w:t></w:r>'
    plain = '<w:r><w:footnoteReference w:id="3"/></w:r>'
    notes = "".join(
        f'<w:footnote w:id="{n}">{p(r(text))}</w:footnote>'
        for n, text in ((2, "By hand"), (3, "x"))
    )
    text = word(tmp_path, p(r("$9") + own + r(" and $8") + plain), footnotes=notes).text
    assert text == "$9† and $8[1]\n\n† By hand\n\n[1] x"
