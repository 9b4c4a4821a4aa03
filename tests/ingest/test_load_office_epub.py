"""Books: the order of the spine, chapters as headings, what is left out; by hand."""

import io
import zipfile

from office_files import one, refused

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)
OPF = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The  Bank Book</dc:title>
<dc:creator>A. Moss</dc:creator></metadata>
<manifest>
<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
<item id="b" href="z%20one.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="notes.xhtml" media-type="application/xhtml+xml"/>
<item id="i" href="cover.xhtml" media-type="application/xhtml+xml"/>
</manifest>
<spine><itemref idref="i"/><itemref idref="nav"/><itemref idref="b"/><itemref idref="a"/>
<itemref idref="n" linear="no"/><itemref idref="gone"/></spine></package>"""
NAV = """<html xmlns="http://www.w3.org/1999/xhtml"><body><nav><ol>
<li><a href="z%20one.xhtml">Chapter <b>one</b></a></li><li><a href="a.xhtml#x">Part</a></li>
</ol></nav></body></html>"""


def page(body: str) -> str:
    head = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
    return f"{head}<body>{body}</body></html>"


def book(opf: str = OPF, **more: str) -> bytes:
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": opf,
        "OEBPS/nav.xhtml": NAV,
        "OEBPS/z one.xhtml": page("<p>Fees are $35<sup>1</sup>.</p>"),
        "OEBPS/a.xhtml": page("<h2>Limits</h2><table><tr><td>a</td><td>b</td></tr></table>"),
        "OEBPS/notes.xhtml": page("<p>aside</p>"),
        "OEBPS/cover.xhtml": page('<img src="c.png" alt=""/>'),
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_pages_stand_in_the_order_of_the_spine(tmp_path):
    document = one(tmp_path, "b.epub", book())
    assert document.text == "Chapter one\n\nFees are $35[1].\n\nLimits\n\na | b"
    assert document.title == "The Bank Book"
    assert document.metadata == {"creator": "A. Moss"}
    assert [place.heading.split(" > ")[-1] for place in document.places] == [
        "Chapter one",
        "Limits",
    ]
    assert document.left_out == {
        "page without text": 1,
        'page outside of the reading order (linear="no")': 1,
        "page that the book does not hold": 1,
    }


ENCRYPTION = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<e:EncryptedData xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
    '<e:EncryptionMethod Algorithm="{}"/></e:EncryptedData></encryption>'
)


def test_copy_protection_is_named_and_obfuscated_fonts_are_none(tmp_path):
    name = "META-INF/encryption.xml"
    drm = ENCRYPTION.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    assert refused(tmp_path, "b.epub", book(**{name: drm})).reason == "encrypted"
    fonts = ENCRYPTION.format("http://www.idpf.org/2008/embedding")
    assert "Fees are" in one(tmp_path, "b.epub", book(**{name: fonts})).text


def test_what_is_no_book(tmp_path):
    assert refused(tmp_path, "b.epub", "plain").reason == "mislabelled"
    assert refused(tmp_path, "b.epub", b"PK\x03\x04broken").reason == "malformed"
    assert refused(tmp_path, "b.epub", book(opf="<package/>")).reason == "malformed"
    assert refused(tmp_path, "b.epub", book(opf="<package")).reason == "malformed"


def test_near_formats_say_what_to_do(tmp_path):
    from ragbench.ingest.load import find_sources

    for name in ("a.doc", "b.ods", "c.ppt"):
        (tmp_path / name).write_text("x")
    details = [entry.detail for entry in find_sources([tmp_path])[1]]
    assert ["Save it as" in detail for detail in details] == [True] * 3
    assert ".xlsx or .csv" in details[1]
