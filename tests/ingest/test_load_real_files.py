"""Real files that nobody here wrote: what becomes of each, and that places lie within texts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from ragbench.ingest.load import LOADERS, Source, Unread, find_sources, load_many

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

pytestmark = [
    pytest.mark.shared_data,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is absent"),
]

UNREADABLE_PDFS = {
    "cmyk-image.pdf": "no-text",
    "grayscale-image.pdf": "no-text",
    "imagemagick-ASCII85Decode.pdf": "no-text",
    "imagemagick-CCITTFaxDecode.pdf": "no-text",
    "imagemagick-lzw.pdf": "no-text",
    "libreoffice-writer-password.pdf": "encrypted",
    "unreadablemetadata.pdf": "malformed",  # its page tree, object 172, is not in the file
}


@pytest.mark.parametrize("spec", ["files", "files(pdf=pdfium)"])
def test_pdf_samples(capfd, spec):
    if "pdfium" in spec:
        pytest.importorskip("pypdfium2")
    sources, unread = find_sources([DATA / "pdf_samples"])
    assert (len(sources), [entry.name for entry in unread]) == (31, ["LICENSE"])
    results = {source.doc_id: result for source, result in load_many(sources, LOADERS.create(spec))}
    refused = {name: r.reason for name, r in results.items() if isinstance(r, Unread)}
    assert refused == UNREADABLE_PDFS
    texts = {name: r[0] for name, r in results.items() if not isinstance(r, Unread)}
    for document in texts.values():
        assert document.places[0].start == 0
        pages = [place for place in document.places if place.page is not None]
        assert [place.page for place in pages] == [*range(1, len(pages) + 1)]
        for place, following in pairwise(pages):
            assert place.end == following.start
        assert pages[-1].end == len(document.text)
        document.text.encode()
    geometry = texts["GeoTopo-komprimiert.pdf"]
    assert geometry.title == "Geometrie und Topologie"
    cited = geometry.place_at(geometry.text.index("Was ist Topologie?"))
    assert (cited.page, cited.heading) == (2, None)  # before the first chapter of the outline
    cited = geometry.place_at(geometry.text.index("ist in jedem Dreieck die Innenwinkelsumme"))
    chapter = "4 Euklidische und nichteuklidische Geometrie"
    assert cited.page == 77
    assert cited.heading == f"{chapter} > 4.1 Axiome für die euklidische Ebene"
    assert texts["habibi-rotated.pdf"].text.count("habibi") == 4  # a page in each direction
    assert texts["multicolumn.pdf"].title == "Two-Column Document with Lorem Ipsum"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("spec", ["files", "files(pdf=pdfium)"])
def test_headings_of_real_outlines(spec):
    if "pdfium" in spec:
        pytest.importorskip("pypdfium2")
    loader = LOADERS.create(spec)

    def load(name):
        path = DATA / "pdf_samples" / name
        (document,) = loader.load(Source(path, name, path.parent))
        return document, [place for place in document.places if place.heading is not None]

    # Nine sections Foo, Bar, Baz in turn, numbered on the page and not in the outline; the pages
    # (the first holds the contents) were looked up in a viewer.
    document, found = load("pdflatex-outline.pdf")
    lines = [document.text[place.start :].split("\n")[0] for place in found]
    names = ["Foo", "Bar", "Baz"] * 3
    assert lines == [f"{number} {name}" for number, name in enumerate(names, start=1)]
    assert [place.heading for place in found] == names
    pages = [document.place_at(place.start).page for place in found]
    assert pages == [2, 2, 2, 2, 3, 3, 3, 4, 4]
    assert document.place_at(document.text.index("1 Foo") - 1).heading is None  # the contents

    # 35 bookmarks on two and three levels; titles with ligatures and over two lines; the last one
    # leads to the page before the one with its title, so that from there on none is known
    document, found = load("GeoTopo-komprimiert.pdf")
    assert len(found) == 34
    cited = document.place_at(document.text.index("Stichwortverzeichnis", found[-1].start))
    assert (cited.page, cited.heading) == (115, None)
    chapter = "4 Euklidische und nichteuklidische Geometrie"
    section = "4.2 Weitere Eigenschaften einer euklidischen Ebene"
    deepest = next(place for place in found if "4.2.1" in place.heading)
    assert deepest.heading == f"{chapter} > {section} > 4.2.1 Flächeninhalt"
    assert document.text[deepest.start :].startswith("4.2.1 Flächeninhalt\n")
    assert document.place_at(deepest.start).page == 78
    exercises = [place for place in found if place.heading.endswith("> Übungsaufgaben")]
    assert [document.place_at(place.start).page for place in exercises] == [26, 47, 90]
    for place in found:
        first = document.text[place.start :].split("\n")[0].split()[0]
        assert place.heading.split(" > ")[-1].startswith(first)

    # its 27 titles (First, Second, ...) stand on no page: no heading may be cited
    assert load("mistitled_outlines_example.pdf")[1] == []


def test_tau3_documents():
    sources, unread = find_sources([DATA / "tau3_banking" / "documents"])
    assert (len(sources), unread) == (698, [])
    documents = [
        document for _, result in load_many(sources, LOADERS.create("files")) for document in result
    ]
    assert len(documents) == 698
    first = documents[0]
    assert first.doc_id == "doc_bank_accounts_bank_accounts_(general)_001.json"
    assert first.aliases == ("doc_bank_accounts_bank_accounts_(general)_001",)
    assert first.title == "Internal: Opening Personal Checking Accounts"
    assert first.place_at(20).heading == "Eligibility Requirements"
    for document in documents:
        for place in document.places:
            assert 0 <= place.start < place.end <= len(document.text)
            heading = place.heading.split(" > ")[-1].split()[0]
            assert heading in document.text[place.start : place.end].replace("*", "")


def test_chunking_corpora_are_verbatim():
    folder = DATA / "chunking_eval" / "corpora"
    sources, _ = find_sources([folder])
    for source, (document,) in load_many(sources, LOADERS.create("files")):
        assert document.text == source.path.read_bytes().decode()
        assert document.metadata == {}
