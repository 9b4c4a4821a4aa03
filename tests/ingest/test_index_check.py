"""``check`` finds what is damaged and says what to do; ``repair`` mends it."""

import json
import shutil
import sqlite3

import numpy as np
import pytest

from ragbench.config import IngestConfig
from ragbench.errors import StoreError
from ragbench.ingest.index import (
    Layout,
    check_cache,
    check_collection,
    check_names,
    describe_collection,
    list_collections,
    open_index,
    repair_cache,
)
from ragbench.ingest.pipeline import ingest
from ragbench.ingest.repair import repair

N_FILES = 12


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for i in range(N_FILES):
        (folder / f"{i:02d}.md").write_text(f"# Note {i}\n\nThe fee of item {i * 7} is ${i}.\n")
    return folder


@pytest.fixture
def config(docs, tmp_path, hash_embedder):
    config = IngestConfig(paths=(docs,), store=tmp_path / "store", embedder=hash_embedder)
    ingest(config)
    return config


@pytest.fixture
def generation(config):
    return config.store / "collections" / "docs" / "generations" / "000001"


def _parts(config):
    return [finding.part for finding in check_collection(config.store, "docs").findings]


def _vectors(generation):
    return generation.parent.parent / "vectors" / generation.name


def _chroma(generation):
    import chromadb

    client = chromadb.PersistentClient(path=str(_vectors(generation) / "chroma"))
    return client, client.get_collection("chunks", embedding_function=None)


def _vector():
    return np.eye(64, dtype=np.float32)[0]


def test_a_sound_collection_has_no_findings(config):
    checked = check_collection(config.store, "docs")
    assert checked.findings == ()
    assert checked.held == "generation 000001, 12 documents, 12 chunks, 12 vectors"
    assert check_cache(config.store).held == "12 vectors of 1 embedder"
    assert check_cache(config.store).findings == ()
    assert repair(config.store, "docs").done == []


def _lose_vector(generation):
    client, vectors = _chroma(generation)
    vectors.delete(ids=vectors.get(limit=1)["ids"])
    client.close()


def _stray_vector(generation):
    client, vectors = _chroma(generation)
    vectors.upsert(ids=["gone.md#0-5"], embeddings=[_vector()], documents=["x"])
    client.close()


def _wrong_vector(generation):
    client, vectors = _chroma(generation)
    vectors.update(ids=vectors.get(limit=1)["ids"], embeddings=[_vector()])
    client.close()


def _wrong_file(generation):
    path = _vectors(generation) / "vectors.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x40  # the largest bits of the last component
    path.write_bytes(data)


def _cut_file(generation):
    _cut(_vectors(generation) / "vectors.npy")


def _lose_places(generation):
    (generation / "places.npy").unlink()


def _swap_places(generation):
    places = np.load(generation / "places.npy")
    np.save(generation / "places.npy", places[[1, 0, *range(2, N_FILES)]])


def _far_places(generation):
    np.save(generation / "places.npy", np.load(generation / "places.npy") + np.int32([0, 1]))


def _lose_ids(generation):
    (_vectors(generation) / "ids.json").unlink()


def _cut_segment(generation):
    _cut(_vectors(generation) / "segment.json")


def _wrong_metadata(generation):
    client, vectors = _chroma(generation)
    vectors.update(ids=vectors.get(limit=1)["ids"], metadatas=[{"title": "Another"}])
    client.close()


def _no_vectors(generation):
    shutil.rmtree(_vectors(generation) / "chroma")


def _broken_database(generation):
    (_vectors(generation) / "chroma" / "chroma.sqlite3").write_bytes(b"no database" * 1000)


def _other_dimension(generation):
    client, vectors = _chroma(generation)
    held = vectors.get(include=["documents", "metadatas"])
    client.delete_collection("chunks")
    vectors = client.create_collection("chunks", embedding_function=None)
    vectors.upsert(
        ids=held["ids"],
        embeddings=np.eye(32, dtype=np.float32)[: len(held["ids"])],
        documents=held["documents"],
        metadatas=held["metadatas"],
    )
    client.close()


