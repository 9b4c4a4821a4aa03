"""A store on a Chroma server: the real one, in a process of its own, on loopback."""

import dataclasses
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ragbench.config import IngestConfig, SearchConfig
from ragbench.errors import StoreError, UsageError
from ragbench.ingest.index import (
    Layout,
    check_collection,
    collections_in,
    describe_collection,
    open_index,
    store_folder,
)
from ragbench.ingest.pipeline import ingest
from ragbench.ingest.repair import repair
from ragbench.retrieval import search


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """URL of a running server and a way to ask it what it holds."""
    port = _free_port()
    folder = tmp_path_factory.mktemp("server")
    chroma = Path(sys.executable).with_name("chroma")
    command = [chroma, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def on_server(server):
    import chromadb

    host, port = server.removeprefix("http://").split(":")
    client = chromadb.HttpClient(host=host, port=int(port))
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    yield client
    for part in (client, client._admin_client):
        part._server._session.close()
    client.close()


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the folder beside the server is below the working one
    folder = tmp_path / "docs"
    folder.mkdir()
    for i in range(30):
        (folder / f"{i:02d}.md").write_text(f"# Note {i}\n\nThe fee of item {i * 7} is ${i}.\n")
    return folder


@pytest.fixture
def config(docs, server, on_server, hash_embedder):
    return IngestConfig(paths=(docs,), store=Path(server), embedder=hash_embedder)


def _names(on_server):
    return sorted(collection.name for collection in on_server.list_collections())


def test_generations_are_collections(config, docs, on_server):
    ingest(config)
    assert _names(on_server) == ["docs.000001"]
    collection = store_folder(config.store) / "collections" / "docs"
    segment = collection / "vectors" / "000001"
    assert sorted(path.name for path in segment.iterdir()) == ["ids.json", "segment.json"]
    names = {path.name for path in (collection / "generations" / "000001").iterdir()}
    assert names == {
        *("chunks.jsonl", "chunks.npy", "documents.jsonl", "documents.npy"),
        *("lexical", "manifest.json", "places.npy", "segments"),
    }
    reader = open_index(config.store, "docs")
    for text in ("one", "two", "three"):
        (docs / "00.md").write_text(f"# Changed\n\nVersion {text}.\n")
        assert ingest(config).n_embedded == 1
    assert _names(on_server) == ["docs.000001", "docs.000003", "docs.000004"]
    assert reader.documents["00.md"].title == "Note 0"
    assert len(reader.nearest(reader.embed_query("note"), 30)) == 30
    reader.close()
    assert ingest(config).unchanged
    assert _names(on_server) == ["docs.000003", "docs.000004"]
    assert collections_in(config.store) == ["docs"]


def test_a_search_finds_what_it_finds_in_a_folder(config, tmp_path):
    local = dataclasses.replace(config, store=tmp_path / "local")
    assert ingest(config).index_id == ingest(local).index_id
    for query in ("fee of item 14", "note 3", "item"):
        there, here = (
            search(SearchConfig(query, store, "docs", k=10))
            for store in (config.store, local.store)
        )
        assert [(hit.chunk, hit.score) for hit in there.hits] == [
            (hit.chunk, hit.score) for hit in here.hits
        ]
    manifest = describe_collection(config.store, "docs").manifest
    assert manifest.recall.recall == 1.0
    assert describe_collection(config.store, "docs").server == str(config.store).replace(
        ":/", "://"
    )


def test_nothing_changed_asks_the_server_nothing(config):
    ingest(config)
    code = (
        "import runpy, sys; from pathlib import Path; from ragbench.config import IngestConfig\n"
        "from ragbench.ingest.embed import EMBEDDERS\n"
        "EMBEDDERS.register('hash')(runpy.run_path(sys.argv[1])['Hash'])\n"
        "from ragbench.ingest.pipeline import ingest\n"
        "config = IngestConfig((Path('docs'),), Path(sys.argv[2]), embedder='hash')\n"
        "print(ingest(config).unchanged, 'chromadb' in sys.modules)"
    )
    helper = Path(__file__).parent.parent / "hash_embedder.py"
    command = [sys.executable, "-c", code, str(helper), str(config.store)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


def test_check_finds_and_mends_what_is_wrong_on_the_server(config, on_server):
    ingest(config)
    assert check_collection(config.store, "docs").findings == ()
    held = on_server.get_collection("docs.000001", embedding_function=None)
    held.delete(ids=held.get(limit=2)["ids"])
    (finding,) = check_collection(config.store, "docs").findings
    assert finding.detail.startswith("2 vectors are missing (of 30 chunks)")
    assert finding.remedy.endswith(f"--store {str(config.store).replace(':/', '://')}")
    with open_index(config.store, "docs") as index, pytest.raises(StoreError, match="28 vectors"):
        index.nearest(index.embed_query("note"), 5)
    repaired = repair(config.store, "docs")
    assert repaired.done == [
        "30 vectors built anew as generation 000002: 30 from the cache, 0 embedded"
    ]
    assert repaired.after.findings == ()
    on_server.delete_collection("docs.000002")
    (finding,) = check_collection(config.store, "docs").findings
    assert "docs.000002" in finding.detail
    assert repair(config.store, "docs").after.findings == ()


def test_delete_and_what_an_interrupted_ingest_left(config, on_server):
    ingest(config)
    layout = Layout(config.store, "docs")
    unfinished = layout.new_generation().name
    layout.new_segment(unfinished)
    on_server.create_collection(
        f"docs.{unfinished}",
        metadata={"ragbench_store": layout.server.store_id},
        embedding_function=None,
    )
    assert [finding.part for finding in check_collection(config.store, "docs").findings] == [
        "unfinished"
    ]
    assert ingest(config).unchanged
    assert _names(on_server) == ["docs.000001"]
    Layout(config.store, "docs").delete()
    assert _names(on_server) == []


def test_another_machines_collection_is_left_alone(config, docs, on_server):
    ingest(config)
    folder = store_folder(config.store)
    folder.rename(folder.with_name("elsewhere"))
    with pytest.raises(StoreError, match=r"'docs.000001' that this store did not make.*NAME"):
        ingest(config)
    assert _names(on_server) == ["docs.000001"]
    assert ingest(dataclasses.replace(config, collection="mine")).n_documents == 30
    assert _names(on_server) == ["docs.000001", "mine.000001"]


def test_a_server_that_does_not_answer(config):
    ingest(config)
    nobody = Path(f"http://127.0.0.1:{_free_port()}")
    with pytest.raises(StoreError, match=r"does not answer: .*refused.*chroma run --path DIR"):
        ingest(dataclasses.replace(config, store=nobody))
    assert not store_folder(nobody).exists()
    with pytest.raises(StoreError, match=r"no collection in the store 'http://127.0.0.1:"):
        open_index(nobody, "docs")


def test_a_server_that_never_replies_is_given_up_in_seconds(config, monkeypatch):
    from ragbench.ingest.index import _client

    monkeypatch.setattr(_client, "_HEARTBEAT_S", 0.5)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        store = Path(f"http://127.0.0.1:{deaf.getsockname()[1]}")
        started = time.monotonic()
        with pytest.raises(StoreError, match="does not answer: timed out"):
            ingest(dataclasses.replace(config, store=store))
        assert time.monotonic() - started < 10


def test_something_else_that_answers(config):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()

        def answer():
            connection, _ = other.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

        thread = threading.Thread(target=answer)
        thread.start()
        store = Path(f"http://127.0.0.1:{other.getsockname()[1]}")
        with pytest.raises(StoreError, match="what answers there is not Chroma"):
            ingest(dataclasses.replace(config, store=store))
        thread.join()


@pytest.mark.parametrize("url", ["http://host:80/path", "http://me:secret@host:80", "https://"])
def test_a_malformed_url(config, url):
    with pytest.raises(UsageError, match=r"no URL of a Chroma server.*http://host:port") as raised:
        ingest(dataclasses.replace(config, store=Path(url)))
    assert "secret" not in str(raised.value)
