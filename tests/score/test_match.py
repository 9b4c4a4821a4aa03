"""Which call attempted which gold action."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ragbench.errors import DomainError
from ragbench.score import best_assignment, match_actions


def matched(context):
    """Action to (call, correct)."""
    return {c.action_id: (c.call_id, c.correct) for c in match_actions(context)}


def test_a_fully_equal_call_wins_over_an_earlier_one(play, context_of):
    play.agent(None, ("pay", {"account": "A", "amount": 1}), ("pay", {"account": "A", "amount": 2}))
    context = context_of(play, actions=[("pay", {"account": "A", "amount": 2})])
    assert matched(context) == {"a0": ("c1", True)}


def test_one_full_pair_is_worth_more_than_many_equal_arguments(play, context_of):
    # c0 equals a0 in both arguments and a1 in one (account); c1 equals each in one (account).
    # a0-c0 + a1-c1: one full pair, 2 + 1 equal. a0-c1 + a1-c0: none, 1 + 1.
    play.agent(None, ("pay", {"account": "A", "amount": 1}), ("pay", {"account": "A", "amount": 9}))
    context = context_of(
        play,
        actions=[("pay", {"account": "A", "amount": 2}), ("pay", {"account": "A", "amount": 1})],
    )
    assert matched(context) == {"a0": ("c1", False), "a1": ("c0", True)}


def test_most_equal_arguments_win_when_nothing_is_fully_equal(play, context_of):
    play.agent(None, ("pay", {"account": "B", "amount": 1}), ("pay", {"account": "A", "amount": 1}))
    context = context_of(play, actions=[("pay", {"account": "A", "amount": 2})])
    (check,) = match_actions(context)
    assert (check.call_id, check.correct) == ("c1", False)
    assert check.differences == {"amount": (2.0, 1.0)}


def test_equal_calls_are_matched_in_order_and_once_each(play, context_of):
    same = ("pay", {"account": "A", "amount": 1})
    play.agent(None, same).agent(None, same, same)
    context = context_of(play, actions=[same, same])
    assert matched(context) == {"a0": ("c0", True), "a1": ("c1", True)}
    assert [check.step for check in match_actions(context)] == [0, 1]


def test_as_many_as_possible_are_matched(play, context_of):
    # One call, two gold actions: it goes to the one that it equals.
    play.agent(None, ("pay", {"account": "A", "amount": 1}))
    context = context_of(
        play,
        actions=[("pay", {"account": "A", "amount": 2}), ("pay", {"account": "A", "amount": 1})],
    )
    assert matched(context) == {"a0": (None, False), "a1": ("c0", True)}


def test_failing_and_unanswered_calls_attempt_nothing(play, context_of):
    wanted = ("pay", {"account": "A", "amount": 1})
    play.agent(None, (*wanted, "error")).agent(None, (*wanted, None))
    context = context_of(play, actions=[wanted])
    assert matched(context) == {"a0": (None, False)}
    play.agent(None, wanted)
    assert matched(context_of(play, actions=[wanted])) == {"a0": ("c2", True)}


def test_other_tools_and_other_requestors_attempt_nothing(play, context_of):
    play.agent(None, ("confirm", {"account": "A"})).agent(None, ("balance", {"account": "A"}))
    gold = [
        ("confirm", {"account": "A"}, {"requestor": "user"}),
        ("pay", {"account": "A", "amount": 1}),
    ]
    assert matched(context_of(play, actions=gold)) == {"a0": (None, False), "a1": (None, False)}
    play.user(None, ("confirm", {"account": "A"}))
    assert matched(context_of(play, actions=gold))["a0"] == ("c2", True)


@pytest.mark.parametrize(
    ("given", "gold", "more", "correct"),
    [
        ({"account": "A", "amount": "25"}, {"account": "A", "amount": 25}, {}, True),
        ({"account": "A", "amount": 25.0}, {"account": "A", "amount": 25}, {}, True),
        ({"account": "A", "amount": 25}, {"account": "A", "amount": "25"}, {}, True),
        ({"account": "A", "amount": 25.5}, {"account": "A", "amount": 25}, {}, False),
        ({"amount": 25, "account": "A"}, {"account": "A", "amount": 25}, {}, True),  # order
        # free text is no part of it, in the gold or in the call
        ({"account": "A", "amount": 25, "note": "x"}, {"account": "A", "amount": 25}, {}, True),
        (
            {"account": "A", "amount": 25, "note": "x"},
            {"account": "A", "amount": 25, "note": "y"},
            {},
            True,
        ),
        # arguments that the gold does not name
        (
            {"account": "A", "amount": 25, "purpose": "gift"},
            {"account": "A", "amount": 25},
            {},
            True,
        ),
        # the default is what the tool receives
        (
            {"account": "A", "amount": 25},
            {"account": "A", "amount": 25, "purpose": "fee"},
            {},
            True,
        ),
        (
            {"account": "A", "amount": 25},
            {"account": "A", "amount": 25, "purpose": "gift"},
            {},
            False,
        ),
        # compare_args
        (
            {"account": "A", "amount": 9},
            {"account": "A", "amount": 25},
            {"compare_args": ["account"]},
            True,
        ),
        (
            {"account": "B", "amount": 9},
            {"account": "A", "amount": 9},
            {"compare_args": ["account"]},
            False,
        ),
        ({"account": "B", "amount": 9}, {"account": "A", "amount": 25}, {"compare_args": []}, True),
        (
            {"account": "A", "amount": 25, "note": "x"},
            {"account": "A", "amount": 25, "note": "y"},
            {"compare_args": ["note"]},
            False,
        ),
    ],
)
def test_arguments(play, context_of, given, gold, more, correct):
    play.agent(None, ("pay", given))
    assert matched(context_of(play, actions=[("pay", gold, more)])) == {"a0": ("c0", correct)}


def test_a_reference_stands_for_the_gold_result(play, context_of):
    gold = [("open_cases", {"reason": "x"}), ("close_case", {"case_id": "${a0.case_id}"})]
    made = context_of(play, actions=gold).gold.arguments["a1"]["case_id"]
    play.agent(None, ("open_cases", {"reason": "x"})).agent(None, ("close_case", {"case_id": made}))
    assert matched(context_of(play, actions=gold)) == {"a0": ("c0", True), "a1": ("c1", True)}


def test_compare_args_must_be_arguments(play, context_of):
    with pytest.raises(DomainError, match="compare_args of 'a0' names 'colour'"):
        context_of(play, actions=[("balance", {"account": "A"}, {"compare_args": ["colour"]})])


def test_best_assignment_agrees_with_trying_every_permutation():
    generator = np.random.default_rng(20260302)

    def worth(pairs, full, equal):
        return (
            sum(full[r][c] for r, c in pairs),
            sum(equal[r][c] for r, c in pairs),
            -sum((r - c) ** 2 for r, c in pairs),
        )

    for _ in range(400):
        n_rows, n_columns = (int(n) for n in generator.integers(1, 6, size=2))
        equal = generator.integers(0, 4, size=(n_rows, n_columns)).tolist()
        full = [[n == 3 for n in row] for row in equal]
        found = best_assignment(full, equal)
        assert len(found) == len(set(found.values())) == min(n_rows, n_columns)
        small, large = sorted((n_rows, n_columns))
        every = (
            list(zip(range(small), columns, strict=True))
            if n_rows <= n_columns
            else [(row, column) for column, row in enumerate(columns)]
            for columns in itertools.permutations(range(large), small)
        )
        best = max(worth(pairs, full, equal) for pairs in every)
        assert worth(found.items(), full, equal) == best


def test_best_assignment_of_nothing():
    assert best_assignment([], []) == {}
    assert best_assignment([[], []], [[], []]) == {}
    assert best_assignment([[False]], [[0]]) == {0: 0}
