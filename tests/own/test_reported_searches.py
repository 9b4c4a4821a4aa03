"""An agent's own search: reported with its reply or from anywhere below its step, and recorded."""

from __future__ import annotations

import asyncio

import pytest

from ragbench.config import EvalConfig
from ragbench.errors import UsageError
from ragbench.records import Termination
from ragbench.runner import RunFolder, prepare, run
from ragbench.simulate import Retrieved, report_retrieval

SYNC_AND_ASYNC = pytest.mark.parametrize("prefix", ["", "async "])


def played(code, text: str, tasks=("extend_sander",), setup="no_knowledge"):
    """Trajectories and scores of an agent at tasks of the domain mock."""
    path = code(text)
    config = EvalConfig(
        domain="mock", agent=f"{path}:Mine", retrieval_config=setup, task_ids=tasks, max_steps=12
    )
    result = run(prepare(config))
    return list(RunFolder(result.folder).trajectories().values()), result


AGENT = """
    from ragbench.simulate import Retrieved, report_retrieval

    class Mine:
        {prefix}def step(self, observation):
            if observation.step > 1:
                return {{"content": "Goodbye.", "closing": True}}
            return {returned}
"""


@SYNC_AND_ASYNC
@pytest.mark.parametrize(
    "returned",
    [
        "{'content': 'Hm.', 'retrieved': [Retrieved('how long', HITS)]}",
        "{'content': 'Hm.', 'retrieved': [{'query': 'how long', 'hits': HITS}]}",
        "report_retrieval('how long', HITS) or 'Hm.'",
    ],
)
def test_a_reported_search_is_an_event_before_the_reply(code, prefix, returned) -> None:
    hits = "({'doc_id': 'loan-periods.md', 'start': 0, 'end': 20}, 'nowhere to be found')"
    text = AGENT.format(prefix=prefix, returned=returned.replace("HITS", hits))
    (one,), _ = played(code, text)
    assert one.error is None
    (event,) = one.events
    # Step 0 is the customer's opening, step 1 the reply that had seen the result.
    assert (event.step, event.position, event.tool, event.query) == (0, 0, "own_search", "how long")
    assert event.reported
    assert [(hit.doc_id, hit.start, hit.end, hit.rank) for hit in event.delivered] == [
        ("loan-periods.md", 0, 20, 1)
    ]
    assert event.unmatched == (
        "hit 1: the text 'nowhere to be found', which stands in no document of the index.",
    )
    assert one.offered
    assert one.searches_seen


def test_what_was_found_counts_as_seen_by_the_reply(code, workplace) -> None:
    """The whole page that holds the evidence, reported with the reply that acts on it."""
    text = """
        from ragbench.simulate import report_retrieval

        class Mine:
            def __init__(self):
                self.n = 0
            def step(self, observation):
                self.n += 1
                if self.n == 1:
                    report_retrieval("extensions", [{"doc_id": "loan-periods.md", "start": 0,
                                                     "end": SIZE}])
                    return "I look."
                return {"content": "Goodbye.", "closing": True}
    """
    prepared = prepare(
        EvalConfig(domain="mock", retrieval_config="no_knowledge", task_ids=("extend_sander",))
    )
    size = len(prepared.documents["loan-periods.md"].text)
    _, result = played(code, text.replace("SIZE", str(size)))
    (score,) = result.scores
    (item,) = [one for one in score.diagnosis.items if one.covered_at is not None][:1]
    assert item.covered_at == 1  # the reply that it came with
    assert score.diagnosis.n_calls == 1


@SYNC_AND_ASYNC
def test_silence_is_not_a_search_that_was_missed(code, prefix) -> None:
    silent = f"""
        class Mine:
            {prefix}def step(self, observation):
                return {{"content": "Goodbye.", "closing": True}}
    """
    (one,), result = played(code, silent, setup="bm25")
    assert not one.searches_seen
    (score,) = result.scores
    assert score.diagnosis.label == "not_observed"
    # Nobody knows what it had seen, so that nothing is measured of it, and retrieval not blamed.
    assert score.diagnosis.evidence_recall is None
    assert score.diagnosis.under_retrieval is None
    assert score.diagnosis.sufficient_context is None
    assert score.diagnosis.attribution != "retrieval"
    assert {item.cause for item in score.diagnosis.items} == {"undetermined"}


