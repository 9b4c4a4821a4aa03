"""What each format becomes: text, title, metadata, places, worked out by hand."""

from __future__ import annotations

import hashlib
import io

import pytest

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load import LOADERS, Source
from ragbench.ingest.load._files import Files
from ragbench.records import Document


def load(tmp_path, name: str, data: bytes | str, **metadata) -> list[Document]:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return LOADERS.create("files").load(Source(path, name, tmp_path, metadata))


def one(tmp_path, name: str, data: bytes | str, **metadata) -> Document:
    (document,) = load(tmp_path, name, data, **metadata)
    return document


def headings(document: Document) -> list[tuple[str, str]]:
    """Each place's path with the first line of its stretch."""
    return [
        (place.heading, document.text[place.start : place.end].split("\n")[0])
        for place in document.places
    ]


MARKDOWN = """---
title: Transfers
id: T-1
product: checking
effective: 2024-05-01
tags: [fees, limits]
owner: {name: nobody}
---
Intro.

# Transfers

Text with ``` inline.

## Limits ##
```python
# not a heading
```
~~~
## nor this
```
~~~
Wire *fees*
-----------
| a | b |
|---|---|

### [Out](http://x) of `hours`
- item
---
End.
"""


def test_markdown(tmp_path):
    document = one(tmp_path, "t.md", MARKDOWN)
    assert document.text == MARKDOWN.split("---\n", 2)[2]  # verbatim but for the front matter
    assert (document.title, document.aliases) == ("Transfers", ("T-1",))
    assert document.metadata == {
        "product": "checking",
        "effective": "2024-05-01",
        "tags": "fees, limits",
        "owner.name": "nobody",
    }
    assert headings(document) == [
        ("Transfers", "# Transfers"),
        ("Transfers > Limits", "## Limits ##"),
        ("Transfers > Wire fees", "Wire *fees*"),
        ("Transfers > Wire fees > Out of hours", "### [Out](http://x) of `hours`"),
    ]
    assert document.places[0].start == len("Intro.\n\n")
    assert document.places[-1].end == len(document.text)
    assert document.sha256 == hashlib.sha256(MARKDOWN.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("# One\ntext", "One", "# One\ntext"),
        ("text only", "name", "text only"),
        ("---\ntitle: 42\n---\n# One\n", "42", "# One\n"),
        ("---\r\ntitle: W\r\n---\r\n# A\r\nb\r\n", "W", "# A\r\nb\r\n"),
        ("---\n---\nx", "name", "x"),
        ("---\nA rule, then prose\n\n---\nx", "A rule, then prose", None),  # see below
        ("---\nno end", "name", "---\nno end"),
        ("\ufeff# Mark\n", "Mark", "# Mark\n"),
        ("#hashtag\n####### seven\n#\n", "name", "#hashtag\n####### seven\n#\n"),
        ("    # indented code\n", "name", "    # indented code\n"),
    ],
)
def test_markdown_front_matter_and_title(tmp_path, text, title, body):
    document = one(tmp_path, "name.md", text)
    if body is None:  # two rules with prose between them are no front matter
        assert (document.text, document.title) == (text, "name")
    else:
        assert (document.text, document.title) == (body, title)


def test_the_manifest_wins(tmp_path):
    document = one(tmp_path, "t.md", MARKDOWN, title="Moving money", product="savings", level=2)
    assert document.title == "Moving money"
    assert (document.metadata["product"], document.metadata["level"]) == ("savings", 2)
    assert "title" not in document.metadata


GERMAN = "Die Gebühr beträgt fünf Euro. Für Überweisungen ins Ausland gelten größere Beträge. " * 4


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (GERMAN.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + GERMAN.encode(), "utf-8-sig"),
        (GERMAN.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + GERMAN.encode("utf-16-be"), "utf-16"),
        (GERMAN.encode("utf-32"), "utf-32"),
    ],
)
def test_text_encodings(tmp_path, data, encoding):
    document = one(tmp_path, "a.txt", data)
    assert (document.text, document.metadata) == (GERMAN, {"encoding": encoding})
    assert (document.title, document.places) == ("a", ())


def test_a_detected_encoding_is_recorded(tmp_path):
    document = one(tmp_path, "a.txt", GERMAN.encode("cp1252"))
    assert document.text == GERMAN
    assert document.metadata["encoding"] in {"cp1252", "latin_1", "cp1250", "iso8859_15"}


