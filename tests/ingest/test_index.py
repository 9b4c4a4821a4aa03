"""An opened index: exact, whole, and clear about what is wrong with it."""

import json
import shutil

import numpy as np
import pytest

from ragbench.config import IngestConfig
from ragbench.errors import StoreError
from ragbench.ingest.index import open_index
from ragbench.ingest.pipeline import ingest


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for i in range(40):
        kind = "card" if i % 4 == 0 else "loan"
        (folder / f"{i:02d}.md").write_text(f"# Note {i}\n\nAbout {kind} number {i * 7 % 40}.\n")
    about = {f"{i:02d}.md": {"product": "card" if i % 4 == 0 else "loan"} for i in range(40)}
    (folder / "manifest.json").write_text(json.dumps({"files": about}))
    return folder


@pytest.fixture
def config(docs, tmp_path, hash_embedder):
    return IngestConfig(paths=(docs,), store=tmp_path / "store", embedder=hash_embedder)


def _generation(config, number="000001"):
    return config.store / "collections" / "docs" / "generations" / number


def test_nearest_equals_brute_force(config):
    ingest(config)
    with open_index(config.store, "docs") as index:
        matrix = index.embedder.embed([chunk.text for chunk in index.chunks], "passage")
        query = index.embed_query("card number 14")
        expected = np.sort(matrix @ query)[::-1]
        hits = index.nearest(query, 12)
        assert [cosine for _, cosine in hits] == pytest.approx(expected[:12], abs=1e-6)
        for chunk, cosine in hits:
            assert cosine == pytest.approx(matrix[index.chunks.index(chunk)] @ query, abs=1e-6)
        assert len(index.nearest(query, 1000)) == 40


def test_a_declared_exact_search_gives_the_same(config):
    ingest(config)
    with open_index(config.store, "docs") as index:
        query = index.embed_query("loan number 3")
        by_graph = index.nearest(query, 40)
    path = _generation(config) / "manifest.json"
    path.write_text(path.read_text().replace('"search": "hnsw"', '"search": "exact"'))
    with open_index(config.store, "docs") as index:
        assert index.manifest.search == "exact"
        by_force = index.nearest(query, 40)
    assert {c.chunk_id for c, _ in by_graph} == {c.chunk_id for c, _ in by_force}
    assert [s for _, s in by_graph] == pytest.approx([s for _, s in by_force], abs=1e-6)


def test_a_filter_is_exact_and_complete(config):
    ingest(config)
    with open_index(config.store, "docs") as index:
        query = index.embed_query("loan number 3")
        hits = index.nearest(query, 40, {"product": "card"})
        assert sorted(chunk.doc_id for chunk, _ in hits) == [f"{i:02d}.md" for i in range(0, 40, 4)]
        assert index.nearest(query, 40, {"product": "none"}) == []
        assert index.nearest(query, 40, {"nothing": "card"}) == []


def test_a_poor_graph_makes_the_search_exact(config, monkeypatch):
    from ragbench.ingest.index import Recall, _recall

    measured = Recall(k=10, queries=40, recall=0.99)
    monkeypatch.setattr(_recall, "measure_recall", lambda *_: measured)
    ingest(config)
    with open_index(config.store, "docs") as index:
        assert (index.manifest.search, index.manifest.recall) == ("exact", measured)


def test_recall_counts_what_brute_force_finds():
    from ragbench.ingest.index._recall import measure_recall

    # Four unit vectors at 0, 10, 20 and 90 degrees; k = 2. A search that always answers the first
    # two finds, of the true two: 0 deg {0, 10} both, 10 deg {10, 0 or 20} both (a tie, either is
    # right), 20 deg {20, 10} one, 90 deg {90, 20} none: (2 + 2 + 1 + 0) / 8.
    angles = np.deg2rad([0, 10, 20, 90])
    matrix = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    class FirstTwo:
        def blocks(self, chunk_ids):
            yield matrix[["abcd".index(chunk_id) for chunk_id in chunk_ids]]

        def nearest(self, vectors, n):
            return [[("a", 0.0), ("b", 0.0)]] * len(vectors)

    recall = measure_recall(FirstTwo(), ["a", "b", "c", "d"], k=2)
    assert (recall.k, recall.queries, recall.recall) == (2, 4, 5 / 8)


