"""The reward and its components."""

from __future__ import annotations

import json

import pytest

from ragbench.errors import DomainError
from ragbench.records import RetrievalEvent, Termination, ToolCall, Violation
from ragbench.score import score_trial
from ragbench.simulate import Environment, state_hash

PAY = ("pay", {"account": "A", "amount": 5})


def test_equal_end_states_score_one(play, context_of):
    play.agent(None, ("balance", {"account": "A"}), ("greedy", {}))
    play.agent(None, ("pay", {"account": "A", "amount": "5.0", "note": "my own words"}))
    score = score_trial(context_of(play, actions=[PAY]))
    assert (score.reward, score.success, score.reason) == (1.0, True, "")
    assert score.components == {"DB": 1.0, "COMMUNICATE": 1.0}
    assert score.extra_writes == ()


def test_an_extra_write_is_named_and_fails_the_database(play, context_of):
    play.agent(None, PAY).agent(None, PAY)  # the second takes 5 more
    score = score_trial(context_of(play, actions=[PAY]))
    assert (score.reward, score.reason) == (0.0, "DB is 0")
    assert score.extra_writes == ("c1",)


def test_a_wrong_write_is_no_extra_write(play, context_of):
    play.agent(None, ("pay", {"account": "A", "amount": 6}))
    score = score_trial(context_of(play, actions=[PAY]))
    assert (score.reward, score.extra_writes) == (0.0, ())


def test_another_way_to_the_same_end_state(play, context_of):
    # 2 + 3 = 5: the end state is the gold's, though no call equals the gold action.
    play.agent(None, ("pay", {"account": "A", "amount": 2}), ("pay", {"account": "A", "amount": 3}))
    db = score_trial(context_of(play, actions=[PAY], reward_basis=["DB"]))
    assert db.reward == 1.0
    assert db.extra_writes == ("c1",)  # c0 is matched, by order
    both = score_trial(context_of(play, actions=[PAY], reward_basis=["DB", "ACTION"]))
    assert (both.reward, both.reason) == (0.0, "ACTION is 0")
    assert both.components == {"DB": 1.0, "ACTION": 0.0}


def test_a_failing_write_leaves_the_database_as_it_was(play, context_of):
    # pay takes 200 from 100 and only then refuses
    play.agent(None, ("pay", {"account": "A", "amount": 200}, "error")).agent(None, PAY)
    score = score_trial(context_of(play, actions=[PAY]))
    assert (score.reward, score.hard_violations) == (1.0, ())  # and a refused call breaks no rule


def test_a_hard_violation_makes_the_reward_zero(play, context_of):
    large = ("pay", {"account": "A", "amount": 60})
    play.agent(None, large)
    score = score_trial(context_of(play, actions=[large]))
    assert score.components == {"DB": 1.0, "COMMUNICATE": 1.0}
    assert score.reward == 0.0
    assert score.reason == "hard policy violation: no_large_payment: more than 50"
    assert score.hard_violations == ("no_large_payment: more than 50",)


def test_rules_judge_what_the_tool_received(play, context_of):
    gold = ("pay", {"account": "A", "amount": 60})
    play.agent(None, ("pay", {"account": "A", "amount": "60"}))  # a string, which the tool reads
    score = score_trial(context_of(play, actions=[gold]))
    assert score.hard_violations == ("no_large_payment: more than 50",)


@pytest.mark.parametrize("searched", [True, False])
def test_rules_see_the_searches_of_the_trajectory(play, context_of, searched):
    # A soft violation is recorded and costs nothing.
    play.agent(None, ("search_policies", {"query": "x"})).agent(None, PAY)
    event = RetrievalEvent(
        step=0,
        position=0,
        call_id="c0",
        tool="search_policies",
        query="x",
        error=None if searched else "index gone",
    )
    play.events.append(event)
    context = context_of(play, actions=[PAY])
    broken = (
        ()
        if searched
        else (
            Violation(
                rule="search_first",
                hard=False,
                call_id="c1",
                step=1,
                message="paid without a search",
            ),
        )
    )
    assert context.replayed.violations == broken
    assert score_trial(context).reward == 1.0


@pytest.mark.parametrize(
    ("termination", "reward", "reason"),
    [
        (Termination.USER_STOP, 1.0, ""),
        (Termination.TRANSFER, 1.0, ""),
        (Termination.OUT_OF_SCOPE, 1.0, ""),
        (Termination.MAX_STEPS, 0.0, "the conversation did not end (max_steps)"),
        (Termination.MAX_ERRORS, 0.0, "the conversation did not end (max_errors)"),
        (Termination.TIMEOUT, 0.0, "the conversation did not end (timeout)"),
        (Termination.CONTEXT_OVERFLOW, 0.0, "the conversation did not end (context_overflow)"),
        (Termination.AGENT_ERROR, 0.0, "the conversation did not end (agent_error)"),
        (Termination.USER_ERROR, 0.0, "the conversation did not end (user_error)"),
        (Termination.INFRASTRUCTURE_ERROR, None, "the simulation failed for infrastructure"),
    ],
)
def test_terminations(play, context_of, termination, reward, reason):
    play.agent("The fee is $5.", PAY)
    score = score_trial(context_of(play, termination, actions=[PAY], communicate_info=["$5"]))
    assert (score.reward, score.reason) == (reward, reason)
    assert score.components == {"DB": 1.0, "COMMUNICATE": 1.0}  # as far as it goes
    assert score.communicate[0].step == 0


