"""The page about parts of one's own: each example is short, is checked, compared and diagnosed."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path

import pytest

from ragbench.ingest.index import open_index
from ragbench.retrieval import open_retriever

RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]
MOST_LINES = 30


def ragbench(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RAGBENCH, *words], capture_output=True, text=True, env=dict(os.environ))


@pytest.fixture
def service(documented):
    """A foreign search service on loopback: it knows texts, and nothing of ids or offsets."""
    assert ragbench("ingest", "docs", "--embedder", "none", "--store", "theirs").returncode == 0
    index = open_index(Path("theirs"), "docs")
    bm25 = open_retriever("bm25", index)

    class Service(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
            hits = bm25.retrieve(asked["q"], int(asked["k"]))
            body = json.dumps([{"text": h.chunk.text, "score": h.score} for h in hits]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/search"
        server.shutdown()
    index.close()


@pytest.fixture
def documented(documented, repository):
    """The examples beside the documents of the domain mock and a page of a wiki."""
    shutil.copytree(repository / "corpora" / "mock", documented / "docs")
    return documented


def test_every_example_is_short(documented) -> None:
    sizes = {
        path.name: sum(bool(line.strip()) for line in path.read_text("utf-8").splitlines())
        for path in documented.glob("my_*.py")
    }
    assert set(sizes) >= {
        *("my_search.py", "my_chunker.py", "my_embedder.py", "my_loader.py", "my_agent.py")
    }
    assert max(sizes.values()) <= MOST_LINES


@pytest.mark.parametrize(
    "spec",
    [
        "my_rerank.py:ShortFirst",
        "my_store.py:HalfPrecision",
        "my_chunker.py:Lines(n=4)",
        "my_embedder.py:embed",
        "my_agent.py:MyAgent",
    ],
)
def test_every_example_passes_its_check(documented, spec) -> None:
    done = ragbench("check-component", spec, "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    checks = json.loads(done.stdout)["checks"]
    assert len(checks) >= 2
    assert {one["verdict"] for one in checks} <= {"ok", "note"}


def test_the_loader_passes_with_a_sample(documented) -> None:
    (documented / "a.wiki").write_text("= Fees =\nA wire costs $25.\n", encoding="utf-8")
    done = ragbench("check-component", "my_loader.py:Wiki", "--sample", "a.wiki")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("  ok  ") == 2


def test_the_foreign_service_is_compared_like_a_built_in_retriever(service) -> None:
    """It answers as bm25 does, by texts alone: every measure must be that of bm25."""
    specs = f"bm25,my_search.py:HttpSearch(url='{service}')"
    done = ragbench(
        *("compare", "--domain", "mock", "--retrievers", specs, "--k", "3", "--format", "json")
    )
    assert done.returncode == 0, done.stderr
    setups = json.loads(done.stdout)["setups"]
    assert len(setups) == 2
    measured = [
        {name: found for name, found in one["figures"].items() if "ms" not in name}
        for one in setups
    ]
    assert "span_recall" in measured[0]
    assert measured[0] == measured[1]


def test_the_foreign_service_is_diagnosed_like_the_built_in_tool(service) -> None:
    scores = []
    for number, setup in enumerate(("bm25", f"my_search.py:HttpSearch(url='{service}')")):
        folder = f"run{number}"
        done = ragbench(
            *("eval", "--domain", "mock", "--retrieval-config", setup, "--save-to", folder)
        )
        assert done.returncode == 0, done.stderr
        lines = Path(folder, "scores.jsonl").read_text("utf-8").splitlines()
        scores.append([json.loads(line) for line in lines])
    assert len(scores[0]) == 9
    assert scores[0] == scores[1]


def test_a_vector_store_is_compared_with_the_exact_one(documented) -> None:
    done = ragbench(
        *("compare", "--domain", "mock", "--retrievers", "dense,my_store.py:HalfPrecision"),
        *("--k", "5", "--format", "json"),
    )
    assert done.returncode == 0, done.stderr
    exact, half = json.loads(done.stdout)["setups"]
    assert half["name"] == "recursive / minilm / my_store.py:HalfPrecision / k=5"
    # Half precision moves a cosine by less than what parts the hits of 24 short chunks.
    assert half["figures"]["span_recall"]["mean"] == exact["figures"]["span_recall"]["mean"]
    assert half["error"] is None


def test_chunker_embedder_and_loader_make_an_index_that_an_evaluation_uses(documented) -> None:
    (documented / "docs" / "a.wiki").write_text(
        "= Wiki fees =\nA wire costs $25.\n", encoding="utf-8"
    )
    parts = ("--chunker", "my_chunker.py:Lines(n=4)", "--embedder", "my_embedder.py:embed")
    done = ragbench("ingest", "docs", *parts, "--loader", "my_loader.py:Wiki")
    assert done.returncode == 0, done.stdout + done.stderr
    found = ragbench("search", "Wiki fees for a wire", "-k", "1")
    assert "a.wiki" in found.stdout
    done = ragbench("eval", "--domain", "mock", "--retrieval-config", "dense", *parts)
    assert done.returncode == 0, done.stderr
    assert "9 of 9 trials scored" in done.stdout


def test_the_agent_with_its_own_search_is_diagnosed(documented) -> None:
    done = ragbench(
        *("eval", "--domain", "mock", "--agent", "my_agent.py:MyAgent", "--save-to", "mine")
    )
    assert done.returncode in (0, 3), done.stderr
    lines = (documented / "mine" / "scores.jsonl").read_text("utf-8").splitlines()
    scores = [json.loads(line) for line in lines]
    assert len(scores) == 9
    assert all(score["diagnosis"]["n_calls"] >= 1 for score in scores)
    classes = {call["call_class"] for score in scores for call in score["diagnosis"]["calls"]}
    assert "useful" in classes
    assert "not_observed" not in {score["diagnosis"]["label"] for score in scores}


BROKEN = {
    "chunker": ("class Mine:\n    def chunk(self, document):\n        return [(5, 2)]", "line 2"),
    "embedder": ("class Mine:\n    def embed(self, texts):\n        return texts", "line 2"),
    "retriever": (
        "class Mine:\n    def retrieve(self, query, k):\n        raise OSError('refused')",
        "line 3",
    ),
    "store": (
        "class Mine:\n    def add(self, ids, vectors): ...\n"
        "    def query(self, vector, k):\n        return [('nowhere#0-1', 1.0)]",
        "line 3",
    ),
    "loader": (
        "class Mine:\n    suffixes = ('.wiki',)\n    def load(self, path):\n        return {}['x']",
        "line 4",
    ),
    "agent": (
        "class Mine:\n    def step(self, observation):\n        raise ValueError('no')",
        "no",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_one_fails_its_check_with_file_and_line(documented, kind) -> None:
    text, line = BROKEN[kind]
    (documented / "broken.py").write_text(text, encoding="utf-8")
    (documented / "a.wiki").write_text("x", encoding="utf-8")
    done = ragbench("check-component", "broken.py:Mine", "--sample", "a.wiki")
    assert done.returncode == 5, done.stdout + done.stderr
    assert "failed" in done.stdout
    if kind == "agent":
        assert "agent_error: ValueError: no" in done.stdout
    else:
        assert f"broken.py, {line}" in done.stdout


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("chunker", ("ingest", "docs", "--embedder", "none", "--chunker", "broken.py:Mine")),
        ("embedder", ("ingest", "docs", "--embedder", "broken.py:Mine")),
        ("retriever", ("search", "x", "--store", "theirs", "--retriever", "broken.py:Mine")),
    ],
)
def test_a_broken_one_ends_a_command_with_file_and_line(documented, kind, words) -> None:
    text, line = BROKEN[kind]
    (documented / "broken.py").write_text(text, encoding="utf-8")
    if kind == "retriever":
        assert ragbench("ingest", "docs", "--embedder", "none", "--store", "theirs").returncode == 0
    done = ragbench(*words)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"Error: The {kind} broken.py:Mine ")
    assert f"broken.py, {line}" in done.stderr
    assert "Traceback" not in done.stderr
