"""Finding out what a component is, and what it is held to."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import ragbench.domains
from ragbench.config import IngestConfig
from ragbench.conformance._agent import check_agent
from ragbench.conformance._chunker import check_chunker
from ragbench.conformance._embedder import check_embedder
from ragbench.conformance._findings import Finding
from ragbench.conformance._loader import check_loader
from ragbench.conformance._retriever import check_retriever, check_store
from ragbench.errors import UsageError
from ragbench.ingest.chunk import CHUNKERS
from ragbench.ingest.embed import EMBEDDERS
from ragbench.ingest.index import open_index
from ragbench.ingest.load import LOADERS
from ragbench.ingest.pipeline import ingest
from ragbench.own import load_code
from ragbench.retrieval import RETRIEVERS, RetrieverSpec
from ragbench.spec import parse_spec

__all__ = ["Kind", "check_component", "kind_of"]

Kind = Literal["retriever", "store", "chunker", "embedder", "loader", "agent"]

_METHODS: dict[str, Kind] = {
    "retrieve": "retriever",
    "query": "store",
    "chunk": "chunker",
    "embed": "embedder",
    "load": "loader",
    "step": "agent",
}


def kind_of(spec: str) -> Kind:
    """What the code is, by the one method of a kind that it has, or its own name as a function.

    Raises:
        UsageError: the code does not load, or has no such method, or those of several kinds.
    """
    target = load_code(parse_spec(spec).name, "component", "See docs/own-parts.md.").target
    named = _METHODS.get(getattr(target, "__name__", "")) if inspect.isfunction(target) else None
    if named is not None:
        return named
    found = [kind for method, kind in _METHODS.items() if callable(getattr(target, method, None))]
    if len(found) != 1:
        has = f"those of {', '.join(found)}" if found else "none of them"
        methods = ", ".join(f"{method} ({kind})" for method, kind in _METHODS.items())
        raise UsageError(
            f"What {spec!r} is cannot be told by its methods: {methods}; it has {has}. Say what it "
            f"is with --kind: {', '.join(get_args(Kind))}."
        )
    return found[0]


def check_component(
    spec: str, kind: Kind | None = None, samples: Sequence[Path] = ()
) -> tuple[Kind, list[Finding]]:
    """Try a component of the user's own on hard inputs.

    Args:
        spec: ``FILE.py:NAME``, with arguments or without.
        kind: what it is; None finds out.
        samples: files for a loader.

    Raises:
        UsageError, SpecError, OwnPartError: the code does not load or is no such component.
    """
    kind = kind or kind_of(spec)
    if kind == "chunker":
        return kind, check_chunker(CHUNKERS.create(spec))
    if kind == "embedder":
        return kind, check_embedder(EMBEDDERS.create(spec))
    if kind == "loader":
        return kind, check_loader(LOADERS.create(spec), samples)
    with tempfile.TemporaryDirectory(prefix="ragbench-") as folder:
        if kind == "agent":
            return kind, check_agent(spec, Path(folder))
        return kind, _retriever(RETRIEVERS.create(spec), Path(folder), kind)


def _retriever(spec: RetrieverSpec, folder: Path, kind: Kind) -> list[Finding]:
    corpus = ragbench.domains.load_domain("mock").corpus
    config = IngestConfig((corpus,), store=folder, collection="check")
    if not spec.needs_vectors:
        config = IngestConfig((corpus,), store=folder, collection="check", embedder=None)
    ingest(config)
    with open_index(folder, "check") as index:
        findings = check_retriever(spec, index)
        return findings + check_store(spec, index) if kind == "store" else findings
