"""Every kind of bad input as a person meets it: what `ragbench ingest` says, and what it does.

One row a kind: how the input is made, the exit code, the reason of each file that is listed, words
that the person needs, and how many documents there are. Every folder also holds two good files,
and each run ends with a search that has to find both. No row embeds: that is beside the point.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ragbench.cli import main

MAKERS = runpy.run_path(str(Path(__file__).with_name("test_load_bad_input.py")))
GOOD = {"fees.md": "# Fees\n\nA zeppelin transfer costs 25.\n", "hours.txt": "Opens at nine.\n"}
PASSWORD = "pässword 7 swordfish"


@dataclass(frozen=True)
class Row:
    """One kind of bad input.

    Attributes:
        make: writes it into the folder of documents; may return further arguments.
        code: exit code of the ingest.
        unread: reason by name, as printed, of every file that is listed.
        says: words that the output has to hold.
        n_documents: documents in the collection, the two good ones included.
        finds: words that a search has to find beside those of the good files.
        cites: how that hit is cited.
    """

    make: Callable[[Path], list[str] | None]
    code: int = 3
    unread: dict[str, str] = field(default_factory=dict)
    says: str = ""
    n_documents: int = 2
    finds: str = ""
    cites: str = ""


def file(name: str, content: Callable[[], bytes]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).write_bytes(content())

    return make


def locked(folder: Path) -> None:
    content = MAKERS["pdf"]("The heron clause", encrypt=PASSWORD)
    (folder / "locked.pdf").write_bytes(content)


def locked_with(*lines: str) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        locked(folder)
        (folder.parent / "passwords").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return ["--password-file", str(folder.parent / "passwords")]

    return make


def pages_500() -> bytes:
    return MAKERS["pdf"](*(f"Page {n} of the manual" for n in range(1, 500)), "The ibex appendix")


def nested_html() -> bytes:
    """100,000 elements, each in the one before."""
    return b"<html><body>" + b"<div><p>" * 50_000 + b"The okapi rule" + b"</div>" * 50_000


def bomb() -> bytes:
    """A DOCX of 2.3 MB whose parts unpack to 2.4 GB: eight members of the same 300 MB of zeros."""
    size, crc, block = 300_000_000, 0, bytes(10_000_000)
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = b""
    for _ in range(size // len(block)):
        crc = zlib.crc32(block, crc)
        body += packer.compress(block)
    body += packer.flush()
    names = [b"[Content_Types].xml", *(b"word/document%d.xml" % n for n in range(7))]
    data, directory = b"", b""
    for name in names:
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(body), size, len(name), 0)
        directory += b"PK\1\2\x14\0" + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(data)) + name
        data += b"PK\3\4" + fields + name + body
    counts = (0, 0, len(names), len(names), len(directory), len(data), 0)
    return data + directory + b"PK\5\6" + struct.pack("<HHHHIIH", *counts)


def long_line() -> bytes:
    """50 MB without a line break."""
    return b"The quagga note. " + b"lorem ipsum dolor sit amet " * 1_941_807


def hard_names(folder: Path) -> None:
    (folder / "two\nlines\x1b[31m.md").write_text("The lemur annex")
    (folder / "emoji 😀.md").write_text("text")
    (folder / ("x" * 197 + ".md")).write_text("text")
    (folder / "bad\nname.md").write_text(" ")
    (folder / "right\u202eto left.md").write_text(" ")


def loops(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.md").write_text("The gnu table")
    (folder / "sub" / "up").symlink_to(folder)
    (folder / "self.md").symlink_to("self.md")
    (folder / "ring").symlink_to("gnir")
    (folder / "gnir").symlink_to("ring")


def records(folder: Path) -> None:
    lines = [f'{{"id": "r{n}", "text": "record {n}"}}' for n in range(20)]
    lines[16] = '{"id": "r16", "text": '
    (folder / "faq.jsonl").write_text("\n".join(lines))
    (folder / "faq.csv").write_text("id,text\n1,The tapir row\n2\n")


ROWS = {
    "nothing but white space": Row(
        file("blank.pdf", lambda: b" \n\n"),
        3,
        {"blank.pdf": "empty"},
        "The file holds only white space.",
    ),
    "wrong extension": Row(
        file("page.pdf", lambda: b"<!DOCTYPE html><html><p>Not found"),
        3,
        {"page.pdf": "mislabelled"},
        "The name says .pdf, but the content seems to be an HTML page.",
    ),
    "encrypted": Row(locked, 3, {"locked.pdf": "encrypted"}, "Give a --password-file"),
    "password given": Row(
        locked_with("wrong", PASSWORD),
        0,
        {},
        n_documents=3,
        finds="heron",
        cites="locked.pdf, p. 1",
    ),
    "wrong password": Row(
        locked_with("wrong", "swordfish"),
        3,
        {"locked.pdf": "encrypted"},
        "which none of the given passwords opens. Add the right one to the password file",
    ),
    "500 pages": Row(
        file("manual.pdf", pages_500),
        0,
        {},
        n_documents=3,
        finds="ibex",
        cites="manual.pdf, pp. 490-500",
    ),
    "cyclic page tree": Row(
        file("cycle.pdf", MAKERS["cyclic_pdf"]),
        3,
        {"cycle.pdf": "malformed"},
        "Open it in a PDF viewer and save it anew.",
    ),
    "nested HTML": Row(file("deep.html", nested_html), 0, {}, n_documents=3, finds="okapi"),
    "DOCX of gigabytes": Row(
        file("bomb.docx", bomb), 3, {"bomb.docx": "memory"}, "unpack to 2,400,000,000"
    ),
    "invalid UTF-8": Row(
        file("bad.txt", lambda: "Gebühr: 5 € für\n".encode() + b"\xff"),
        3,
        {"bad.txt": "undecodable"},
        "the byte 0xff at offset 20 does not fit",
    ),
    "UTF-16": Row(
        file("wide.txt", lambda: "The bison form".encode("utf-16")),
        0,
        {},
        n_documents=3,
        finds="bison",
    ),
    "UTF-16 without a mark": Row(
        file("bare.txt", lambda: "The bison form".encode("utf-16-le")),
        3,
        {"bare.txt": "undecodable"},
        "UTF-16LE without a byte-order mark. Save it as UTF-8.",
    ),
    "NUL byte": Row(
        file("nul.txt", lambda: b"a" * 5000 + b"\0" + b"b" * 5000),
        3,
        {"nul.txt": "undecodable"},
        "There is a NUL byte at offset 5000",
    ),
    "one line of 50 MB": Row(file("line.txt", long_line), 0, {}, n_documents=3, finds="quagga"),
    "hard names": Row(
        hard_names,
        3,
        {r"bad\nname.md": "empty", r"right\u202eto left.md": "empty"},
        "2 files could not be read:\n",
        n_documents=5,
        finds="lemur",
        cites=r"two\nlines\x1b[31m.md",
    ),
    "links that loop": Row(
        loops,
        3,
        {
            "gnir": "unreadable",
            "ring": "unreadable",
            "self.md": "unreadable",
            "sub/up": "link",
        },
        "which is read already; nothing is lost.",
        n_documents=3,
        finds="gnu",
        cites="sub/a.md",
    ),
    "bad records": Row(
        records,
        3,
        {"faq.jsonl::17": "malformed", "faq.csv::3": "empty"},
        "Records of 2 files could not be read:\n",
        n_documents=22,  # 19 of 20 lines, one row, two good files
        finds="tapir",
        cites="faq.csv::1",
    ),
}


@pytest.fixture
def docs(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in GOOD.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def run(capfd) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as leave:
            main(list(arguments))
        captured = capfd.readouterr()
        return leave.value.code, captured.out, captured.err

    return run


def listed(out: str) -> dict[str, str]:
    """Reason by name of the files that the output lists."""
    _, _, below = out.partition("could not be read:\n")
    return dict(line.strip().rsplit(": ", line.count(": "))[:2] for line in below.splitlines())


def finds(run: Callable[..., tuple[int, str, str]], words: str) -> str:
    code, out, _ = run("search", words, "--retriever", "bm25", "-k", "1")
    assert code == 0, out
    return out


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind == "one line of 50 MB")) for kind in ROWS],
)
def test_bad_input(docs, run, kind):
    row = ROWS[kind]
    more = row.make(docs) or []
    code, out, err = run("ingest", "docs", "--embedder", "none", *more)
    assert code == row.code, out + err
    assert listed(out) == row.unread
    assert row.says in out
    assert f"  {row.n_documents:,} documents" in out
    assert {line.split(":")[0] for line in err.splitlines()} <= {"Reading"}
    assert "\x1b" not in out
    if row.finds != "quagga":  # a search of 50 MB, three times
        assert "zeppelin" in finds(run, "zeppelin")
        assert "nine" in finds(run, "nine")
    if row.finds:
        out = finds(run, row.finds)
        assert row.finds in out
        assert row.cites in out
        assert "\x1b" not in out


def test_a_file_removed_while_it_is_read(docs, run, monkeypatch):
    """Removed after it was listed and before its turn, for each way a file is read."""
    from ragbench.cli import _progress
    from ragbench.ingest.progress import Silent

    doomed = [docs / name for name in ("gone.md", "gone.html", "gone.jsonl")]
    for path in doomed:
        path.write_text('{"text": "x"}')

    class Removes(Silent):
        def stage(self, name: str, total: int) -> None:
            for path in doomed:
                path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def progress() -> Iterator[Removes]:
        yield Removes()

    monkeypatch.setattr(_progress, "shown_progress", progress)
    code, out, err = run("ingest", "docs", "--embedder", "none")
    assert (code, err) == (3, "")
    assert listed(out) == {path.name: "unreadable" for path in doomed}
    assert "The file cannot be read: No such file or directory." in out
    assert "zeppelin" in finds(run, "zeppelin")


AS_NOBODY = """
import contextlib, io, os, pathlib, sys, tempfile
from ragbench.cli import main
quiet = contextlib.redirect_stdout(io.StringIO())
with tempfile.TemporaryDirectory() as warm, quiet, contextlib.suppress(SystemExit):
    pathlib.Path(warm, "a.md").write_text("# What nobody may not import is imported first")
    main(["ingest", warm, "--store", warm + "/store", "--embedder", "none"])
