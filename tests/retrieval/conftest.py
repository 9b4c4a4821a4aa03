"""Indexes of a few texts, opened for a test and closed after it."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from ragbench.config import IngestConfig
from ragbench.ingest.index import open_index
from ragbench.ingest.pipeline import ingest


@pytest.fixture
def index_of(tmp_path):
    """``index_of({"a.txt": "text"}, embedder, metadata)``: an open index, one chunk a text."""
    with ExitStack() as stack:

        def make(texts, embedder=None, metadata=None, **more):
            folder = tmp_path / "docs"
            folder.mkdir()
            for name, text in texts.items():
                (folder / name).write_text(text, encoding="utf-8")
            if metadata:
                (folder / "manifest.json").write_text(json.dumps({"files": metadata}))
            config = IngestConfig((folder,), tmp_path / "store", embedder=embedder, **more)
            ingest(config, remember=True)
            return stack.enter_context(open_index(tmp_path / "store", "docs"))

        yield make
