"""Which folder a store is, and whether its vectors are on a Chroma server.

A store is named by the path of a folder or by the URL of a Chroma server. A server keeps vectors
alone; documents, chunks, manifests, locks and the embedding cache are in a folder of this machine,
``.ragbench/servers/<scheme>-<host>-<port>/``, whose ``server.json`` holds the URL and an id. The id
marks the collections on the server, so that two machines cannot take each other's for their own.
"""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass
from pathlib import Path

from ragbench.errors import StoreError, UsageError
from ragbench.ingest.index._atomic import write_atomically

__all__ = ["Server", "join_server", "server_of", "store_folder", "store_name"]

_FILE = "server.json"
_SERVERS = Path(".ragbench") / "servers"
_SCHEME = re.compile(r"https?:(/|$)")  # a path has lost the second slash
_URL = re.compile(r"(https?):/{1,2}(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?/?")
_PORTS = {"http": 8000, "https": 443}


@dataclass(frozen=True, slots=True)
class Server:
    """A Chroma server.

    Attributes:
        store_id: marks the collections that this machine's store made on it; empty before the
            first was made.
    """

    scheme: str
    host: str
    port: int
    store_id: str = ""

    @property
    def url(self) -> str:
        """``scheme://host:port``."""
        return f"{self.scheme}://{self.host}:{self.port}"


def store_folder(store: Path) -> Path:
    """The folder on this machine.

    Raises:
        UsageError: the store is a URL, but not of the form ``http://host:port``.

    >>> store_folder(Path("http://127.0.0.1:8000")).as_posix()
    '.ragbench/servers/http-127.0.0.1-8000'
    >>> store_folder(Path("stores/one")).as_posix()
    'stores/one'
    """
    server = _from_url(store)
    if server is None:
        return store
    host = re.sub(r"[^A-Za-z0-9._-]", "_", server.host)
    return _SERVERS / f"{server.scheme}-{host}-{server.port}"


def store_name(store: Path) -> str:
    """The store as it is given on the command line.

    >>> store_name(Path("http://localhost:8000"))
    'http://localhost:8000'
    """
    server = _from_url(store)
    return str(store) if server is None else server.url


def server_of(store: Path) -> Server | None:
    """The server that keeps the store's vectors, None when the folder does.

    Raises:
        StoreError: ``server.json`` is damaged, or is that of another server.
    """
    named = _from_url(store)
    path = store_folder(store) / _FILE
    try:
        values = json.loads(path.read_bytes())
        server = _from_url(Path(values["url"]), values["store_id"])
    except (FileNotFoundError, NotADirectoryError):
        return named
    except (OSError, ValueError, KeyError, TypeError, UsageError) as error:
        raise StoreError(
            f"The store is damaged: {str(path)!r}: {error}. "
            "Delete the folder that holds it, and ingest again."
        ) from error
    if server is None or (named is not None and named.url != server.url):
        raise StoreError(f"The store is damaged: {str(path)!r} names {values['url']!r}.")
    return server


def join_server(store: Path, server: Server) -> Server:
    """The server with the id of this machine's store, which is made at the first call.

    Raises:
        OSError: the folder, which must exist, cannot be written.
    """
    if server.store_id:
        return server
    store_id = uuid.uuid4().hex
    settings = {"schema_version": 1, "url": server.url, "store_id": store_id}
    write_atomically(store_folder(store) / _FILE, json.dumps(settings) + "\n")
    return Server(server.scheme, server.host, server.port, store_id)


def _from_url(store: Path, store_id: str = "") -> Server | None:
    text = str(store)
    if not _SCHEME.match(text):
        return None
    match = _URL.fullmatch(text)
    if match is None:
        shown = re.sub(r"(?<=//)[^/@]*@", "...@", text.replace(":/", "://", 1))
        raise UsageError(
            f"The store {shown!r} is no URL of a Chroma server. The form is "
            "http://host:port, without a path, a user or a password."
        )
    scheme, host, port = match.groups()
    return Server(scheme, host, int(port or _PORTS[scheme]), store_id)
