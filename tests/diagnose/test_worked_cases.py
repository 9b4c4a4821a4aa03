"""The worked cases of the design, and the arithmetic of every set- and call-level measure.

See conftest.py: |P| = 200 in D1, |Q| = 80 in D2; a and b hold half of P each, c holds Q.
"""

from __future__ import annotations

import pytest

from ragbench.records import Termination

approx = pytest.approx


def classes(found):
    return [call.call_class and call.call_class.value for call in found.calls]


def two_needs(trial, kit):
    trial.task(("mark", {"key": "A"}), ("mark", {"key": "B"}))
    return trial.need("A", kit.p, by="a0").need("B", kit.q, by="a1").user()


def act(trial):
    return trial.do("mark", key="A").do("mark", key="B").agent("Done.").user("###STOP###")


@pytest.mark.parametrize(("first", "second"), [("a", "b c"), ("b c", "a")])
def test_half_a_passage_is_useful_and_the_other_half_completes_it(trial, kit, first, second):
    two_needs(trial, kit).search("one", first).search("two", second)
    found = act(trial).diagnose()
    # first {a}: 100 of P's 200, a gain of 0.5 >= 0.1; then b completes P (1.0) and c covers Q.
    assert classes(found) == ["useful", "useful"]
    assert found.label == "efficient"
    assert (found.evidence_recall, found.under_retrieval, found.late_recall) == (1.0, 0.0, 0.0)
    # delivered: D1[0,400) + D2[0,150) = 550; of it evidence 200 + 80 = 280
    assert found.evidence_precision == approx(280 / 550)
    assert found.over_retrieval == approx(270 / 550)
    assert found.duplicate_ratio == 0.0  # 1 - 550 / (200 + 200 + 150)
    assert (found.excess_tokens, found.retrieved_tokens) == (0, 300)
    assert found.over_search_rate == 0.0
    assert (found.calls_to_sufficiency, found.post_sufficiency_calls) == (2, 0)
    assert found.document_recall == 1.0
    assert (found.under_search_rate, found.n_consumers_attempted) == (0.0, 2)
    assert found.context_utilization == 1.0
    assert found.sufficient_context is True
    assert not found.lucky
    assert (found.attribution, found.causes) == (None, {})
    # recall after each call: with {a} no item is covered, with {b, c} Q is
    assert [call.evidence_recall for call in found.calls] == (
        [0.0, 1.0] if first == "a" else [0.5, 1.0]
    )
    # steps: 0 user, 1 and 2 searches, 3 and 4 actions; a hit reaches the agent at the next step
    assert [need.deadline for need in found.needs] == [3, 4]
    assert [item.covered_at for item in found.items] == ([3, 3] if first == "a" else [3, 2])


def test_no_needs_and_one_call(trial):
    found = trial.user().search("one", "a").agent("Done.").user("###STOP###").diagnose()
    assert classes(found) == ["unneeded"]
    assert found.label == "unneeded_retrieval"
    assert (found.evidence_recall, found.under_retrieval, found.late_recall) == (None, None, None)
    assert (found.evidence_precision, found.over_retrieval) == (0.0, 1.0)  # 0 of 200
    assert found.over_search_rate == 1.0
    assert (found.document_recall, found.sufficient_context) == (None, None)
    assert (found.calls_to_sufficiency, found.post_sufficiency_calls) == (None, None)
    assert (found.under_search_rate, found.context_utilization) == (None, None)
    assert found.calls[0].evidence_recall is None
    assert (found.excess_tokens, found.retrieved_tokens) == (100, 100)


def test_a_late_need_then_two_more_searches(trial, kit):
    trial.task(("mark", {"key": "A"})).need("A", kit.p, by="a0").user().do("mark", key="A")
    trial.search("one", "w").search("two", "w").search("three", "c")
    found = trial.agent("Done.").user("###STOP###").diagnose()
    assert classes(found) == ["useful", "unneeded", "unneeded"]
    assert found.label == "evidence_late"
    assert (found.evidence_recall, found.under_retrieval, found.late_recall) == (0.0, 1.0, 1.0)
    assert found.needs[0].status == "late"
    assert found.over_search_rate == approx(2 / 3)
    assert (found.calls_to_sufficiency, found.post_sufficiency_calls) == (1, 2)
    assert (found.under_search_rate, found.n_consumers_uninformed) == (1.0, 1)
    assert found.context_utilization is None  # no need was met
    assert found.lucky  # it succeeded
    assert found.duplicate_ratio == approx(1 - 550 / 950)  # |w + c| / (400 + 400 + 150)
    assert found.causes == {"not_searched": 1}