def test_a_reader_keeps_its_generation(config, docs):
    ingest(config)
    reader = open_index(config.store, "docs")
    for text in ("one", "two", "three"):
        (docs / "00.md").write_text(f"# Changed\n\nVersion {text}.\n")
        ingest(config)
    assert _generation(config, "000001").is_dir()
    assert not _generation(config, "000002").exists()  # neither current, previous nor held
    assert reader.documents["00.md"].title == "Note 0"
    assert len(reader.nearest(reader.embed_query("note"), 40)) == 40
    reader.close()
    (docs / "00.md").write_text("# Changed\n\nVersion four.\n")
    ingest(config)
    names = sorted(path.name for path in _generation(config).parent.iterdir())
    assert names == ["000004", "000005"]


def test_queries_are_cached(config):
    ingest(config)
    with open_index(config.store, "docs") as index:
        first = index.embed_query("what is asked")
    with open_index(config.store, "docs") as index:
        index.embedder.__class__.embed, real = None, index.embedder.__class__.embed
        try:
            assert (index.embed_query("what is asked") == first).all()
        finally:
            index.embedder.__class__.embed = real


def test_absent_store_and_collection(config, tmp_path):
    with pytest.raises(StoreError, match=r"no collection in the store.*ragbench ingest"):
        open_index(tmp_path / "nowhere", "docs")
    ingest(config)
    with pytest.raises(StoreError, match=r"no collection 'dogs'. It has: docs"):
        open_index(config.store, "dogs")


def test_other_components_than_wanted(config):
    ingest(config)
    with pytest.raises(
        StoreError, match=r"made with the chunker 'recursive.*not with 'document\(context=none\)'"
    ):
        open_index(config.store, "docs", chunker="document")
    with pytest.raises(StoreError, match=r"made with the embedder 'hash\(dim=64.*'minilm"):
        open_index(config.store, "docs", embedder="minilm")
    open_index(config.store, "docs", chunker="recursive", embedder="hash").close()


def test_a_model_with_other_weights_is_refused(config):
    ingest(config)
    path = _generation(config) / "manifest.json"
    path.write_text(path.read_text().replace('"hash(dim=64, window=10000)"', '"hash(older)"'))
    with open_index(config.store, "docs") as index, pytest.raises(StoreError, match="is now 'hash"):
        _ = index.embedder


def _cut(path):
    path.write_bytes(path.read_bytes()[:-20])


def _drop_line(path):
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("../../CURRENT", lambda path: path.write_text("latest")),
        ("../../CURRENT", lambda path: path.write_bytes(b"\xff\xfe")),
        ("../../CURRENT", lambda path: path.write_text("000009")),
        ("manifest.json", _cut),
        ("manifest.json", lambda path: path.write_text('{"schema_version": 2}')),
        ("manifest.json", lambda path: path.unlink()),
        ("documents.jsonl", _cut),
        ("documents.jsonl", _drop_line),
        ("documents.jsonl", lambda path: path.unlink()),
        ("chunks.jsonl", _cut),
        ("chunks.jsonl", _drop_line),
        ("chunks.jsonl", lambda path: path.write_bytes(b"\xff\xfe\n")),
        ("../../vectors/000001", shutil.rmtree),
        ("../../vectors/000001/vectors.npy", lambda path: path.write_bytes(b"no array" * 1000)),
        ("../../vectors/000001/vectors.npy", _cut),
        ("places.npy", _cut),
        ("chunks.npy", _cut),
        ("documents.npy", lambda path: path.unlink()),
    ],
)
def test_damage_is_named(config, name, damage):
    ingest(config)
    damage(_generation(config) / name)
    with pytest.raises(
        StoreError,
        match=r"damaged.*index check docs --repair --store .*store .*ingest PATH.*--replace",
    ):
        _read_all(config)


def _read_all(config):
    with open_index(config.store, "docs") as index:
        index.nearest(index.embed_query("card"), 5)
        _ = index.documents, index.chunks
