"""A retrieval tool that waits does not hold up the event loop."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ragbench.retrieval import KnowledgeTool
from ragbench.retrieval._rewrite import RewritingRetriever
from ragbench.simulate import STOP, Environment, Orchestrator


@pytest.mark.parametrize("waits", [True, False])
def test_only_a_tool_that_waits_is_called_in_a_thread(kit, waits) -> None:
    threads = []

    class Nothing:
        n_chunks, identity = 0, "nothing"

        def retrieve(self, query, n, where=None):
            return []

    class Slow:
        identity, makes = "slow", "query"

        def rewrite(self, query):
            threads.append(threading.current_thread())
            if waits:
                # ends only when the other simulation is here too: they wait side by side
                both.wait(timeout=20)
            return query

    both = threading.Barrier(2)
    task = kit.make_task()

    async def simulation():
        retriever = RewritingRetriever(Nothing(), Slow(), waits)
        tool = KnowledgeTool("search", retriever, {}, "i")
        agent = kit.says(kit.calls(("search", {"query": "fee"})), kit.text("Hi"))
        user = kit.says(kit.text("Hello"), kit.text(STOP))
        played = Orchestrator(Environment(kit.domain, task, [tool]), agent, user)
        await played.run()
        return played

    async def two():
        return await asyncio.gather(simulation(), simulation())

    for played in asyncio.run(two()):
        assert [event.query for event in played.events] == ["fee"]
        assert [m.error for m in played.messages if m.role == "tool"] == [False]
    assert len(threads) == 2
    assert all((thread is threading.main_thread()) != waits for thread in threads)
