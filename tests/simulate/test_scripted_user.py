"""The scripted user: conditions, actions, acknowledging and stopping."""

from __future__ import annotations

import pytest

from ragbench.errors import UsageError
from ragbench.simulate import STOP, Environment, ScriptedUser, play_gold

HELLO = {"say": "Hello", "when": "opening"}
OK = "user: All right, please go on."
STOPS = f"user: {STOP}"


def users(played):
    return [deed for deed in played.deeds if deed.startswith("user")]


def test_a_task_without_script_is_refused(kit):
    task = kit.make_task(script=())
    with pytest.raises(UsageError, match=r"Task 't' has no script for the scripted user"):
        ScriptedUser(task, play_gold(kit.domain, task), Environment(kit.domain, task))


def test_turns_play_in_order_one_per_reply(kit):
    task = kit.make_task(script=[HELLO, {"say": "One"}, {"say": "Two"}])
    played = kit.play(task, agent=kit.says(kit.text("Yes?")))
    # then nothing is left: it acknowledges once, and stops at the second idle message
    assert users(played) == ["user: Hello", "user: One", "user: Two", OK, STOPS]
    assert played.user.script_delivered is True


def test_a_closing_message_ends_it_once_nothing_is_left(kit):
    task = kit.make_task(script=[HELLO, {"say": "One more"}])
    agent = kit.says(kit.text("Bye", closing=True))
    played = kit.play(task, agent=agent)
    assert users(played) == ["user: Hello", "user: One more", STOPS]
    assert played.user.script_delivered is True


def test_an_agent_that_still_calls_tools_is_not_idle(kit):
    book = ("book", {"day": "mon"})
    agent = kit.says(
        kit.text("a"), kit.calls(book), kit.text("b"), kit.calls(book), kit.text("c"), kit.text("d")
    )
    played = kit.play(kit.make_task(script=[HELLO]), agent=agent)
    assert users(played) == ["user: Hello", OK, OK, OK, STOPS]


def test_after_waits_for_the_action_with_the_gold_arguments(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon", "seats": 2})],
        script=[HELLO, {"say": "Now", "when": "after: b"}],
    )

    def said(*arguments):
        agent = kit.says(*(kit.calls(("book", given)) for given in arguments), kit.text("Done"))
        return "user: Now" in users(kit.play(task, agent=agent))

    assert said({"day": "mon", "seats": 2})
    assert said({"day": "mon", "seats": "2"})  # as the tool receives it
    assert said({"day": "mon", "seats": 2, "note": "in my words"})
    assert said({"day": "tue"}, {"day": "mon", "seats": 2.0})
    assert not said({"day": "mon"})  # one seat by default
    assert not said({"day": "tue", "seats": 2})
    assert not said({"day": "never", "seats": 2})  # failed


def test_a_turn_that_never_became_due_is_no_fault_of_the_user(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon"})], script=[HELLO, {"say": "Now", "when": "after: b"}]
    )
    played = kit.play(task, agent=kit.says(kit.text("No")))
    assert users(played) == ["user: Hello", OK, STOPS]
    assert played.user.script_delivered is True


def test_a_due_turn_goes_before_acknowledging_and_the_first_due_one_first(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon"})],
        script=[HELLO, {"say": "Booked?", "when": "after: b"}, {"say": "Well"}],
    )
    agent = kit.says(kit.text("Hi"), kit.calls(("book", {"day": "mon"})), kit.text("Done"))
    assert users(kit.play(task, agent=agent))[:3] == ["user: Hello", "user: Well", "user: Booked?"]


def test_a_stop_turn_stops_and_what_was_due_is_not_delivered(kit):
    agent = kit.says(kit.text("Hi"))
    task = kit.make_task(script=[HELLO, {"stop": True}, {"say": "One"}])
    played = kit.play(task, agent=agent)
    assert users(played) == ["user: Hello", STOPS]
    assert played.user.script_delivered is False
    played = kit.play(kit.make_task(script=[HELLO, {"say": "One"}, {"stop": True}]), agent=agent)
    assert users(played) == ["user: Hello", "user: One", STOPS]
    assert played.user.script_delivered is True


def test_a_run_out_of_steps_delivered_nothing(kit):
    played = kit.play(kit.make_task(), agent=kit.says(kit.text("Hi")), max_steps=2)
    assert played.user.script_delivered is False


def test_own_actions_are_calls_and_their_results_no_replies(kit):
    task = kit.make_task(
        [("r", "restart", {"device": "meter"}), ("s", "restart", {"device": "pump"})],
        script=[HELLO, {"do": "r"}, {"say": "Did it", "when": "after: r"}, {"do": "s"}],
    )
    played = kit.play(task, agent=kit.says(kit.text("Please")))
    assert users(played) == [
        "user: Hello",
        "user: restart(meter)",
        "user: Did it",
        "user: restart(pump)",  # on the next reply
        OK,  # after its own result
        OK,  # the first idle message of the agent
        STOPS,
    ]


def test_a_script_may_open_with_another_turn(kit):
    # no opening turn: nothing holds before the first reply, so it acknowledges
    played = kit.play(kit.make_task(script=[{"say": "One"}]), agent=kit.says(kit.text("Hi")))
    assert users(played)[:2] == [OK, "user: One"]