@pytest.mark.parametrize(
    ("damage", "detail"),
    [
        (_lose_vector, "1 vectors are missing (of 12 chunks), the first of '"),
        (_stray_vector, "1 vectors belong to no chunk (of 12 chunks), the first of 'gone.md#0-5'"),
        (_wrong_vector, "1 vectors differ from the embedding cache"),
        (_wrong_metadata, "1 vectors stand beside another text or other metadata"),
        (_other_dimension, "12 vectors have another dimension"),
        (_wrong_file, "1 vectors differ from those of the segment's own file"),
        (_cut_file, "vectors.npy"),
        (_lose_places, "places.npy"),
        (_swap_places, "2 vectors stand at the place of another chunk"),
        (_far_places, "it names a position that its segment does not have"),
        (_lose_ids, "ids.json"),
        (_cut_segment, "segment.json"),
        (_no_vectors, "it holds no vectors"),
        (_broken_database, "chroma"),
    ],
)
def test_damaged_vectors_are_built_anew_from_records_and_cache(config, generation, damage, detail):
    with open_index(config.store, "docs") as index:
        before = index.index_id, index.nearest(index.embed_query("fee of item 14"), 12)
    damage(generation)
    (finding,) = check_collection(config.store, "docs").findings
    assert finding.part == "vectors"
    assert detail in finding.detail
    assert finding.remedy == f"ragbench index check docs --repair --store {config.store}"
    repaired = repair(config.store, "docs")
    assert repaired.done == [
        "12 vectors built anew as generation 000002: 12 from the cache, 0 embedded"
    ]
    assert (repaired.failed, repaired.after.findings) == ([], ())
    with open_index(config.store, "docs") as index:
        assert (index.index_id, index.nearest(index.embed_query("fee of item 14"), 12)) == before
    assert ingest(config).unchanged


def _cut(path):
    path.write_bytes(path.read_bytes()[:-20])


def _alter(path):
    path.write_bytes(path.read_bytes().replace(b"fee", b"fie", 1))


def test_damaged_chunks_are_cut_again_from_the_stored_documents(config, generation, docs):
    whole = (generation / "chunks.jsonl").read_bytes()
    for damage in (_cut, lambda path: path.unlink(), lambda path: path.write_bytes(b"\xff")):
        damage(generation / "chunks.jsonl")
        assert _parts(config) == ["chunks"]
        repaired = repair(config.store, "docs")
        assert repaired.done == ["12 chunks cut again from the stored documents"]
        assert repaired.after.findings == ()
        assert (generation / "chunks.jsonl").read_bytes() == whole


@pytest.mark.parametrize("damage", [_cut, _alter, lambda path: path.unlink()])
def test_damaged_documents_are_read_again_from_their_files(config, generation, docs, damage):
    damage(generation / "documents.jsonl")
    assert _parts(config) == ["documents"]
    repaired = repair(config.store, "docs")
    assert repaired.done == [f"ingested again from {docs}: 12 documents"]
    assert repaired.after.findings == ()
    assert ingest(config).unchanged


@pytest.mark.parametrize("name", ["documents.npy", "chunks.npy"])
@pytest.mark.parametrize("damage", [_cut, lambda path: path.unlink()])
def test_damaged_tables_are_made_again_from_the_records(config, generation, name, damage):
    whole = (generation / name).read_bytes()
    damage(generation / name)
    assert _parts(config) == ["tables"]
    assert repair(config.store, "docs").after.findings == ()
    assert (generation / name).read_bytes() == whole


def test_a_table_that_does_not_fit_is_found(config, generation):
    table = np.load(generation / "chunks.npy")
    table[3, 1] += 1
    np.save(generation / "chunks.npy", table)
    assert _parts(config) == ["tables"]
    assert repair(config.store, "docs").after.findings == ()


def _alter_counts(path):
    np.save(path / "counts.npy", np.load(path / "counts.npy") + np.uint8(1))


