"""``ragbench index`` and ``search --where`` as a person types them."""

import json
import os
import pty
import subprocess
import sys

import pytest

from ragbench.cli import main
from ragbench.ingest.index import open_index

RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]


@pytest.fixture
def run(capsys):
    def run(*args):
        with pytest.raises(SystemExit) as leave:
            main([str(arg) for arg in args])
        captured = capsys.readouterr()
        return leave.value.code, captured.out, captured.err

    return run


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "fees.md").write_text("---\nproduct: wire\n---\n# Fees\n\nA transfer costs $25.\n")
    (folder / "hours.txt").write_text("We open at nine.\n")
    (folder / "empty.md").write_text("")
    about = {"hours.txt": {"branch": 7, "open": True, "rate": 2.0, "product": "desk"}}
    (folder / "manifest.json").write_text(json.dumps({"files": about}))
    return folder


@pytest.fixture
def collection(docs, run, hash_embedder):
    assert run("ingest", "docs", "--embedder", "hash")[0] == 0
    return docs.parent / ".ragbench" / "collections" / "docs"


def test_list(run, collection):
    code, out, err = run("index", "list")
    assert (code, err) == (0, "")
    heads, row = out.splitlines()
    assert heads.split() == ["collection", "documents", "chunks", "embedder", "size", "made"]
    assert row.split()[:4] == ["docs", "2", "2", "hash(dim=64,"]
    (entry,) = json.loads(run("index", "list", "--format", "json")[1])
    assert (entry["collection"], entry["documents"], entry["chunks"]) == ("docs", 2, 2)
    assert entry["embedder"] == "hash(dim=64, window=10000, delay_s=0.0)"
    assert entry["bytes"] > 0


def test_a_damaged_collection_is_listed_too(run, collection):
    (collection / "CURRENT").write_text("latest")
    code, out, err = run("index", "list")
    assert code == 0
    assert "not readable" in out
    assert "docs: " in err
    assert "it holds 'latest'" in err


def test_show(run, collection):
    code, out, _ = run("index", "show", "docs")
    assert code == 0
    lines = {line[:18].strip(): line[18:] for line in out.splitlines()}
    assert lines["from"] == str(collection.parent.parent.parent / "docs")
    assert lines["documents"] == "2 from 2 files"
    assert lines["recall"] == "1.0000 of the true nearest 2, over 2 queries"
    assert lines["search"] == "HNSW, which found what brute force finds"
    assert "ef_search=400" in lines["vectors"]
    assert lines["not read"] == "empty.md: skipped: It is empty (0 bytes)."
    # Hours is 5 tokens ("we open at nine ."), fees 8 ("# fees a transfer costs $ 25 .").
    assert lines["tokens per chunk"] == "5 to 8; mean 6.5; quartiles 5, 5, 8; 95 % at most 8"
    shown = json.loads(run("index", "show", "docs", "--format", "json")[1])
    assert (shown["n_documents"], shown["recall"]["recall"]) == (2, 1.0)
    assert shown["tokens_per_chunk"]["mean"] == 6.5
    assert shown["bytes"]["vectors"] > 0


def test_show_without_vectors(run, docs):
    run("ingest", "docs", "--embedder", "none")
    out = run("index", "show", "docs")[1]
    assert "none: for BM25 alone" in out
    assert "recall" not in out


def test_check_and_repair(run, collection):
    code, out, _ = run("index", "check")
    assert code == 0
    assert out == (
        "Embedding cache: sound (2 vectors of 1 embedder)\n"
        "Collection 'docs': sound (generation 000001, 2 documents, 2 chunks, 2 vectors)\n"
    )
    path = collection / "vectors" / "000001" / "chroma" / "chroma.sqlite3"
    path.unlink()
    code, out, _ = run("index", "check", "docs")
    assert code == 1
    assert "Collection 'docs': 1 finding (" in out
    assert "  vectors: '.ragbench/collections/docs/vectors/000001/chroma': it holds no" in out
    assert "    to mend it: ragbench index check docs --repair --store .ragbench\n" in out
    found = json.loads(run("index", "check", "docs", "--format", "json")[1])
    assert [finding["part"] for finding in found[1]["findings"]] == ["vectors"]
    code, out, _ = run("index", "check", "docs", "--repair")
    assert code == 0
    assert "  mended: 2 vectors built anew as generation 000002: 2 from the cache" in out
    assert run("index", "check")[0] == 0


def test_what_cannot_be_mended_remains(run, collection, docs):
    (collection / "generations" / "000001" / "documents.jsonl").unlink()
    docs.rename(docs.with_name("moved"))
    code, out, _ = run("index", "check", "--repair")
    assert code == 1
    assert "  not mended: the documents cannot be read again from" in out
    assert "  documents: documents.jsonl cannot be read: No such file or directory" in out