def test_everything_inlined_and_no_call(trial, kit):
    two_needs(trial, kit).inline("w", "c")
    found = act(trial).diagnose()
    assert found.label == "efficient"
    assert (found.n_calls, found.calls) == (0, ())
    assert (found.calls_to_sufficiency, found.post_sufficiency_calls) == (0, 0)
    assert (found.evidence_recall, found.document_recall) == (1.0, 1.0)
    assert (found.evidence_precision, found.over_retrieval, found.duplicate_ratio) == (None,) * 3
    assert found.over_search_rate is None
    assert [item.covered_at for item in found.items] == [0, 0]


def test_four_queries_that_return_the_same_wrong_chunks(trial, kit):
    two_needs(trial, kit)
    for query in ("one", "two", "three", "four"):
        trial.search(query, "z1 z2")
    found = act(trial).diagnose()
    assert classes(found) == ["missed"] * 4
    assert [call.stale for call in found.calls] == [False, True, True, True]
    assert (found.n_missed, found.n_stale) == (4, 3)
    assert (found.over_search_rate, found.under_retrieval) == (0.0, 1.0)
    assert found.label == "evidence_missed"
    assert found.duplicate_ratio == 0.75  # 1 - 200 / 800
    assert found.excess_tokens == found.retrieved_tokens == 800
    assert (found.evidence_precision, found.document_recall) == (0.0, 0.0)
    assert found.calls_to_sufficiency is None


def test_the_same_query_four_times(trial, kit):
    two_needs(trial, kit)
    for query in ("Fee, please?", "fee please", "FEE -- PLEASE", "ｆｅｅ please!"):
        trial.search(query, "z1 z2")
    found = act(trial).diagnose()
    assert classes(found) == ["missed", "redundant", "redundant", "redundant"]
    assert found.over_search_rate == 0.75
    assert found.n_stale == 0  # a redundant call is no miss


# Calls.


def test_other_parameters_make_another_call(trial, kit):
    two_needs(trial, kit).search("fee", "z1").search("fee", "z1 z2", parameters={"k": 2})
    trial.search("fee", "z1 z2", parameters={"k": 2.0})
    assert classes(act(trial).diagnose()) == ["missed", "missed", "redundant"]


def test_what_a_query_was_rewritten_to_makes_no_other_call(trial, kit):
    two_needs(trial, kit).search("Fee?", "z1", parameters={"rewritten_query": "Fee? charge"})
    trial.search("fee", "z1", parameters={"rewritten_query": "fee charge"})
    assert classes(act(trial).diagnose()) == ["missed", "redundant"]


def test_a_useful_call_may_repeat_a_query(trial, kit):
    # useful comes first: the index answered the second time
    two_needs(trial, kit).search("fee", "z1").search("fee", "w")
    assert classes(act(trial).diagnose()) == ["missed", "useful"]


def test_unneeded_comes_before_redundant(trial, kit):
    two_needs(trial, kit).search("fee", "w c").search("fee", "w c")
    found = act(trial).diagnose()
    assert classes(found) == ["useful", "unneeded"]
    assert found.label == "excess_retrieval"
    assert found.over_search_rate == 0.5


def test_an_open_item_ignores_its_deadline(trial, kit):
    # A is late, but its search still covers an open item.
    two_needs(trial, kit).search("q", "c").do("mark", key="A").search("p", "w")
    found = trial.do("mark", key="B").agent("Done.").user("###STOP###").diagnose()
    assert classes(found) == ["useful", "useful"]
    assert [need.status for need in found.needs] == ["late", "met"]
    assert found.label == "evidence_late"
    assert (found.evidence_recall, found.late_recall) == (0.5, 0.5)
    assert (found.under_search_rate, found.n_consumers_uninformed) == (0.5, 1)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (120, "useful"),  # 20 of 200 = 0.1 is exactly 1 - theta
        (119, "missed"),  # 19 of 200
    ],
)
def test_a_tenth_of_a_passage_is_a_gain(trial, kit, end, expected):
    two_needs(trial, kit).search("fee", "a")
    event = trial.events[0]
    hit = event.hits[0].model_copy(update={"end": end})
    trial.events[0] = event.model_copy(update={"hits": (hit,)})
    assert classes(act(trial).diagnose()) == [expected]


def test_a_tenth_is_a_tenth_in_floating_point(trial, kit):
    # 29 of 70 seen, then 36: a gain of 7/70, but 36/70 - 29/70 = 0.09999999999999992 < 1 - 0.9
    passage = {"doc_id": "D1", "start": 0, "end": 70, "loader": "files"}
    trial.task(("mark", {"key": "A"})).need("A", passage, by="a0").user()
    trial.search("one", "a").search("two", "a")
    for number, end in enumerate((29, 36)):
        event = trial.events[number]
        hit = event.hits[0].model_copy(update={"end": end})
        trial.events[number] = event.model_copy(update={"hits": (hit,)})
    assert classes(act(trial).diagnose()) == ["useful", "useful"]