os.setuid(65534)
main(sys.argv[1:])
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to drop to nobody in a child")
def test_an_unreadable_folder():
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o777)
        (top / "docs" / "shut").mkdir(parents=True)
        (top / "docs" / "shut" / "a.md").write_text("x")
        for file_name, text in GOOD.items():
            (top / "docs" / file_name).write_text(text)
        (top / "docs" / "shut").chmod(0)
        command = [sys.executable, "-P", "-c", AS_NOBODY, "ingest", "docs", "--embedder", "none"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=top)
        if "Permission denied: '/" in done.stderr:
            pytest.skip("nobody may not read this checkout")
        assert done.returncode == 3, done.stderr
        assert listed(done.stdout) == {"shut": "unreadable"}
        assert "The folder cannot be read: Permission denied. Check its permissions." in done.stdout
        assert "  2 documents" in done.stdout


FULL = r"""
import contextlib, io, json, os, runpy, sys
from pathlib import Path
from ragbench.cli import main
from ragbench.ingest.embed import EMBEDDERS
top, spec = Path(sys.argv[1]), sys.argv[3]
EMBEDDERS.register("hash")(runpy.run_path(sys.argv[2])["Hash"])
os.chdir(top)

def run(*arguments):
    child = os.fork()  # a process for each command, as a person starts them
    if child:
        os.waitpid(child, 0)
        return
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(list(arguments))
    except SystemExit as leave:
        print(json.dumps([leave.code, out.getvalue(), err.getvalue()]), flush=True)
    os._exit(0)

def ingest():
    run("ingest", "docs", "--store", "disk/store", "--embedder", spec)

def search(retriever):
    run("search", "zeppelin transfer", "--store", "disk/store", "-k", "1", "--retriever", retriever)

def free(size):
    filler = top / "disk" / "filler"
    os.truncate(filler, max(0, filler.stat().st_size - size))

ingest()
paragraphs = [f"Paragraph {n} " + "word " * 200 for n in range(400)]
(top / "docs" / "more.txt").write_text("\n\n".join(paragraphs))
with open("disk/filler", "wb", buffering=0) as filler:
    with contextlib.suppress(OSError):
        while True:
            filler.write(bytes(4096))
ingest()
search("bm25")
search("dense")
free(65536)
search("dense")
free(1 << 30)
ingest()
search("bm25")
print(sorted(p.name for p in (top / "disk/store/collections/docs/generations").iterdir()))
"""


