"""The evidence-gated oracle: what it asks, in which order, and what it leaves undone."""

from __future__ import annotations

import numpy as np
import pytest

from ragbench.errors import UsageError
from ragbench.evidence import locate
from ragbench.simulate import GoldOrder, OracleAgent, play_gold

HELLO = "user: Hello"
STOP = "user: ###STOP###"
DONE = "assistant: I have done what I could establish."
LEFT = f"{DONE}\nPart of your request I could not settle from the documents I found."


def test_without_needs_it_acts_in_file_order_and_closes(kit):
    played = kit.play(
        kit.make_task([("b", "book", {"day": "mon"}), ("l", "list_bookings", {})]), {}
    )
    assert played.deeds == [
        HELLO, "assistant: book(mon)", "assistant: list_bookings()", DONE, STOP,
    ]  # fmt: skip
    assert played.user.script_delivered is True


def test_it_searches_before_the_action_that_needs_it_and_communicates_last(kit):
    # actions in file order, each with its needs in file order, then what is to be said
    task = kit.make_task(
        [("b1", "book", {"day": "mon"}), ("b2", "book", {"day": "tue"})],
        [
            kit.need("fact", "communicate:0", kit.p),
            kit.need("second", "b2", kit.q),
            kit.need("first", "b1", kit.r),
        ],
        say=["$5"],
    )
    # "first?" delivers w, which covers R and P, so that "fact?" need not be asked
    played = kit.play(task, {"first?": "z w", "second?": "c"})
    assert played.deeds == [
        HELLO,
        "assistant: search(first?)",
        "assistant: book(mon)",
        "assistant: search(second?)",
        "assistant: book(tue)",
        f"{DONE}\nFor your information: $5",
        STOP,
    ]


def test_questions_then_paraphrases_until_all_items_are_covered(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon"})], [kit.need("n", "b", kit.p, kit.q, also="p1 p2 p3")]
    )
    # n? covers P's half only; p1 nothing; p2 the rest of P; p3 Q
    played = kit.play(task, {"n?": "a", "p2": "w", "p3": "c"})
    assert played.queries == ["n?", "p1", "p2", "p3"]
    assert "assistant: book(mon)" in played.deeds
    assert kit.play(task, {"n?": "w c"}).queries == ["n?"]
    assert kit.play(task, {"n?": "w", "p1": "c"}).queries == ["n?", "p1"]


def test_the_natural_question_is_asked_in_place_of_the_other(kit):
    asked = kit.need("n", "b", kit.p, also="p1") | {"natural": "Harbour fee?"}
    task = kit.make_task([("b", "book", {"day": "mon"})], [asked])
    rankings = {"Harbour fee?": "w", "p1": "z"}
    assert kit.play(task, rankings, style="natural").queries == ["Harbour fee?"]
    assert kit.play(task, rankings).queries == ["n?", "p1"]
    assert kit.play(task, {"p1": "w"}, style="natural").queries == ["Harbour fee?", "p1"]


def test_a_need_without_natural_question_is_refused_in_that_style(kit):
    task = kit.make_task([("b", "book", {"day": "mon"})], [kit.need("n", "b", kit.p)])
    with pytest.raises(UsageError, match="Need 'n' of task 't' has no natural question"):
        kit.play(task, {}, style="natural")
    without_needs = kit.make_task([("b", "book", {"day": "mon"})])
    assert "assistant: book(mon)" in kit.play(without_needs, {}, style="natural").deeds


def test_an_exhausted_need_is_not_asked_again(kit):
    task = kit.make_task(
        [("b1", "book", {"day": "mon"}), ("b2", "book", {"day": "tue"})],
        [kit.need("n", "b1 b2 communicate:0", kit.p, also="p1")],
        say=["$5"],
    )
    played = kit.play(task, {})
    assert played.queries == ["n?", "p1"]
    assert played.deeds[-2:] == [LEFT, STOP]
    assert not any("book" in deed for deed in played.deeds)


