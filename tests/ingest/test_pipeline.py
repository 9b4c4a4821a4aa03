"""One ingest after another: only what changed, all or nothing, and never two at once."""

import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ragbench.config import IngestConfig
from ragbench.errors import RagbenchError, StoreError, UnknownName, UsageError
from ragbench.ingest.index import collections_in, last_collection, open_index
from ragbench.ingest.pipeline import collection_name, ingest

NOTES = {
    "fees.md": "# Fees\n\nA wire transfer costs $25.\n",
    "hours.txt": "We open at nine and close at five.\n",
    "cards/gold.md": "# Gold\n\nThe gold card has no annual fee.\n",
}


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def config(docs, tmp_path, hash_embedder):
    return IngestConfig(paths=(docs,), store=tmp_path / "store", embedder=hash_embedder)


def test_a_folder_becomes_a_collection(config):
    report = ingest(config)
    # Tokens, one per word or sign: fees "# fees a wire transfer costs $ 25 ." = 9,
    # hours "we open at nine and close at five ." = 9,
    # gold "# gold the gold card has no annual fee ." = 10.
    assert (report.n_documents, report.n_chunks, report.n_tokens) == (3, 3, 28)
    assert (report.n_embedded, report.n_cached, report.n_truncated) == (3, 0, 0)
    assert (report.collection, report.unread, report.unchanged) == ("docs", (), False)
    with open_index(config.store, "docs") as index:
        assert list(index.documents) == ["cards/gold.md", "fees.md", "hours.txt"]
        assert index.index_id == report.index_id
        for chunk in index.chunks:
            text = index.documents[chunk.doc_id].text
            assert text[chunk.start : chunk.end] == chunk.text
        assert index.manifest.recall.recall == 1.0
        assert index.chunks_by_document["fees.md"] == [index.chunks[1]]


def test_nothing_changed_does_nothing(config):
    first = ingest(config)
    before = sorted(path for path in config.store.rglob("*") if "generations" in path.parts)
    second = ingest(config)
    assert second.unchanged
    assert (second.n_embedded, second.index_id) == (0, first.index_id)
    assert sorted(p for p in config.store.rglob("*") if "generations" in p.parts) == before


def _changes(report):
    changes = report.changes
    return changes.n_added, changes.n_changed, changes.n_removed, changes.n_unchanged


def test_changes_are_counted_by_file(config, docs):
    assert _changes(ingest(config)) == (3, 0, 0, 0)
    assert _changes(ingest(config)) == (0, 0, 0, 3)
    (docs / "fees.md").write_text("# Fees\n\nA wire transfer costs $30.\n")
    (docs / "hours.txt").unlink()
    (docs / "new.md").write_text("# New\n\nA new card.\n")
    assert _changes(ingest(config)) == (1, 1, 1, 1)
    (docs / "new.md").write_text("")  # gives no document any more
    report = ingest(config)
    assert _changes(report) == (0, 0, 1, 2)
    assert [entry.reason for entry in report.unread] == ["skipped"]
    # What a file says is as it was, though everything is read anew.
    assert _changes(ingest(dataclasses.replace(config, replace=True, anew=True))) == (0, 0, 0, 2)


