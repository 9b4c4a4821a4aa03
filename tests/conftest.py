"""Fixtures shared by all tests: one thread per library, the foreign data, a clean store."""

from __future__ import annotations

import os
import runpy
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Shells ignore it for what runs in the background, and every process started here inherits
    # that: the tests of interrupts would wait for one that never comes.
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Foreign corpora and trajectories beside the checkout; skips where they are absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no foreign data beside the checkout ({folder.name})")
    return folder


@pytest.fixture
def hash_embedder() -> Iterator[str]:
    """Spec of a deterministic embedder without a model, registered for this test like any other."""
    from ragbench.ingest.embed import EMBEDDERS

    EMBEDDERS.register("hash")(runpy.run_path(str(ROOT / "tests" / "hash_embedder.py"))["Hash"])
    yield "hash"
    EMBEDDERS._classes.pop("hash")
