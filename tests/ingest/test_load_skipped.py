"""What is no document, or is left out on purpose, is listed as skipped and is no failure."""

import contextlib

import numpy as np
import pytest

from ragbench.cli import main
from ragbench.errors import ModelUnavailable, UsageError
from ragbench.ingest.embed._cache import EmbeddingCache, embed_cached
from ragbench.ingest.load import find_sources


def write(root, *names, text="The fee is 35 dollars."):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def found(root, *exclude):
    sources, unread = find_sources([root], exclude=exclude)
    return [source.doc_id for source in sources], [(u.name, u.reason) for u in unread]


def test_files_that_are_no_documents_are_skipped(tmp_path):
    names = ["a.md", "logo.PNG", "x.py", "z.tar.gz", "~$a.docx", "package-lock.json", "odd.qqq"]
    write(tmp_path / "d", *names)
    write(tmp_path / "d", "empty.md", text="")
    ids, unread = found(tmp_path / "d")
    assert ids == ["a.md"]
    assert unread == [
        ("empty.md", "skipped"),
        ("logo.PNG", "skipped"),
        ("odd.qqq", "unsupported"),
        ("package-lock.json", "skipped"),
        ("x.py", "skipped"),
        ("z.tar.gz", "skipped"),
        ("~$a.docx", "skipped"),
    ]


def test_exclude_and_ignore_files(tmp_path):
    root = write(
        tmp_path / "d", "a.md", "old/b.md", "old/c.md", "in/x.md", "in/keep.md", "in/y.txt"
    )
    (root / ".ragbenchignore").write_text("# what is old\n/old/\nx.md\n*.txt\n")
    (root / "in" / ".ragbenchignore").write_text("!y.txt\n")
    ids, unread = found(root)
    assert ids == ["a.md", "in/keep.md", "in/y.txt"]
    assert unread == [("in/x.md", "skipped"), ("old", "skipped")]
    ids, unread = found(root, "in/*.txt", "a.*")
    assert ids == ["in/keep.md"]
    with pytest.raises(UsageError, match=r"--exclude holds a pattern that is none"):
        found(root, "!")


def test_exit_code_and_counts_of_a_renewal(tmp_path, capsys):
    root = write(tmp_path / "d", "a.md", "b.md", "c.md", "logo.png")
    arguments = ["ingest", str(root), "--store", str(tmp_path / "s"), "--embedder", "none"]

    def run():
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        return ended.value.code, capsys.readouterr().out

    code, said = run()
    assert "skipped, 1 in all:\n    logo.png: It is an image, and no document.\n" in said
    assert code == 0
    (root / "a.md").write_text("The fee is 40 dollars.")
    (root / "b.md").unlink()
    assert "files: 1 changed, 1 removed, 1 unchanged" in run()[1]
    (root / "bad.docx").write_text("no zip")
    assert run()[0] == 3


class Model:
    """An embedder whose server may change its model behind one name."""

    identity, has_prompts, window = "wire", False, None

    def __init__(self, dim):
        self.dim = dim

    def embed(self, texts, kind):
        return np.eye(self.dim, dtype=np.float32)[[0] * len(texts)]


def test_vectors_of_two_models_are_never_mixed(tmp_path):
    with contextlib.closing(EmbeddingCache(tmp_path / "cache")) as cache:
        embed_cached(Model(64), cache, ["one"], "passage")
        with pytest.raises(ModelUnavailable, match="have 48 and 64 components"):
            embed_cached(Model(48), cache, ["one", "two"], "passage")