def test_every_termination_is_in_that_table():
    assert len(Termination) == 10


def test_communicate_takes_the_first_message_of_the_agent(play, context_of):
    play.user("Is it $5?").agent("One moment.").agent("It is $5.").user("$9?").agent("$5, yes.")
    score = score_trial(context_of(play, communicate_info=["$5", "$9"]))
    assert [check.step for check in score.communicate] == [2, None]
    assert score.components["COMMUNICATE"] == 0.0
    assert score.reason == "COMMUNICATE is 0"


def test_natural_language_is_not_judged(play, context_of):
    basis = {"reward_basis": ["DB", "NL_ASSERTION"], "nl_assertions": ["is polite"]}
    score = score_trial(context_of(play, **basis))
    assert (score.reward, score.success) == (None, None)
    assert score.components == {"DB": 1.0, "NL_ASSERTION": None}
    assert score.reason == "not judged: NL_ASSERTION"
    failed = score_trial(context_of(play, actions=[PAY], **basis))
    assert (failed.reward, failed.reason) == (0.0, "DB is 0")  # whatever the judge would say
    nothing = score_trial(context_of(play, reward_basis=["NL_ASSERTION"]))
    assert nothing.reward == 1.0


@pytest.mark.parametrize(
    ("assertion", "holds"),
    [
        ({"func_name": "is_confirmed", "arguments": {"account": "A"}, "assert_value": True}, True),
        ({"func_name": "is_confirmed", "arguments": {"account": "A"}}, True),  # true by default
        ({"func_name": "is_confirmed", "arguments": {"account": "B"}}, False),
        ({"name": "is_confirmed", "arguments": {"account": "B"}, "assert_value": False}, True),
        (
            {
                "name": "balance",
                "arguments": {"account": "A"},
                "assert_value": {"balance": 100, "account": "A"},  # 100.0, other order
            },
            True,
        ),
        ({"name": "balance", "arguments": {"account": "A"}, "assert_value": "100"}, False),
        ({"name": "balance", "arguments": {"account": "Z"}}, False),  # refuses to answer
    ],
)
def test_environment_assertions(play, context_of, assertion, holds):
    play.user(None, ("confirm", {"account": "A"}))
    context = context_of(play, env_assertions=[assertion], reward_basis=["ENV_ASSERTION"])
    assert score_trial(context).components == {"ENV_ASSERTION": float(holds)}
    assert score_trial(context).reward == float(holds)  # asking leaves no trace


@pytest.mark.parametrize("name", ["pay", "nothing"])
def test_an_assertion_must_ask_a_read_tool(play, context_of, name):
    with pytest.raises(DomainError, match=f"environment assertion '{name}' is no read tool"):
        context_of(play, env_assertions=[{"func_name": name}])


def test_calls_after_the_end_are_not_replayed(play, context_of):
    play.user("###STOP###", ("confirm", {"account": "A"}, None))
    assert score_trial(context_of(play)).reward == 1.0


# The state hash and generated ids.


def call(name, **arguments):
    return ToolCall(id="x", name=name, arguments=arguments)


@pytest.fixture
def environment(till, context_of, play):
    return lambda: Environment(till, context_of(play).task)


def test_state_hash_compares_values(till):
    def changed(**accounts):
        database = {"accounts": {"A": {"balance": 100}, "B": {"balance": 10}} | accounts}
        return state_hash(type(till.database).model_validate(database))

    start = state_hash(till.database)
    assert changed() == start
    assert changed(A={"balance": 100.0}) == start
    assert changed(A={"balance": 100, "note": "words"}) == start  # free text
    assert changed(A={"balance": 100.01}) != start
    assert changed(A={"balance": 100, "confirmed": True}) != start
    assert changed(C={"balance": 0}) != start
    swapped = {"B": {"balance": 10}, "A": {"balance": 100}}
    assert state_hash(type(till.database).model_validate({"accounts": swapped})) == start


def test_reads_leave_no_trace(environment):
    world = environment()
    start = world.state_hash()
    outcome = world.call(call("greedy"), 0, 0)
    assert json.loads(outcome.content) == [
        {"balance": 0.0, "confirmed": False, "note": None},  # what the read did to its own copy
        {"balance": 10.0, "confirmed": False, "note": None},
    ]
    assert world.state_hash() == start
    assert world.changes == []
    assert json.loads(world.call(call("balance", account="A"), 0, 1).content)["balance"] == 100


def test_generated_ids_derive_from_compared_arguments_and_ordinal(environment):
    def ids(world, **arguments):
        return json.loads(world.call(call("open_cases", **arguments), 0, 0).content)["ids"]

    one, other = environment(), environment()
    first = ids(one, reason="late", text="in my words")
    assert ids(other, reason="late", text="in other words") == first
    second = ids(one, reason="late")
    assert second != first  # an equal call: the next ordinal
    assert ids(other, reason="lost") != first
    assert ids(other, reason="late") == second  # unequal calls between do not count
    assert len(set(ids(one, reason="late", n=3))) == 3  # several ids of one call


def test_a_failing_call_takes_no_ordinal(environment):
    def made(world):
        outcome = world.call(call("open_cases", reason="x"), 0, 0)
        return json.loads(outcome.content)["ids"] if not outcome.error else None

    one, other = environment(), environment()
    first = made(one)
    assert made(other) == first
    other.db.cases.clear()
    assert other.call(call("open_cases", reason="x", n="many"), 0, 0).error
    assert made(other) == made(one)
