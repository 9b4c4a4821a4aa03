"""Passwords for encrypted PDFs: each is tried, and none is found anywhere afterwards."""

from __future__ import annotations

import logging
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.cli import main
from ragbench.errors import DocumentUnreadable, UsageError
from ragbench.ingest.load import LOADERS, ParserPool, Source, check_apart, read_passwords

pdf = runpy.run_path(str(Path(__file__).with_name("test_load_bad_input.py")))["pdf"]
SECRET = "orchid-Zürich 47"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"one\ntwo\n", ("one", "two")),
        (b"one\r\n\r\ntwo", ("one", "two")),
        (b" lead and trail \n", (" lead and trail ",)),
        (b"\xef\xbb\xbfone\none\n", ("one",)),
        ("Zürich\n".encode(), ("Zürich",)),
    ],
)
def test_the_file(tmp_path, content, expected):
    path = tmp_path / "passwords"
    path.write_bytes(content)
    assert read_passwords(path) == expected


@pytest.mark.parametrize("content", [b"", b"\n\r\n", SECRET.encode("latin-1")])
def test_a_file_without_passwords_is_an_error_that_shows_none(tmp_path, content):
    path = tmp_path / "passwords"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="holds no password in UTF-8") as caught:
        read_passwords(path)
    assert "orchid" not in str(caught.value)
    assert caught.value.__context__ is None or "orchid" not in str(caught.value.__context__)
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_passwords(tmp_path / "none")


@pytest.mark.parametrize("spec", ["files", "files(pdf=pdfium)"])
@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
@pytest.mark.parametrize("password", ["plain", SECRET])
def test_each_password_is_tried(tmp_path, spec, algorithm, password):
    if "pdfium" in spec:
        pytest.importorskip("pypdfium2")
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("Fees and charges", encrypt=password, algorithm=algorithm))
    loader, source = LOADERS.create(spec), Source(path, "a.pdf", tmp_path)
    (document,) = loader.load(source, ("wrong", "密", password))
    assert document.text.strip() == "Fees and charges"
    for given, tried in ((("wrong",), True), ((), False)):
        with pytest.raises(DocumentUnreadable) as caught:
            loader.load(source, given)
        assert caught.value.reason == "encrypted"
        assert ("none of the given passwords" in caught.value.detail) is tried
        assert "wrong" not in caught.value.detail
    assert password not in loader.identity


def test_the_owner_password_opens_too(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf("Fees", encrypt="user"))
    (document,) = LOADERS.create("files").load(Source(path, "a.pdf", tmp_path), ("owner",))
    assert document.text.strip() == "Fees"


def test_a_password_file_among_the_documents_is_refused(tmp_path):
    path = tmp_path / "passwords.txt"
    path.write_text(SECRET)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    check_apart(path, [Source(tmp_path / "other.txt", "other.txt", tmp_path)])
    for given in (path, link):
        with pytest.raises(UsageError, match="Move it out of the folder"):
            check_apart(given, [Source(path, "passwords.txt", tmp_path)])


@pytest.fixture
def docs(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "open.md").write_text("# Open\n\nText.\n")
    (folder / "locked.pdf").write_bytes(pdf("The heron clause", encrypt=SECRET))
    return folder


def ingest(*more: str) -> int:
    with pytest.raises(SystemExit) as leave:
        main(["ingest", "docs", "--embedder", "none", *more])
    return leave.value.code


def test_another_password_file_has_locked_files_tried_again(docs, capsys):
    assert ingest() == 3
    (docs.parent / "passwords").write_text("wrong\n")
    assert ingest("--password-file", "passwords") == 3
    assert "which none of the given passwords opens" in capsys.readouterr().out
    (docs.parent / "passwords").write_text(f"wrong\n{SECRET}\n")
    assert ingest("--password-file", "passwords") == 0
    assert "  2 documents" in capsys.readouterr().out
    assert ingest() == 0  # its text is there, and the file has not changed
    assert "Nothing has changed" in capsys.readouterr().out
    (docs / "passwords.txt").write_text(SECRET)
    assert ingest("--password-file", "docs/passwords.txt") == 2
    assert SECRET not in capsys.readouterr().err


@pytest.mark.parametrize("lines", [f"{SECRET}\n", f"x{SECRET}\n"], ids=["opens", "does not open"])
def test_a_password_reaches_nothing_that_is_kept_or_shown(docs, lines):
    (docs.parent / "passwords").write_text(lines)
    code = "import logging; logging.basicConfig(level=1); from ragbench.cli import main; main()"
    options = ["--embedder", "none", "--jobs", "2", "--password-file", "passwords"]
    done = subprocess.run(
        [sys.executable, "-c", code, "ingest", "docs", *options],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "", "HOME": str(docs.parent), "RAGBENCH_DEBUG": "1"},
    )
    assert done.returncode == (3 if lines.startswith("x") else 0), done.stderr
    shown = done.stdout + done.stderr
    assert "orchid" not in shown
    kept = [path for path in (docs.parent / ".ragbench").rglob("*") if path.is_file()]
    assert len(kept) >= 3
    for path in kept:
        assert b"orchid" not in path.read_bytes(), path


def test_a_worker_is_told_on_its_standard_input_alone(docs, caplog):
    caplog.set_level(logging.DEBUG)
    source = Source(docs / "locked.pdf", "locked.pdf", docs)
    with ParserPool(LOADERS.create("files"), passwords=(SECRET,)) as pool:
        ((_, (document,)),) = pool.load_many([source])
        (worker,) = pool._idle
        seen = [Path(f"/proc/{worker.pid}/{name}").read_bytes() for name in ("cmdline", "environ")]
    assert document.text.strip() == "The heron clause"
    assert b"ragbench.ingest.load._worker" in seen[0]
    assert not any(b"orchid" in part for part in seen)
    assert "orchid" not in caplog.text
