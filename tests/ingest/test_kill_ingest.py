"""kill -9 at any moment of an ingest, then the same command again: complete, nothing doubled."""

import contextlib
import dataclasses
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ragbench.config import IngestConfig
from ragbench.errors import StoreError
from ragbench.ingest.index import check_cache, check_collection, open_index
from ragbench.ingest.pipeline import ingest

TESTS = Path(__file__).parent.parent
N_FILES = 300

PROGRAM = """
import runpy, sys
from pathlib import Path
from ragbench.config import IngestConfig
from ragbench.ingest.embed import EMBEDDERS
EMBEDDERS.register("hash")(runpy.run_path(sys.argv[1])["Hash"])
from ragbench.ingest.pipeline import ingest

class Told:
    def stage(self, name, total):
        print(name, flush=True)
    def advance(self, n=1):
        print(f"+{n}", flush=True)

config = IngestConfig((Path(sys.argv[2]),), Path(sys.argv[3]), embedder="hash(delay_s=0.05)")
report = ingest(config, Told(), remember=True)
print("done", report.n_embedded, report.n_cached, flush=True)
"""


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for i in range(N_FILES):
        (folder / f"{i:03d}.md").write_text(f"# Note {i}\n\nThe fee of account {i} is ${i}.50.\n")
    return folder


