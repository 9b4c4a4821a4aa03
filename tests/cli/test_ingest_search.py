"""``ragbench ingest``, ``search`` and ``list`` as a person types them."""

import json
import subprocess
import sys

import pytest

from ragbench.cli import main


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
    (folder / "fees.md").write_text("# Fees\n\nA wire transfer costs $25.\n")
    (folder / "hours.txt").write_text("We open at nine.\n")
    return folder


def test_ingest_then_search(run, docs, hash_embedder):
    code, out, err = run("ingest", "docs", "--embedder", "hash")
    assert code == 0
    assert out.startswith("Collection 'docs' in '.ragbench' is ready (")
    # Fees "# fees a wire transfer costs $ 25 ." = 9 tokens, hours "we open at nine ." = 5.
    assert "  2 documents, 2 chunks, 14 tokens\n  2 chunks embedded, 0 known already\n" in out
    assert "Reading: 2 of 2\n" in err
    assert "Embedding: 2 of 2\n" in err

    code, out, err = run("search", "wire transfer", "-k", "1")
    assert code == 0
    assert err == "Searching 'docs', the collection ingested last.\n"
    lines = out.splitlines()
    assert lines[0].startswith("1. Fees  (score 0.")
    assert lines[1:4] == ["   fees.md, Fees", "   | # Fees", "   | A wire transfer costs $25."]

    code, out, _ = run("search", "nine", "--retriever", "bm25", "--format", "json")
    (row,) = json.loads(out)
    assert (row["rank"], row["doc_id"], row["text"]) == (1, "hours.txt", "We open at nine.")
    assert (row["start"], row["end"], row["n_tokens"], row["page"]) == (0, 16, 5, None)


def test_again_and_changed(run, docs, hash_embedder):
    run("ingest", "docs", "--embedder", "hash")
    code, out, _ = run("ingest", "docs", "--embedder", "hash")
    assert code == 0
    assert out.startswith("Nothing has changed: collection 'docs'")
    (docs / "hours.txt").write_text("We open at ten.\n")
    _, out, _ = run("ingest", "docs", "--embedder", "hash")
    assert "1 chunks embedded, 1 known already" in out


def test_unreadable_files_are_listed_with_exit_code_3(run, docs, hash_embedder):
    (docs / "empty.md").write_text(" ")
    code, out, _ = run("ingest", "docs", "--embedder", "hash")
    assert code == 3
    assert "1 file could not be read:\n  empty.md: empty: The file holds only white space.\n" in out


def test_no_readable_file_is_exit_code_1(run, docs, tmp_path):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "empty.md").write_text("")
    code, out, err = run("ingest", "bad")
    assert (code, out) == (1, "")
    assert "Error: No file below 'bad' could be read; nothing is written." in err
    assert "empty.md: skipped: It is empty (0 bytes)." in err
    assert not (tmp_path / ".ragbench").exists()


def test_truncated_chunks_are_said(run, docs, hash_embedder):
    # Fees has 6 words, hours 4; a window of 5 cuts one.
    _, out, _ = run("ingest", "docs", "--embedder", "hash(window=5)")
    assert "1 chunk is longer than the model's window" in out


def test_without_vectors(run, docs):
    code, out, _ = run("ingest", "docs", "--embedder", "none")
    assert code == 0
    assert "no vectors (no embedder): search it with --retriever bm25" in out
    code, _, err = run("search", "wire")
    assert code == 1
    assert "was ingested without an embedder" in err
    assert run("search", "wire", "--retriever", "bm25")[0] == 0
    assert "Nothing found among 2 chunks" in run("search", "zebra", "--retriever", "bm25")[1]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["ingest", "nowhere"], 2, "The path 'nowhere' does not exist"),
        (["ingest"], 2, "Missing argument 'PATH...'"),
        (["ingest", "docs", "--chunker", "fixd"], 2, "did you mean 'fixed'"),
        (["ingest", "docs", "--chunker", "fixed(size=5)"], 2, "has no argument 'size'"),
        (["ingest", "docs", "--embedder", "minilmm"], 2, "did you mean 'minilm'"),
        (["ingest", "docs", "--collection", "a/b"], 2, "collection name 'a/b' is not allowed"),
        (["ingest", "docs", "--store", "docs/fees.md"], 1, "'docs/fees.md' is a file"),
        (["ingest", "docs", "--store", "docs/fees.md/x"], 1, "cannot be written: Not a directory"),
        (["ingest", "docs", "--jobs", "0"], 2, "0 is not in the range x>=1"),
        (["search", "wire"], 1, "There is no collection in the store '.ragbench'"),
        (["search", ""], 2, "The query '' is empty"),
        (["search", "wire", "-k", "0"], 2, "must be at least 1"),
        (["search", "wire", "-k", "99"], 2, "k is 99; it must be from 1 to 50"),
        (["list", "chunker"], 2, "'chunker' is not one of"),
    ],
)
def test_one_clear_message_and_nothing_written(run, docs, tmp_path, args, code, message):
    left, out, err = run(*args)
    assert left == code
    assert message in err
    assert "Traceback" not in err + out
    assert not (tmp_path / ".ragbench").exists()


def test_another_embedder_is_refused(run, docs, hash_embedder):
    run("ingest", "docs", "--embedder", "hash")
    code, _, err = run("ingest", "docs")
    assert code == 1
    assert "was made with the embedder hash(dim=64" in err
    assert "--collection NAME" in err
    assert "--replace" in err


def test_list(run):
    code, out, _ = run("list", "chunkers")
    assert code == 0
    assert "recursive(size_tokens=256, overlap_tokens=0, tokenizer=wordpiece, " in out
    assert "minilm(window=512, dtype=fp32)" in run("list", "embedders")[1]
    assert run("list", "retrievers")[1].startswith("bm25(k1=1.5, b=0.75, ")


@pytest.mark.parametrize("command", ["ingest", "search", "list"])
def test_help_is_light_and_ends_with_an_example(command):
    code = (
        "import sys; from ragbench.cli import main\n"
        "try: main([sys.argv[1], '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = ('pydantic', 'numpy', 'chromadb', 'rich', 'onnxruntime', 'tokenizers')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, command], capture_output=True, text=True, check=True
    )
    *help_lines, heavy = done.stdout.rstrip().splitlines()
    assert heavy == "[]"
    assert help_lines[-1].strip().startswith("Example: ragbench")


def test_search_imports_no_torch(docs, run, hash_embedder):
    run("ingest", "docs")
    code = (
        "import sys; from ragbench.cli import main\n"
        "try: main(['search', 'wire'])\n"
        "except SystemExit as leave: print(leave.code)\n"
        "heavy = ('torch', 'transformers', 'sentence_transformers', 'litellm', 'pandas')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["0", "[]"]