def test_an_agent_without_a_search_of_its_own_is_judged_by_its_calls(code) -> None:
    declared = """
        class Mine:
            own_search = False
            def step(self, observation):
                return {"content": "Goodbye.", "closing": True}
    """
    (one,), result = played(code, declared, setup="bm25")
    assert one.searches_seen
    assert result.scores[0].diagnosis.label == "missed_retrieval"


@pytest.mark.parametrize(
    ("asks_the_question", "cause"), [(True, "undetermined"), (False, "not_asked")]
)
def test_what_a_search_of_its_own_would_have_found_is_not_guessed(
    code, asks_the_question, cause
) -> None:
    config = EvalConfig(domain="mock", retrieval_config="no_knowledge", task_ids=("extend_sander",))
    (task,) = prepare(config).tasks
    questions = [need.question if asks_the_question else "how long" for need in task.needs]
    searches = [{"query": question, "hits": ["Hand tool"]} for question in questions]
    returned = f"{{'content': 'Hm.', 'retrieved': {searches!r}}}"
    _, result = played(code, AGENT.format(prefix="", returned=returned), setup="bm25")
    (score,) = result.scores
    assert {item.cause for item in score.diagnosis.items} == {cause}


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("{'content': 'x', 'retrieved': [7]}", "what is retrieved needs a query"),
        ("{'content': 'x', 'retrieved': [Retrieved('', ())]}", "has the query ''"),
        ("report_retrieval(7, []) or 'x'", "is no Retrieved"),
    ],
)
def test_a_malformed_report_is_the_agents_error(code, returned, message) -> None:
    (one,), _ = played(code, AGENT.format(prefix="", returned=returned))
    assert one.termination is Termination.AGENT_ERROR
    assert message in (one.error or "")


def test_a_report_outside_of_a_step_is_refused() -> None:
    with pytest.raises(UsageError, match="outside of an agent's step"):
        report_retrieval("x", [])


def test_searches_of_simulations_side_by_side_are_not_mixed(code) -> None:
    """An asynchronous agent at nine tasks at once, each reporting its own opening."""
    text = """
        import asyncio
        from ragbench.simulate import report_retrieval

        class Mine:
            async def step(self, observation):
                asked = observation.messages[-1].content
                await asyncio.sleep(0.02)
                report_retrieval(asked, [])
                await asyncio.to_thread(report_retrieval, asked, [], "in_a_thread")
                return {"content": "Goodbye.", "closing": True}
    """
    trajectories, _ = played(code, text, tasks=())
    assert len(trajectories) == 9
    for one in trajectories:
        opening = one.messages[0].content
        first = [event for event in one.events if event.step == 0]
        assert [(e.query, e.tool, e.position) for e in first] == [
            (opening, "own_search", 0),
            (opening, "in_a_thread", 1),
        ]


def test_a_reply_with_reports_survives_the_process_boundary() -> None:
    from ragbench.simulate.agents._replies import reply_from
    from ragbench.simulate.agents._wire import ANSWER, Answer

    reply = reply_from("Hm.", [Retrieved("q", ({"doc_id": "a", "start": 0, "end": 1}, "t"))])
    assert ANSWER.validate_json(ANSWER.dump_json(Answer(reply))).reply == reply
    assert reply.retrieved[0].hits == ({"doc_id": "a", "start": 0, "end": 1}, {"text": "t"})


def test_collected_reports_do_not_leak_between_tasks() -> None:
    from ragbench.simulate.agents._report import collecting

    async def one(name: str) -> list[str]:
        with collecting() as reported:
            await asyncio.sleep(0)
            report_retrieval(name, [])
            await asyncio.sleep(0)
        return [search.query for search in reported]

    async def both() -> list[list[str]]:
        return list(await asyncio.gather(one("a"), one("b")))

    assert asyncio.run(both()) == [["a"], ["b"]]
