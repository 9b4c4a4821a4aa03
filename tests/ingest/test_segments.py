"""Generations that share vectors and words: what is found does not depend on how one came about."""

import dataclasses
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragbench.config import IngestConfig, SearchConfig
from ragbench.errors import ModelUnavailable, StoreError
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.index import check_collection, open_index
from ragbench.ingest.index._segments import plan_segments
from ragbench.ingest.lexical import Words
from ragbench.ingest.pipeline import ingest
from ragbench.ingest.repair import repair
from ragbench.retrieval import open_retriever, search

WORDS = ["fee", "wire", "card", "branch", "loan", "late", "gold", "limit", "refund", "Ünder"]
QUERIES = ["wire fee", "late gold card", "refund limit 17", "branch", "Ünder loan", "nothing here"]


@pytest.fixture
def config(tmp_path, hash_embedder):
    return IngestConfig((tmp_path / "docs",), tmp_path / "store", embedder=hash_embedder)


@pytest.fixture
def small(monkeypatch):
    """Segments of more than three vectors are large, so that twenty notes show all that happens."""
    monkeypatch.setattr("ragbench.ingest.index._segments._SMALL", 3)


def _write(path, random):
    text = " ".join(random.choice(WORDS, size=random.integers(3, 9)))
    head = f"---\nkind: {random.choice(['a', 'b'])}\n---\n"
    path.write_text(f"{head}# Note\n\nThe {text} of {random.integers(50)} dollars.\n")


def _make(folder, n, random):
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(n):
        _write(folder / f"{i:03d}.md", random)


def _records(path, random):
    """A file of records: many documents of one source, and as many again another time."""
    with path.open("w") as file:
        for i in random.permutation(8)[: random.integers(1, 8)]:
            text = " ".join(random.choice(WORDS, size=12))
            file.write(json.dumps({"id": f"r{i}", "text": text, "kind": "a"}) + "\n")


EDITS = [
    *("change", "change", "remove", "add", "many", "back", "rename", "twin", "move", "empty"),
    *("records", "several"),
]


def _edit(folder, random, kind):
    """Change, remove, add or move one file, or many of them."""
    paths = sorted(folder.glob("*.md"))
    path = paths[random.integers(len(paths))]
    other = folder / f"{random.integers(1000):03d}x.md"
    if kind == "add":
        _write(other, random)
    elif kind in ("remove", "rename", "empty") and len(paths) > 5:
        {
            "remove": path.unlink,
            "rename": lambda: path.rename(other),
            "empty": lambda: path.write_text(""),
        }[kind]()
    elif kind == "twin":  # the same text twice
        other.write_bytes(path.read_bytes())
    elif kind == "move":  # of two that are equal one goes, and there is one at another place
        other.write_bytes(path.read_bytes())
        paths[-1].write_bytes(path.read_bytes())
        path.unlink()
    elif kind == "back":
        paths[0].write_text("---\nkind: a\n---\n# Note\n\nThe first wire fee.\n")
    elif kind == "records":
        _records(folder / "records.jsonl", random)
    elif kind == "several":
        for one in random.choice(EDITS[:-1], size=3):
            _edit(folder, random, one)
    else:
        n = len(paths) // 2 if kind == "many" else 1
        for i in random.choice(len(paths), size=n, replace=False):
            _write(paths[i], random)


def _lexical(index):
    return {p.relative_to(index._folder): p.read_bytes() for p in index._folder.glob("lexical/*/*")}


def _found(index):
    hits = []
    for spec in ("bm25", "bm25(k1=0.9, b=0.4)", "dense", "hybrid"):
        retriever = open_retriever(spec, index)
        hits += [retriever.retrieve(query, 7) for query in QUERIES]
    return hits


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_history_finds_what_a_fresh_build_finds(config, tmp_path, small, seed):
    """Every kind of edit once, in any order, and the chunker changed on the way."""
    random = np.random.default_rng(seed)
    (docs,) = config.paths
    _make(docs, 20, random)
    ingest(config)
    n_segments = set()
    for step, kind in enumerate(random.permutation([*EDITS, "chunker"])):
        if kind == "chunker":
            config = dataclasses.replace(config, chunker="fixed(size_tokens=8)", replace=True)
        else:
            _edit(docs, random, kind)
        report = ingest(config)
        config = dataclasses.replace(config, replace=False)
        fresh = dataclasses.replace(config, store=tmp_path / f"fresh-{step}")
        assert ingest(fresh).index_id == report.index_id
        with open_index(config.store, "docs") as one, open_index(fresh.store, "docs") as other:
            n_segments.add(len(one.manifest.segments))
            assert len(other.manifest.segments) == 1
            assert _found(one) == _found(other)
            assert _lexical(one) == _lexical(other)
            assert one.chunks == other.chunks
            vector = one.embed_query("gold card")
            filtered = one.nearest(vector, 5, {"kind": "a"})
            assert filtered == other.nearest(vector, 5, {"kind": "a"})
            assert {one.documents[chunk.doc_id].metadata["kind"] for chunk, _ in filtered} == {"a"}
        assert check_collection(config.store, "docs").findings == ()
    assert max(n_segments) >= 2  # else nothing was shared


