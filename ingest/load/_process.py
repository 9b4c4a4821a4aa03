"""The parent's side of one worker process: start it, hand it a source, collect its answer, end it.

A worker has one source at a time. Its clock runs from when it was ready and had the source until
the first byte of the answer has come, so that neither a slow start nor a consumer that lets answers
wait counts as a hanging parser. Needs a POSIX system, as the limits do.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import IO, Any

from ragbench.errors import RagbenchError
from ragbench.ingest.load._sources import Source
from ragbench.ingest.load._wire import HEADER, frame, to_json

__all__ = ["Worker"]

_START_S = 120.0
_READ_BYTES = 1 << 20
_LAST_BYTES = 4096


class Worker:
    """One child process.

    Args:
        spec: the loader's spec.
        timeout_s: wall-clock seconds for one source.
        memory_mb: limit of the child's address space.
        passwords: for encrypted files. They go to the child's standard input, since arguments and
            environment of a process can be seen by others.
    """

    def __init__(
        self, spec: str, timeout_s: float, memory_mb: int, passwords: Sequence[str] = ()
    ) -> None:
        self.timeout_s, self.memory_mb = timeout_s, memory_mb
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        module = "ragbench.ingest.load._worker"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, spec, f"{memory_mb}", f"{timeout_s}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C reaches the parent alone
        )
        self._buffer = bytearray()
        self._ready = False
        self._deadline = time.monotonic() + _START_S
        self._write({"passwords": passwords})

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def fileno(self) -> int:
        """What to wait on: readable when there is an answer, or the process has ended."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def send(self, source: Source) -> None:
        """Hand over a source; the answer comes later."""
        if self._ready:
            self._deadline = time.monotonic() + self.timeout_s
        self._write(to_json(source))

    def receive(self) -> dict[str, Any] | None:
        """The answer when it is complete, else None; that the process has ended is an answer."""
        data = os.read(self.fileno(), _READ_BYTES)
        if not data:
            return self._ended()
        self._buffer += data
        self._deadline = time.monotonic() + self.timeout_s
        message = self._message()
        if message is not None and not self._ready:
            self._ready = True
            self._deadline = time.monotonic() + self.timeout_s
            message = self._message()
        return message

    def seconds_left(self) -> float:
        """Until this worker has to have shown something; may be negative."""
        return self._deadline - time.monotonic()

    def overdue(self) -> dict[str, Any]:
        """End the process that is past its deadline; the answer that stands for its source."""
        self.close()
        if not self._ready:
            raise self._not_started()
        detail = f"Reading it took more than {self.timeout_s:g} s and was cut off."
        return {"reason": "timeout", "detail": detail, "ended": True}

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._errors.close()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass  # a source that was never read

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(frame(message))
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: its output says so at the next look

    def _message(self) -> dict[str, Any] | None:
        if len(self._buffer) < HEADER.size:
            return None
        end = HEADER.size + HEADER.unpack_from(self._buffer)[0]
        if len(self._buffer) < end:
            return None
        message: dict[str, Any] = json.loads(self._buffer[HEADER.size : end])
        del self._buffer[:end]
        return message

    def _ended(self) -> dict[str, Any]:
        code = self._process.wait()
        said = self._last_words()
        self.close()
        if not self._ready:
            raise self._not_started(said)
        if code == -signal.SIGALRM:
            return self.overdue()
        if code == -signal.SIGKILL:
            detail = "The process reading it was killed, as systems do when memory runs out."
            return {"reason": "memory", "detail": detail, "ended": True}
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        detail = f"The process reading it ended with {how}{said}. The file may be damaged."
        return {"reason": "crashed", "detail": detail, "ended": True}

    def _not_started(self, said: str = "") -> RagbenchError:
        return RagbenchError(
            f"The process that parses documents did not start{said}. "
            f"Its limit is {self.memory_mb} MB of memory."
        )

    def _last_words(self) -> str:
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LAST_BYTES))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f" ({lines[-1].strip()[:300]})" if lines else ""
