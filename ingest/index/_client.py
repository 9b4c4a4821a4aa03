"""The connection to ChromaDB: a folder's own, or a server's; its errors in ragbench's words."""

from __future__ import annotations

import contextlib
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import cache
from typing import Any

from ragbench.errors import StoreError
from ragbench.ingest.index._manifest import damaged
from ragbench.ingest.index._place import VectorPlace
from ragbench.ingest.index._store import Server

__all__ = [
    "OWNER",
    "check_server",
    "connect",
    "disconnect",
    "drop",
    "drop_vectors",
    "reading",
    "writing",
]

OWNER = "ragbench_store"
"""Key of a server's collection under which stands the id of the store that made it."""
_HEARTBEAT_S = 5.0
_REQUEST_S = 300.0


def drop_vectors(place: VectorPlace) -> None:
    """Delete a collection of this store from its server, if it is there.

    Raises:
        StoreError: the server does not answer, or the collection is another store's.
    """
    with writing(place):
        client = connect(place)
        try:
            drop(client, place)
        finally:
            disconnect(client, place)


def check_server(server: Server) -> None:
    """Ask a server whether it lives.

    Raises:
        StoreError: it does not answer as Chroma does, within seconds.
    """
    try:
        with urllib.request.urlopen(
            f"{server.url}/api/v2/heartbeat", timeout=_HEARTBEAT_S
        ) as reply:
            alive = b"heartbeat" in reply.read(1000)
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise unreachable(server, getattr(error, "reason", error)) from error
    if not alive:
        raise unreachable(server, "what answers there is not Chroma")


def drop(client: Any, place: VectorPlace) -> None:  # noqa: ANN401  (as `_client`)
    from chromadb.errors import NotFoundError

    assert place.server is not None
    try:
        found = client.get_collection(place.collection, embedding_function=None)
    except NotFoundError:
        return
    if (found.metadata or {}).get(OWNER) != place.server.store_id:
        raise StoreError(
            f"The Chroma server {place.server.url!r} has a collection {place.collection!r} that "
            "this store did not make. Choose another name with --collection NAME, or delete it "
            "where it was made."
        )
    client.delete_collection(place.collection)


@contextlib.contextmanager
def writing(place: VectorPlace) -> Iterator[None]:
    from chromadb.errors import ChromaError
    from httpx import HTTPError

    try:
        yield
    except ChromaError as error:
        raise StoreError(
            f"The vectors cannot be written to {str(place)!r}: {error}. Is the disk full?"
        ) from error
    except HTTPError as error:
        raise unreachable(place.server, error) from error


@contextlib.contextmanager
def reading(place: VectorPlace) -> Iterator[None]:
    from chromadb.errors import ChromaError
    from httpx import HTTPError

    try:
        yield
    except (ChromaError, ValueError) as error:
        if place.server is None and "disk is full" in str(error):
            raise _full(place) from error
        what = error if place.server is None else f"its vectors in {place}: {error}"
        raise damaged(place.folder, what) from error
    except HTTPError as error:
        raise unreachable(place.server, error) from error


def _full(place: VectorPlace) -> StoreError:
    return StoreError(
        f"ChromaDB opens no vectors on a full disk, not even to read: {str(place)!r}. The "
        "collection is whole: free some space, or search with --retriever bm25 meanwhile."
    )


def unreachable(server: Server | None, reason: object) -> StoreError:
    url = "" if server is None else server.url
    start = "" if server is None else f"chroma run --path DIR --port {server.port}"
    return StoreError(
        f"The Chroma server {url!r} does not answer: {reason}. "
        f"Start it ({start}), or name another store with --store."
    )


def connect(place: VectorPlace) -> Any:  # noqa: ANN401  (chromadb's own type would need the import)
    import chromadb

    settings = _settings().model_copy()  # which Chroma writes into
    server = place.server
    if server is None:
        try:
            # Chroma keeps one client per path, and a relative one may be another folder by now.
            path = str(place.folder.absolute())
            return chromadb.PersistentClient(path=path, settings=settings)
        except AttributeError as error:  # the second opening of a folder that it could not open
            raise ValueError("ChromaDB cannot open it") from error
    check_server(server)  # Chroma's own client waits for ever
    client = chromadb.HttpClient(
        host=server.host, port=server.port, ssl=server.scheme == "https", settings=settings
    )
    client._server._session.timeout = _REQUEST_S  # it has no setting for this
    return client


@cache
def _settings() -> Any:  # noqa: ANN401  (as `connect`)
    """Made once: it takes longer than opening a small collection."""
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def disconnect(client: Any, place: VectorPlace) -> None:  # noqa: ANN401  (as `_client`)
    """Chroma closes the files of a folder, but leaves the connections to a server open."""
    if place.server is not None:
        for part in (client, client._admin_client):
            part._server._session.close()
    client.close()
