"""Serve a chat model on loopback with llama.cpp's own OpenAI-compatible server, in this process.

Usage:

    python scripts/serve_llm.py [--model FILE] [--port N] [--context-tokens N] [--threads N]

prints the base URL once it answers, and serves until its standard input ends or it is interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fetch_llm import fetch

__all__ = ["serving"]

_PATIENCE_S = 120.0


@contextmanager
def serving(
    model: Path, port: int = 0, context_tokens: int = 8192, threads: int | None = None
) -> Iterator[str]:
    """A server of the model; gives its base URL, which ends in ``/v1``.

    Args:
        model: a GGUF file.
        port: 0 takes a free one.
        context_tokens: most tokens of prompt and reply together.
        threads: that compute; None takes one for each processor. On a busy machine fewer are
            faster, since all wait for the slowest.

    Raises:
        SystemExit: llama.cpp is not installed, or the server does not come up.
    """
    server = _server(model, port, context_tokens, threads)
    address = server.listening_address
    try:
        _wait_for(f"{address}/health")
        yield f"{address}/v1"
    finally:
        del server


def _server(model: Path, port: int, context_tokens: int, threads: int | None) -> Any:  # noqa: ANN401  (ships no types)
    try:
        import xllamacpp
    except ImportError as error:
        raise SystemExit(
            "The server needs a package that is not installed. Install it: "
            "pip install 'ragbench[demo-llm]'"
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.verbosity = 0
    for pool in (params.cpuparams, params.cpuparams_batch):
        pool.poll = 0  # spinning threads starve each other where something else runs
        if threads is not None:
            pool.n_threads = threads
    return xllamacpp.Server(params)


def _wait_for(url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        try:
            with opener.open(url, timeout=5) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit(f"The server does not answer at {url} after {_PATIENCE_S:.0f} s.")


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(description="Serve a chat model on loopback.")
    parser.add_argument("--model", type=Path, help="a GGUF file; by default the fetched one")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--context-tokens", type=int, default=8192)
    parser.add_argument("--threads", type=int)
    given = parser.parse_args()
    model = given.model or fetch()
    with serving(model, given.port, given.context_tokens, given.threads) as url:
        print(url, flush=True)
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
