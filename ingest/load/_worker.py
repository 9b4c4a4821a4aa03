"""The child process: reads a source from standard input, parses it, answers on standard output.

Run by `ragbench.ingest.load._process` as ``python -P -m ragbench.ingest.load._worker SPEC MEMORY_MB
TIMEOUT_S``. It limits its own address space, is ended by an alarm should its parent be gone when a
parser hangs, and leaves when its input ends. What libraries print goes nowhere.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from typing import Any, BinaryIO

from ragbench.errors import DocumentUnreadable, ModelUnavailable
from ragbench.ingest.load._files import LOADERS, Loader
from ragbench.ingest.load._wire import HEADER, frame, source_from, to_json

__all__ = ["main"]

_GRACE_S = 5.0
"""The parent ends a hanging parse at its timeout; this long after, the worker ends itself."""


def main(spec: str, memory_mb: int, timeout_s: float) -> None:
    """Answer one frame per source until the input ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    loader = LOADERS.create(spec)
    limit = memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _send(answers, {"ready": True})
    while header := requests.read(HEADER.size):
        request = json.loads(requests.read(HEADER.unpack(header)[0]))
        signal.setitimer(signal.ITIMER_REAL, timeout_s + _GRACE_S)  # its default action ends us
        answer = _answer(loader, request, memory_mb)
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(answer)
        answers.flush()


def _answer(loader: Loader, request: dict[str, Any], memory_mb: int) -> bytes:
    try:
        documents = loader.load(source_from(request))
        return frame({"documents": [to_json(document) for document in documents]})
    except DocumentUnreadable as error:
        return frame({"reason": error.reason, "detail": error.detail})
    except ModelUnavailable as error:
        return frame({"unavailable": str(error)})
    except MemoryError:
        detail = f"Reading it took more than {memory_mb} MB of memory and was cut off."
        return frame({"reason": "memory", "detail": detail})


def _send(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(frame(message))
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