def test_readers_beside_ingests_find_one_state_or_the_next(config, small):
    """What is found under an index's id is the same at any time, whatever is written meanwhile."""
    (docs,) = config.paths
    random = np.random.default_rng(7)
    _make(docs, 20, random)
    states = {ingest(config).index_id: None}
    seen, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            with open_index(config.store, "docs") as index:
                seen.append((index.index_id, _found(index), _found(index)))

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for kind in ("change", "rename", "remove", "many", "change", "add", "move", "change"):
                n_before = len(seen)
                with open_index(config.store, "docs") as index:
                    states[index.index_id] = _found(index)
                _edit(docs, random, kind)
                states[ingest(config).index_id] = None
                while len(seen) < n_before + 2 and not any(r.done() for r in readers):
                    stop.wait(0.01)
        finally:
            stop.set()
        for reader in readers:
            reader.result()
    with open_index(config.store, "docs") as index:
        states[index.index_id] = _found(index)
    assert len({index_id for index_id, *_ in seen}) >= 5
    for index_id, *founds in seen:
        assert founds == [states[index_id]] * 2


def test_a_model_that_was_replaced_is_not_mixed_with_the_former(config, tmp_path, monkeypatch):
    """64 components in what stays, 32 in what is new: refused, and the collection is as it was."""
    (docs,) = config.paths
    _make(docs, 600, np.random.default_rng(0))
    first = ingest(config)
    (config.store / "embeddings.sqlite").unlink()
    _write(docs / "003.md", np.random.default_rng(1))
    kind = type(EMBEDDERS.create(config.embedder))
    whole = kind.embed
    monkeypatch.setattr(kind, "embed", lambda self, *given: whole(self, *given)[:, :32])
    with pytest.raises(ModelUnavailable, match=r"32 components now, .* have 64: another model"):
        ingest(config)
    monkeypatch.undo()
    assert check_collection(config.store, "docs").findings == ()
    with open_index(config.store, "docs") as index:
        assert index.index_id == first.index_id


def test_a_change_writes_what_changed(config, small):
    """Twelve notes: one changed is one vector in a segment of its own, the others stay."""
    (docs,) = config.paths
    _make(docs, 12, np.random.default_rng(0))
    ingest(config)
    base = config.store / "collections" / "docs" / "vectors" / "000001"
    before = {path: path.stat().st_mtime_ns for path in base.rglob("vectors.npy")}
    (docs / "005.md").write_text("# Note\n\nThe renewed zebra fee.\n")
    report = ingest(config)
    assert (report.n_embedded, report.n_cached) == (1, 11)
    with open_index(config.store, "docs") as index:
        assert index.manifest.segments == ("000001", "000002")
        assert index.manifest.recall.queries == 13  # 12 when the first was built, and 1
        ids = json.loads((base.parent / "000002" / "ids.json").read_text())
        assert [chunk_id.split("#")[0] for chunk_id in ids] == ["005.md"]
        hits = open_retriever("dense", index).retrieve("zebra fee", 12)
        assert [hit.chunk.doc_id for hit in hits].count("005.md") == 1
        assert hits[0].chunk.text.endswith("zebra fee.")
    assert {path: path.stat().st_mtime_ns for path in base.rglob("vectors.npy")} == before
    # Four more of the twelve, one after another: more than a quarter of the first is then dead
    # (3 of 12 is none, 4 is), and all is one segment again.
    for i, n_segments in ((1, 2), (2, 2), (3, 1)):
        (docs / f"{i:03d}.md").write_text(f"# Note\n\nThe renewed fee {i}.\n")
        generation = ingest(config).generation
        with open_index(config.store, "docs") as index:
            assert len(index.manifest.segments) == n_segments
    # The generation before still has its own; those that none has are gone.
    ingest(dataclasses.replace(config))
    kept = sorted(path.name for path in base.parent.iterdir())
    assert kept == ["000001", "000004", generation]


def test_removing_writes_no_vector(config, small):
    (docs,) = config.paths
    _make(docs, 12, np.random.default_rng(0))
    ingest(config)
    (docs / "003.md").unlink()
    report = ingest(config)
    assert (report.n_chunks, report.n_embedded, report.changes.n_removed) == (11, 0, 1)
    with open_index(config.store, "docs") as index:
        assert index.manifest.segments == ("000001",)
        hits = index.nearest(index.embed_query("fee"), 12)
        assert len(hits) == 11
        assert "003.md" not in {chunk.doc_id for chunk, _ in hits}