def _start(docs, store):
    command = [
        sys.executable,
        "-c",
        PROGRAM,
        str(TESTS / "hash_embedder.py"),
        str(docs),
        str(store),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _kill_when(process, told):
    """Kill the process at the first line for which ``told`` is true; whether it came to that."""
    for line in process.stdout:
        if told(line.strip()):
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            return True
    process.communicate()
    return False


def _n_cached(store):
    with sqlite3.connect(store / "embeddings.sqlite") as db:
        (count,) = db.execute("SELECT count(*) FROM embeddings").fetchone()
    db.close()
    return count


def _check_complete(store):
    with open_index(store, "docs") as index:
        assert len(index.documents) == N_FILES
        assert len({chunk.chunk_id for chunk in index.chunks}) == len(index.chunks) == N_FILES
        # These notes differ in a number only: the graph may miss some, and is then not used.
        assert index.manifest.recall.recall == 1.0 or index.manifest.search == "exact"
        hits = index.nearest(index.embed_query("fee of account 17"), N_FILES)
        assert sorted({chunk.doc_id for chunk, _ in hits}) == sorted(index.documents)
    generations = store / "collections" / "docs" / "generations"
    return sorted(path.name for path in generations.iterdir())


def _counter(prefix, n):
    seen = []

    def told(line):
        seen.append(line)
        return sum(line.startswith(prefix) for line in seen) >= n

    return told


# The moments: while files are read; before, between and after the batches of 64 (300 chunks make
# five); while the finished index is measured.
MOMENTS = {
    "reading": _counter("+1", 40),
    "before the first batch": _counter("Embedding", 1),
    "after one batch": _counter("+64", 1),
    "after four batches": _counter("+64", 4),
    "after the last batch": _counter("+44", 1),
    "measuring": _counter("Checking", 1),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_and_run_again(docs, tmp_path, moment, hash_embedder):
    store = tmp_path / "store"
    assert _kill_when(_start(docs, store), MOMENTS[moment])
    with pytest.raises(StoreError, match="no collection"):
        open_index(store, "docs")
    kept = _n_cached(store) if (store / "embeddings.sqlite").exists() else 0
    again = _start(docs, store)
    output, _ = again.communicate()
    assert again.returncode == 0
    assert output.splitlines()[-1] == f"done {N_FILES - kept} {kept}"
    assert len(_check_complete(store)) == 1
    # One vector per distinct text: 300 chunks and the query that _check_complete asked.
    assert _n_cached(store) == N_FILES + 1
    fresh = ingest(IngestConfig((docs,), tmp_path / "fresh", embedder="hash(delay_s=0.05)"))
    with open_index(store, "docs") as index:
        assert index.index_id == fresh.index_id


def test_killed_while_renewing_keeps_the_old_generation(docs, tmp_path, hash_embedder):
    store = tmp_path / "store"
    old = ingest(IngestConfig((docs,), store, embedder="hash(delay_s=0.05)"))
    for path in docs.iterdir():
        path.write_text(path.read_text().replace(".50", ".75"))
    for _ in range(3):
        assert _kill_when(_start(docs, store), _counter("+64", 1))
        with open_index(store, "docs") as index:
            assert index.index_id == old.index_id
    output, _ = _start(docs, store).communicate()
    # Each of the three killed runs left at least its first batch: 300 - 3 * 64 = 108 were to do.
    word, n_embedded, n_cached = output.splitlines()[-1].split()
    assert (word, int(n_embedded) + int(n_cached)) == ("done", N_FILES)
    assert int(n_embedded) <= 108
    _check_complete(store)
    with open_index(store, "docs") as index:
        assert index.index_id != old.index_id
        assert "$17.75" in index.documents["017.md"].text


NURSERY = """
import os, runpy, sys
from pathlib import Path
from ragbench.config import IngestConfig
from ragbench.ingest.embed import EMBEDDERS
EMBEDDERS.register("hash")(runpy.run_path(sys.argv[1])["Hash"])
from ragbench.ingest.pipeline import ingest
import chromadb, chromadb.api.rust
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        ingest(IngestConfig((Path(sys.argv[2]),), Path(sys.argv[3]), embedder="hash(delay_s=0.05)"))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Every line on its input is one ingest in a process of its own, forked with all imports done."""

READER = """
import re, runpy, select, sys
from pathlib import Path
from ragbench.ingest.embed import EMBEDDERS
EMBEDDERS.register("hash")(runpy.run_path(sys.argv[1])["Hash"])
from ragbench.ingest.index import open_index
n_files, searches, states = int(sys.argv[3]), 0, []
while not select.select([sys.stdin], [], [], 0)[0]:
    with open_index(Path(sys.argv[2]), "docs") as index:
        for _ in range(3):
            hits = index.nearest(index.embed_query("note"), n_files)
            state = {re.search(r"version\\d+", chunk.text).group() for chunk, _ in hits}
            assert len(hits) == len(index.documents) == n_files, (len(hits), len(index.documents))
            assert len(state) == 1, state
            searches += 1
            states += [] if states[-1:] == list(state) else list(state)
print(searches, *states)
"""


def _program(code, *arguments):
    command = [sys.executable, "-c", code, str(TESTS / "hash_embedder.py"), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _write_version(docs, version, n_files):
    docs.mkdir(exist_ok=True)
    for i in range(n_files):
        text = f"# Note {i}\n\nThis note {i} is of version{version}.\n"
        (docs / f"{i:03d}.md").write_text(text)


def _ingest_in(nursery, kill_after_s=None):
    """Exit status of one ingest in the nursery, killed after that many seconds unless it ended."""
    nursery.stdin.write("\n")
    nursery.stdin.flush()
    child = int(nursery.stdout.readline())
    if kill_after_s is not None:
        time.sleep(kill_after_s)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    return int(nursery.stdout.readline())


@pytest.mark.slow
def test_killed_at_twenty_random_moments_beside_a_reader(tmp_path, hash_embedder):
    """After each kill the next run completes and is sound; a reader saw whole versions only."""
    docs, store, n_files = tmp_path / "docs", tmp_path / "store", 80
    random = np.random.default_rng(20)
    with _program(NURSERY, docs, store) as nursery:
        for version in (0, 1):  # at the second the imports are done
            _write_version(docs, version, n_files)
            started = time.monotonic()
            assert _ingest_in(nursery) == 0
            whole_s = time.monotonic() - started
        with _program(READER, store, n_files) as reader:
            n_killed = 0
            for version in range(2, 22):
                _write_version(docs, version, n_files)
                status = _ingest_in(nursery, random.uniform(0, 0.9 * whole_s))
                n_killed += status == -signal.SIGKILL
                parts = {finding.part for finding in check_collection(store, "docs").findings}
                assert parts <= {"unfinished"}
                assert _ingest_in(nursery) == 0
                assert check_collection(store, "docs").findings == ()
                with open_index(store, "docs") as index:
                    assert f"version{version}" in index.documents["017.md"].text
            output, _ = reader.communicate("stop\n")
            assert reader.returncode == 0
    assert check_cache(store).findings == ()
    assert n_killed >= 15
    searches, *states = output.split()
    assert int(searches) >= 50
    # Versions come in their order, each at most once: no reader went back, none saw a mixture.
    numbers = [int(state.removeprefix("version")) for state in states]
    assert numbers == sorted(set(numbers))
    assert len(numbers) >= 10


SHARING = NURSERY.replace(
    "import chromadb,",
    "import ragbench.ingest.index._segments\n"
    "ragbench.ingest.index._segments._SMALL = 8\n"
    "import chromadb,",
)
"""The same with segments that are shared from nine vectors on."""


def test_killed_at_ten_random_moments_of_a_one_file_change(tmp_path, hash_embedder):
    """What was found before or what is to be found after, and one more run makes it whole."""
    docs, store, n_files = tmp_path / "docs", tmp_path / "store", 60
    random = np.random.default_rng(10)
    config = IngestConfig((docs,), store, embedder="hash(delay_s=0.05)")
    note = docs / "017.md"
    with _program(SHARING, docs, store) as nursery:
        _write_version(docs, 0, n_files)
        assert _ingest_in(nursery) == 0
        started = time.monotonic()
        note.write_text("# Note 17\n\nThis note 17 is of version1.\n")
        assert _ingest_in(nursery) == 0
        whole_s = time.monotonic() - started
        n_killed, n_shared = 0, 0
        for version in range(2, 12):
            note.write_text(f"# Note 17\n\nThis note 17 is of version{version}.\n")
            # One moment in each tenth, so that none of the steps is left out.
            moment = (version - 2 + random.uniform()) / 10 * whole_s
            n_killed += _ingest_in(nursery, moment) == -signal.SIGKILL
            parts = {finding.part for finding in check_collection(store, "docs").findings}
            assert parts <= {"unfinished"}
            with open_index(store, "docs") as index:
                hits = index.nearest(index.embed_query("note 17 version"), n_files)
                assert len({chunk.doc_id for chunk, _ in hits}) == len(hits) == n_files
                (text,) = (chunk.text for chunk, _ in hits if chunk.doc_id == "017.md")
                assert text.endswith((f"version{version - 1}.", f"version{version}."))
            assert _ingest_in(nursery) == 0
            assert check_collection(store, "docs").findings == ()
            with open_index(store, "docs") as index:
                n_shared += len(index.manifest.segments) > 1
                assert index.document("017.md").text.endswith(f"version{version}.\n")
    assert n_killed >= 7  # the last ones may come too late
    assert n_shared >= 8  # else nothing was shared
    assert check_cache(store).findings == ()
    fresh = ingest(dataclasses.replace(config, store=tmp_path / "fresh"))
    collection = store / "collections" / "docs"
    with open_index(store, "docs") as index:
        assert index.index_id == fresh.index_id
        used = set(index.manifest.segments)
    # Nothing is left of the killed runs: the vectors of two generations at the most.
    assert used <= {path.name for path in (collection / "vectors").iterdir()}
    assert len(list((collection / "vectors").iterdir())) <= 3
    assert len(list((collection / "generations").iterdir())) <= 2
