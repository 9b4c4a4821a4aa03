"""Real files that nobody here wrote: what becomes of each, and that places lie within texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.ingest.load import LOADERS, Unread, find_sources, load_many

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
        assert document.places[-1].end == len(document.text)
        assert [place.page for place in document.places] == [*range(1, len(document.places) + 1)]
        for place, following in zip(document.places, document.places[1:], strict=False):
            assert place.end == following.start
        document.text.encode()
    geometry = texts["GeoTopo-komprimiert.pdf"]
    assert geometry.title == "Geometrie und Topologie"
    assert geometry.place_at(geometry.text.index("Was ist Topologie?")).page == 2
    assert texts["habibi-rotated.pdf"].text.count("habibi") == 4  # a page in each direction
    assert texts["multicolumn.pdf"].title == "Two-Column Document with Lorem Ipsum"
    assert capfd.readouterr() == ("", "")


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
