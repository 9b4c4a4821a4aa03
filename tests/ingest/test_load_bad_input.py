"""Every kind of bad file with the reason and the words that a person gets."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

import pytest

from ragbench.errors import DocumentUnreadable, RagbenchError, UnknownName
from ragbench.ingest.load import LOADERS, Source

SHIFTED = "7KH GDQFHUV VKDOO EH SDLG ZLWKLQ WKLUWB GDBV RI WKH ODVW SHUIRUPDQFH"


def pdf(*pages: str, encrypt: str | None = None, algorithm: str = "AES-256") -> bytes:
    """A PDF written by reportlab, one line of text a page."""
    from pypdf import PdfReader, PdfWriter
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    for page in pages:
        if page:
            canvas.drawString(72, 720, page)
        canvas.showPage()
    canvas.save()
    if encrypt is None:
        return buffer.getvalue()
    writer, locked = PdfWriter(clone_from=PdfReader(buffer)), io.BytesIO()
    writer.encrypt(user_password=encrypt, owner_password="owner", algorithm=algorithm)
    writer.write(locked)
    return locked.getvalue()


def image_pdf(n_pages: int) -> bytes:
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    pixel = io.BytesIO(b"P6 1 1 255 \x10\x20\x30")
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    for _ in range(n_pages):
        pixel.seek(0)
        canvas.drawImage(ImageReader(pixel), 72, 72, 100, 100)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def raw_pdf(*objects: bytes) -> bytes:
    """A PDF of the given objects, numbered from 1; the first is the catalogue."""
    file, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj%b endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(file))
    return file + head + table + tail


CATALOGUE = b"<</Type/Catalog/Pages 2 0 R>>"


def cyclic_pdf() -> bytes:
    """A page tree whose node is its own child."""
    return raw_pdf(CATALOGUE, b"<</Type/Pages/Count 1/Kids[2 0 R]>>")


def deep_pdf() -> bytes:
    """A page tree 5,000 nodes deep."""
    nodes = [b"<</Type/Pages/Count 1/Kids[%d 0 R]>>" % (n + 3) for n in range(5_000)]
    return raw_pdf(CATALOGUE, *nodes, b"<</Type/Page/MediaBox[0 0 9 9]>>")


def archive(**parts: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


def bomb() -> bytes:
    """A DOCX of 1.2 MB whose parts unpack to 1.2 GB."""
    parts = {"[Content_Types].xml": b"<Types/>"}
    zeros = b"\0" * (200 * 1024 * 1024)
    return archive(**parts, **{f"word__document{i}.xml": zeros for i in range(3)})


def docx_without_body() -> bytes:
    types = b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    return archive(**{"[Content_Types].xml": types, "word__document.xml": b"<not closed"})


UTF16_TEXT = "Fees are due monthly, on the first day."
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)

CASES: list[tuple[str, Callable[[], bytes], str, str]] = [
    # name, content, reason, fragment of the detail
    ("zero.txt", lambda: b"", "empty", "0 bytes"),
    ("zero.pdf", lambda: b"", "empty", "0 bytes"),
    ("blank.md", lambda: b" \n\t\r\n", "empty", "white space"),
    ("mark.txt", lambda: b"\xef\xbb\xbf", "empty", "no text"),
    ("front.md", lambda: b"---\ntitle: x\n---\n \n", "empty", "no text"),
    ("page.pdf", lambda: b"<!DOCTYPE html><p>Not found", "mislabelled", "an HTML page"),
    ("image.pdf", lambda: b"\x89PNG\r\n\x1a\n" + bytes(50), "mislabelled", "a PNG image"),
    ("note.pdf", lambda: b"Dear customer,", "mislabelled", "plain text"),
    ("cut.pdf", lambda: pdf("Fees")[:300], "malformed", "damaged"),
    ("head.pdf", lambda: b"%PDF-1.7\n", "malformed", "damaged"),
    ("cycle.pdf", cyclic_pdf, "malformed", "damaged"),
    ("tree.pdf", deep_pdf, "malformed", "Its structure"),
    ("locked.pdf", lambda: pdf("Fees", encrypt="secret"), "encrypted", "password"),
    ("locked_rc4.pdf", lambda: pdf("x", encrypt="s", algorithm="RC4-128"), "encrypted", "password"),
    ("scan.pdf", lambda: image_pdf(3), "no-text", "None of its 3 pages holds text, but 3 images"),
    ("scan1.pdf", lambda: image_pdf(1), "no-text", "no text, but 1 image: it seems to be scanned"),
    ("void.pdf", lambda: pdf("", ""), "no-text", "None of its 2 pages holds text. "),
    ("codes.pdf", lambda: pdf(SHIFTED), "garbled", "no Unicode table"),
    ("pdf.txt", lambda: pdf("Fees"), "mislabelled", "a PDF"),
    ("zip.md", lambda: archive(a=b"x"), "mislabelled", "a ZIP archive"),
    ("old.html", lambda: OLE, "mislabelled", "Office file of the old"),
    ("bytes.txt", lambda: bytes(range(256)) * 4, "mislabelled", "binary data"),
    ("nul.txt", lambda: b"a" * 5000 + b"\0" + b"b" * 5000, "undecodable", "offset 5000"),
    ("bare16.txt", lambda: UTF16_TEXT.encode("utf-16-le"), "undecodable", "UTF-16LE without"),
    ("bare16be.txt", lambda: UTF16_TEXT.encode("utf-16-be"), "undecodable", "UTF-16BE without"),
    ("odd16.txt", lambda: b"\xff\xfea\0b", "undecodable", "says UTF-16, but the bytes at offset"),
    (
        "bad8.txt",
        lambda: "Gebühr: 5 € für\n".encode() + b"\xff",
        "undecodable",
        "0xff at offset 20",
    ),
    ("yaml.md", lambda: b"---\ntitle: [a\nx: y\n---\nText", "malformed", "line 3 of the file"),
    ("date.md", lambda: b"---\ndate: 2024-13-45\n---\nText", "malformed", "month must be in 1..12"),
    ("script.html", lambda: b"<html><script>x</script><nav>Home</nav>", "no-text", "script"),
    ("broken.json", lambda: b'{"content": "x",\n "id": }', "malformed", "line 2, column 8"),
    ("deep.json", lambda: b"[" * 200_000, "malformed", "Not JSON"),
    ("digits.json", lambda: b"9" * 5000, "malformed", "Not JSON"),
    ("other.json", lambda: b'{"body": "x", "n": 1}', "malformed", "Fields found: body, n."),
    ("number.json", lambda: b"17", "malformed", "The file is int, not an object"),
    ("none.json", lambda: b"[]", "empty", "no record"),
    ("holes.json", lambda: b'[{"text": ""}, {"text": " "}]', "empty", "Record 1 holds no text"),
    ("lists.json", lambda: b'[["b"]]', "malformed", "Record 1 is list"),
    ("text.docx", lambda: b"Dear customer,", "mislabelled", "plain text"),
    ("word.docx", lambda: OLE, "mislabelled", "old binary kind"),
    ("secret.docx", lambda: OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted", "password"),
    ("zip.docx", lambda: archive(a=b"x"), "mislabelled", "a ZIP archive"),
    ("cut.docx", lambda: docx_without_body()[:80], "malformed", "damaged"),
    ("torn.docx", docx_without_body, "malformed", "damaged"),
    ("bomb.docx", bomb, "memory", "unpack to 629,145,608"),  # 3 * 200 * 1024^2 + len("<Types/>")
]


@pytest.mark.parametrize(
    ("name", "content", "reason", "fragment"), CASES, ids=[c[0] for c in CASES]
)
def test_bad_file_has_its_reason(tmp_path, capfd, name, content, reason, fragment):
    path = tmp_path / name
    path.write_bytes(content())
    with pytest.raises(DocumentUnreadable) as caught:
        LOADERS.create("files").load(Source(path, name, tmp_path))
    assert (caught.value.reason, fragment in caught.value.detail) == (reason, True), caught.value
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "name", ["page.pdf", "locked.pdf", "head.pdf", "scan.pdf", "void.pdf", "codes.pdf", "cycle.pdf"]
)
def test_pdfium_gives_the_same_reason(tmp_path, capfd, name):
    pytest.importorskip("pypdfium2")
    _, content, reason, _ = next(case for case in CASES if case[0] == name)
    path = tmp_path / name
    path.write_bytes(content())
    expected = {"cycle.pdf": ("malformed", "no-text")}.get(name, (reason,))
    with pytest.raises(DocumentUnreadable) as caught:
        LOADERS.create("files(pdf=pdfium)").load(Source(path, name, tmp_path))
    assert caught.value.reason in expected
    assert capfd.readouterr() == ("", "")


def test_a_file_removed_meanwhile_is_unreadable(tmp_path):
    with pytest.raises(DocumentUnreadable, match="No such file") as caught:
        LOADERS.create("files").load(Source(tmp_path / "gone.md", "gone.md", tmp_path))
    assert caught.value.reason == "unreadable"


def test_pdfium_absent_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("Fees"))
    with pytest.raises(RagbenchError, match=r"pip install 'ragbench\[pdfium\]'"):
        LOADERS.create("files(pdf=pdfium)").load(Source(path, "a.pdf", tmp_path))


def test_unknown_loader_suggests():
    with pytest.raises(UnknownName, match="did you mean 'files'"):
        LOADERS.create("file")


def test_owner_password_alone_does_not_lock(tmp_path):
    path = tmp_path / "open.pdf"
    path.write_bytes(pdf("Fees and charges", encrypt=""))
    (document,) = LOADERS.create("files").load(Source(path, "open.pdf", tmp_path))
    assert document.text.strip() == "Fees and charges"


def test_lone_surrogates_do_not_survive(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps({"id": "\ud800x", "title": "\udfff", "k\ud800": 1, "text": "a\ud800"})
    )
    (document,) = LOADERS.create("files").load(Source(path, "a.json", tmp_path))
    assert document.text == "a\ufffd"
    assert (document.title, document.aliases) == ("\ufffd", ("\ufffdx",))
    assert document.metadata == {"k\ufffd": 1}