def test_text_is_verbatim(tmp_path):
    text = "a\r\n\r\nb\tc \x0c d\r\n"
    assert one(tmp_path, "a.txt", text).text == text


HTML = """<!DOCTYPE html><html><head><title> Card
 fees </title><meta name="description" content="All fees"><style>p {}</style></head><body>
<header><h1>Bank logo</h1></header><nav><a href=/>Home</a></nav>
<h1>Card <em>fees</em></h1>
<p>The fee
 is <b>5</b> USD.<br>It is due<script>x()</script> monthly.</p>
<div>Loose <p>inner</p> tail</div>
<h2>Table</h2>
<table><caption>Fees</caption><thead><tr><th>Kind</th><th>USD</th></tr></thead>
<tbody><tr><td>Wire<br>abroad</td><td> 35 </td></tr><tr><td></td><td></td></tr>
<tr><td><ul><li>a</li><li>b</li></ul></td><td></td></tr></tbody></table>
<ul><li>one</li><li>two <b>bold</b></li></ul>
<pre>
 kept   as
   is
</pre>
<p hidden>secret</p><p style="display: none">secret</p><!-- secret -->
<article><header><h3>Note</h3></header>Closing.</article>
<footer>Imprint</footer></body></html>"""

HTML_TEXT = """Card fees

The fee is 5 USD.
It is due monthly.

Loose

inner

tail

Table

Fees

Kind | USD
Wire abroad | 35
a b | \n
one
two bold

 kept   as
   is

Note

Closing."""


def test_html(tmp_path):
    document = one(tmp_path, "a.html", HTML)
    assert document.text == HTML_TEXT
    assert document.title == "Card fees"
    assert document.metadata == {"description": "All fees"}
    assert headings(document) == [
        ("Card fees", "Card fees"),
        ("Card fees > Table", "Table"),
        ("Card fees > Table > Note", "Note"),
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<body>x<main><header>H</header>y</main>z", "x\n\nH\n\ny\n\nz"),  # beside main
        ("<p>a<div>b", "a\n\nb"),
        ("plain words", "plain words"),
        (
            "<table><tr><td><table><tr><td>1</td><td>2</td></tr></table></td><td>3</td></tr></table>",
            "1 | 2\n\n3",
        ),
        ("<div>" * 20_000 + "deep" + "</div>" * 20_000 + "<p>after", "deep\n\nafter"),
        ("<b>" * 3_000 + "deep", "deep"),
        ("<p>a&nbsp;b &amp; c&#55357;", "a b & c\ufffd"),
        ("<textarea>no</textarea><svg><text>no</text></svg>yes", "yes"),
    ],
)
def test_html_shapes(tmp_path, body, text):
    assert one(tmp_path, "a.htm", body).text == text


def test_html_declared_encoding(tmp_path):
    page = '<html><head><meta charset="iso-8859-1"></head><p>Gebühr</p>'
    document = one(tmp_path, "a.html", page.encode("latin-1"))
    assert (document.text, document.metadata) == ("Gebühr", {"encoding": "cp1252"})
    assert one(tmp_path, "b.html", page).text == "Gebühr"  # UTF-8 whatever it declares


def test_json_object(tmp_path):
    document = one(
        tmp_path,
        "a.json",
        '{"id": "doc_7", "title": "Fees", "content": "## A\\n\\nx\\n## B\\ny", "n": 3, "z": null,'
        ' "tags": ["p", "q"], "text": "second choice"}',
    )
    assert (document.doc_id, document.title, document.aliases) == ("a.json", "Fees", ("doc_7",))
    assert document.text == "## A\n\nx\n## B\ny"
    assert document.metadata == {"n": 3, "tags": "p, q", "text": "second choice"}
    assert [(p.start, p.end, p.heading) for p in document.places] == [(0, 8, "A"), (8, 14, "B")]


def test_json_array(tmp_path):
    documents = load(
        tmp_path,
        "a.json",
        '[{"id": "x", "text": "one", "title": "T"}, {"text": "two"}]',
        title="All",
    )
    assert [(d.doc_id, d.title, d.text, d.aliases) for d in documents] == [
        ("a.json::x", "T", "one", ("x",)),
        ("a.json::2", "All", "two", ()),
    ]


