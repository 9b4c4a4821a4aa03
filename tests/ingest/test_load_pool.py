"""Worker processes: order, time and memory limits, a worker that dies; real processes and files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import pytest

from ragbench.errors import DocumentUnreadable, ModelUnavailable, UsageError
from ragbench.ingest.load import LOADERS, ParserPool, Source, Unread, load_guarded, load_many

FILES = LOADERS.create("files")


def source(path: Path, data: bytes) -> Source:
    path.write_bytes(data)
    return Source(path, path.name, path.parent, {"product": "card"})


def html(text: str) -> bytes:
    return f"<h1>{text}</h1><p>body of {text}".encode()


def raw_pdf(*objects: bytes) -> bytes:
    """A PDF of the given objects, numbered from 1; the first is the catalogue."""
    file, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj%b endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(file))
    return file + head + table + tail


def slow_pdf() -> bytes:
    """One page with a million text operators: minutes for pypdf, a few KB as a file."""
    drawing = zlib.compress(b"BT (x) Tj ET 1 0 0 1 0 0 cm\n" * 1_000_000)
    return raw_pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>/Contents 4 0 R>>",
        b"<</Filter/FlateDecode/Length %d>>stream\n%b\nendstream" % (len(drawing), drawing),
    )


def test_order_and_equality_with_parsing_here(tmp_path):
    sources = []
    for number in range(12):
        heavy = number % 3 != 1
        name = f"{number:02}{'.html' if heavy else '.md'}"
        sources.append(source(tmp_path / name, html(f"n{number}") if heavy else b"# T\nx"))
    sources.insert(5, source(tmp_path / "zero.html", b""))
    expected = []
    for one in sources:
        if one.doc_id == "zero.html":
            expected.append((one, Unread("zero.html", "empty", "The file holds 0 bytes.")))
        else:
            expected.append((one, FILES.load(one)))
    for jobs in (1, 2):
        assert list(load_many(iter(sources), FILES, jobs)) == expected


def test_light_files_start_no_process(tmp_path):
    sources = [source(tmp_path / f"{n}.md", b"# T\nx") for n in range(9)]
    with ParserPool(FILES, jobs=2) as pool:
        assert len(list(pool.load_many(sources))) == 9
        assert not pool._idle
        assert not pool._busy


def test_workers_are_kept_and_ended(tmp_path):
    sources = [source(tmp_path / f"{n}.html", html("x")) for n in range(9)]
    with ParserPool(FILES, jobs=2) as pool:
        list(pool.load_many(sources))
        workers = [*pool._idle]
        list(pool.load_many(sources))
        assert {worker.pid for worker in pool._idle} == {worker.pid for worker in workers}
        assert 1 <= len(workers) <= 2
    assert not any(worker.is_alive() for worker in workers)


def test_a_generator_left_early_ends_its_workers(tmp_path):
    sources = [source(tmp_path / f"{n}.html", html("x")) for n in range(9)]
    with ParserPool(FILES, jobs=2) as pool:
        next(pool.load_many(sources))
        workers = [*pool._idle, *pool._busy]
    assert workers
    assert not any(worker.is_alive() for worker in workers)


def test_a_hanging_parser_costs_one_file(tmp_path, capfd):
    sources = [
        source(tmp_path / "a.html", html("a")),
        source(tmp_path / "hang.pdf", slow_pdf()),
        source(tmp_path / "z.html", html("z")),
    ]
    begun = time.monotonic()
    with ParserPool(FILES, jobs=1, timeout_s=1.5) as pool:
        results = [result for _, result in pool.load_many(sources)]
    assert time.monotonic() - begun < 20
    assert results[0][0].text == "a\n\nbody of a"
    assert results[1] == Unread(
        "hang.pdf", "timeout", "Reading it took more than 1.5 s and was cut off."
    )
    assert results[2][0].text == "z\n\nbody of z"
    assert capfd.readouterr() == ("", "")


def test_a_parser_that_eats_memory_costs_one_file(tmp_path, capfd):
    # 300 MB of text twice (bytes and str) cannot fit into 400 MB of address space
    sources = [
        source(tmp_path / "a.html", html("a")),
        source(tmp_path / "big.txt", b"word " * 60_000_000),
        source(tmp_path / "z.html", html("z")),
    ]
    with ParserPool(FILES, jobs=1, memory_mb=400) as pool:
        results = [result for _, result in pool.load_many(sources)]
    assert results[1] == Unread(
        "big.txt", "memory", "Reading it took more than 400 MB of memory and was cut off."
    )
    assert [results[0][0].title, results[2][0].title] == ["a", "z"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("number", "reason", "fragment"),
    [
        (signal.SIGSEGV, "crashed", "signal SIGSEGV"),
        (signal.SIGKILL, "memory", "was killed, as systems do when memory runs out"),
        (signal.SIGALRM, "timeout", "took more than 60 s"),
    ],
)
def test_a_dying_worker_costs_one_file(tmp_path, capfd, number, reason, fragment):
    sources = [source(tmp_path / "die.pdf", slow_pdf()), source(tmp_path / "z.html", html("z"))]
    with ParserPool(FILES, jobs=1) as pool:

        def shoot() -> None:
            while not any(worker._ready for worker in pool._busy):
                time.sleep(0.02)
            time.sleep(0.2)
            os.kill(next(iter(pool._busy)).pid, number)

        threading.Thread(target=shoot).start()
        results = [result for _, result in pool.load_many(sources)]
    assert (results[0].name, results[0].reason) == ("die.pdf", reason)
    assert fragment in results[0].detail
    assert results[1][0].title == "z"
    assert capfd.readouterr() == ("", "")


def test_an_idle_worker_that_died_costs_nothing(tmp_path):
    sources = [source(tmp_path / "a.html", html("a"))]
    with ParserPool(FILES) as pool:
        list(pool.load_many(sources))
        os.kill(pool._idle[0].pid, signal.SIGKILL)
        os.waitid(os.P_PID, pool._idle[0].pid, os.WEXITED | os.WNOWAIT)
        ((_, result),) = pool.load_many(sources)
    assert result[0].title == "a"


def test_a_consumer_that_takes_its_time_is_no_hang(tmp_path):
    # 100 KB do not fit into a pipe: the worker waits with its second answer beyond the timeout
    sources = [source(tmp_path / f"{n}.html", html("long " * 20_000)) for n in range(2)]
    results = []
    with ParserPool(FILES, timeout_s=2.0) as pool:
        for _, result in pool.load_many(sources):
            results.append(result)
            time.sleep(2.2 if len(results) == 1 else 0)
    assert [type(result) for result in results] == [list, list]


def test_load_guarded(tmp_path):
    good, bad = source(tmp_path / "a.md", b"# A\nx"), source(tmp_path / "b.md", b"\0\0")
    assert load_guarded(FILES, good) == FILES.load(good)
    with pytest.raises(DocumentUnreadable) as caught:
        load_guarded(FILES, bad)
    assert caught.value.reason == "mislabelled"
    with pytest.raises(DocumentUnreadable, match=r"took more than 0\.5 s"):
        load_guarded(FILES, source(tmp_path / "c.pdf", slow_pdf()), timeout_s=0.5)


def test_a_text_with_every_kind_of_character_crosses(tmp_path):
    text = "# \u0660 é e\u0301 😀 \u2028\ufffd\x0c\x1b \u202e\r\nend"
    one = source(tmp_path / "a.md", text.encode())
    (document,) = load_guarded(FILES, one)
    assert document == FILES.load(one)[0]
    assert document.text == text


def test_jobs_below_one_are_refused():
    with pytest.raises(UsageError, match="is 0; it must be at least 1"):
        list(load_many([], FILES, jobs=0))


def test_a_missing_package_ends_it_all(tmp_path, monkeypatch):
    (tmp_path / "pypdfium2.py").write_text("raise ImportError('absent')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    loader = LOADERS.create("files(pdf=pdfium)")
    one = source(tmp_path / "a.pdf", b"%PDF-1.4")
    with pytest.raises(ModelUnavailable, match=r"pip install 'ragbench\[pdfium\]'"):
        list(load_many([one], loader))


PARENT = """
import sys
from pathlib import Path
from ragbench.ingest.load import LOADERS, ParserPool, Source
path = Path(sys.argv[1])
pool = ParserPool(LOADERS.create("files"), timeout_s=1.0)
from ragbench.ingest.load._pool import _Slot
pool._hand_over(_Slot(Source(path, path.name, path.parent)))
worker = next(iter(pool._busy))
worker.receive()
print(worker.pid, flush=True)
sys.stdin.read()
"""


def test_a_worker_does_not_outlive_a_killed_parent(tmp_path):
    path = tmp_path / "hang.pdf"
    path.write_bytes(slow_pdf())
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        pid = int(parent.stdout.readline())
        parent.kill()
    status = Path(f"/proc/{pid}/stat")
    deadline = time.monotonic() + 30  # it ends 1 s + 5 s of grace after it began
    while status.exists() and status.read_text().split()[2] != "Z" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not status.exists() or status.read_text().split()[2] == "Z"
