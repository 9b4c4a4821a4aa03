"""Citations of PDFs: pages of the shipped ones, headings where an outline can be relied on."""

from __future__ import annotations

import io
import re

import pytest

from ragbench.ingest.load import LOADERS, Source
from ragbench.ingest.load._headings import Heading
from ragbench.ingest.load.pdf._outline import Bookmark, placed
from ragbench.records import Place


def outlined_pdf(pages: list[list[str]], bookmarks: list[tuple[str, int, int]]) -> bytes:
    """Lines a page; bookmarks as title, level from 0, page from 0."""
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    for number, lines in enumerate(pages):
        for title, _, page in bookmarks:
            if page == number:
                canvas.bookmarkPage(f"{title} {page}")
        for row, line in enumerate(lines):
            canvas.drawString(72, 720 - 20 * row, line)
        canvas.showPage()
    for title, level, page in bookmarks:
        canvas.addOutlineEntry(title, f"{title} {page}", level)
    canvas.save()
    return buffer.getvalue()


@pytest.mark.parametrize("spec", ["files", "files(pdf=pdfium)"])
def test_an_outline_becomes_places(tmp_path, spec):
    if "pdfium" in spec:
        pytest.importorskip("pypdfium2")
    path = tmp_path / "a.pdf"
    path.write_bytes(
        outlined_pdf(
            [["Cover"], ["1 Transfers", "General words.", "1.1 Limits", "Two a day."], ["More."]],
            [("Transfers", 0, 1), ("Limits", 1, 1), ("Nowhere", 0, 2)],
        )
    )
    (document,) = LOADERS.create(spec).load(Source(path, "a.pdf", tmp_path))
    # "Cover\n\n" is page 1; "1 Transfers\nGeneral words.\n1.1 Limits\nTwo a day.\n\n" page 2
    text = document.text
    assert re.sub(r"\s+", " ", text).strip() == (
        "Cover 1 Transfers General words. 1.1 Limits Two a day. More."
    )

    def cited(words: str) -> tuple[int | None, str | None]:
        place = document.place_at(text.index(words))
        return place.page, place.heading

    assert cited("Cover") == (1, None)
    assert cited("1 Transfers") == (2, "Transfers")
    assert cited("General") == (2, "Transfers")
    assert cited("1.1 Limits") == (2, "Transfers > Limits")
    assert cited("Two a day") == (2, "Transfers > Limits")
    assert cited("More") == (3, None)  # "Nowhere" begins somewhere on this page


PAGES = ["Fees\nA fee.\nLimits\nA limit.\n", "Rates\nThe rate.\nLimits\n", "Limits\n"]
STARTS = [0, 31, 60]


@pytest.mark.parametrize(
    ("bookmarks", "expected"),
    [
        # (level, title, page) -> (start, level, text)
        ([(1, "Fees", 0), (1, "Limits", 0)], [(0, 1, "Fees"), (12, 1, "Limits")]),
        ([(1, "Fees", 0), (2, "Limits", 0)], [(0, 1, "Fees"), (12, 2, "Limits")]),
        ([(1, "fees", 0)], []),  # other letters
        ([(1, "Fee", 0)], []),  # a part of a line
        ([(1, "A fee. Limits", 0)], [(5, 1, "A fee. Limits")]),  # over two lines
        ([(1, "  Fees\n", 0)], [(0, 1, "Fees")]),
        ([(1, "Fees", None)], []),
        ([(1, "", 0)], []),
        # not on the page it leads to: from there on no heading of this level is known
        ([(1, "Fees", 0), (1, "Rate", 1)], [(0, 1, "Fees"), (31, 1, "")]),
        (
            [(1, "Fees", 0), (2, "Rate", 1), (1, "Limits", 2)],
            [(0, 1, "Fees"), (31, 2, ""), (60, 1, "Limits")],
        ),
        # on the same page as the one before: that one's own text is not sure either
        ([(1, "Fees", 0), (1, "Loans", 0)], [(0, 1, "Fees"), (0, 1, "")]),
        # leads nowhere: it may begin right after the one before
        ([(1, "Fees", 0), (1, "Rates", None)], [(0, 1, "Fees"), (0, 1, "")]),
        # pages backwards
        ([(1, "Rates", 1), (1, "Fees", 0)], []),
        ([(1, "Rates", 1), (1, "Loans", 0)], []),
        # two bookmarks of one title on a page that has it once
        ([(1, "Fees", 0), (1, "Fees", 0)], []),
        ([], []),
    ],
)  # fmt: skip
def test_placed(bookmarks, expected):
    found = placed([Bookmark(*entry) for entry in bookmarks], PAGES, STARTS)
    assert found == [Heading(*entry) for entry in expected]


def test_a_title_twice_on_a_page_is_ambiguous():
    pages = ["Fees\nPage header\nFees\n"]
    assert placed([Bookmark(1, "Fees", 0)], pages, [0]) == []
    both = [Bookmark(1, "Fees", 0), Bookmark(1, "Fees", 0)]
    assert [heading.start for heading in placed(both, pages, [0])] == [0, 17]  # 5 + 12


@pytest.mark.parametrize(
    ("page", "title", "start"),
    [
        ("1 Fees\n", "Fees", 0),
        ("1.2. Fees\n", "Fees", 0),
        ("Chapter 3: Fees\n", "Fees", 0),
        ("Fees\n", "1 Fees", 0),
        ("2\n4\n1.2 Fees\n", "1.2 Fees", 4),  # numbers of a figure above
        ("1\nFees\n", "1 Fees", 0),
        ("1\nFees\n", "Fees", 2),
        ("Overdraft\ninterest\n", "Overdraft interest", 0),
        ("Over-\ndraft\n", "Overdraft", 0),
        ("Oﬃce hours\n", "Office hours", 0),
        ("O ffice h ours\n", "Office hours", 0),  # spaces that extraction put in
    ],
)
def test_how_titles_stand_on_pages(page, title, start):
    assert placed([Bookmark(1, title, 0)], [page], [0]) == [Heading(start, 1, title)]


def test_a_broken_outline_costs_only_headings(tmp_path):
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import NameObject, NumberObject

    good = outlined_pdf([["Fees", "A fee."]], [("Fees", 0, 0)])
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(good)))
    outlines = writer.root_object["/Outlines"]
    for key, value in (("/First", NumberObject(7)), ("/First", outlines.indirect_reference)):
        outlines[NameObject(key)] = value
        path = tmp_path / "a.pdf"
        writer.write(path)
        (document,) = LOADERS.create("files").load(Source(path, "a.pdf", tmp_path))
        assert document.places == (Place(0, len(document.text), page=1),)


def test_pages_of_the_shipped_pdfs(repository):
    """Every page's place holds that page's words, as another library extracts them."""
    pdfium = pytest.importorskip("pypdfium2")
    root = repository / "corpora" / "banking_knowledge"
    paths = sorted(root.rglob("*.pdf"))
    assert len(paths) >= 8
    for path in paths:
        (document,) = LOADERS.create("files").load(Source(path, path.name, root))
        with pdfium.PdfDocument(path) as pdf:
            assert [place.page for place in document.places] == [*range(1, len(pdf) + 1)]
            for place in document.places:
                expected = pdf[place.page - 1].get_textpage().get_text_range()
                found = document.text[place.start : place.end]
                apart = str.maketrans("", "", "[]")  # superscripts are set apart here alone
                words = sorted("".join(found.translate(apart).split()))
                assert words == sorted("".join(expected.translate(apart).split())), path
