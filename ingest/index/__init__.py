"""The index: documents, chunks and vectors of one collection, in generations.

::

    <store>/store.json                     which collection was ingested last
    <store>/embeddings.sqlite              the embedding cache, shared by all collections
    <store>/collections/<name>/CURRENT     the generation that readers open; atomically renamed
    <store>/collections/<name>/lock        held by the one ingest that may write
    <store>/collections/<name>/generations/<number>/
        manifest.json                      written last: a generation without it is unfinished
        documents.jsonl  chunks.jsonl      the loaded texts, and spans of them
        chroma/                            the vectors, absent when there is no embedder

A reader keeps the generation that it opened, and sees it whole. What makes generations is
`ragbench.ingest.pipeline`.
"""

from ragbench.ingest.index._index import Index, open_index
from ragbench.ingest.index._layout import Layout, collections_in, last_collection
from ragbench.ingest.index._manifest import Manifest, Recall, SourceEntry

__all__ = [
    "Index",
    "Layout",
    "Manifest",
    "Recall",
    "SourceEntry",
    "collections_in",
    "last_collection",
    "open_index",
]
