"""PDF: superscripts, form values, annotations, layers, and a second reader when the first fails."""

import sys

import pytest

from ragbench.errors import DocumentUnreadable
from ragbench.ingest.load.pdf._pypdf import parse


def pdf(content, *objects, page="", root="", font="/Type1 /BaseFont /Helvetica"):
    """A PDF of one page; object 1 is the catalogue, 3 the page, 6 the first of ``objects``."""
    stream = content.encode("latin-1")
    bodies = [
        f"<</Type/Catalog/Pages 2 0 R {root}>>".encode(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R {page}"
            + ("" if "/Resources" in page else "/Resources<</Font<</F 5 0 R>>>>")
            + ">>"
        ).encode(),
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        f"<</Type/Font/Subtype {font} /Encoding/WinAnsiEncoding>>".encode(),
        *(body.encode("latin-1") for body in objects),
    ]
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(bodies) + 1
    return bytes(out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, start))


def text_of(content, *objects, **options):
    return " ".join(parse(pdf(content, *objects, **options)).text.split())


@pytest.mark.parametrize(
    ("content", "right"),
    [
        pytest.param(
            "BT /F 12 Tf 72 700 Td (costs $35) Tj 5 Ts /F 7 Tf (1) Tj 0 Ts /F 12 Tf ( each) Tj ET",
            "costs $35[1] each",
            id="a rise",
        ),
        pytest.param(
            "BT /F 12 Tf 72 700 Td (takes 12) Tj /F 7 Tf 46 4 Td (2) Tj "
            "/F 12 Tf 8 -4 Td (days) Tj ET",
            "takes 12[2] days",
            id="a smaller type on a higher baseline",
        ),
        pytest.param(
            "BT /F 1 Tf 12 0 0 12 72 700 Tm (fee 9) Tj 7 0 0 7 99 704 Tm [(3)] TJ ET",
            "fee 9[3]",
            id="sizes in the matrix",
        ),
        pytest.param(
            "BT /F 12 Tf 0 1 -1 0 300 100 Tm (rate 4) Tj /F 7 Tf 0 1 -1 0 296 131 Tm (5) Tj ET",
            "rate 4[5]",
            id="turned text",
        ),
        pytest.param(
            "BT /F 7 Tf 72 704 Td (1) Tj /F 12 Tf 4 -4 Td (Not at weekends) Tj ET",
            "[1]Not at weekends",
            id="before its line",
        ),
        pytest.param(
            "BT /F 12 Tf 72 700 Td (on the 1) Tj 5 Ts /F 7 Tf (st) Tj 0 Ts ET",
            "on the 1st",
            id="an ordinal number",
        ),
        pytest.param(
            "BT /F 12 Tf 72 700 Td (CO) Tj -3 Ts /F 8 Tf (2) Tj 0 Ts /F 12 Tf ( tax) Tj ET",
            "CO2 tax",
            id="a formula",
        ),
        pytest.param(
            "BT /F 12 Tf 72 700 Td (Large 35) Tj /F 8 Tf 60 0 Td (small 40) Tj ET",
            "Large 35 small 40",
            id="a smaller type on the same baseline",
        ),
        pytest.param(
            "BT /F 12 Tf 72 700 Td (Total 35) Tj 0 -14 Td /F 8 Tf (1 of 2) Tj ET",
            "Total 35 1 of 2",
            id="a smaller type on the next line",
        ),
    ],
)
def test_what_is_raised_is_set_apart(content, right):
    assert text_of(content) == right


def test_superscript_in_a_form_object_is_set_apart():
    inner = "BT /F 12 Tf 72 700 Td (pays 20) Tj 5 Ts /F 7 Tf (4) Tj ET"
    form = (
        "<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>"
        f"/Length {len(inner)}>>stream\n{inner}\nendstream"
    )
    page = "/Resources<</XObject<</X 6 0 R>>/Font<</F 5 0 R>>>>"
    assert text_of("/X Do", form, page=page) == "pays 20[4]"


def test_text_drawn_twice_at_one_place_counts_once():
    content = "BT /F 12 Tf 72 700 Td (Bold 35) Tj ET BT /F 12 Tf 72.3 700 Td (Bold 35) Tj ET"
    assert text_of(content) == "Bold 35"
    apart = "BT /F 12 Tf 72 700 Td (35) Tj ET BT /F 12 Tf 172 700 Td (35) Tj ET"
    assert text_of(apart) == "35 35"


def test_hidden_layers_and_invisible_text_are_left_out_and_counted():
    content = (
        "BT /F 12 Tf 72 700 Td (fee 35) Tj ET /OC /L BDC BT /F 12 Tf 72 600 Td (draft 40) Tj ET EMC"
        " BT 3 Tr /F 12 Tf 72 500 Td (unseen 50) Tj ET"
    )
    page = "/Resources<</Font<</F 5 0 R>>/Properties<</L 6 0 R>>>>"
    root = "/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>"
    parsed = parse(pdf(content, "<</Type/OCG/Name(Draft)>>", page=page, root=root))
    assert parsed.text.split() == ["fee", "35"]
    assert parsed.left_out == {"passages in hidden layers": 1, "invisible passages": 1}
    shown = parse(pdf(content, "<</Type/OCG/Name(Draft)>>", page=page))  # no layer is off
    assert "draft 40" in shown.text


