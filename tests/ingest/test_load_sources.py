"""Paths to sources: ids, order, manifests, links, and the files that are listed as unread."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest

from ragbench.errors import RagbenchError, UsageError
from ragbench.ingest.load import find_sources


def tree(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}")
    return root


def ids(*paths: Path) -> list[str]:
    return [source.doc_id for source in find_sources(paths)[0]]


def listed(*paths: Path) -> list[tuple[str, str]]:
    return [(entry.name, entry.reason) for entry in find_sources(paths)[1]]


def test_a_folder(tmp_path):
    root = tree(
        tmp_path / "docs",
        "b.md",
        "a/z.TXT",
        "a/b/c.pdf",
        "a.html",
        "x.docx",
        "y.markdown",
        "q.htm",
        "j.json",
        ".hidden.md",
        ".git/x.md",
        "a/manifest.json",
    )
    assert ids(root) == [
        "a.html",
        "a/b/c.pdf",
        "a/manifest.json",
        "a/z.TXT",
        "b.md",
        "j.json",
        "q.htm",
        "x.docx",
        "y.markdown",
    ]
    assert listed(root) == []
    assert {source.root for source in find_sources([root])[0]} == {root}


def test_a_file_has_its_own_name(tmp_path):
    root = tree(tmp_path / "docs", "a/fees.md", "b/limits.md", ".note.md")
    assert ids(root / "a/fees.md") == ["fees.md"]
    assert ids(root / "a/fees.md", root / "b") == ["b/limits.md", "fees.md"]
    assert ids(root / ".note.md") == [".note.md"]  # named itself, so it is meant


def test_several_roots_are_prefixed(tmp_path):
    tree(tmp_path, "one/a.md", "two/a.md")
    assert ids(tmp_path / "two", tmp_path / "one") == ["one/a.md", "two/a.md"]


def test_the_working_folder_has_its_name(tmp_path, monkeypatch):
    tree(tmp_path, "one/a.md", "two/a.md")
    monkeypatch.chdir(tmp_path / "one")
    assert ids(Path()) == ["a.md"]
    assert ids(Path(), Path("../two")) == ["one/a.md", "two/a.md"]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["none"], "'.*none' does not exist. Give files or folders that exist."),
        (["x/docs", "y/docs"], "2 of the given paths are called 'docs'"),
        (["x/docs", "x/docs"], "2 of the given paths are called 'docs'"),
        (["x" * 300], "cannot be reached: File name too long"),
        (["x", "x/docs"], "lies within .*Give one of the two"),
        (["x/docs/a.md", "x"], "lies within .*Give one of the two"),
        (["dead.md"], "does not exist .a link to nowhere"),
    ],
)
def test_paths_that_cannot_be(tmp_path, paths, message):
    tree(tmp_path, "x/docs/a.md", "y/docs/a.md")
    (tmp_path / "dead.md").symlink_to("nowhere")
    with pytest.raises(UsageError, match=message) as caught:
        find_sources([tmp_path / path for path in paths])
    assert caught.value.exit_code == 2


def test_ids_are_nfc_and_doubles_are_listed(tmp_path):
    decomposed = unicodedata.normalize("NFD", "gebühr.md")
    root = tree(tmp_path / "d", decomposed)
    assert ids(root) == [unicodedata.normalize("NFC", decomposed)]
    tree(root, unicodedata.normalize("NFC", decomposed))
    assert len(ids(root)) == 1
    assert listed(root) == [("gebühr.md", "unreadable")]


def test_unsupported_files_are_listed(tmp_path):
    root = tree(tmp_path / "d", "a.md", "LICENSE", "sub/t.odt")
    os.mkfifo(root / "pipe.md")
    assert listed(root) == [
        ("LICENSE", "unsupported"),
        ("pipe.md", "unsupported"),
        ("sub/t.odt", "unsupported"),
    ]
    assert "Read are: .md" in find_sources([root])[1][0].detail
    assert listed(root / "LICENSE") == [("LICENSE", "unsupported")]
    assert listed(root, tree(tmp_path / "e", "b.csv"))[1] == ("d/pipe.md", "unsupported")


def test_names_that_are_hard(tmp_path):
    names = ["line\nbreak.md", "emoji 😀.md", "x" * 200 + ".txt", "a#b.md", " lead.md"]
    root = tree(tmp_path / "d", *names)
    assert ids(root) == sorted(names)
    path = os.fsencode(root) + b"/bad\xff.md"
    with open(path, "wb") as file:  # noqa: PTH123  (a name that is no text)
        file.write(b"x")
    assert listed(root) == [("bad\\udcff.md", "unreadable")]


def test_links(tmp_path):
    root = tree(tmp_path / "d", "real/a.md", "z.md")
    outside = tree(tmp_path / "out", "far.md")
    (root / "again").symlink_to(root / "real")
    (root / "real/up").symlink_to(root)
    (root / "linked").symlink_to(outside)
    (root / "link.md").symlink_to(root / "z.md")
    (root / "dead.md").symlink_to("nowhere.md")
    (root / "self.md").symlink_to("self.md")
    assert ids(root) == ["link.md", "linked/far.md", "real/a.md", "z.md"]
    assert listed(root) == [
        ("again", "link"),
        ("dead.md", "unreadable"),
        ("real/up", "link"),
        ("self.md", "unreadable"),
    ]


def test_a_linked_root_keeps_its_name(tmp_path):
    tree(tmp_path / "real", "a.md")
    (tmp_path / "name").symlink_to(tmp_path / "real")
    assert ids(tmp_path / "name", tree(tmp_path / "b", "c.md")) == ["b/c.md", "name/a.md"]


UNREADABLE = """
import os, sys
from pathlib import Path
from ragbench.ingest.load import find_sources, load_many, LOADERS
os.setuid(65534)
sources, unread = find_sources([Path(sys.argv[1])])
for source, result in load_many(sources, LOADERS.create("files")):
    print(source.doc_id, getattr(result, "reason", "read"))
