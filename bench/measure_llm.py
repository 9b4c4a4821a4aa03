"""Many calls of a model at once: what the harness adds to LiteLLM, in time and memory.

A server in a process of its own answers after one second. So many conversations of 20 calls are
held, 500 at a time, once with LiteLLM's `acompletion` alone and once through a `Session`; each side
is a process of its own, so that its processor time and its peak of resident memory (VmHWM) are its
own. RAGBENCH_LLM_CALLS=2000 makes a small try of it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
N_CALLS = int(os.environ.get("RAGBENCH_LLM_CALLS", "20000"))
CALLS_EACH = 20
CONCURRENCY = 500
DELAY_S = 1.0
FACTOR, MOST_BYTES, MOST_START_S = 1.5, 2 << 30, 0.5
N_STARTS = 3

SIDE = """
import asyncio, json, os, sys, time
from pathlib import Path
from ragbench.config import LLMConfig
from ragbench.llm import ChatRequest, Models, Session
from ragbench.llm.provider import litellm

side, url = sys.argv[1:3]
n_conversations, calls_each, concurrency = map(int, sys.argv[3:])
system = {"role": "system", "content": "You are a clerk of a bank. " * 80}
turn = [{"role": "user", "content": "When is the fee waived? " * 4},
        {"role": "assistant", "content": "Let me look that up for you. " * 4}]
tools = [{"type": "function", "function": {"name": f"tool_{n}", "description": "Does it. " * 10,
          "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}}
         for n in range(20)]
if side == "bare":
    import litellm as module
else:
    module = litellm()

def messages(n):
    return [system, *(turn * n), turn[0]]

async def bare(_):
    for n in range(calls_each):
        reply = await module.acompletion(
            model="openai/m", messages=messages(n), tools=tools, temperature=0, api_base=url,
            api_key="none", max_retries=0, timeout=120,
        )
        assert reply.choices[0].message.content == "The fee is waived."

async def through_session(number):
    session = Session(model, "agent", f"task {number}")
    for n in range(calls_each):
        reply = await session.complete(ChatRequest(messages(n), tools))
        assert reply.text == "The fee is waived."
    assert len(session.calls) == calls_each

async def main():
    global model
    models = Models()
    model = models.chat(LLMConfig("openai/m", base_url=url, temperature=0.0))
    await module.acompletion(model="openai/m", messages=messages(0), api_base=url, api_key="none")
    numbers = iter(range(n_conversations))
    converse = bare if side == "bare" else through_session

    async def worker():
        for number in numbers:
            await converse(number)

    began, processor = time.monotonic(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    taken = time.monotonic() - began, time.process_time() - processor
    await models.close()
    return taken

wall, processor = asyncio.run(main())
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
print(json.dumps([wall, processor, int(peak.split()[1]) * 1024]))
"""


@contextmanager
def server(delay_s: float) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The server's base URL and its process."""
    command = [sys.executable, str(HERE / "llm_server.py"), str(delay_s)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1", process
        process.stdin.close()


def side(name: str) -> tuple[float, float, int]:
    """Wall seconds, processor seconds and peak of bytes of one side."""
    numbers = [N_CALLS // CALLS_EACH, CALLS_EACH, CONCURRENCY]
    with server(DELAY_S) as (url, _):
        done = subprocess.run(
            [sys.executable, "-c", SIDE, name, url, *map(str, numbers)],
            check=True, capture_output=True, text=True,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )  # fmt: skip
    wall_s, processor_s, peak = json.loads(done.stdout)
    return wall_s, processor_s, peak


def seconds_to_import() -> float:
    """Wall seconds of a process that imports LiteLLM."""
    began = time.monotonic()
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    subprocess.run([sys.executable, "-c", "import litellm"], check=True, env=environment)
    return time.monotonic() - began


def seconds_to_first_request(folder: Path) -> float:
    """Wall seconds from the command to the first request."""
    with server(0.0) as (url, process):
        script = str(Path(sys.executable).parent / "ragbench")
        command = [script, "eval", "--domain", "mock", "--retrieval-config", "bm25"]
        command += ["--agent-llm", "openai/m", "--agent-base-url", url, "--max-steps", "2"]
        command += ["--agent", "llm", "--num-tasks", "1", "--fresh", "--save-to", "runs/start"]
        began = time.monotonic()
        with subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as run:
            assert process.stdout is not None
            asked = process.stdout.readline()
            taken = time.monotonic() - began
            _, errors = run.communicate()
        if asked != "asked\n":
            raise RuntimeError(f"The command asked no model: {errors}")
        return taken


def measure() -> list[tuple[str, str, str, str]]:
    """Both sides in one run, and the time to the first request."""
    import tempfile

    bare_s, bare_processor_s, _ = side("bare")
    ours_s, ours_processor_s, peak = side("session")
    latency_s = N_CALLS / CONCURRENCY * DELAY_S
    most_s = FACTOR * max(latency_s, bare_s)
    load = f"{N_CALLS:,} calls, {CONCURRENCY} at a time, each answered after {DELAY_S:g} s"
    rows = [
        (f"{load}: latency alone", f"{latency_s:.1f} s", "", ""),
        (
            f"{load}: `litellm.acompletion`",
            f"{bare_s:.1f} s, processor {bare_processor_s:.1f} s",
            "the reference",
            "",
        ),
        (
            f"{load}: through `Session`",
            f"{ours_s:.1f} s, processor {ours_processor_s:.1f} s",
            f"at most {FACTOR} x the larger, {most_s:.1f} s: {_verdict(ours_s <= most_s)}",
            "",
        ),
        (
            "its peak of resident memory",
            f"{peak / (1 << 20):.0f} MiB",
            f"below 2 GiB: {_verdict(peak < MOST_BYTES)}",
            "",
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        seconds_to_first_request(Path(folder))  # the index is built
        pairs = [
            (seconds_to_import(), seconds_to_first_request(Path(folder))) for _ in range(N_STARTS)
        ]
    importing_s = statistics.median(pair[0] for pair in pairs)
    first_s = statistics.median(pair[1] for pair in pairs)
    added_s = first_s - importing_s
    rows.append(
        (
            f"`ragbench eval` typed to first request, median of {N_STARTS}",
            f"{first_s:.2f} s; `import litellm` alone {importing_s:.2f} s; added {added_s:.2f} s",
            f"adds at most {MOST_START_S} s: {_verdict(added_s <= MOST_START_S)}",
            "",
        )
    )
    return rows


def _verdict(holds: bool) -> str:
    return "holds" if holds else "MISSED"