@pytest.mark.parametrize(
    ("origins", "sizes", "places", "kept", "rows"),
    [
        # Nothing before: all is new.
        ([-1, -1], [], [], [], [0, 1]),
        # One of 2,000 changed: the large segment stays, with one dead vector.
        ([-1, *range(1, 2000)], [2000], [(0, i) for i in range(2000)], [0], [0]),
        # Nothing new and 1 of 4 gone, a quarter: nothing is written.
        ([0, 1, 2], [4], [(0, i) for i in range(4)], [0], []),
        # 2 of 4 gone, more than a quarter: the two that live are written again.
        ([0, 1], [4], [(0, i) for i in range(4)], [], [0, 1]),
        # A small segment goes with what is new, a large one does not.
        ([*range(2000), 2000, -1], [2000, 1],
         [*((0, i) for i in range(2000)), (1, 0)], [0], [2000, 2001]),
        # As much is new as the large one holds: one segment of both.
        ([*range(600), *[-1] * 600], [600], [(0, i) for i in range(600)], [],
         list(range(1200))),
    ],
)  # fmt: skip
def test_which_segments_stay(origins, sizes, places, kept, rows):
    named = [(f"s{i}", size) for i, size in enumerate(sizes)]
    before = np.array(places, dtype=np.int32).reshape(-1, 2)
    plan = plan_segments(np.array(origins), named, before)
    assert plan.kept == tuple(f"s{i}" for i in kept)
    assert plan.rows.tolist() == rows
    stays = np.setdiff1d(np.arange(len(origins)), plan.rows)
    assert (plan.places[plan.rows] == -1).all()
    assert (plan.places[stays] == before[np.array(origins)[stays]]).all()


def test_graphs_of_several_segments_find_what_a_product_finds(config, small, monkeypatch):
    (docs,) = config.paths
    random = np.random.default_rng(5)
    _make(docs, 40, random)
    ingest(config)
    for i in (3, 9, 11):
        _write(docs / f"{i:03d}.md", random)
        ingest(config)
    with open_index(config.store, "docs") as index:
        assert len(index.manifest.segments) >= 2
        vectors = [index.embed_query(query) for query in QUERIES]
        product = [index.nearest(vector, 6) for vector in vectors]
        assert index.manifest.search == "hnsw"
        asked = []
        original = type(index._vectors)._asked
        monkeypatch.setattr("ragbench.ingest.index._vectors._PRODUCT_MOST", 0)
        monkeypatch.setattr(
            type(index._vectors),
            "_asked",
            lambda self, vector, n: asked.append(n) or original(self, vector, n),
        )
        for vector, expected in zip(vectors, product, strict=True):
            cosines = [cosine for _, cosine in index.nearest(vector, 6)]
            assert cosines == [cosine for _, cosine in expected]
        assert len(asked) == len(QUERIES)


def test_scores_are_those_of_bm25s_to_the_bit(config):
    """The library itself, over the same tokens: its float32 sums, not nearly but exactly."""
    import bm25s

    (docs,) = config.paths
    _make(docs, 60, np.random.default_rng(3))
    ingest(config)
    _write(docs / "007.md", np.random.default_rng(4))
    ingest(config)
    with open_index(config.store, "docs") as index:
        for spec, k1, b in (("bm25", 1.5, 0.75), ("bm25(k1=0.4, b=0.2)", 0.4, 0.2)):
            retriever = open_retriever(spec, index)
            bare = bm25s.BM25(k1=k1, b=b, method="lucene")
            tokens = retriever._tokenizer.tokens
            bare.index([tokens(chunk.text) for chunk in index.chunks], show_progress=False)
            for query in QUERIES[:-1]:
                known = [token for token in tokens(query) if token in bare.vocab_dict]
                assert (retriever._scores(query) == bare.get_scores(known)).all()
            assert retriever._scores(QUERIES[-1] + " zzz") is None


def test_words_are_counted_anew_when_their_making_changes(config, monkeypatch):
    (docs,) = config.paths
    _make(docs, 6, np.random.default_rng(0))
    first = ingest(config)
    lexical = config.store / "collections" / "docs" / "generations"
    (old,) = (lexical / first.generation / "lexical").iterdir()
    monkeypatch.setattr("ragbench.ingest.lexical._tokens.TOKENS_VERSION", 2)
    assert Words().key != old.name
    with open_index(config.store, "docs") as index:
        assert open_retriever("bm25", index).retrieve("fee", 3)
        names = {path.name for path in (lexical / first.generation / "lexical").iterdir()}
    assert names == {old.name, Words().key}
    assert check_collection(config.store, "docs").findings == ()
    (docs / "000.md").write_text("# Note\n\nThe zebra fee.\n")
    second = ingest(config)
    assert [p.name for p in (lexical / second.generation / "lexical").iterdir()] == [Words().key]
    found = search(SearchConfig("zebra", config.store, retriever="bm25", collection="docs"))
    assert [hit.chunk.doc_id for hit in found.hits] == ["000.md"]


