"""kill -9 at any moment of an ingest, then the same command again: complete, nothing doubled."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragbench.config import IngestConfig
from ragbench.errors import StoreError
from ragbench.ingest.index import open_index
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


@pytest.mark.slow
def test_killed_at_twenty_moments_beside_a_reader(docs, tmp_path, hash_embedder):
    """Kills spread over the whole run; a reader meanwhile sees complete states only."""
    store = tmp_path / "store"
    ingest(IngestConfig((docs,), store, embedder="hash(delay_s=0.05)"))
    complete = [N_FILES]
    for n in range(20):
        (docs / f"{n:03d}.md").write_text(f"# Note {n}\n\nRenewed {n}.\n")
        process = _start(docs, store)
        deadline = time.monotonic() + 0.2 + 0.1 * n
        while time.monotonic() < deadline and process.poll() is None:
            with open_index(store, "docs") as index:
                complete.append(len(index.nearest(index.embed_query("note"), N_FILES)))
        process.kill()
        process.communicate()
    assert set(complete) == {N_FILES}
    output, _ = _start(docs, store).communicate()
    assert output.splitlines()[-1].startswith("done")
    assert len(_check_complete(store)) <= 2