@pytest.mark.parametrize("embedder", ["none", "hash"])
def test_a_full_disk(docs, repository, tmp_path, embedder):
    """Store on a tmpfs of 32 MB that is filled between two ingests: the first index stays."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=32m none '{disk}'"
    probe = ["unshare", "-m", "sh", "-c", mount]
    try:
        allowed = subprocess.run(probe, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no program unshare here")
    if allowed.returncode != 0:
        pytest.skip(f"no private mount namespace here: {allowed.stderr.strip()}")
    script = tmp_path / "script.py"
    script.write_text(FULL)
    words = [sys.executable, script, tmp_path, repository / "tests" / "hash_embedder.py", embedder]
    command = f"{mount} && exec " + " ".join(f"'{word}'" for word in words)
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", command], capture_output=True, text=True, check=True
    )
    import json

    *runs, generations = done.stdout.splitlines()
    first, full, lexical, dense, dense_then, freed, renewed = map(json.loads, runs)
    assert first[0] == 0
    code, out, err = full
    assert (code, out) == (1, "")
    problem = [line for line in err.splitlines() if line.startswith("Error: ")]
    assert len(problem) == 1, err
    assert "should not have happened" not in err
    assert "Traceback" not in err
    assert "disk" in problem[0] or "No space left on device" in problem[0]
    assert lexical[0] == 0, lexical[2]
    assert "zeppelin" in lexical[1]
    if embedder == "hash":
        assert dense[0] == 0, dense[2]  # a search of a local store writes nothing
        assert "zeppelin" in dense[1]
        assert dense_then[0] == 0, dense_then[2]
        assert "zeppelin" in dense_then[1]
    assert freed[0] == 0, freed
    assert "  3 documents" in freed[1]
    assert "zeppelin" in renewed[1]
    assert generations == "['000001', '000002']"
    assert done.stderr == ""