def test_a_skipped_action_is_done_when_a_later_search_covers_its_needs(kit):
    # b1 is skipped; the search for b2's second need brings what both lacked: the earlier goes first
    task = kit.make_task(
        [("b1", "book", {"day": "mon"}), ("b2", "book", {"day": "tue"})],
        [kit.need("n1", "b1 b2", kit.p), kit.need("n2", "b2", kit.q)],
    )
    played = kit.play(task, {"n2?": "c w"})
    assert played.queries == ["n1?", "n2?"]
    assert [deed for deed in played.deeds if "book" in deed] == [
        "assistant: book(mon)", "assistant: book(tue)"
    ]  # fmt: skip
    assert DONE in played.deeds


def test_it_is_done_at_once_before_what_is_still_to_be_searched(kit):
    task = kit.make_task(
        [("b1", "book", {"day": "mon"}), ("b2", "book", {"day": "tue"})],
        [kit.need("n1", "b1", kit.p), kit.need("n2", "b2", kit.q), kit.need("n3", "b2", kit.r)],
    )
    assert kit.play(task, {"n2?": "a w"}).deeds[1:5] == [
        "assistant: search(n1?)",
        "assistant: search(n2?)",
        "assistant: book(mon)",
        LEFT,
    ]  # w holds R as well; Q never comes


def late(kit, first, second):
    """The first of two actions is skipped, and its evidence comes with a statement's search."""
    task = kit.make_task(
        [("one", *first), ("two", *second)],
        [kit.need("n", "one", kit.p), kit.need("fact", "communicate:0", kit.q)],
        say=["$5"],
    )
    return kit.play(task, {"fact?": "c w"})


def test_it_is_done_out_of_order_where_order_does_not_matter(kit):
    played = late(kit, ("book", {"day": "mon"}), ("paint", {"colour": "red"}))
    assert played.deeds[1:] == [
        "assistant: search(n?)",
        "assistant: paint(red)",
        "assistant: search(fact?)",
        "assistant: book(mon)",
        f"{DONE}\nFor your information: $5",
        STOP,
    ]
    found = kit.diagnose(played)
    assert (found.label, found.over_search_rate) == ("efficient", 0)


def test_it_is_not_done_out_of_order_where_that_leads_elsewhere(kit):
    # red, then blue is a blue gate; blue, then red would be a red one
    played = late(kit, ("paint", {"colour": "red"}), ("paint", {"colour": "blue"}))
    assert [deed for deed in played.deeds if "paint" in deed] == ["assistant: paint(blue)"]
    assert "could not settle" in played.deeds[-2]


def test_an_action_that_is_refused_is_tried_again_when_the_one_it_waited_for_is_done(kit):
    # parking needs a booking, which the two do not say of each other
    played = late(kit, ("book", {"day": "mon"}), ("park", {}))
    assert [deed for deed in played.deeds if "book" in deed or "park" in deed] == [
        "assistant: park()", "assistant: book(mon)", "assistant: park()"
    ]  # fmt: skip
    assert played.environment.db.parked
    assert kit.diagnose(played).label == "efficient"


def test_what_its_evidence_covers_at_the_end_is_said(kit):
    # the first statement's own questions find nothing; the second's search brings its evidence
    task = kit.make_task(
        needs=[kit.need("n1", "communicate:0", kit.p), kit.need("n2", "communicate:1", kit.q)],
        say=["$5", "$6"],
    )
    played = kit.play(task, {"n2?": "c w"})
    assert played.deeds[-2] == f"{DONE}\nFor your information: $5\nFor your information: $6"
    assert kit.diagnose(played).label == "efficient"


