"""Many simulations at once against a server that answers after a second, beside bare LiteLLM.

Agent and customer are chat models that talk for twenty messages, so each simulation makes twenty
calls, one after another. Bare LiteLLM makes the very same calls: those of one simulation, taken
down, in as many conversations, as many at a time. Both are processes of their own against one
server in a third; the bound is 1.5 times the larger of bare LiteLLM's time and of what the answers
alone take. Also measured: from the command to its first request, beside importing LiteLLM.

    python bench/run.py --only scale --print
    python bench/measure_scale.py 40 20     # a try: 40 simulations, 20 at a time
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragbench.config import EvalConfig, LLMConfig

Row = tuple[str, str, str, str]

HERE = Path(__file__).resolve().parent
N_SIMULATIONS, CONCURRENCY, N_CALLS, DELAY_S = 1000, 500, 20, 1.0
FACTOR, GIB, MOST_GIB = 1.5, 2**30, 2
N_TASKS, N_STARTS, MORE_S = 10, 5, 0.5
KEY = {"OPENAI_API_KEY": "sk-of-a-benchmark", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


@contextmanager
def server(delay_s: float) -> Iterator[str]:
    """The server in a process of its own; its address."""
    command = [sys.executable, str(HERE / "llm_server.py"), str(delay_s)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.stdin.close()


def evaluation(url: str, folder: Path, n: int, concurrency: int) -> EvalConfig:
    """Two chat models that never come to an end, in ten tasks of the bank."""
    model = LLMConfig("openai/m", base_url=url)
    return EvalConfig(
        domain="banking_knowledge",
        retrieval_config="bm25",
        store=folder / "store",
        agent="llm",
        user="llm",
        agent_llm=model,
        user_llm=model,
        num_tasks=min(N_TASKS, n),
        num_trials=-(-n // N_TASKS),
        max_steps=N_CALLS,
        max_concurrency=concurrency,
        save_to=folder / "run",
    )


def peak_bytes() -> int:
    """The most memory that this process has held."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def as_harness(url: str, folder: Path, n: int, concurrency: int) -> dict[str, Any]:
    """Run the evaluation; what it took."""
    from ragbench.llm.provider import litellm
    from ragbench.runner import prepare, run

    litellm()
    prepared = prepare(evaluation(url, folder, n, concurrency))
    wall, cpu = time.perf_counter(), time.process_time()
    result = run(prepared)
    taken = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    roles = result.summary["models"]["roles"].values()
    size = sum(path.stat().st_size for path in result.folder.iterdir())
    return {
        **taken,
        "n_calls": sum(role["n_calls"] - role["n_failed"] for role in roles),
        "n_repeated": sum(role["n_repeated"] for role in roles),
        "n_simulations": result.n_played,
        "bytes_each": size / result.n_played,
        "peak": peak_bytes(),
    }


def as_bare(url: str, folder: Path, n: int, concurrency: int) -> dict[str, Any]:
    """The calls of one simulation in n conversations through LiteLLM alone; what they took."""
    from ragbench.llm.provider import litellm
    from ragbench.runner import prepare, run

    module, noted = litellm(), []
    original = module.acompletion

    async def noting(**parameters: Any) -> Any:  # noqa: ANN401  (LiteLLM's)
        noted.append(parameters)
        return await original(**parameters)

    module.acompletion = noting
    run(prepare(evaluation(url, folder, 1, 1)))
    module.acompletion = original

    async def converse(bound: asyncio.Semaphore) -> None:
        async with bound:
            for parameters in noted:
                await original(**parameters)

    async def everything() -> None:
        bound = asyncio.Semaphore(concurrency)
        async with asyncio.TaskGroup() as group:
            for _ in range(n):
                group.create_task(converse(bound))

    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(everything())
    taken = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    return {**taken, "n_calls": n * len(noted), "peak": peak_bytes()}


