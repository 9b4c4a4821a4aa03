"""Finishing a generation: the manifest says what it holds, and is written last."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from ragbench.config import IngestConfig
from ragbench.ingest._plan import Components, roots_of
from ragbench.ingest._records import Written
from ragbench.ingest._vectors import Vectors
from ragbench.ingest.index._atomic import write_atomically
from ragbench.ingest.index._manifest import MANIFEST, Manifest, name_segments

__all__ = ["make_manifest"]


def make_manifest(
    folder: Path,
    config: IngestConfig,
    collection: str,
    components: Components,
    previous: str | None,
    written: Written,
    vectors: Vectors,
) -> Manifest:
    """Write the manifest, which makes the generation a finished one."""
    from ragbench.ingest.index._chroma import HNSW

    embedder = components.embedder
    identity = None if embedder is None else embedder.identity
    # The hashes cover every document's and chunk's text; what parsed them makes no difference.
    parts = [*written.sha256s, components.chunker_spec, identity]
    exact = vectors.recall is None or vectors.recall.recall >= 1.0
    manifest = Manifest(
        collection=collection,
        generation=folder.name,
        previous=previous,
        index_id=hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32],
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        roots=roots_of(config),
        loader=components.loader.identity,
        loader_spec=components.loader_spec,
        chunker=components.chunker_spec,
        embedder=components.embedder_spec,
        embedder_identity=identity,
        sources=written.sources,
        exclude=config.exclude,
        unread=tuple((u.name, u.reason, u.detail) for u in written.unread),
        documents_sha256=written.sha256s[0],
        chunks_sha256=written.sha256s[1],
        segments=vectors.segments,
        n_documents=written.n_documents,
        n_chunks=written.n_chunks,
        n_tokens=written.n_tokens,
        n_truncated=vectors.n_truncated,
        worst_truncated=vectors.worst_truncated,
        hnsw={} if embedder is None else HNSW,
        search="hnsw" if exact else "exact",
        recall=vectors.recall,
        versions={name: version(name) for name in ("ragbench", "chromadb")},
    )
    name_segments(folder, manifest.segments)
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
    return manifest
