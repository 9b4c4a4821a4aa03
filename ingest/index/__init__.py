"""The index: documents, chunks and vectors of one collection, in generations.

::

    <store>/store.json                     which collection was ingested last
    <store>/embeddings.sqlite              the embedding cache, shared by all collections
    <store>/collections/<name>/CURRENT     the generation that readers open; atomically renamed
    <store>/collections/<name>/lock        held by the one ingest that may write
    <store>/collections/<name>/generations/<number>/
        manifest.json                      written last: a generation without it is unfinished
        documents.jsonl  chunks.jsonl      the loaded texts, and spans of them
        documents.npy  chunks.npy          where each stands, so that a search reads its hits alone
        lexical/                           which chunk has which words
        segments  places.npy               which vectors are its own, absent without an embedder
    <store>/collections/<name>/vectors/<number>/
        vectors.npy  chroma/               vectors that generations share; never changed

A store may be a Chroma server, ``http://host:port``: its folder is then
``.ragbench/servers/<scheme>-<host>-<port>/``, with ``server.json`` and without the vectors, which
are in the server's collections ``<name>.<number>``.

A reader keeps the generation that it opened, and sees it whole. What makes generations is
`ragbench.ingest.pipeline`.
"""

from ragbench.ingest.index._check import (
    Checked,
    Finding,
    check_cache,
    check_collection,
    check_names,
    repair_cache,
)
from ragbench.ingest.index._index import Index, absent, open_index
from ragbench.ingest.index._inventory import (
    Details,
    Summary,
    Tokens,
    describe_collection,
    list_collections,
)
from ragbench.ingest.index._layout import (
    Layout,
    collection_folders,
    collections_in,
    last_collection,
)
from ragbench.ingest.index._manifest import Manifest, Recall, SourceEntry
from ragbench.ingest.index._store import store_folder, store_name

__all__ = [
    "Checked",
    "Details",
    "Finding",
    "Index",
    "Layout",
    "Manifest",
    "Recall",
    "SourceEntry",
    "Summary",
    "Tokens",
    "absent",
    "check_cache",
    "check_collection",
    "check_names",
    "collection_folders",
    "collections_in",
    "describe_collection",
    "last_collection",
    "list_collections",
    "open_index",
    "repair_cache",
    "store_folder",
    "store_name",
]