def test_nothing_changed_does_not_import_chromadb(config):
    ingest(IngestConfig(paths=config.paths, store=config.store))
    code = (
        "import sys; from pathlib import Path; from ragbench.config import IngestConfig; "
        "from ragbench.ingest.pipeline import ingest; "
        "r = ingest(IngestConfig(paths=(Path(sys.argv[1]),), store=Path(sys.argv[2]))); "
        "print(r.unchanged, [m for m in ('chromadb', 'onnxruntime', 'torch') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(config.paths[0]), str(config.store)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True []\n"


def test_a_changed_file_alone_is_read_and_embedded(config, docs, monkeypatch):
    ingest(config)
    loaded = []
    from ragbench.ingest import pipeline

    real = pipeline.load_many

    def counted(sources, *arguments):
        loaded.extend(source.doc_id for source in sources)
        return real(sources, *arguments)

    monkeypatch.setattr(pipeline, "load_many", counted)
    (docs / "hours.txt").write_text("We open at ten.\n")
    report = ingest(config)
    assert loaded == ["hours.txt"]
    assert (report.n_embedded, report.n_cached, report.n_documents) == (1, 2, 3)
    with open_index(config.store, "docs") as index:
        assert index.documents["hours.txt"].text.strip() == "We open at ten."
        assert index.documents["fees.md"].title == "Fees"


def test_of_a_changed_file_the_new_chunks_alone_are_embedded(config, docs):
    import dataclasses

    # Eight tokens a chunk: each paragraph is seven (six words and a stop) and stands alone, the
    # heading is two. Four chunks, one of them new.
    small = dataclasses.replace(config, chunker="recursive(size_tokens=8)", paths=(docs / "a.md",))
    paragraphs = ["# A", "One fee is due every day.", "Two fees are due each week."]
    (docs / "a.md").write_text("\n\n".join([*paragraphs, "Three fees are due each month."]))
    assert ingest(small).n_embedded == 4
    (docs / "a.md").write_text("\n\n".join([*paragraphs, "Four fees are due each year."]))
    report = ingest(small)
    assert (report.n_chunks, report.n_embedded, report.n_cached) == (4, 1, 3)


def test_incremental_equals_fresh(config, docs, tmp_path):
    ingest(config)
    (docs / "hours.txt").unlink()
    (docs / "a_new.md").write_text("# New\n\nSomething new.\n")
    (docs / "fees.md").write_text("# Fees\n\nA wire transfer costs $30.\n")
    renewed = ingest(config)
    fresh = ingest(IngestConfig(config.paths, tmp_path / "other", embedder=config.embedder))
    assert renewed.index_id == fresh.index_id
    with open_index(config.store, "docs") as one, open_index(tmp_path / "other", "docs") as two:
        assert one.chunks == two.chunks
        assert one.documents == two.documents
        assert "hours.txt" not in one.documents


def test_a_changed_manifest_of_the_corpus_is_a_change(config, docs):
    ingest(config)
    (docs / "manifest.json").write_text('{"files": {"fees.md": {"product": "wire"}}}')
    report = ingest(config)
    assert not report.unchanged
    assert report.n_embedded == 0
    with open_index(config.store, "docs") as index:
        assert index.documents["fees.md"].metadata["product"] == "wire"


def test_an_unreadable_file_is_listed_and_the_others_go_on(config, docs):
    (docs / "empty.md").write_text("")
    (docs / "table.xlsx").write_bytes(b"PK")
    report = ingest(config)
    assert [(entry.name, entry.reason) for entry in report.unread] == [
        ("empty.md", "skipped"),
        ("table.xlsx", "malformed"),
    ]
    assert report.n_documents == 3
    again = ingest(config)
    assert again.unchanged
    assert again.unread == report.unread
    (docs / "empty.md").write_text("Now there is text.")
    assert ingest(config).n_documents == 4


def test_a_file_that_breaks_leaves_the_collection(config, docs):
    ingest(config)
    (docs / "fees.md").write_text("")
    report = ingest(config)
    assert report.n_documents == 2
    assert [entry.name for entry in report.unread] == ["fees.md"]


def test_no_readable_file_writes_nothing(tmp_path, hash_embedder):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "empty.txt").write_text("")
    config = IngestConfig((tmp_path / "bad",), tmp_path / "store", embedder=hash_embedder)
    with pytest.raises(RagbenchError, match=r"could be read; nothing is written.\n  empty.txt: sk"):
        ingest(config)
    assert not config.store.exists()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"paths": (Path("/no/such/folder"),)}, UsageError, "'/no/such/folder' does not exist"),
        ({"chunker": "fixd"}, UnknownName, "did you mean 'fixed'"),
        ({"embedder": "minilmm"}, UnknownName, "did you mean 'minilm'"),
        ({"collection": "../up"}, UsageError, "collection name '../up' is not allowed"),
        ({"collection": ""}, UsageError, "collection name '' is not allowed"),
    ],
)
def test_a_wrong_argument_writes_nothing(config, change, error, message):
    import dataclasses

    with pytest.raises(error, match=message):
        ingest(dataclasses.replace(config, **change))
    assert not config.store.exists()


def test_a_store_that_is_a_file(config):
    config.store.write_text("not a folder")
    with pytest.raises(StoreError, match=r"is a file. Name a folder"):
        ingest(config)