def part(name: str, url: str, n: int, concurrency: int) -> dict[str, Any]:
    """One of the two in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, name, url, folder, str(n), str(concurrency)]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **KEY}
        )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def scale(n: int, concurrency: int) -> list[Row]:
    """The harness beside bare LiteLLM."""
    with server(DELAY_S) as url:
        bare, ours = part("bare", url, n, concurrency), part("harness", url, n, concurrency)
    if ours["n_calls"] != ours["n_simulations"] * N_CALLS or ours["n_calls"] != bare["n_calls"]:
        raise RuntimeError(f"the calls differ: {ours['n_calls']} and {bare['n_calls']}")
    latency_s = N_CALLS * DELAY_S * -(-n // concurrency)
    base = max(bare["wall_s"], latency_s)
    ratio, gib = ours["wall_s"] / base, ours["peak"] / GIB
    calls = f"{ours['n_calls']:,} calls, {concurrency} at a time, answers after {DELAY_S:g} s"
    ours_row = (
        f"{n:,} simulations of {N_CALLS} calls, played, stored and graded",
        f"{ours['wall_s']:.1f} s, {ratio:.2f} x the larger of the two above; "
        f"{ours['cpu_s']:.0f} CPU-s, {ours['n_repeated']} attempts repeated",
        f"at most {FACTOR} x: {'holds' if ratio <= FACTOR else 'MISSED'}",
        "tau2-bench: threads, 346-414 CPU-ms a simulation",
    )
    return [
        (f"{calls}: the answers alone", f"{latency_s:.0f} s", "", ""),
        (
            "the same calls through LiteLLM alone",
            f"{bare['wall_s']:.1f} s; {bare['cpu_s']:.0f} CPU-s",
            "",
            "",
        ),
        ours_row,
        (
            "most memory of that process",
            f"{gib:.2f} GiB (bare: {bare['peak'] / GIB:.2f})",
            f"below {MOST_GIB} GiB: {'holds' if gib < MOST_GIB else 'MISSED'}",
            "tau2-bench, 8 simulations at a time: 0.5 GB",
        ),
        ("stored for each simulation", f"{ours['bytes_each']:,.0f} bytes", "", ""),
    ]


def first_request_s(folder: Path) -> float:
    """From the command to its first request, with an index that is there already."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        script = str(Path(sys.executable).parent / "ragbench")
        command = [script, "eval", "--domain", "mock", "--retrieval-config", "bm25", "--fresh"]
        command += ["--agent-llm", "openai/m", "--agent-base-url", url, "--save-to", "run"]
        started = time.perf_counter()
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=folder, env={**os.environ, **KEY}, **quiet) as process:
            connection, _ = listening.accept()
            connection.recv(1)
            taken = time.perf_counter() - started
            process.kill()
            connection.close()
    return taken


def start() -> Row:
    """How much later the first request comes than LiteLLM is imported."""
    imports, firsts = [], []
    with tempfile.TemporaryDirectory() as folder:
        first_request_s(Path(folder))  # builds the index
        for _ in range(N_STARTS):
            started = time.perf_counter()
            command = [sys.executable, "-c", "import litellm"]
            subprocess.run(command, check=True, env={**os.environ, **KEY})
            imports.append(time.perf_counter() - started)
            firsts.append(first_request_s(Path(folder)))
    more = statistics.median(f - i for f, i in zip(firsts, imports, strict=True))
    return (
        f"from the command to its first request, medians of {N_STARTS}",
        f"{statistics.median(firsts):.2f} s, `import litellm` {statistics.median(imports):.2f} s; "
        f"{more:+.2f} s",
        f"at most {MORE_S} s more: {'holds' if more <= MORE_S else 'MISSED'}",
        "tau2-bench `--help`: 4.0 CPU-s",
    )


def measure(n: int = N_SIMULATIONS, concurrency: int = CONCURRENCY) -> list[Row]:
    """Many at once, and the start."""
    return [*scale(n, concurrency), start()]


if __name__ == "__main__":
    if sys.argv[1] in ("bare", "harness"):
        kind, url, folder, n, concurrency = sys.argv[1:]
        play = as_bare if kind == "bare" else as_harness
        print(json.dumps(play(url, Path(folder), int(n), int(concurrency))))
    else:
        for row in measure(*map(int, sys.argv[1:])):
            print(" | ".join(row))
