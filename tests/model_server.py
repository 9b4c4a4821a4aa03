"""An OpenAI-compatible server on loopback that answers, and misbehaves, as a test tells it.

::

    with ModelServer([says("Hello"), calls(("search", {"query": "fee"})), error(500)]) as server:
        ...  # server.url is http://127.0.0.1:PORT/v1; server.requests holds what was asked

Answers are played in order, or come from a callable that is given the request's body. A request
with ``"stream": true`` gets the same answer as server-sent events. The connection is real, so that
what a client does with it is tested too.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PROMPT_TOKENS = 100
CACHED_TOKENS = 40
COMPLETION_TOKENS = 7


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    Attributes:
        body: a JSON value, or raw bytes.
        delay_s: wait before the first byte.
        reset_after_bytes: send so many bytes of the body, then reset the connection.
        chunks: server-sent events instead of a body; each a JSON value, or raw text such as
            ``[DONE]``.
        chunk_gap_s: wait before each event after the first.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    reset_after_bytes: int | None = None
    chunks: Sequence[Any] | None = None
    chunk_gap_s: float = 0.0

    def but(self, **changes: Any) -> Answer:
        """The same answer with other attributes: ``says("hi").but(delay_s=2)``."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Request:
    """What the server was asked; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any
    at_s: float


def completion(message: Mapping[str, Any], finish_reason: str = "stop", **more: Any) -> Answer:
    """A chat completion with one choice."""
    return Answer(
        body={
            "id": "chatcmpl-test",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": {
                "prompt_tokens": PROMPT_TOKENS,
                "completion_tokens": COMPLETION_TOKENS,
                "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
                "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
            },
            **more,
        }
    )


def says(text: str) -> Answer:
    """A reply of text."""
    return completion({"role": "assistant", "content": text})


def calls(
    *wanted: tuple[str, Any], text: str | None = None, ids: Sequence[str] | None = None
) -> Answer:
    """A reply of tool calls, each a name and its arguments (a text goes out as it is).

    Without ``ids`` they are named by the number of messages so far and the place in the reply.
    """
    entries = [
        {
            "id": None if ids is None else ids[at],
            "type": "function",
            "function": {
                "name": name,
                "arguments": given if isinstance(given, str) else json.dumps(given),
            },
        }
        for at, (name, given) in enumerate(wanted)
    ]
    message = {"role": "assistant", "content": text, "tool_calls": entries}
    return completion(message, "tool_calls")


def error(
    status: int,
    message: str = "refused",
    headers: Mapping[str, str] | None = None,
    code: str | None = None,
) -> Answer:
    """A refusal in OpenAI's form."""
    said = {"message": message, "type": "error", "param": None, "code": code}
    return Answer(status=status, body={"error": said}, headers=dict(headers or {}))


def no_choices() -> Answer:
    """A reply whose list of choices is empty."""
    answer = says("")
    return answer.but(body={**answer.body, "choices": []})


def null_content() -> Answer:
    """A reply with neither text nor calls."""
    return completion({"role": "assistant", "content": None})


def truncated(text: str = "The fee is") -> Answer:
    """A reply that ran into the limit of tokens."""
    return completion({"role": "assistant", "content": text}, "length")


def context_overflow() -> Answer:
    """The refusal of a prompt that is too long, as OpenAI words it."""
    return error(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "9000 tokens. Please reduce the length of the messages.",
        code="context_length_exceeded",
    )


def html(status: int = 200) -> Answer:
    """A page where JSON belongs, as a gateway or a captive portal sends."""
    page = b"<!DOCTYPE html><html><body>Welcome to nginx</body></html>"
    return Answer(status=status, body=page, headers={"content-type": "text/html"})


def obedient(body: Any) -> Answer:
    """What a model says that does as ``ragbench doctor`` tells it, and else ends a conversation."""
    if any(tool["function"]["name"] == "ping" for tool in body.get("tools") or ()):
        return calls(("ping", {"word": "pong"}))
    if body.get("response_format"):
        return says('{"name": "ping", "word": "pong"}')
    return says("pong ###STOP###")


Plan = Callable[[Any], "Answer | Sequence[Any]"] | Iterable[Answer]


class ModelServer:
    """The server; a context manager.

    Args:
        plan: answers in order, or a callable that is given the request's body (its headers are in
            ``requests[-1]``) and returns an answer, or a list of server-sent events. When the
            answers are used up, the server refuses with 400.
    """

    def __init__(self, plan: Plan) -> None:
        self._answer = plan if callable(plan) else None
        self._answers = [] if callable(plan) else list(plan)
        self.requests: list[Request] = []
        self.n_connections = 0
        self.most_at_once = 0
        self._n_now = 0
        self._lock = threading.Lock()
        self._closed = threading.Event()

    @property
    def url(self) -> str:
        """The base URL, ending in ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ModelServer:
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"play": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.daemon = True
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_answer(self, request: Request) -> Answer:
        """Note the request, and decide what it gets."""
        with self._lock:
            self.requests.append(request)
            if self._answer is None:
                if not self._answers:
                    return error(400, "the test's server has no answer left")
                return self._answers.pop(0)
        given = self._answer(request.body)
        return given if isinstance(given, Answer) else Answer(chunks=list(given))

    def entered(self, by: int) -> None:
        """Count the requests that are being answered."""
        with self._lock:
            self._n_now += by
            self.most_at_once = max(self.most_at_once, self._n_now)

    def wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the test."""
        if seconds > 0:
            self._closed.wait(seconds)