def test_with_all_its_evidence_a_trial_never_fails(kit):
    """Over 300 random rankings and orders: evidence in time and failed is empty."""
    generator = np.random.default_rng(11)
    actions = [("b0", "book", {"day": "mon"}), ("b1", "book", {"day": "tue"}),
               ("p", "park", {}), ("c", "paint", {"colour": "red"})]  # fmt: skip
    sufficient = 0
    for _ in range(300):
        rankings = {
            f"n{i}?": " ".join(generator.choice(["a", "w", "c", "z"], size=2)) for i in range(4)
        }
        consumers = ["b0", "b1", "p", "c", "communicate:0", "communicate:1"]
        needs = [
            kit.need(
                f"n{i}",
                " ".join(generator.choice(consumers, size=2, replace=False)),
                [kit.p, kit.q, kit.r][generator.integers(3)],
            )
            for i in range(4)
        ]
        order = generator.permutation(3)
        gold = [actions[i] for i in (0, *order[order > 0], 3)]
        task = kit.make_task(gold, needs, say=["$5", "$6"])
        found = kit.diagnose(kit.play(task, rankings))
        assert found.label != "evidence_unused"
        assert found.attribution in (None, "retrieval")
        sufficient += bool(found.sufficient_context)
    assert 50 < sufficient < 250


def test_an_equal_query_is_never_asked_twice(kit):
    task = kit.make_task(
        [("b1", "book", {"day": "mon"}), ("b2", "book", {"day": "tue"})],
        [
            kit.need("n1", "b1", kit.p, question="The fee?", also="fee"),
            kit.need("n2", "b2", kit.q, question="the FEE", also="fee! other"),
        ],
    )
    # The fold of queries is that of the diagnosis: case, punctuation, space.
    played = kit.play(task, {"other": "c"})
    assert played.queries == ["The fee?", "fee", "other"]
    assert [deed for deed in played.deeds if "book" in deed] == ["assistant: book(tue)"]


def test_dependent_actions_are_skipped_with_what_they_refer_to(kit):
    task = kit.make_task(
        [
            ("b", "book", {"day": "mon"}),
            ("x", "cancel", {"booking_id": "${b.booking.id}"}),
            ("u", "unlock_tool", {"tool_name": "lift_barrier_42"}),
            ("l", "lift_barrier_42", {}),
            ("ok", "book", {"day": "tue"}),
        ],
        [kit.need("n", "b u", kit.p)],
    )
    unmet = kit.play(task, {})
    assert unmet.deeds == [HELLO, "assistant: search(n?)", "assistant: book(tue)", LEFT, STOP]
    met = kit.play(task, {"n?": "w"})
    made = play_gold(kit.domain, task).arguments["x"]["booking_id"]
    assert met.deeds[2:7] == [
        "assistant: book(mon)",
        f"assistant: cancel({made})",
        "assistant: unlock_tool(lift_barrier_42)",
        "assistant: lift_barrier_42()",
        "assistant: book(tue)",
    ]
    assert met.environment.db.lifted


def test_inlined_evidence_is_not_searched_for(kit):
    task = kit.make_task([("b", "book", {"day": "mon"})], [kit.need("n", "b", kit.p)])
    for rankings in (None, {}):
        played = kit.play(task, rankings, inlined="w")
        assert played.deeds == [HELLO, "assistant: book(mon)", DONE, STOP]
    # half of it inlined: asks once
    assert kit.play(task, {"n?": "w"}, inlined="a").queries == ["n?"]


def test_without_search_tool_every_need_stays_unmet(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon"}), ("c", "book", {"day": "tue"})],
        [kit.need("n", "b", kit.p)],
    )
    assert kit.play(task).deeds == [HELLO, "assistant: book(tue)", LEFT, STOP]


def test_only_what_was_delivered_counts(kit):
    # k = 2: the third hit does not come
    task = kit.make_task([("b", "book", {"day": "mon"})], [kit.need("n", "b", kit.p)])
    assert kit.play(task, {"n?": "z c w"}).deeds[-2] == LEFT
    assert kit.play(task, {"n?": "z w"}).deeds[-2] == DONE


def test_what_is_said_depends_on_its_own_needs(kit):
    task = kit.make_task(needs=[kit.need("n", "communicate:1", kit.p)], say=["$5", "$6"])
    played = kit.play(task, {})
    assert played.deeds[2] == (
        f"{DONE}\nFor your information: $5\n"
        "Part of your request I could not settle from the documents I found."
    )


