"""Recording replies and playing them back: JSON lines, found by who asked and what was asked.

A request's hash covers the model, its arguments, the messages, the tools and the response format,
and neither key nor address nor clock, so that a recording made with one server is replayed
anywhere. A request that was recorded twice is answered with the later reply: the earlier one is of
a trial that did not end.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragbench.config import LLMConfig
from ragbench.errors import LLMError, RunError
from ragbench.llm._model import LiteLLMModel, clean, identity_of
from ragbench.llm._types import CallKey, ChatRequest, Completion, RawCall
from ragbench.records import LLMCall

__all__ = ["LLMCache", "Recorded", "Replayed"]

_NEVER_RECORDED = {"auth", "budget", "cache_miss"}
_DIGEST_CHARS = 12
_BLOCK = 1 << 16
_Who = tuple[str, str | None, int, int]
_Place = tuple[int, int]
"""Where a recorded line begins, and how many bytes it has."""


class LLMCache:
    """A file of recorded replies; made by `recording` or `replaying`."""

    def __init__(self, path: Path, file: int, *, replays: bool) -> None:
        self.path, self.replays = path, replays
        self.notes: tuple[str, ...] = ()
        """What a person should be told, such as a torn line."""
        self._file = file
        self._lock = threading.Lock()
        self._by_call: dict[tuple[_Who, str], _Place] = {}
        self._by_who: dict[_Who, _Place] = {}
        self._by_request: dict[str, _Place] = {}

    @classmethod
    def recording(cls, path: Path) -> LLMCache:
        """A cache that appends every reply to the file; a torn last line is cut off first.

        Raises:
            RunError: the file cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise RunError(
                f"Replies cannot be recorded into {str(path)!r}: {error.strerror}. Name another "
                "file with --llm-cache record FILE."
            ) from error
        cache = cls(path, file, replays=False)
        with cache._locked():
            cache._cut_torn_line()
        return cache

    @classmethod
    def replaying(cls, path: Path) -> LLMCache:
        """A cache that answers from the file alone.

        Raises:
            RunError: the file is absent, or a line before the last is none of a recording.
        """
        try:
            file = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise RunError(
                f"There is no recording {str(path)!r}: {error.strerror}. Make one with "
                "--llm-cache record FILE."
            ) from error
        cache = cls(path, file, replays=True)
        cache._read()
        return cache

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def add(self, config: LLMConfig, request: ChatRequest, key: CallKey, outcome: Outcome) -> None:
        """Append one outcome, whole or not at all, also beside other processes."""
        hashed, parts = _hashes(config, request)
        line = {
            "v": 1,
            "role": key.role,
            "task_id": key.task_id,
            "trial": key.trial,
            "ordinal": key.ordinal,
            "request": hashed,
            "parts": parts,
            **_stored(outcome),
        }
        content = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        with self._locked():
            self._cut_torn_line()
            while content:
                content = content[os.write(self._file, content) :]

    def find(self, config: LLMConfig, request: ChatRequest, key: CallKey) -> Completion:
        """The recorded reply to this request.

        Raises:
            LLMError: ``cache_miss``, naming what is missing; or the recorded failure.
        """
        hashed, parts = _hashes(config, request)
        place = (
            self._by_request.get(hashed)
            if key.task_id is None
            else self._by_call.get((_who(key), hashed))
        )
        if place is None:
            raise LLMError("cache_miss", self._missing(config, key, parts))
        return _restored(self._line(place), key)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _cut_torn_line(self) -> None:
        """Cut off what a killed process left behind the last whole line; the lock is held."""
        size = os.fstat(self._file).st_size
        if size == 0 or os.pread(self._file, 1, size - 1) == b"\n":
            return
        whole = size
        while whole:
            begin = max(0, whole - _BLOCK)
            at = os.pread(self._file, whole - begin, begin).rfind(b"\n")
            if at >= 0:
                whole = begin + at + 1
                break
            whole = begin
        os.ftruncate(self._file, whole)
        self._tell_torn(size - whole)

    def _tell_torn(self, n_bytes: int) -> None:
        self.notes = (
            f"The last line of {self.path.name} was torn ({n_bytes} bytes): that reply is lost.",
        )

    def _read(self) -> None:
        at = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    self._tell_torn(len(line))
                    break
                try:
                    entry = json.loads(line)
                    who = (entry["role"], entry["task_id"], entry["trial"], entry["ordinal"])
                    hashed = entry["request"]
                except (ValueError, KeyError, TypeError) as error:
                    raise RunError(
                        f"Line {number} of {str(self.path)!r} is no recorded reply "
                        f"({type(error).__name__}). Was the file edited? Record anew: "
                        "--llm-cache record FILE."
                    ) from error
                place = (at, len(line))
                self._by_call[who, hashed] = self._by_who[who] = self._by_request[hashed] = place
                at += len(line)

    def _line(self, place: _Place) -> dict[str, Any]:
        entry: dict[str, Any] = json.loads(os.pread(self._file, place[1], place[0]))
        return entry

    def _missing(self, config: LLMConfig, key: CallKey, parts: Mapping[str, Any]) -> str:
        """What a person is told of a request that was not recorded."""
        who = f"role {key.role!r}, call {key.ordinal}, model {config.model!r}"
        if key.task_id is not None:
            who = f"task {key.task_id!r}, trial {key.trial}, {who}"
        recorded = None if key.task_id is None else self._by_who.get(_who(key))
        if recorded is not None:
            differs = _difference(self._line(recorded)["parts"], parts)
            found = f"It holds that call with another request: {differs}."
        elif key.task_id is None:
            found = "Such calls are found by what they ask, and this was not asked."
        else:
            found = self._recorded_of(key)
        return (
            f"The recording {str(self.path)!r} has no reply to a request of {who}. {found} Replay "
            "with the options and the version that it was recorded with, or record it anew: "
            "--llm-cache record FILE."
        )

    def _recorded_of(self, key: CallKey) -> str:
        same = [who for who in self._by_who if who[:3] == (key.role, key.task_id, key.trial)]
        if same:
            last = max(who[3] for who in same)
            return f"It holds calls 0 to {last} of that role in that trial."
        tasks = sorted({who[1] for who in self._by_who if who[1] is not None})
        shown = ", ".join(tasks[:5]) + (f" and {len(tasks) - 5} more" if len(tasks) > 5 else "")
        return f"It holds no call of that role in that trial; its tasks: {shown or 'none'}."