class _Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """A client that went away is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    play: ModelServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        self.play.n_connections += 1
        super().setup()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"] or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, json.loads(raw), time.monotonic())
        self.play.entered(+1)
        try:
            answer = self.play.next_answer(request)
            self.play.wait(answer.delay_s)
            self._send(answer, request.body)
        finally:
            self.play.entered(-1)

    def _send(self, answer: Answer, asked: Any) -> None:
        answer = _with_ids(answer, asked)
        if answer.chunks is None and asked.get("stream") and _is_completion(answer):
            usage = (asked.get("stream_options") or {}).get("include_usage", False)
            answer = answer.but(chunks=as_chunks(answer.body, usage=usage))
        streamed = answer.chunks is not None
        parts = _events(answer) if streamed else [_payload(answer.body)]
        names = {
            "content-type": "text/event-stream" if streamed else "application/json",
            "content-length": str(sum(len(part) for part in parts)),
            **answer.headers,
        }
        head = f"HTTP/1.1 {answer.status} X\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in names.items()) + "\r\n"
        self._write(head.encode("latin-1"), parts, answer)

    def _write(self, head: bytes, parts: list[bytes], answer: Answer) -> None:
        left = answer.reset_after_bytes
        for at, part in enumerate(parts):
            if at:
                self.play.wait(answer.chunk_gap_s)
            cut = part if left is None else part[:left]
            # One write for the head and the first part: two would wait for each other.
            self.connection.sendall((head if at == 0 else b"") + cut)
            if left is not None:
                left -= len(cut)
                if left == 0:
                    self._reset()
                    return

    def _reset(self) -> None:
        self.close_connection = True
        time.sleep(0.05)  # else what was sent may be thrown away with the connection
        linger = struct.pack("ii", 1, 0)  # closing sends RST
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def log_message(self, *_: object) -> None:
        """Silence."""


def _is_completion(answer: Answer) -> bool:
    return answer.status == 200 and isinstance(answer.body, dict) and "choices" in answer.body


def _payload(body: Any) -> bytes:
    # ASCII, so that a lone surrogate travels as an escape.
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def _events(answer: Answer) -> list[bytes]:
    return [
        f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk)}\n\n".encode()
        for chunk in answer.chunks or ()
    ] or [b""]


def _with_ids(answer: Answer, asked: Any) -> Answer:
    if not _is_completion(answer):
        return answer
    body = json.loads(json.dumps(answer.body))
    for choice in body["choices"]:
        for at, call in enumerate((choice["message"] or {}).get("tool_calls") or ()):
            if call.get("id", "") is None:
                call["id"] = f"call_{len(asked.get('messages') or ())}_{at}"
    return answer.but(body=body)


def as_chunks(body: Mapping[str, Any], *, usage: bool, piece: int = 4) -> list[Any]:
    """The events of a streamed completion: text and arguments come in pieces, then ``[DONE]``."""
    same = {"id": body["id"], "object": "chat.completion.chunk", "created": 0, "model": "m"}

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**same, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    events: list[Any] = []
    for choice in body["choices"]:
        message = choice["message"] or {}
        events.append(chunk({"role": "assistant", "content": None}))
        for name in ("reasoning_content", "reasoning"):
            thought = message.get(name) or ""
            events += [
                chunk({name: thought[at : at + piece]}) for at in range(0, len(thought), piece)
            ]
        events += [
            chunk({"thinking_blocks": [block]}) for block in message.get("thinking_blocks") or ()
        ]
        text = message.get("content") or ""
        events += [chunk({"content": text[at : at + piece]}) for at in range(0, len(text), piece)]
        for index, call in enumerate(message.get("tool_calls") or ()):
            name, given = call["function"]["name"], call["function"]["arguments"]
            start = {"index": index, "id": call.get("id"), "type": "function"}
            start["function"] = {"name": name, "arguments": ""}
            events.append(chunk({"tool_calls": [start]}))
            given = given if isinstance(given, str) else json.dumps(given)
            step = max(piece, len(given) // 1000)  # LiteLLM takes a millisecond for an event
            for at in range(0, len(given), step):
                part = {"index": index, "function": {"arguments": given[at : at + step]}}
                events.append(chunk({"tool_calls": [part]}))
        events.append(chunk({}, choice["finish_reason"]))
    if usage:
        events.append({**same, "choices": [], "usage": body.get("usage")})
    return [*events, "[DONE]"]