def test_other_roots_or_components_are_refused(config, docs, tmp_path):
    import dataclasses

    first = ingest(config)
    for change, message in [
        ({"chunker": "fixed"}, "made with the chunker recursive.* not with fixed"),
        ({"embedder": "hash(dim=32)"}, r"made with the embedder hash\(dim=64.*--replace"),
        ({"embedder": None}, "made with the embedder hash.* not with none"),
    ]:
        with pytest.raises(StoreError, match=message):
            ingest(dataclasses.replace(config, **change))
    other = tmp_path / "elsewhere" / "docs"
    other.mkdir(parents=True)
    (other / "a.md").write_text("Another folder of the same name.")
    elsewhere = dataclasses.replace(config, paths=(other,))
    with pytest.raises(StoreError, match=r"--collection NAME.*--replace"):
        ingest(elsewhere)
    with open_index(config.store, "docs") as index:
        assert index.index_id == first.index_id
    assert ingest(dataclasses.replace(elsewhere, collection="two")).n_documents == 1
    assert ingest(dataclasses.replace(elsewhere, replace=True)).n_documents == 1
    assert collections_in(config.store) == ["docs", "two"]


def test_replace_with_another_chunker_and_embedder(config):
    import dataclasses

    ingest(config)
    report = ingest(
        dataclasses.replace(config, chunker="document", embedder="hash(dim=32)", replace=True)
    )
    assert report.n_embedded == 3
    with open_index(config.store, "docs", chunker="document", embedder="hash(dim=32)") as index:
        assert index.embed_query("wire").shape == (32,)


@pytest.mark.parametrize(
    "name",
    [
        "manifest.json",
        "documents.jsonl",
        "../../vectors/000001/chroma/chroma.sqlite3",
        "../../vectors/000001/segment.json",
        "segments",
        "places.npy",
    ],
)
def test_replace_mends_a_damaged_store(config, name):
    import dataclasses

    first = ingest(config)
    folder = config.store / "collections" / "docs" / "generations" / "000001"
    (folder / name).write_text("{")
    if name == "manifest.json":
        with pytest.raises(StoreError, match=r"store is damaged.*--replace"):
            ingest(config)
    report = ingest(dataclasses.replace(config, replace=True, anew=True))
    assert (report.index_id, report.n_embedded, report.unchanged) == (first.index_id, 0, False)
    with open_index(config.store, "docs") as index:
        assert len(index.nearest(index.embed_query("wire"), 5)) == len(index.documents) == 3


def test_replace_of_the_same_is_unchanged(config):
    import dataclasses

    ingest(config)
    assert ingest(dataclasses.replace(config, replace=True)).unchanged
    assert not ingest(dataclasses.replace(config, replace=True, anew=True)).unchanged


def test_a_first_ingest_that_another_overtook(config, monkeypatch):
    from ragbench.ingest import pipeline

    ours = pipeline.Run.check_model

    def overtaken(run):
        monkeypatch.setattr(pipeline.Run, "check_model", ours)
        ingest(config)
        ours(run)

    monkeypatch.setattr(pipeline.Run, "check_model", overtaken)
    with pytest.raises(StoreError, match="Another ingest made collection 'docs' meanwhile"):
        ingest(config)
    assert ingest(config).unchanged


def test_without_an_embedder_there_are_no_vectors(config):
    import dataclasses

    report = ingest(dataclasses.replace(config, embedder=None))
    assert (report.n_chunks, report.n_embedded, report.n_cached) == (3, 0, 0)
    folder = config.store / "collections" / "docs" / "generations" / report.generation
    assert sorted(path.name for path in folder.iterdir()) == [
        "chunks.jsonl",
        "chunks.npy",
        "documents.jsonl",
        "documents.npy",
        "lexical",
        "manifest.json",
        "segments",
    ]
    assert not (config.store / "collections" / "docs" / "vectors").exists()
    with open_index(config.store, "docs") as index, pytest.raises(StoreError, match="no vectors"):
        _ = index.embedder


def test_collections_share_the_embedding_cache(config):
    import dataclasses

    ingest(config)
    report = ingest(dataclasses.replace(config, collection="copy"))
    assert (report.n_embedded, report.n_cached) == (0, 3)


def test_texts_longer_than_the_window_are_counted(config):
    import dataclasses

    # Words: fees 6 ("Fees A wire transfer costs 25"), hours 8, gold 8: a window of 7 cuts two.
    report = ingest(dataclasses.replace(config, embedder="hash(window=7)"))
    assert report.n_truncated == 2
    assert report.worst_truncated is not None
    assert report.worst_truncated[1] == 8


@pytest.mark.parametrize("damage", ["chunks.jsonl", "documents.jsonl", "chroma"])
def test_a_damaged_collection_is_never_called_ready(config, damage):
    import shutil

    ingest(config)
    (generation,) = (config.store / "collections" / "docs" / "generations").iterdir()
    if damage == "chroma":
        shutil.rmtree(generation.parent.parent / "vectors" / generation.name / damage)
    else:
        (generation / damage).write_bytes((generation / damage).read_bytes()[:-5])
    with pytest.raises(StoreError, match="ragbench index check docs --repair"):
        ingest(config)


