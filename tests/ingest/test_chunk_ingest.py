"""Chunkers within an ingest: what is embedded, what is cached, and what a chunk is cited as."""

import dataclasses
import hashlib
import unicodedata

import pytest

from ragbench.config import IngestConfig
from ragbench.ingest.chunk import CHUNKERS
from ragbench.ingest.embed import EMBEDDERS, EmbeddingCache
from ragbench.ingest.index import open_index
from ragbench.ingest.load import LOADERS, find_sources, load_many
from ragbench.ingest.pipeline import ingest

FEES = "# Fees\n\nA wire transfer costs $25.\n\n## Cards\n\nThe gold card is free.\n"


@pytest.fixture
def config(tmp_path, hash_embedder):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "fees.md").write_text(FEES)
    return IngestConfig(
        paths=(docs,),
        store=tmp_path / "store",
        embedder=hash_embedder,
        chunker="heading(merge_tokens=0)",
    )


def _cached(config, text):
    [path] = config.store.rglob("embeddings.sqlite")
    cache = EmbeddingCache(path)
    try:
        identity = EMBEDDERS.create(config.embedder).identity
        return not cache.missing(identity, [hashlib.sha256(text.encode()).digest()])
    finally:
        cache.close()


def test_context_changes_what_is_embedded_and_nothing_of_the_chunk(config):
    plain = ingest(config)
    with_headings = dataclasses.replace(
        config, chunker="heading(merge_tokens=0, context=headings)", collection="headings"
    )
    headed = ingest(with_headings)
    texts = [FEES[:35].rstrip(), FEES[36:].strip()]
    assert texts[1].startswith("## Cards")
    with open_index(config.store, "docs") as one, open_index(config.store, "headings") as other:
        assert [chunk.text for chunk in one.chunks] == texts
        assert one.chunks == other.chunks
    assert plain.n_tokens == headed.n_tokens
    assert plain.index_id != headed.index_id
    # Two texts for each collection, none of them shared: the key is what was embedded.
    assert (plain.n_embedded, headed.n_embedded) == (2, 2)
    assert _cached(config, texts[1])
    assert _cached(config, f"Fees > Cards\n\n{texts[1]}")
    assert not _cached(config, f"Fees\n\n{texts[1]}")


def test_context_counts_in_the_window(config):
    # This embedder's words of the chunks: "Fees A wire transfer costs 25", "Cards The gold card is
    # free", 6 each; the title makes 7 of them.
    spec = "hash(window=6)"
    assert ingest(dataclasses.replace(config, embedder=spec)).n_truncated == 0
    headed = dataclasses.replace(
        config, embedder=spec, chunker="heading(merge_tokens=0, context=title)", collection="two"
    )
    assert ingest(headed).n_truncated == 2


def test_semantic_ingest_looks_up_its_windows(config):
    config = dataclasses.replace(
        config, chunker="semantic(embedder=hash, percentile=50, window_sentences=0)"
    )
    ingest(config)
    for segment in ("# Fees", "A wire transfer costs $25.", "## Cards", "The gold card is free."):
        assert _cached(config, segment)


def test_semantic_without_vectors_keeps_a_cache_all_the_same(config):
    config = dataclasses.replace(
        config, chunker="semantic(embedder=hash, window_sentences=0)", embedder=None
    )
    report = ingest(config)
    assert report.n_chunks >= 1
    assert _cached(dataclasses.replace(config, embedder="hash"), "# Fees")


def _documents(paths):
    sources = [s for s in find_sources(paths)[0] if s.suffix == ".pdf"]
    for _, result in load_many(sources, LOADERS.create("files"), jobs=1):
        if isinstance(result, list):
            yield from result


def _check_pages(documents):
    checked = 0
    for document in documents:
        pages = [place for place in document.places if place.page is not None]
        for size in (64, 1024):
            for chunk in CHUNKERS.create(f"page(size_tokens={size})").chunk(document):
                [page] = [p for p in pages if p.start <= chunk.start < p.end]
                assert chunk.end <= page.end
                assert document.place_at(chunk.start).page == page.page
                checked += 1
        whole = CHUNKERS.create("page(size_tokens=100000)").chunk(document)
        assert [chunk.text for chunk in whole] == [
            text for p in pages if (text := document.text[p.start : p.end].strip())
        ]
    return checked


def test_page_chunks_of_the_shipped_pdfs_stand_on_their_page(repository):
    assert _check_pages(_documents([repository / "corpora" / "banking_knowledge"])) > 60


@pytest.mark.shared_data
def test_page_chunks_of_real_pdfs_are_what_pypdf_reads_there(shared_data):
    from pypdf import PdfReader

    folder = shared_data / "pdf_samples"
    assert _check_pages(_documents([folder])) > 200
    (path,) = folder.rglob("pdflatex-4-pages.pdf")
    (document,) = _documents([path])
    chunks = CHUNKERS.create("page(size_tokens=100000)").chunk(document)
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(path).pages]
    assert [" ".join(chunk.text.split()) for chunk in chunks] == pages


@pytest.mark.shared_data
def test_heading_chunks_of_real_pdfs_begin_at_their_heading(shared_data):
    folder = shared_data / "pdf_samples"
    for name in ("pdflatex-outline.pdf", "GeoTopo-komprimiert.pdf"):
        (path,) = folder.rglob(name)
        (document,) = _documents([path])
        places = [place for place in document.places if place.heading is not None]
        chunks = CHUNKERS.create("heading(size_tokens=100000, merge_tokens=0)").chunk(document)
        edges = {edge for place in places for edge in (place.start, place.end)}
        assert {chunk.start for chunk in chunks} <= {0, *edges}
        cited = [chunk for chunk in chunks if document.place_at(chunk.start).heading is not None]
        # A heading alone goes with what stands below it.
        assert 0.5 * len(places) <= len(cited) <= len(places)
        for chunk in chunks:
            heading = document.place_at(chunk.start).heading
            if heading is not None:
                words = unicodedata.normalize("NFKC", heading.rsplit(" > ", 1)[-1]).split()
                assert words[-1] in unicodedata.normalize("NFKC", chunk.text[:200])  # ligatures