def test_delete(run, collection):
    with open_index(collection.parent.parent, "docs"):
        code, _, err = run("index", "delete", "docs", "--yes")
        assert code == 1
        assert "'docs' is being read (generation 000001)" in err
    code, out, _ = run("index", "delete", "docs", "--yes")
    assert (code, out) == (
        0,
        "Collection 'docs' is deleted; its embeddings are kept in the cache.\n",
    )
    assert not collection.exists()
    assert run("index", "delete", "docs", "--yes")[0] == 1


@pytest.mark.parametrize(("answer", "gone"), [("n\n", False), ("y\n", True)])
def test_delete_asks_on_a_terminal(collection, docs, answer, gone):
    done = subprocess.run([*RAGBENCH, "index", "delete", "docs"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no terminal to ask whether 'docs' may go. Say so with --yes." in done.stderr
    person, terminal = pty.openpty()
    try:
        os.write(person, answer.encode())
        done = subprocess.run(
            [*RAGBENCH, "index", "delete", "docs"], stdin=terminal, capture_output=True, text=True
        )
    finally:
        os.close(person)
        os.close(terminal)
    assert done.returncode == 0, done.stderr
    assert ("is deleted" if gone else "Nothing is deleted.") in done.stdout
    assert collection.exists() != gone


@pytest.mark.parametrize(
    "command", [("show", "docs"), ("check", "docs"), ("delete", "docs"), ("list",)]
)
def test_an_absent_store_is_one_clear_message(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("index", *command)
    assert (code, out) == (1, "")
    assert "There is no collection in the store '.ragbench'. Make one: ragbench ingest" in err
    assert not (tmp_path / ".ragbench").exists()


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (["product=wire"], ["fees.md"]),  # front matter
        (["product=desk"], ["hours.txt"]),  # the corpus's manifest
        (["branch=7"], ["hours.txt"]),
        (["open=true"], ["hours.txt"]),
        (["rate=2"], ["hours.txt"]),
        (["rate=2.0", "product=desk"], ["hours.txt"]),
        (["rate=2.0", "product=wire"], []),
    ],
)
@pytest.mark.parametrize("retriever", ["dense", "bm25"])
def test_search_where(run, collection, where, found, retriever):
    options = [part for condition in where for part in ("--where", condition)]
    code, out, _ = run(
        "search", "transfer open", "--retriever", retriever, "--format", "json", *options
    )
    assert code == 0
    assert [row["doc_id"] for row in json.loads(out)] == found


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("produkt=wire", "No metadata key is called 'produkt'. Known: branch, "),
        ("product=wired", "No document has product='wired'. Its values: desk, wire; did you mean"),
        ("product", "The filter 'product' is not of the form KEY=VALUE"),
        ("=wire", "The filter '=wire' is not of the form KEY=VALUE"),
    ],
)
def test_a_filter_that_cannot_be(run, collection, where, message):
    code, out, err = run("search", "transfer", "--where", where)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("command", ["list", "show", "check", "delete"])
def test_help_is_light_and_ends_with_an_example(command):
    code = (
        "import sys; from ragbench.cli import main\n"
        "try: main(['index', sys.argv[1], '--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('pydantic', 'numpy', 'chromadb') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, command], capture_output=True, text=True, check=True
    )
    *help_lines, heavy = done.stdout.rstrip().splitlines()
    assert heavy == "[]"
    assert help_lines[-1].strip().startswith(f"Example: ragbench index {command}")


@pytest.mark.parametrize("damage", ["vectors", "places", "documents", "chunks"])
def test_eval_on_a_damaged_index_names_the_command_that_mends_it(tmp_path, damage):
    evaluate = [*RAGBENCH, "eval", "--domain", "mock", "--task-ids", "extend_sander"]

    def ragbench(*command):
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert ragbench(*evaluate, "--save-to", "one").returncode == 0
    (folder,) = (tmp_path / ".ragbench" / "collections").glob("*/generations/000001")
    paths = {
        "vectors": folder.parent.parent / "vectors" / "000001" / "vectors.npy",
        "places": folder / "places.npy",
        "documents": folder / "documents.jsonl",
        "chunks": folder / "chunks.jsonl",
    }
    paths[damage].write_bytes(paths[damage].read_bytes()[:100])
    done = ragbench(*evaluate, "--save-to", "two")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    name = folder.parent.parent.name
    command = f"ragbench index check {name} --repair --store .ragbench"
    assert command in done.stderr
    mended = ragbench(*RAGBENCH, *command.split()[1:])
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert ragbench(*evaluate, "--save-to", "two").returncode == 0
    scores = [(tmp_path / run / "scores.jsonl").read_bytes() for run in ("one", "two")]
    assert scores[0] == scores[1]