@pytest.mark.parametrize(("found_now", "stale"), [("z1 z2", True), ("z1 z3", False), ("", False)])
def test_a_miss_is_stale_when_nine_tenths_were_seen(trial, kit, found_now, stale):
    # seen z1, z2; then 200 of 200 again, or 100 of 200 again, or nothing
    two_needs(trial, kit).search("one", "z1 z2").search("two", found_now)
    found = act(trial).diagnose()
    assert classes(found) == ["missed", "missed"]
    assert [call.stale for call in found.calls] == [False, stale]


def test_calls_of_one_message_are_ordered_and_reach_the_agent_at_the_next_step(trial, kit):
    # The second search sees the first; the action beside them does not see either.
    two_needs(trial, kit)
    trial.agent(None, kit.search("p", "w"), kit.search("pp", "w"), kit.do("mark", key="A"))
    trial.search("q", "c").do("mark", key="B").agent("Done.").user("###STOP###")
    found = trial.diagnose()
    assert classes(found) == ["useful", "missed", "useful"]
    assert found.calls[1].stale
    assert [(call.step, call.position) for call in found.calls] == [(1, 0), (1, 1), (2, 0)]
    assert [need.status for need in found.needs] == ["late", "met"]
    assert found.items[0].covered_at == 2


def test_a_call_that_raised_is_counted_apart(trial, kit):
    two_needs(trial, kit).search("fee", error=True).search("fee", "w c")
    found = act(trial).diagnose()
    assert classes(found) == [None, "useful"]
    assert (found.n_calls, found.n_failed_calls) == (1, 1)
    assert (found.n_useful, found.over_search_rate, found.calls_to_sufficiency) == (1, 0.0, 1)


def test_only_calls_that_raised_are_no_search(trial, kit):
    two_needs(trial, kit).search("fee", error=True)
    found = act(trial).diagnose()
    assert (found.label, found.causes) == ("missed_retrieval", {"not_searched": 2})
    assert found.over_search_rate is None


def test_what_was_not_delivered_was_not_seen(trial, kit):
    two_needs(trial, kit).search("fee", "c w", delivered=1)
    found = act(trial).diagnose()
    assert [need.status for need in found.needs] == ["unmet", "met"]
    assert (found.retrieved_tokens, found.evidence_precision) == (100, approx(80 / 150))
    assert found.label == "evidence_partial"


# Needs and consumers.


def test_a_need_has_the_deadline_of_its_first_attempted_consumer(trial, kit):
    trial.task(("mark", {"key": "A"}), ("mark", {"key": "B"}), say=["$5"])
    trial.need("A", kit.p, by="a0 a1 communicate:0").user().search("p", "w")
    trial.do("mark", key="B").agent("It is $5.").user("###STOP###")
    found = trial.diagnose()
    # a0 (mark A) is never attempted: the only mark equals a1. Deadline: a1 at 2, before $5 at 3.
    assert found.needs[0].deadline == 2
    assert found.needs[0].status == "met"
    assert found.n_consumers_attempted == 2  # a1 and what was said
    assert found.needs[0].consumers_correct is False
    assert found.context_utilization == 0.0


def test_a_fact_never_said_is_attempted_at_the_end(trial, kit):
    trial.task(say=["$5"]).need("A", kit.p, by="communicate:0").user().search("p", "w")
    found = trial.agent("I do not know.").user("###STOP###").diagnose()
    assert found.needs[0].deadline == trial.n_steps == 4
    assert (found.n_consumers_attempted, found.under_search_rate) == (1, 0.0)
    assert (found.label, found.attribution) == ("evidence_unused", "communication")


def test_an_action_never_attempted_has_its_deadline_at_the_end(trial, kit):
    trial.task(("mark", {"key": "A"})).need("A", kit.p, by="a0").user().search("p", "w")
    found = trial.agent("No.").user("###STOP###").diagnose()
    assert found.needs[0].deadline == 4
    assert (found.n_consumers_attempted, found.under_search_rate) == (0, None)


def test_all_items_of_a_need_and_one_alternative_of_an_item(trial, kit):
    # Item 0: P or Q; item 1: Q. c covers both through Q.
    trial.task(("mark", {"key": "A"})).need("A", [kit.p, kit.q], kit.q, by="a0")
    found = (
        trial.user().search("q", "c").do("mark", key="A").agent(".").user("###STOP###").diagnose()
    )
    assert found.label == "efficient"
    assert found.evidence_precision == approx(80 / 150)
    # Delivering the other alternative as well is evidence, too: (80 + 200) / (150 + 400).
    trial.search("p", "w")
    assert trial.diagnose().evidence_precision == approx(280 / 550)