def test_other_languages_have_their_own_words_and_are_renewed(config):
    (docs,) = config.paths
    _make(docs, 6, np.random.default_rng(0))
    ingest(config)
    german, plain = Words("german", "german"), Words()
    assert german.key != plain.key
    with open_index(config.store, "docs") as index:
        open_retriever("bm25(stem=german, stop=german)", index)
    (docs / "000.md").write_text("# Note\n\nDie Gebühren der Überweisungen.\n")
    generation = ingest(config).generation
    folder = config.store / "collections" / "docs" / "generations" / generation / "lexical"
    assert {path.name for path in folder.iterdir()} == {german.key, plain.key}
    with open_index(config.store, "docs") as index:
        retriever = open_retriever("bm25(stem=german, stop=german)", index)
        assert [hit.chunk.doc_id for hit in retriever.retrieve("Gebühr", 3)] == ["000.md"]


def _as_older_version(store):
    path = store / "collections" / "docs" / "generations" / "000001" / "manifest.json"
    values = json.loads(path.read_text())
    del values["segments"]
    path.write_text(json.dumps(values | {"schema_version": 1}))
    (path.parent / "segments").unlink()


def test_a_store_of_an_older_version_is_refused_and_renewed(config):
    (docs,) = config.paths
    _make(docs, 6, np.random.default_rng(0))
    first = ingest(config)
    _as_older_version(config.store)
    command = f"ragbench ingest {docs} --collection docs"
    with pytest.raises(StoreError, match=f"An older version.*{command}"):
        open_index(config.store, "docs")
    (finding,) = check_collection(config.store, "docs").findings
    assert finding.part == "manifest"
    assert command in finding.detail
    again = ingest(config)
    assert (again.index_id, again.n_embedded, again.unchanged) == (first.index_id, 0, False)
    assert check_collection(config.store, "docs").findings == ()
    assert ingest(config).unchanged


def test_repair_of_an_older_version_makes_it_anew(config):
    (docs,) = config.paths
    _make(docs, 6, np.random.default_rng(0))
    ingest(config)
    _as_older_version(config.store)
    assert repair(config.store, "docs").after.findings == ()
    assert ingest(config).unchanged


def test_a_reader_keeps_vectors_that_no_later_generation_has(config):
    (docs,) = config.paths
    _make(docs, 6, np.random.default_rng(0))
    ingest(config)
    with open_index(config.store, "docs") as reader:
        for version in range(3):
            _make(docs, 6, np.random.default_rng(version + 1))
            ingest(config)
        assert len(reader.nearest(reader.embed_query("fee"), 6)) == 6
        vectors = config.store / "collections" / "docs" / "vectors"
        assert sorted(p.name for p in vectors.iterdir()) == ["000001", "000003", "000004"]
    _make(docs, 6, np.random.default_rng(9))
    ingest(config)
    assert sorted(p.name for p in vectors.iterdir()) == ["000004", "000005"]


@pytest.mark.parametrize("retriever", ["bm25", "dense", "hybrid"])
def test_a_search_loads_neither_chromadb_nor_other_documents(config, retriever):
    (docs,) = config.paths
    _make(docs, 30, np.random.default_rng(0))
    ingest(config)
    code = (
        "import runpy, sys; from pathlib import Path; "
        "from ragbench.ingest.embed import EMBEDDERS; "
        "EMBEDDERS.register('hash')(runpy.run_path(sys.argv[1])['Hash']); "
        "from ragbench.config import SearchConfig; "
        "from ragbench.ingest.index import Index; from ragbench.retrieval import search; "
        "Index.documents = Index.chunks = property(lambda self: sys.exit('read all')); "
        "found = search(SearchConfig('wire fee', Path(sys.argv[2]), 'docs', "
        "retriever=sys.argv[3], k=3)); "
        "print(len(found.hits), sorted(found.documents) == "
        "sorted({hit.chunk.doc_id for hit in found.hits}), "
        "[m for m in ('chromadb', 'torch', 'onnxruntime', 'httpx') if m in sys.modules])"
    )
    program = str(Path(__file__).parent.parent / "hash_embedder.py")
    command = [sys.executable, "-c", code, program, str(config.store), retriever]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "3 True []\n"
