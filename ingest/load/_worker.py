"""The child process: reads a source from standard input, parses it, answers on standard output.

Run by `ragbench.ingest.load._process` as ``python -P -m ragbench.ingest.load._worker SPEC MEMORY_MB
TIMEOUT_S``. The first thing it reads are the passwords for encrypted files. It limits its own
address space, is ended by an alarm should its parent be gone when a parser hangs, and leaves when
its input ends. What libraries print goes nowhere.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

from ragbench.errors import DocumentUnreadable, ModelUnavailable
from ragbench.ingest.load._files import LOADERS, Loader
from ragbench.ingest.load._records import Records
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
    setup = _receive(requests)
    while (request := _receive(requests)) is not None:
        signal.setitimer(signal.ITIMER_REAL, timeout_s + _GRACE_S)  # its default action ends us
        answer = _answer(loader, request, setup["passwords"] if setup else (), memory_mb)
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(answer)
        answers.flush()


def _receive(requests: BinaryIO) -> dict[str, Any] | None:
    header = requests.read(HEADER.size)
    if not header:
        return None
    message: dict[str, Any] = json.loads(requests.read(HEADER.unpack(header)[0]))
    return message


def _answer(
    loader: Loader, request: dict[str, Any], passwords: Sequence[str], memory_mb: int
) -> bytes:
    try:
        result = loader.load(source_from(request), passwords)
        documents = [to_json(document) for document in result]
        unread = result.unread if isinstance(result, Records) else []
        entries = [(entry.name, entry.reason, entry.detail) for entry in unread]
        return frame({"documents": documents, "unread": entries})
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
