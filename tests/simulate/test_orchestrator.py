"""Turns, ends, ids, and what each side gets to see."""

from __future__ import annotations

import pytest

from ragbench.records import Termination
from ragbench.simulate import OUT_OF_SCOPE, STOP, TRANSFER, Reply


@pytest.fixture
def task(kit):
    return kit.make_task()


@pytest.mark.parametrize(
    ("token", "termination"),
    [
        (STOP, Termination.USER_STOP),
        (TRANSFER, Termination.TRANSFER),
        (OUT_OF_SCOPE, Termination.OUT_OF_SCOPE),
    ],
)
def test_the_users_tokens_end_it(kit, task, token, termination):
    agent, user = kit.says(kit.text("Hi")), kit.says(kit.text("Hello"), kit.text(f"Bye {token}"))
    played = kit.play(task, agent=agent, user=user)
    assert played.termination is termination
    assert played.deeds == ["user: Hello", "assistant: Hi", f"user: Bye {token}"]
    # calls beside the token are not made
    leaving = kit.says(kit.calls(("restart", {"device": "meter"}), text=token))
    played = kit.play(task, agent=agent, user=leaving)
    assert played.environment.past == []


def test_an_agents_token_is_text(kit, task):
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    played = kit.play(task, agent=kit.says(kit.text(STOP)), user=user)
    assert len(played.deeds) == 3


@pytest.mark.parametrize("empty", [Reply(), Reply(text=""), Reply(text=" \n")])
def test_an_empty_reply_ends_it(kit, task, empty):
    user, agent = kit.says(kit.text("Hello")), kit.says(empty)
    assert kit.play(task, agent=agent, user=user).termination is Termination.AGENT_ERROR
    played = kit.play(task, agent=agent, user=kit.says(empty))
    assert played.termination is Termination.USER_ERROR
    assert played.trajectory().n_steps == 0


def test_max_steps_counts_messages_of_both_sides(kit, task):
    agent, user = kit.says(kit.text("Hi")), kit.says(kit.text("Hello"))
    played = kit.play(task, agent=agent, user=user, max_steps=5)
    assert played.termination is Termination.MAX_STEPS
    assert [message.step for message in played.messages] == [0, 1, 2, 3, 4]
    assert played.trajectory().n_steps == 5


def test_a_stop_in_the_last_step_is_a_stop(kit, task):
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    played = kit.play(task, agent=kit.says(kit.text("Hi")), user=user, max_steps=3)
    assert played.termination is Termination.USER_STOP


BAD, GOOD = ("book", {"day": "never"}), ("book", {"day": "mon"})


def test_max_errors_counts_errors_in_a_row(kit, task):
    # two errors, one success, two errors, then the third in a row
    agent = kit.says(
        kit.calls(BAD, BAD), kit.calls(GOOD), kit.calls(BAD), kit.calls(BAD), kit.calls(BAD, GOOD)
    )
    played = kit.play(task, agent=agent, user=kit.says(kit.text("Hello")), max_errors=3)
    assert played.termination is Termination.MAX_ERRORS
    errors = [message.error for message in played.messages if message.role == "tool"]
    assert errors == [True, True, False, True, True, True]  # the GOOD behind it is not made
    assert len(played.environment.db.bookings) == 1


def test_errors_across_a_success_do_not_add_up(kit, task):
    agent = kit.says(*[kit.calls(BAD), kit.calls(GOOD)] * 4, kit.text("Hi"))
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    played = kit.play(task, agent=agent, user=user, max_errors=2)
    assert played.termination is Termination.USER_STOP


def test_a_search_that_raises_is_an_error_and_an_event(kit, task):
    agent = kit.says(kit.calls(("search", {"query": ""})), kit.text("Hi"))
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    played = kit.play(task, {}, agent=agent, user=user)
    (event,) = played.events
    assert event.error is not None
    assert event.hits == ()
    assert next(m for m in played.messages if m.role == "tool").error


def test_text_with_calls_keeps_the_turn_and_is_read_later(kit, task):
    agent = kit.says(kit.calls(GOOD, text="I book it."), kit.text("Booked."))
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    played = kit.play(task, agent=agent, user=user)
    assert played.deeds == [
        "user: Hello", "assistant: I book it. + book(mon)", "assistant: Booked.", f"user: {STOP}",
    ]  # fmt: skip
    assert [m.content for m in user.seen[1].messages] == ["I book it.", "Booked."]


def test_each_side_sees_the_others_words_and_its_own_results(kit, task):
    agent = kit.says(
        kit.calls(GOOD, ("search", {"query": "fee"})), kit.text("Now you."), kit.text("Thanks.")
    )
    user = kit.says(
        kit.text("Hello"), kit.calls(("restart", {"device": "meter"})), kit.text("Did it."),
        kit.text(STOP),
    )  # fmt: skip
    played = kit.play(task, {"fee": "w"}, agent=agent, user=user)

    def seen(side):
        return [[(m.role, m.requestor) for m in observation.messages] for observation in side.seen]

    own = ("tool", "assistant")
    assert seen(agent) == [[("user", None)], [own, own], [("user", None)]]
    assert seen(user) == [
        [],
        [("assistant", None)],
        [("tool", "user")],
        [("assistant", None)],
    ]
    assert [len(observation.events) for observation in agent.seen] == [0, 1, 0]
    assert [len(observation.events) for observation in user.seen] == [0, 0, 0, 0]
    assert [observation.step for observation in agent.seen] == [1, 2, 5]
    (event,) = played.events
    assert (event.step, event.position, event.call_id) == (1, 1, "call-1-1")


def test_ids_are_unique_whatever_the_roles_give(kit, task):
    look = ("list_bookings", {})
    agent = kit.says(
        kit.calls((*look, "x"), (*look, "x"), look),  # duplicate, empty
        kit.calls((*look, "x"), (*look, "call-2-0")),  # duplicate again; the id made for it taken
        kit.calls((*look, "call-4-0"), (*look, "call-4-0")),
        kit.calls((*look, "call-4-0"), look),
        kit.text("Hi"),
    )
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    played = kit.play(task, agent=agent, user=user)
    ids = [call.id for message in played.messages for call in message.tool_calls]
    assert ids[:3] == ["x", "call-1-1", "call-1-2"]
    assert len(ids) == len(set(ids)) == 9
    answers = [message.tool_call_id for message in played.messages if message.role == "tool"]
    assert answers == ids


def test_nobody_calls_as_somebody_else(kit, task):
    reply = kit.calls(("restart", {"device": "meter"}))
    claimed = Reply(calls=(reply.calls[0].model_copy(update={"requestor": "user"}),))
    user = kit.says(kit.text("Hello"), kit.text(STOP))
    played = kit.play(task, agent=kit.says(claimed, kit.text("Hi")), user=user)
    answer = next(message for message in played.messages if message.role == "tool")
    assert (answer.requestor, answer.error) == ("assistant", True)
    assert played.environment.db.devices["meter"] == 0


def test_a_trajectory_is_one_json_line_and_needs_an_end(kit, task):
    played = kit.play(task, {})
    trajectory = played.trajectory()
    line = trajectory.model_dump_json()
    assert "\n" not in line
    assert type(trajectory).model_validate_json(line) == trajectory
    assert (trajectory.agent, trajectory.user, trajectory.script_delivered) == (
        "oracle", "scripted", True,
    )  # fmt: skip
    played.orchestrator.termination = None
    with pytest.raises(ValueError, match="has not ended"):
        played.trajectory()
