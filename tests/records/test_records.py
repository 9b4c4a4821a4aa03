"""Records refuse what cannot be meant, and carry the few properties that others rely on."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ragbench.records import (
    Chunk,
    Diagnosis,
    Document,
    EvaluationCriteria,
    GoldAction,
    HitRecord,
    ItemDiagnosis,
    Message,
    Need,
    Passage,
    Place,
    RetrievalEvent,
    RewardBasis,
    Score,
    ScriptTurn,
    Task,
    Termination,
    Trajectory,
)


def test_a_need_is_asked_in_two_styles():
    need = Need.model_validate(NEED | {"question": "a?", "natural": "b?", "paraphrases": ["c?"]})
    assert (need.queries(), need.queries("natural")) == (("a?", "c?"), ("b?", "c?"))
    assert (need.asked("desk"), need.asked("natural")) == ("a?", "b?")
    plain = Need.model_validate(NEED | {"paraphrases": ["c?"]})
    assert (plain.asked("natural"), plain.queries("natural")) == (None, ("c?",))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"quote": "x", "start": 0, "end": 1, "loader": "files"}, "a quote or offsets, not both"),
        ({"start": 0, "end": 1}, "offsets need start, end and the loader"),
        ({"start": 0, "loader": "files"}, "offsets need start, end and the loader"),
        ({"start": 3, "end": 3, "loader": "files"}, "start 3 is not before end 3"),
        ({"start": -1, "end": 3, "loader": "files"}, "greater than or equal to 0"),
        ({"quote": " \n"}, "a quote may not be empty"),
        ({"occurrence": 2}, "occurrence needs a quote"),
        ({"quote": "x", "occurrence": 0}, "greater than or equal to 1"),
        ({"qoute": "x"}, "Extra inputs"),
    ],
)
def test_passage_refuses(fields, message):
    with pytest.raises(ValidationError, match=message):
        Passage(doc_id="a", **fields)


def test_passage_forms():
    assert Passage(doc_id="a").quote is None
    assert Passage(doc_id="a", quote="x", occurrence=2).occurrence == 2
    assert Passage(doc_id="a", start=0, end=4, loader="files").end == 4


NEED = {
    "id": "n",
    "question": "?",
    "evidence": [{"any_of": [{"doc_id": "a"}]}],
    "needed_by": ["a1"],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": " "}, "a question or paraphrase of need 'n' is empty"),
        ({"natural": " "}, "a question or paraphrase of need 'n' is empty"),
        ({"question": "The fee?", "natural": "the FEE"}, "the natural question of need 'n' is its"),
        ({"paraphrases": ["ok", ""]}, "a question or paraphrase of need 'n' is empty"),
        ({"evidence": []}, "at least 1 item"),
        ({"evidence": [{"any_of": []}]}, "at least 1 item"),
        ({"needed_by": []}, "at least 1 item"),
    ],
)
def test_need_refuses(change, message):
    with pytest.raises(ValidationError, match=message):
        Need.model_validate(NEED | change)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "exactly one of say, do and stop"),
        ({"say": "x", "stop": True}, "exactly one of say, do and stop"),
        ({"say": "x", "do": "a1"}, "exactly one of say, do and stop"),
        ({"say": "  "}, "may not be empty"),
        ({"say": "x", "when": "later"}, "when is 'later'; allowed"),
        ({"say": "x", "when": "after:"}, "when is 'after:'; allowed"),
    ],
)
def test_script_turn_refuses(fields, message):
    with pytest.raises(ValidationError, match=message):
        ScriptTurn(**fields)


def test_script_turn_waits_for_an_action():
    assert ScriptTurn(say="x", when="after: a1").after == "a1"
    assert ScriptTurn(say="x", when="opening").after is None


TASK = {
    "id": "t",
    "evaluation_criteria": {
        "actions": [
            {"action_id": "a1", "name": "pay"},
            {"action_id": "u1", "name": "confirm", "requestor": "user"},
        ],
        "communicate_info": ["$5"],
    },
    "needs": [NEED],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"needs": [NEED, NEED]}, "need id 'n' stands twice"),
        (
            {"needs": [NEED | {"needed_by": ["a2"]}]},
            "need 'n' is needed by 'a2', which is not among",
        ),
        (
            {"needs": [NEED | {"needed_by": ["communicate:1"]}]},
            "'communicate:1', which is not among",
        ),
        (
            {"evaluation_criteria": {"actions": [{"action_id": "a1", "name": "x"}] * 2}},
            "stands twice",
        ),
        ({"user_scenario": {"script": [{"do": "a1"}]}}, "the script does 'a1'"),  # not the user's
        ({"user_scenario": {"script": [{"say": "x", "when": "after: zz"}]}}, "waits for 'zz'"),
        ({"unknown": 1}, "Extra inputs"),
    ],
)
def test_task_refuses(change, message):
    with pytest.raises(ValidationError, match=message):
        Task.model_validate(TASK | change)


def test_task_reads_and_finds_needs():
    task = Task.model_validate(TASK | {"user_scenario": {"script": [{"do": "u1"}]}})
    assert [need.id for need in task.needs_of("a1")] == ["n"]
    assert task.needs_of("communicate:0") == ()
    assert task.evaluation_criteria.reward_basis == (RewardBasis.DB, RewardBasis.COMMUNICATE)
    assert Task.model_validate_json(task.model_dump_json()) == task
    assert EvaluationCriteria.model_validate({"actions": None}).actions == ()  # as tau2 writes
    assert GoldAction(action_id="a", name="x").compare_args is None


def test_place_at_is_the_innermost_with_page_and_heading():
    places = (
        Place(0, 100, page=1),
        Place(10, 60, heading="Fees"),
        Place(20, 30, heading="Fees > Late"),
    )
    document = Document("d", "D", "x" * 200, places=places)
    assert document.place_at(5) == Place(0, 100, 1, None)
    assert document.place_at(10) == Place(10, 60, 1, "Fees")
    assert document.place_at(25) == Place(20, 30, 1, "Fees > Late")
    assert document.place_at(30) == Place(10, 60, 1, "Fees")  # half-open
    assert document.place_at(150) is None


def test_ids_delivery_steps_and_success():
    assert Chunk("a#b.md", 3, 9, "x", 1).chunk_id == "a#b.md#3-9"
    hits = tuple(
        HitRecord(doc_id="d", start=i, end=i + 1, score=1, rank=i + 1, n_tokens=1) for i in range(3)
    )
    event = RetrievalEvent(
        step=1, position=0, call_id="c", tool="search", query="q", hits=hits, n_delivered=2
    )
    assert event.delivered == hits[:2]
    messages = (Message(role="user", content="x", step=0), Message(role="assistant", step=1))
    trajectory = Trajectory(task_id="t", messages=messages, termination=Termination.USER_STOP)
    assert trajectory.n_steps == 2
    assert Trajectory(task_id="t", termination=Termination.TIMEOUT).n_steps == 0
    assert [Score(reward=r).success for r in (1.0, 0.0, 0.5, None)] == [True, False, False, None]
    with pytest.raises(ValidationError):
        Score(reward=float("nan"))


def test_causes_are_counted():
    items = tuple(
        ItemDiagnosis(need_id="n", index=i, covered_at=None, in_time=cause is None, cause=cause)
        for i, cause in enumerate(["split", None, "query", "split"])
    )
    assert Diagnosis(label="x", items=items).causes == {"query": 1, "split": 2}