for entry in unread:
    print(entry.name, entry.reason, entry.detail)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to drop to nobody in a child")
def test_without_permission():
    import subprocess
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        root = tree(Path(name), "a.md", "shut/b.md", "listed/c.md", "locked.md")
        root.chmod(0o755)
        (root / "shut").chmod(0)
        (root / "listed").chmod(0o444)  # names can be listed, files not reached
        (root / "locked.md").chmod(0)
        done = subprocess.run(
            [sys.executable, "-c", UNREADABLE, name], capture_output=True, text=True, check=False
        )
    if "Permission denied: '/" in done.stderr:
        pytest.skip("nobody may not read this checkout")
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "a.md read",
        "locked.md unreadable",
        "listed/c.md unreadable It cannot be reached: Permission denied. Check the permissions.",
        "shut unreadable The folder cannot be read: Permission denied. Check its permissions.",
    ]


def test_a_manifest(tmp_path):
    root = tree(tmp_path / "d", "fees.pdf", "sub/gebühr.md", "plain.md")
    entries = {
        "fees.pdf": {
            "title": "Fees",
            "sha256": "ab",
            "product": "card",
            "metadata": {"year": 2024},
        },
        unicodedata.normalize("NFD", "sub/gebühr.md"): {"audience": ["staff", "all"], "more": {}},
        "gone.md": {},
    }
    (root / "manifest.json").write_text(json.dumps({"schema_version": 1, "files": entries}))
    sources, unread = find_sources([root])
    assert {source.doc_id: source.metadata for source in sources} == {
        "fees.pdf": {"title": "Fees", "product": "card", "year": 2024},
        "plain.md": {},
        "sub/gebühr.md": {"audience": "staff, all"},
    }
    assert [(entry.name, entry.reason) for entry in unread] == [("gone.md", "missing")]
    assert listed(root, tree(tmp_path / "e", "x.md")) == [("d/gone.md", "missing")]


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        ("{", "is not JSON in UTF-8: Expecting property name"),
        ("[]", "has no object 'files'"),
        ('{"files": ["a.md"]}', "has no object 'files'"),
        ('{"files": {"a.md": 3}}', "gives 'a.md' something else than an object"),
        ('{"files": {"a.md": {"metadata": 3}}}', "gives 'a.md' something else than an object"),
        (b"\xff\xfe", "is not JSON in UTF-8"),
    ],
)
def test_a_malformed_manifest(tmp_path, content, fragment):
    root = tree(tmp_path / "d", "a.md")
    (root / "manifest.json").write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    with pytest.raises(RagbenchError, match=r"d/manifest\.json") as caught:
        find_sources([root])
    assert fragment in str(caught.value)
    assert caught.value.exit_code == 1
