"""The process of a user's own synchronous agent: one simulation, then it ends.

It leaves when the run does, also from within a step that hangs.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import queue
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from ragbench.errors import RagbenchError
from ragbench.simulate._roles import BadReply, Observation
from ragbench.simulate.agents._replies import reply_from
from ragbench.simulate.agents._report import collecting
from ragbench.simulate.agents._source import load_source
from ragbench.simulate.agents._wire import ANSWER, HEADER, HELLO, OBSERVATION, Answer, framed

__all__ = ["main"]

_GRACE_S = 1.0
"""How long an agent may take to end when the run has gone."""

_Frames = queue.SimpleQueue[bytes | None]


def main() -> None:
    """Answer the observations that arrive on the socket whose number is the last argument."""
    with socket.socket(fileno=int(sys.argv[-1])) as run:
        frames: _Frames = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(run, frames), daemon=True).start()
        first = frames.get()
        if first is None:
            return
        hello = HELLO.validate_json(first)
        sys.path[:] = hello.path
        step: Callable[[Observation], Any] | None = None
        while (frame := frames.get()) is not None:
            try:
                if step is None:
                    step = load_source(hello.spec).begin(hello.brief)
                answer = _answer(step, OBSERVATION.validate_json(frame))
            except RagbenchError as error:
                answer = Answer(problem=str(error), trace=traceback.format_exc())
            except BaseException as error:  # noqa: BLE001  (the agent's own; it is sent and ends)
                problem = f"{type(error).__name__}: {error}"
                _send(run, Answer(problem=problem, trace=traceback.format_exc()))
                # Without a traceback on stderr: it would show a key that the stored one does not.
                raise SystemExit(1) from None
            _send(run, answer)


def _answer(step: Callable[[Observation], Any], observation: Observation) -> Answer:
    with collecting() as reported:
        value = step(observation)
        if inspect.iscoroutine(value):  # asynchronous behind a decorator that does not say so
            value = asyncio.run(value)
    try:
        return Answer(reply=reply_from(value, reported))
    except BadReply as error:
        return Answer(problem=str(error))


def _send(run: socket.socket, answer: Answer) -> None:
    run.sendall(framed(ANSWER.dump_json(answer)))


def _listen(run: socket.socket, frames: _Frames) -> None:
    """Pass frames on; once the run has gone, end the process, whatever the agent does."""
    with run.makefile("rb") as stream:
        while len(header := stream.read(HEADER.size)) == HEADER.size:
            frames.put(stream.read(HEADER.unpack(header)[0]))
    frames.put(None)
    time.sleep(_GRACE_S)
    os._exit(1)


if __name__ == "__main__":
    main()
