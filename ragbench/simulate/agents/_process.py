"""The process of a user's own synchronous agent, seen from the run: start, ask, end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from typing import Self

from ragbench.simulate._roles import BadReply, Observation
from ragbench.simulate.agents._source import AgentBrief
from ragbench.simulate.agents._wire import (
    ANSWER,
    HEADER,
    HELLO,
    MAX_BYTES,
    OBSERVATION,
    Answer,
    Hello,
    framed,
)

__all__ = ["AgentProcess"]

_GRACE_S = 1.0
"""How long a process may take to end by itself."""
_POLL_S = 0.01


@dataclass(slots=True)
class AgentProcess:
    """A process with one agent in it.

    Attributes:
        idle: whether it waits for an observation; one that computes is not asked to end.
    """

    process: subprocess.Popen[bytes]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    idle: bool = True

    @classmethod
    async def start(cls, spec: str, brief: AgentBrief) -> Self:
        """A process that will load the agent when it is asked for the first time."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", f"{__package__}._worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what an agent prints is not a result of the command
                start_new_session=True,  # an interrupt of the run is not the agent's
            )
        reader, writer = await asyncio.open_connection(sock=ours)
        writer.write(framed(HELLO.dump_json(Hello(spec, list(sys.path), brief))))
        return cls(process, reader, writer)

    async def ask(self, observation: Observation) -> Answer:
        """What the agent answers to an observation.

        Raises:
            BadReply: the process ended, or its answer is too long.
        """
        self.idle = False
        try:
            self.writer.write(framed(OBSERVATION.dump_json(observation)))
            await self.writer.drain()
            (size,) = HEADER.unpack(await self.reader.readexactly(HEADER.size))
            if size > MAX_BYTES:
                raise BadReply(
                    f"The agent's process sent {size} bytes; at most {MAX_BYTES} may be."
                )
            answer = ANSWER.validate_json(await self.reader.readexactly(size))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            code = await self._exit_code()
            how = "closed its connection" if code is None else f"ended with exit code {code}"
            raise BadReply(
                f"The agent's process {how} in the middle of a step; what it printed is on stderr."
            ) from error
        self.idle = True
        return answer

    async def end(self) -> None:
        """Let an idle process end by itself; then end it, and what it started."""
        try:
            self.writer.close()
            if self.idle:
                await self._exit_code()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()

    async def _exit_code(self) -> int | None:
        """The exit code, None when the process is still there after `_GRACE_S`."""
        for _ in range(round(_GRACE_S / _POLL_S)):
            if self.process.poll() is not None:
                break
            await asyncio.sleep(_POLL_S)
        return self.process.poll()