def test_docx(tmp_path):
    document = one(tmp_path, "a.docx", word_file())
    assert document.text == (
        "Fee schedule\n\nTransfers\n\nThe fee is 5 USD,\npaid monthly.\n\nLimits\n\n"
        "Kind | USD\nWire | 35\nBoth\n\nFirst\nSecond\n\nInserted\n\nAfter the table."
    )
    assert (document.title, document.metadata) == ("Fee schedule", {"author": "python-docx"})
    assert headings(document) == [
        ("Transfers", "Transfers"),
        ("Transfers > Limits", "Limits"),
    ]


def word_file() -> bytes:
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    document.add_paragraph("Fee schedule", style="Title")
    document.add_heading("Transfers", level=1)
    paragraph = document.add_paragraph("The fee ")
    paragraph.add_run("is 5 USD,").add_break()
    paragraph.add_run("paid monthly.")
    document.add_heading("Limits", level=2)
    table = document.add_table(rows=3, cols=2)
    for row, texts in zip(table.rows, [("Kind", "USD"), ("Wire", "35"), ("Both", "")], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.rows[2].cells[0].merge(table.rows[2].cells[1])
    document.add_paragraph("First", style="List Bullet")
    document.add_paragraph("Second", style="List Bullet")
    inserted = parse_xml(
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:ins><w:r><w:t>Inserted</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p></w:sdtContent></w:sdt>"
    )
    document.element.body[-1].addprevious(inserted)  # before the section properties
    document.add_paragraph("After the table.")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("spec", ["files", "files(pdf=pdfium)"])
def test_pdf_pages_partition_the_text(tmp_path, spec):
    from reportlab.pdfgen.canvas import Canvas

    if "pdfium" in spec:
        pytest.importorskip("pypdfium2")
    path = tmp_path / "fees.pdf"
    canvas = Canvas(str(path), invariant=True)
    canvas.setTitle("Fees 2024")
    for text in ("The wire fee is 35 USD.", "", "The card fee is 5 USD."):
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()
    (document,) = LOADERS.create(spec).load(Source(path, "fees.pdf", tmp_path))
    assert (document.title, document.metadata) == ("Fees 2024", {"n_pages": 3})
    assert document.places[0].start == 0
    assert document.places[-1].end == len(document.text)
    for place, following in zip(document.places, document.places[1:], strict=False):
        assert place.end == following.start
    assert [document.text[p.start : p.end].strip() for p in document.places] == [
        "The wire fee is 35 USD.",
        "",
        "The card fee is 5 USD.",
    ]
    assert document.place_at(document.text.index("card")).page == 3


def test_identity_names_code_and_libraries():
    default, other = LOADERS.create("files"), LOADERS.create("files(pdf=pdfium)")
    assert default.identity.startswith(
        "files(pdf=pypdf, text_fields='content,text', title_fields=title, id_fields=id, "
        "encoding=none) v8 "
    )
    assert " pypdf==" in default.identity
    assert " fonttools==" in default.identity  # pypdf's text depends on it
    assert " pypdfium2==" in other.identity
    assert default.identity != other.identity


@pytest.mark.parametrize(
    ("written", "encoding"),
    [
        ("A naïve résumé, 5 £ à la carte, señor.", "latin-1"),
        ("The “fee” is £5 – or €6 – for naïve résumés.", "cp1252"),
    ],
)
def test_short_western_text_is_not_taken_for_another_code_page(written, encoding, tmp_path):
    (tmp_path / "cafe.txt").write_bytes(written.encode(encoding))
    (document,) = Files().load(Source(tmp_path / "cafe.txt", "cafe.txt", tmp_path))
    assert document.text == written
    assert document.metadata["encoding"] == "cp1252"


def test_the_encoding_can_be_given(tmp_path):
    (tmp_path / "a.txt").write_bytes("Zażółć gęślą jaźń".encode("cp1250"))
    source = Source(tmp_path / "a.txt", "a.txt", tmp_path)
    (document,) = Files(encoding="cp1250").load(source)
    assert document.text == "Zażółć gęślą jaźń"
    with pytest.raises(DocumentUnreadable, match="does not fit the given encoding 'euc-kr'"):
        Files(encoding="euc-kr").load(source)
    with pytest.raises(ValueError, match="no encoding is called 'latin-99'"):
        Files(encoding="latin-99")