@pytest.mark.parametrize(
    "damage",
    [
        _alter_counts,
        *(
            lambda path, name=name: _cut(path / name)
            for name in (
                *("words.npy", "word_starts.npy", "starts.npy", "rows.npy", "counts.npy"),
                *("lengths.npy", "meta.json"),
            )
        ),
        lambda path: (path / "lengths.npy").unlink(),
    ],
)
def test_damaged_words_are_counted_again(config, generation, damage):
    (folder,) = (generation / "lexical").iterdir()
    whole = (folder / "counts.npy").read_bytes()
    damage(folder)
    assert _parts(config) == ["lexical"]
    repaired = repair(config.store, "docs")
    assert repaired.done == ["the words of the chunks counted again"]
    assert repaired.after.findings == ()
    assert (folder / "counts.npy").read_bytes() == whole


def test_documents_whose_files_are_gone_remain_a_finding(config, generation, docs):
    _cut(generation / "documents.jsonl")
    shutil.rmtree(docs)
    repaired = repair(config.store, "docs")
    assert [finding.part for finding in repaired.after.findings] == ["documents"]
    assert "cannot be read again from" in repaired.failed[0]
    assert "does not exist" in repaired.failed[0]


def test_documents_that_cannot_be_read_again_are_named(config, generation, docs):
    _cut(generation / "documents.jsonl")
    (docs / "03.md").write_text("")
    repaired = repair(config.store, "docs")
    assert repaired.failed == ["these could be read before, but not now: 03.md"]
    assert repaired.after.held == "generation 000002, 11 documents, 11 chunks, 11 vectors"


@pytest.mark.parametrize("text", ["latest", "000009", None])
def test_a_lost_pointer_names_the_newest_generation(config, generation, docs, text):
    (docs / "00.md").write_text("# Note 0\n\nRenewed.\n")
    ingest(config)
    pointer = generation.parent.parent / "CURRENT"
    pointer.unlink() if text is None else pointer.write_text(text)
    assert _parts(config) == ["pointer"]
    repaired = repair(config.store, "docs")
    assert repaired.done == ["CURRENT names generation 000002 again"]
    assert repaired.after.findings == ()
    with open_index(config.store, "docs") as index:
        assert "Renewed" in index.documents["00.md"].text


def test_a_damaged_manifest_is_made_again_with_what_the_one_before_says(config, generation, docs):
    _cut(generation / "manifest.json")
    assert _parts(config) == ["manifest"]
    repaired = repair(config.store, "docs")
    assert "no manifest is left" in repaired.failed[0]
    assert "ragbench ingest PATH... --collection docs --replace" in repaired.failed[0]
    import dataclasses

    ingest(dataclasses.replace(config, replace=True, anew=True))  # again generation 000001
    (docs / "00.md").write_text("# Note 0\n\nRenewed.\n")
    ingest(config)
    _cut(generation.parent / "000002" / "manifest.json")
    repaired = repair(config.store, "docs")
    assert repaired.done == [f"ingested again from {docs}: 12 documents"]
    assert repaired.after.findings == ()


def test_what_an_ingest_left_unfinished_is_found_and_removed(config, generation):
    (generation.parent / "000002").mkdir()
    (generation.parent / "000002" / "documents.jsonl").write_text("{")
    assert _parts(config) == ["unfinished"]
    with Layout(config.store, "docs").lock():
        assert _parts(config) == []  # an ingest is at work on it
    assert repair(config.store, "docs").done == ["removed what an ingest had left unfinished"]
    assert _parts(config) == []
    (config.store / "collections" / "first" / "generations" / "000001").mkdir(parents=True)
    repaired = repair(config.store, "first")
    assert (repaired.done, repaired.after) == (["removed what a first ingest had left"], None)
    assert check_names(config.store, None) == ["docs"]


@pytest.mark.parametrize("text", ["", "000002\n", "x\n", None])
def test_which_vectors_a_generation_has_is_named_again(config, generation, text):
    path = generation / "segments"
    whole = path.read_bytes()
    path.unlink() if text is None else path.write_text(text)
    # Without the file the manifest says it; with a wrong one vectors that are used would go.
    assert _parts(config) == ([] if text is None else ["segments"])
    repaired = repair(config.store, "docs")
    assert repaired.after.findings == ()
    assert text is None or path.read_bytes() == whole
    assert ingest(config).unchanged


