"""The environment: who can call what, what failing leaves behind, and how the gold is played."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from ragbench.errors import DomainError
from ragbench.records import ToolCall
from ragbench.simulate import Environment, comparable, dependencies, play_gold, state_hash
from ragbench.toolkit import FreeText, ToolError, rule, tool


@pytest.fixture
def world(kit):
    return Environment(kit.domain, kit.make_task())


def make(world, name, requestor="assistant", **arguments):
    call = ToolCall(id=f"x{len(world.past)}", name=name, arguments=arguments, requestor=requestor)
    return world.call(call, 0, 0)


def names(world, requestor):
    return {view.name for view in world.tools(requestor)}


AGENT = {
    *("list_bookings", "book", "cancel", "paint", "park"),
    *("unlock_tool", "give_tool_to_user"),
}


def test_tools_by_requestor(kit, world):
    assert names(world, "assistant") == AGENT
    assert names(world, "user") == {"restart"}
    for name, requestor in (("restart", "assistant"), ("book", "user"), ("unlock_tool", "user")):
        outcome = make(world, name, requestor)
        assert outcome.error
        assert outcome.content.startswith(f"Error: No tool is called '{name}'. Known: ")
    offered = kit.play(kit.make_task(), {}).environment
    assert names(offered, "assistant") == AGENT | {"search"}
    assert "search" not in names(offered, "user")


def test_a_discoverable_tool_does_not_exist_until_unlocked(world):
    locked = make(world, "lift_barrier_42")
    assert locked.error
    assert locked.content.count("lift_barrier_42") == 1  # not among the known ones
    opened = json.loads(make(world, "unlock_tool", tool_name="lift_barrier_42").content)
    assert opened["unlocked"] == "lift_barrier_42"
    assert opened["description"] == "Lift the barrier."
    assert names(world, "assistant") == AGENT | {"lift_barrier_42"}
    assert not make(world, "unlock_tool", tool_name="lift_barrier_42").error  # again
    assert make(world, "lift_barrier_42").content == "lifted"


@pytest.mark.parametrize(
    ("meta", "arguments", "message"),
    [
        ("unlock_tool", {"tool_name": "lift_barrier_43"}, "No tool called 'lift_barrier_43'"),
        ("unlock_tool", {"tool_name": "book"}, "No tool called 'book' can be unlocked"),
        ("unlock_tool", {"tool_name": "hold_button_9"}, "No tool called 'hold_button_9'"),
        ("give_tool_to_user", {"tool_name": "lift_barrier_42"}, "No tool called 'lift_barrier_42'"),
        ("give_tool_to_user", {"tool_name": "restart"}, "No tool called 'restart'"),
        ("unlock_tool", {}, "takes exactly one argument"),
        ("unlock_tool", {"tool_name": 5}, "takes exactly one argument"),
        ("unlock_tool", {"tool_name": "lift_barrier_42", "x": 1}, "takes exactly one argument"),
    ],
)
def test_unlocking_refuses(world, meta, arguments, message):
    outcome = make(world, meta, **arguments)
    assert outcome.error
    assert message in outcome.content
    assert names(world, "assistant") == AGENT


def test_a_tool_can_be_given_to_the_user(kit, world):
    assert make(world, "hold_button_9", "user", device="pump").error
    assert not make(world, "give_tool_to_user", tool_name="hold_button_9").error
    assert names(world, "user") == {"restart", "hold_button_9"}
    assert "hold_button_9" not in names(world, "assistant")
    assert make(world, "hold_button_9", "assistant", device="pump").error
    assert make(world, "hold_button_9", "user", device="pump").content == "held"
    assert world.db.devices["pump"] == 100


def test_a_task_can_narrow_the_users_tools(kit):
    none = Environment(kit.domain, kit.make_task(user_tools=[]))
    assert names(none, "user") == set()
    assert make(none, "restart", "user", device="pump").error
    make(none, "give_tool_to_user", tool_name="hold_button_9")
    assert names(none, "user") == {"hold_button_9"}


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("book", {"day": "never"}, "Error: No such day."),
        ("book", {}, "book was called with bad arguments. day: Field required."),
        ("book", {"day": "mon", "colour": "red"}, "colour: Extra inputs are not permitted."),
        ("book", {"day": "mon", "seats": "many"}, "seats: Input should be a valid integer"),
        ("cancel", {"booking_id": "B-0"}, "KeyError: 'B-0'"),  # not foreseen by the tool
    ],
)
def test_a_call_that_cannot_be_done_is_an_answer(world, name, arguments, message):
    start = world.state_hash()
    outcome = make(world, name, **arguments)
    assert outcome.error
    assert message in outcome.content
    assert world.state_hash() == start
    assert world.changes == []
    assert world.past[-1].error


def test_a_fault_of_the_tool_itself_is_told_with_its_file_and_line(world):
    content = make(world, "cancel", booking_id="B-0").content
    found = re.fullmatch(r"Error: KeyError: 'B-0' \((.*\.py), line (\d+)\)", content)
    assert found, content
    code = world._domain.tools["cancel"].function.__code__
    assert found[1] == Path(code.co_filename).name
    line = Path(code.co_filename).read_text(encoding="utf-8").splitlines()[int(found[2]) - 1]
    assert "booking_id" in line


@tool("write")
def half_done(db, how: str) -> str:
    """Fail after changing things."""
    db.devices["pump"] = 99
    db.bookings["B"] = None
    db.lifted = True
    raise {"told": ToolError("No."), "crash": RuntimeError("broken")}[how]


def with_tool(kit, made, **more):
    return dataclasses.replace(kit.domain, tools=kit.domain.tools | {made.name: made}, **more)


def test_a_write_that_fails_half_way_leaves_the_database_as_it_was(kit):
    world = Environment(with_tool(kit, half_done), kit.make_task())
    start, database = world.state_hash(), world.db.model_dump()
    assert make(world, "half_done", how="told").content == "Error: No."
    with pytest.raises(RuntimeError, match="broken"):
        make(world, "half_done", how="crash")
    assert (world.state_hash(), world.db.model_dump(), world.changes) == (start, database, [])


def test_a_rule_can_ruin_neither_the_domain_nor_the_next_version(kit):
    @rule(hard=True)
    def rude(context):
        """Write where it should only look."""
        context.before.devices["pump"] = 50
        for slot in context.before.bookings.values():
            slot.day = "ruined"

    rude_domain = dataclasses.replace(kit.domain, rules=(rude,))
    world = Environment(rude_domain, kit.make_task())
    make(world, "book", day="mon")
    make(world, "book", day="tue")
    assert sorted(slot.day for slot in world.db.bookings.values()) == ["mon", "tue"]
    assert world.db.devices["pump"] == 0
    assert kit.domain.database.devices["pump"] == 0


def test_what_a_world_offers_is_nobody_elses_list(world):
    world.tools("assistant").clear()
    assert names(world, "assistant") == AGENT


def test_answers_are_json_with_records_as_objects(world):
    make(world, "book", day="mon", note="é")
    assert json.loads(make(world, "list_bookings").content) == [{"day": "mon", "note": "é"}]


def test_simulations_share_nothing(kit):
    one, other = (Environment(kit.domain, kit.make_task()) for _ in range(2))
    make(one, "book", day="mon")
    assert (len(one.db.bookings), len(other.db.bookings)) == (1, 0)
    assert kit.domain.database.bookings == {}
    assert one.changes == ["x0"]


def test_the_initial_state_is_applied_and_is_no_change(kit):
    task = kit.make_task(
        initial_state={
            "initialization_data": {"agent_data": {"devices": {"pump": 7}, "lifted": True}},
            "initialization_actions": [
                {"env_type": "user", "func_name": "restart", "arguments": {"device": "pump"}}
            ],
        }
    )
    world = Environment(kit.domain, task)
    assert world.db.devices == {"meter": 0, "pump": 8, "lamp": 0}  # merged by key
    assert (world.db.lifted, world.changes) == (True, [])


def test_worlds_can_share_their_start(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon"})],
        initial_state={"initialization_data": {"agent_data": {"devices": {"pump": 7}}}},
    )
    gold = play_gold(kit.domain, task)
    one, other = (Environment(kit.domain, task, start=gold.start) for _ in range(2))
    make(one, "book", day="mon")
    make(other, "restart", "user", device="pump")
    assert (one.db.devices["pump"], other.db.devices["pump"]) == (7, 8)
    assert one.state_hash() == gold.end_hash != other.state_hash()
    alone = Environment(kit.domain, task)
    assert alone.state_hash() == gold.start_hash
    make(alone, "book", day="mon")
    assert alone.state_hash() == gold.end_hash
    assert (gold.start.devices["pump"], kit.domain.database.devices["pump"]) == (7, 0)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"initialization_data": {"agent_data": {"lifted": "maybe"}}}, "no valid database"),
        (
            {"initialization_actions": [{"func_name": "nothing"}]},
            "initial action 'nothing' is no tool",
        ),
        (
            {"initialization_actions": [{"func_name": "book", "arguments": {"day": "never"}}]},
            "the initial book fails: No such day.",
        ),
        ({"message_history": [{"role": "user", "content": "x"}]}, "not supported"),
    ],
)
def test_a_wrong_initial_state_is_an_error_of_the_task(kit, state, message):
    with pytest.raises(DomainError, match=message):
        Environment(kit.domain, kit.make_task(initial_state=state))


def test_the_gold_is_played_with_references(kit):
    task = kit.make_task(
        [
            ("b-1", "book", {"day": "mon"}),
            ("x", "cancel", {"booking_id": "${b-1.booking.id}"}),
        ]
    )
    gold = play_gold(kit.domain, task)
    assert gold.arguments["x"]["booking_id"].startswith("B-")
    assert gold.compared == {"b-1": ("day",), "x": ("booking_id",)}
    assert gold.end_hash == gold.start_hash  # booked and cancelled
    actions = task.evaluation_criteria.actions
    assert [dependencies(task, action) for action in actions] == [set(), {"b-1"}]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (
            [("b", "book", {"day": "never"})],
            r"gold action 'b' \(book\) fails: No such day. Correct",
        ),
        ([("b", "nothing", {})], "fails: No tool is called 'nothing'"),
        (
            [("l", "lift_barrier_42", {})],
            "fails: The tool is discoverable and does not exist until",
        ),
        ([("x", "cancel", {"booking_id": "${b.id}"})], r"'x' refers to \$\{b.id\}"),
        (
            [("b", "book", {"day": "mon"}), ("x", "cancel", {"booking_id": "${b.booking.nr}"})],
            "has no such field",
        ),
        ([("b", "book", {"day": "on ${a.day}"})], "A reference is the whole argument"),
    ],
)
def test_a_wrong_gold_is_an_error_of_the_task(kit, actions, message):
    with pytest.raises(DomainError, match=message):
        play_gold(kit.domain, kit.make_task(actions))


class Part(BaseModel):
    model_config = ConfigDict(extra="allow")

    n: float
    words: FreeText = ""
    maybe: FreeText | None = None
    many: list[FreeText] | None = None
    tags: set[str] = set()


def test_comparable_leaves_free_text_out_and_keeps_the_rest():
    part = Part(n=1, words="a", maybe="b", many=["c"], tags={"y", "x"}, extra=5)
    assert comparable({"p": [part]}) == {"p": [{"n": 1, "tags": {"x", "y"}, "extra": 5}]}
    other = Part(n=1.0, words="z", tags={"x", "y"}, extra=5.0)
    assert state_hash(part) == state_hash(other)
    assert state_hash(part) != state_hash(Part(n=1, tags={"y", "x"}, extra=6))
    assert state_hash(part) != state_hash(Part(n=1, tags={"y"}, extra=5))