def test_recognised_text_behind_an_image_is_read():
    image = "<</Type/XObject/Subtype/Image/Width 1/Height 1/Length 1>>stream\nx\nendstream"
    page = "/Resources<</XObject<</I 6 0 R>>/Font<</F 5 0 R>>>>"
    content = "BT 3 Tr /F 12 Tf 72 500 Td (scanned 50) Tj ET /I Do"
    assert text_of(content, image, page=page) == "scanned 50"


FIELDS = (
    "<</Subtype/Widget/FT/Tx/T(limit)/TU(Overdraft limit)/V(4250 dollars)/Rect[0 0 9 9]>>",
    "<</Subtype/Widget/FT/Btn/T(ins)/V/Yes/AS/Yes/Rect[0 0 9 9]>>",
    "<</Subtype/Widget/FT/Btn/T(news)/AS/Off/Rect[0 0 9 9]>>",
    "<</Subtype/Widget/FT/Ch/T(branch)/V(n)/Opt[[(n)(North Quay)][(s)(South)]]/Rect[0 0 9 9]>>",
    "<</Subtype/Widget/Parent 11 0 R/AS/Off/Rect[0 0 9 9]>>",
    "<</FT/Btn/Ff 32768/T(plan)/V/gold/Kids[10 0 R 12 0 R]>>",
    "<</Subtype/Widget/Parent 11 0 R/AS/gold/Rect[0 0 9 9]>>",
    "<</Subtype/Widget/FT/Tx/T(empty)/Rect[0 0 9 9]>>",
    "<</Subtype/Widget/FT/Tx/T(pin)/Ff 8192/V(1234)/Rect[0 0 9 9]>>",
    "<</Subtype/Widget/FT/Tx/T(draft)/F 2/V(99)/Rect[0 0 9 9]>>",
)


def test_form_values_say_where_they_come_from():
    numbers = " ".join(f"{6 + i} 0 R" for i in range(len(FIELDS)) if i != 5)
    root = "/AcroForm<</Fields[6 0 R 7 0 R 8 0 R 9 0 R 11 0 R]>>"
    content = "BT /F 12 Tf 72 700 Td (Account form) Tj ET"
    parsed = parse(pdf(content, *FIELDS, page=f"/Annots[{numbers}]", root=root))
    assert parsed.text.split("\n\n")[-1].splitlines() == [
        "[Form field] Overdraft limit: 4250 dollars",
        "[Form field] ins: ticked",
        "[Form field] news: not ticked",
        "[Form field] branch: North Quay",
        "[Form field] plan: gold",
    ]
    assert parsed.left_out == {"passwords in form fields": 1, "hidden form fields": 1}


def test_annotations_say_where_they_come_from():
    annotations = (
        "<</Subtype/FreeText/Contents(Fee is 35 dollars)/Rect[0 0 9 9]>>",
        "<</Subtype/Text/T(Anna)/Contents(Ask the branch)/Rect[0 0 9 9]>>",
        "<</Subtype/Highlight/Rect[0 0 9 9]>>",
        "<</Subtype/Link/Contents(a link)/Rect[0 0 9 9]>>",
        "<</Subtype/Text/F 2/Contents(secret)/Rect[0 0 9 9]>>",
    )
    page = "/Annots[6 0 R 7 0 R 8 0 R 9 0 R 10 0 R]"
    parsed = parse(pdf("BT /F 12 Tf 72 700 Td (Fees) Tj ET", *annotations, page=page))
    assert parsed.text.split("\n\n")[-1].splitlines() == [
        "[Annotation] Fee is 35 dollars",
        "[Annotation by Anna] Ask the branch",
    ]
    assert parsed.left_out == {"hidden annotations": 1}


def test_the_second_reader_is_recorded_and_named_when_it_is_absent(monkeypatch):
    from pypdf import PageObject

    def fail(*_, **__):
        raise RecursionError("too deep")

    data = pdf("BT /F 12 Tf 72 700 Td (Account form) Tj ET")
    monkeypatch.setattr(PageObject, "extract_text", fail)
    parsed = parse(data)
    assert parsed.text == "Account form"
    assert parsed.metadata["reader"] == "pdfium, since pypdf failed: RecursionError: too deep"
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(DocumentUnreadable, match=r"pip install 'ragbench\[pdfium\]'") as failure:
        parse(data)
    assert failure.value.reason == "malformed"


def test_a_missing_decoder_is_named(monkeypatch):
    from pypdf import PageObject
    from pypdf.errors import DependencyError

    def fail(*_, **__):
        raise DependencyError("brotli is required for BrotliDecode")

    monkeypatch.setattr(PageObject, "extract_text", fail)
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(DocumentUnreadable, match="pip install brotli") as failure:
        parse(pdf("BT /F 12 Tf 72 700 Td (Account form) Tj ET"))
    assert failure.value.reason == "unsupported"