def test_files_that_are_not_utf8_are_named(config):
    (config.paths[0] / "cafe.txt").write_bytes("5 £ à la carte".encode("latin-1"))
    assert ingest(config).detected == (("cafe.txt", "cp1252"),)
    again = ingest(config)
    assert (again.unchanged, again.detected) == (True, (("cafe.txt", "cp1252"),))


def test_only_a_remembered_collection_is_the_last(config):
    import dataclasses

    assert last_collection(config.store) is None
    ingest(config, remember=True)
    ingest(dataclasses.replace(config, collection="other"))
    assert last_collection(config.store) == "docs"


def test_a_second_ingest_of_one_collection_fails_in_seconds(config):
    ingest(config)
    code = (
        "import sys, time; from pathlib import Path; from ragbench.ingest.index import Layout\n"
        "with Layout(Path(sys.argv[1]), 'docs').lock():\n"
        "    print('locked', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(config.store)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(StoreError, match=rf"'docs' is running \(process {holder.pid}\)"):
            ingest(config)
    finally:
        holder.kill()
        holder.communicate()
    assert ingest(config).unchanged


def test_progress_is_told_of_every_step(config):
    seen = []

    class Recorder:
        def stage(self, name, total):
            seen.append([name, total, 0])

        def advance(self, n=1):
            seen[-1][2] += n

    ingest(config, Recorder())
    assert seen == [["Reading", 3, 3], ["Embedding", 3, 3], ["Checking the index", 1, 1]]


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (["/srv/docs"], "docs"),
        (["/srv/Price lists", "/srv/faq.md"], "Price-lists-faq.md"),
        (["/srv/文档"], "documents-2687ccdb"),
        (["/srv/" + "x" * 90], "x" * 80 + "-efdfd9ee"),
    ],
)
def test_collection_names(paths, name):
    # The hashes are the first digits of `printf NAME | sha256sum`.
    assert collection_name([Path(path) for path in paths]) == name


def test_the_name_of_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert collection_name([Path()]) == "here"


@pytest.mark.skipif(os.geteuid() != 0, reason="drops from root to nobody")
@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (0o755, "cannot be written: Permission denied. Name another with --store DIR"),
        (0o700, "cannot be opened: Permission denied. Name another with --store DIR"),
    ],
)
def test_a_store_that_cannot_be_written(mode, message):
    code = (
        "import os, sys; from pathlib import Path; from ragbench.ingest.index import Layout\n"
        "from ragbench.errors import StoreError\n"
        "os.setuid(65534)\n"
        "try:\n"
        "    with Layout(Path(sys.argv[1]) / 'store', 'docs').lock(): pass\n"
        "except StoreError as error: print(error)"
    )
    with tempfile.TemporaryDirectory() as folder:  # below tmp_path nobody may not even look
        Path(folder).chmod(mode)
        done = subprocess.run(
            [sys.executable, "-c", code, folder], capture_output=True, text=True, check=True
        )
    assert message in done.stdout


@pytest.mark.parametrize("size_kb", [16, 120, 240])
def test_a_full_disk_is_a_clear_error(docs, tmp_path, size_kb):
    """The disk is a small tmpfs in a mount namespace of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size={size_kb}k none {disk}"
    allowed = shutil.which("unshare") and not (
        subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode
    )
    if not allowed:
        pytest.skip("the system refuses a mount namespace")
    ingest_there = (
        "import runpy, sys; from ragbench.cli import main\n"
        "from ragbench.ingest.embed import EMBEDDERS\n"
        "EMBEDDERS.register('hash')(runpy.run_path(sys.argv[1])['Hash'])\n"
        "main(['ingest', sys.argv[2], '--store', sys.argv[3], '--embedder', 'hash'])"
    )
    helper = Path(__file__).parent.parent / "hash_embedder.py"
    program = [sys.executable, "-c", ingest_there, str(helper), str(docs), str(disk / "store")]
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", mount + ' && exec "$@"', "sh", *program],
        capture_output=True,
        text=True,
    )
    # From the first table of the embedding cache to the files of the graph: each has its turn.
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Error: The ")
    assert "cannot be" in done.stderr
    assert "full" in done.stderr.lower() or "No space left" in done.stderr