def test_it_asks_the_user_for_their_actions(kit):
    task = kit.make_task(
        [("r", "restart", {"device": "meter"}), ("b", "book", {"day": "mon"})],
        script=[{"say": "Hello", "when": "opening"}, {"do": "r"}],
    )
    played = kit.play(task, {})
    assert played.deeds == [
        HELLO,
        "assistant: Please do your part of this now, as we discussed.",
        "user: restart(meter)",
        "user: All right, please go on.",
        "assistant: book(mon)",
        DONE,
        STOP,
    ]
    assert played.environment.db.devices["meter"] == 1


@pytest.mark.parametrize("when", ["on_reply", "after"])
def test_a_chain_of_user_actions_is_not_cut_short(kit, when):
    devices = ("meter", "pump", "lamp")
    script = [{"say": "Hello", "when": "opening"}]
    for before, device in zip((None, *devices), devices, strict=False):
        waits = before and when == "after"
        script.append({"do": device, "when": f"after: {before}" if waits else "on_reply"})
    task = kit.make_task(
        [(device, "restart", {"device": device}) for device in devices],
        script=script,
        say=["$5"],
    )
    played = kit.play(task, {})
    assert played.environment.db.devices == {"meter": 1, "pump": 1, "lamp": 1}
    assert played.deeds[-2:] == [f"{DONE}\nFor your information: $5", STOP]
    assert played.user.script_delivered is True


def test_it_pauses_after_an_action_that_the_user_waits_for(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon"}), ("c", "book", {"day": "tue"})],
        script=[{"say": "Hello", "when": "opening"}, {"say": "And Tuesday?", "when": "after: b"}],
    )
    assert kit.play(task, {}).deeds == [
        HELLO,
        "assistant: book(mon)",
        "assistant: That is done.",
        "user: And Tuesday?",
        "assistant: book(tue)",
        DONE,
        STOP,
    ]


def test_a_need_without_question_is_refused(kit):
    fields = kit.make_task([("b", "book", {"day": "mon"})], [kit.need("n", "b", kit.p)])
    task = fields.model_copy(
        update={"needs": (fields.needs[0].model_copy(update={"question": None}),)}
    )
    gold = play_gold(kit.domain, task)
    order = GoldOrder(kit.domain, task, gold)
    with pytest.raises(UsageError, match="Need 'n' of task 't' has no question"):
        OracleAgent(task, gold, locate((), {}, "files", own_loader=True), {}, (), "search", order)


def test_it_is_deterministic(kit):
    task = kit.make_task(
        [("b", "book", {"day": "mon"})],
        [kit.need("n", "b", kit.p, kit.q, also="p1 p2")],
        say=["$5"],
    )
    rankings = {"n?": "a", "p1": "w", "p2": "c"}
    first, second = (kit.play(task, rankings).trajectory() for _ in range(2))
    assert first.messages == second.messages


def test_no_search_of_the_oracle_is_an_excess(kit):
    """over_search_rate is 0 by construction: over 300 random rankings, needs and tasks."""
    generator = np.random.default_rng(7)
    queries = ["fee", "Fee!", "limit", "late fee", "hours", "pump"]
    n_calls = 0
    for _ in range(300):
        rankings = {
            query: " ".join(generator.choice(["a", "w", "c", "z"], size=3)) for query in queries
        }
        rankings["Fee!"] = rankings["fee"]  # equal queries return equal results
        needs = [
            kit.need(
                f"n{i}",
                str(generator.choice(["b0", "b1", "b0 b1", "communicate:0"])),
                *([kit.p, kit.q, kit.r][j] for j in generator.permutation(3)[: i + 1]),
                question=str(generator.choice(queries)),
            )
            | {"paraphrases": [str(q) for q in generator.choice(queries, size=2)]}
            for i in range(3)
        ]
        actions = [("b0", "book", {"day": "mon"}), ("b1", "book", {"day": "tue"})]
        task = kit.make_task(actions, needs, say=["$5"])
        found = kit.diagnose(kit.play(task, rankings))
        assert (found.n_unneeded, found.n_redundant, found.n_failed_calls) == (0, 0, 0)
        assert found.over_search_rate in (0.0, None)
        n_calls += found.n_calls
    assert n_calls > 300