def test_several_damages_at_once(config, generation):
    _cut(generation / "chunks.jsonl")
    _no_vectors(generation)
    (generation.parent / "000002").mkdir()
    assert _parts(config) == ["unfinished", "chunks"]
    repaired = repair(config.store, "docs")
    assert len(repaired.done) == 2  # building the vectors anew also removes the unfinished one
    assert repaired.after.findings == ()


def test_a_damaged_vector_in_the_cache(config):
    path = config.store / "embeddings.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(
            "UPDATE embeddings SET vector = zeroblob(40) "
            "WHERE text_sha256 = (SELECT min(text_sha256) FROM embeddings)"
        )
    db.close()
    (finding,) = check_cache(config.store).findings
    assert finding.detail.startswith("1 of its vectors are not of length 1, or of another dim")
    assert finding.remedy == f"ragbench index check --repair --store {config.store}"
    assert repair_cache(config.store).startswith("removed 1 vectors")
    assert check_cache(config.store).held == "11 vectors of 1 embedder"
    assert check_cache(config.store).findings == ()


def test_a_cache_that_is_no_database_is_put_aside(config):
    (config.store / "embeddings.sqlite").write_bytes(b"no database" * 1000)
    assert [finding.part for finding in check_cache(config.store).findings] == ["cache"]
    assert repair_cache(config.store).startswith("moved to embeddings.sqlite.damaged")
    assert check_cache(config.store) is None
    import dataclasses

    assert ingest(dataclasses.replace(config, replace=True, anew=True)).n_embedded == N_FILES


def test_absent_collections(config, tmp_path):
    with pytest.raises(StoreError, match=r"no collection 'dogs'. It has: docs"):
        check_names(config.store, "dogs")
    with pytest.raises(StoreError, match="no collection in the store"):
        check_names(tmp_path / "nowhere", None)
    with pytest.raises(StoreError, match="no collection in the store"):
        list_collections(tmp_path / "nowhere")


def test_what_a_store_holds(config, generation, docs):
    (docs / "empty.md").write_text("")
    (docs / "00.md").write_text("# Note 0\n\nRenewed.\n")
    ingest(config)
    import dataclasses

    ingest(dataclasses.replace(config, collection="broken"))
    _cut(config.store / "collections" / "broken" / "generations" / "000001" / "manifest.json")
    broken, sound = list_collections(config.store)
    assert (broken.collection, broken.manifest) == ("broken", None)
    assert "manifest.json" in broken.problem
    assert (sound.collection, sound.manifest.n_documents, sound.problem) == ("docs", 12, None)
    assert sound.n_bytes > 100_000
    details = describe_collection(config.store, "docs")
    assert details.generations == ("000001", "000002")
    assert details.sizes.keys() == {
        "documents", "chunks", "words", "vectors", "manifest", "other generations",
    }  # fmt: skip
    lines = (generation.parent / "000002" / "chunks.jsonl").read_text().splitlines()
    counts = sorted(json.loads(line)["n_tokens"] for line in lines)
    # Of twelve sorted counts the quartiles are the 3rd, 6th and 9th; 95 % of 12 is 11.4: the 12th.
    tokens = details.tokens
    assert (tokens.least, tokens.p25, tokens.median, tokens.p75, tokens.p95, tokens.most) == (
        counts[0], counts[2], counts[5], counts[8], counts[11], counts[11],
    )  # fmt: skip
    assert tokens.mean == pytest.approx(sum(counts) / 12)
    assert details.manifest.unread == (("empty.md", "skipped", "It is empty (0 bytes)."),)


def test_delete_removes_the_collection_and_keeps_the_embeddings(config):
    reader = open_index(config.store, "docs")
    with pytest.raises(StoreError, match=r"'docs' is being read \(generation 000001\)"):
        Layout(config.store, "docs").delete()
    assert len(reader.documents) == N_FILES
    reader.close()
    with (
        Layout(config.store, "docs").lock(),
        pytest.raises(StoreError, match="Another ingest of collection 'docs' is running"),
    ):
        Layout(config.store, "docs").delete()
    Layout(config.store, "docs").delete()
    assert not (config.store / "collections" / "docs").exists()
    assert ingest(config).n_cached == N_FILES