Outcome = Completion | LLMError


def _who(key: CallKey) -> _Who:
    return key.role, key.task_id, key.trial, key.ordinal


def _hashes(config: LLMConfig, request: ChatRequest) -> tuple[str, dict[str, Any]]:
    """The request's hash, and short ones of its parts, which tell what differs."""
    parts = {
        "model": config.model,
        "args": {"args": json.loads(config.args), "temperature": config.temperature},
        "tools": clean(request.tools),
        "response_format": clean(request.response_format),
    }
    messages = [_canonical(clean(message)) for message in request.messages]
    whole = hashlib.sha256(_canonical(parts).encode())
    for message in messages:
        whole.update(b"\n" + message.encode())
    digests: dict[str, Any] = {name: _digest(_canonical(part)) for name, part in parts.items()}
    digests["messages"] = [_digest(message) for message in messages]
    return whole.hexdigest(), digests


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]


def _difference(recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Which parts differ, in words."""
    words = {
        "model": "the model",
        "args": "the arguments",
        "tools": "the tools",
        "response_format": "the response format",
    }
    differ = [word for name, word in words.items() if recorded.get(name) != asked[name]]
    then, now = list(recorded.get("messages", ())), asked["messages"]
    if then != now:
        same = next(
            (at for at, (one, other) in enumerate(zip(then, now, strict=False)) if one != other),
            min(len(then), len(now)),
        )
        if same < min(len(then), len(now)):
            differ.append(f"message {same} (counted from 0)")
        else:
            differ.append(f"{len(now)} messages where {len(then)} were recorded")
    return f"different {', '.join(differ)}".replace("different the ", "another ", 1)


def _stored(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, LLMError):
        call = outcome.call
        return {
            "failure": {"kind": outcome.kind, "message": str(outcome)},
            "call": call.model_dump() if isinstance(call, LLMCall) else None,
        }
    blocks = outcome.thinking_blocks
    return {
        "reply": {
            "text": outcome.text,
            "calls": [[call.id, call.name, call.arguments] for call in outcome.calls],
            "finish_reason": outcome.finish_reason,
            **({"reasoning": outcome.reasoning} if outcome.reasoning else {}),
            **({"thinking_blocks": list(outcome.thinking_blocks)} if blocks else {}),
        },
        "call": outcome.call.model_dump(),
    }


def _restored(entry: Mapping[str, Any], key: CallKey) -> Completion:
    """The completion of a line, as the reply to this call.

    Raises:
        LLMError: the line holds a failure.
    """
    call = entry["call"]
    if call is not None:
        call = LLMCall.model_validate({**call, "role": key.role, "ordinal": key.ordinal})
    if "failure" in entry:
        error = LLMError(entry["failure"]["kind"], entry["failure"]["message"])
        error.call = call
        raise error
    if call is None:
        raise RunError("A recorded reply lacks its call. Was the recording edited?")
    reply = entry["reply"]
    calls = tuple(RawCall(*parts) for parts in reply["calls"])
    return Completion(
        reply["text"],
        calls,
        reply["finish_reason"],
        call,
        reply.get("reasoning"),
        tuple(reply.get("thinking_blocks", ())),
    )


class Recorded:
    """A `ChatModel` whose outcomes are written down."""

    def __init__(self, model: LiteLLMModel, cache: LLMCache) -> None:
        self._model, self._cache = model, cache
        self.name, self.identity = model.name, model.identity

    async def complete(self, request: ChatRequest, key: CallKey) -> Completion:
        """See `ChatModel.complete`."""
        config = self._model.config
        try:
            done = await self._model.complete(request, key)
        except LLMError as error:
            if error.kind not in _NEVER_RECORDED:
                self._cache.add(config, request, key, error)
            raise
        self._cache.add(config, request, key, done)
        return done


class Replayed:
    """A `ChatModel` that answers from a recording: no connection, and no LiteLLM."""

    def __init__(self, config: LLMConfig, cache: LLMCache) -> None:
        self._config, self._cache = config, cache
        self.name, self.identity = config.model, identity_of(config)

    async def complete(self, request: ChatRequest, key: CallKey) -> Completion:
        """See `ChatModel.complete`."""
        return self._cache.find(self._config, request, key)