def test_a_whole_document_is_covered_by_any_hit_and_has_no_span_measures(trial, kit):
    trial.task(("mark", {"key": "A"})).need("A", {"doc_id": "D1"}, by="a0")
    found = (
        trial.user().search("q", "b").do("mark", key="A").agent(".").user("###STOP###").diagnose()
    )
    assert (found.label, found.document_recall, found.evidence_recall) == ("efficient", 1.0, 1.0)
    assert (found.evidence_precision, found.over_retrieval) == (None, None)
    assert classes(found) == ["useful"]


def test_document_recall_looks_at_documents_by_the_deadline(trial, kit):
    # b is a hit of P's document, but holds half of P; D2 came after Q's deadline: 1/2 and 0/2
    two_needs(trial, kit).search("p", "b").do("mark", key="B").search("q", "c").do("mark", key="A")
    found = trial.agent(".").user("###STOP###").diagnose()
    assert (found.document_recall, found.evidence_recall) == (0.5, 0.0)


def test_document_recall_counts_a_hit_of_a_document_whose_quote_was_lost(trial):
    trial.own_loader = False
    trial.task(("mark", {"key": "A"})).need("A", {"doc_id": "D1", "quote": "gone"}, by="a0")
    found = (
        trial.user().search("p", "w").do("mark", key="A").agent(".").user("###STOP###").diagnose()
    )
    assert (found.document_recall, found.evidence_recall) == (1.0, 0.0)
    assert found.causes == {"lost_in_parsing": 1}


def test_a_trial_that_ran_out_of_steps_is_diagnosed(trial, kit):
    two_needs(trial, kit).search("p", "w")
    trial.termination = Termination.MAX_STEPS
    found = trial.diagnose()
    assert (found.evidence_recall, found.label) == (0.5, "evidence_partial")
    assert classes(found) == ["useful"]


def test_an_empty_trajectory_is_diagnosed(trial, kit):
    two_needs(trial, kit)
    trial.messages, trial.n_steps = [], 0
    found = trial.diagnose()
    assert (found.label, found.evidence_recall) == ("missed_retrieval", 0.0)


# Headlines: what stands in every table.


def test_headlines_of_a_trial(trial, kit):
    # a miss, then w (all of P) with a chunk of nothing, then c (Q), then one after sufficiency
    two_needs(trial, kit).search("one", "z1").search("two", "w z2").search("three", "c")
    trial.search("four", "z3")
    found = act(trial).diagnose(kit.ranked("w c"))
    # chunks with evidence: w 400 and c 150; evidence 200 + 80 = 280 of 550
    assert found.over_retrieval_floor == approx(1 - 280 / 550)
    # delivered: 400 + 150 + three z of 100
    assert found.over_retrieval == approx(1 - 280 / 850)
    assert found.tokens_per_item == 500 / 2  # five hits of 100 tokens, two items
    assert found.excess_share == approx(300 / 500)  # z1, z2, z3
    assert found.misses_per_call == 1 / 4
    assert found.over_search_rate == 1 / 4
    assert found.avoidable_tokens == 100  # z3 came after sufficiency


def test_the_floor_is_reached_by_exactly_the_chunks_with_evidence(trial, kit):
    two_needs(trial, kit).search("one", "w").search("two", "c")
    found = act(trial).diagnose(kit.ranked("w c"))
    assert found.over_retrieval == found.over_retrieval_floor == approx(270 / 550)
    assert found.excess_share == 0.0


def test_the_floor_counts_evidence_that_stands_in_no_chunk(trial, kit):
    # only b is indexed: it holds 100 of P's 200; the union of b and P is D1[100,400)
    trial.task(("mark", {"key": "A"}))
    trial.need("A", kit.p, by="a0").user().search("one", "b")
    found = trial.agent("No.").user("###STOP###").diagnose(kit.ranked("b"))
    assert found.over_retrieval_floor == approx(1 - 100 / 300)


def test_headlines_are_undefined_without_what_they_divide_by(trial, kit):
    two_needs(trial, kit).inline("w", "c")
    found = act(trial).diagnose(kit.ranked("w c"))
    nothing = (found.over_retrieval_floor, found.tokens_per_item, found.excess_share)
    assert (*nothing, found.misses_per_call) == (None,) * 4
    # what stood in the prompt is covered, but by no search: 100 tokens for no item
    trial.search("one", "z1")
    found = trial.diagnose(kit.ranked("w c"))
    assert (found.tokens_per_item, found.excess_share) == (None, 1.0)
    # and without the index there is no floor
    assert trial.diagnose().over_retrieval_floor is None


def test_no_floor_where_nothing_is_needed(trial, kit):
    found = trial.user().search("one", "a").agent("Done.").user("###STOP###").diagnose(kit.ranked())
    assert (found.over_retrieval, found.over_retrieval_floor) == (1.0, None)
    assert found.avoidable_tokens == 100
