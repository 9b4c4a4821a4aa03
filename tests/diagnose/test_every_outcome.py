"""Every cause, call class, label and attribution, each produced once and alone.

Documents, chunks and passages stand in conftest.py: w holds P whole, a and b half of it each, c
holds Q; k is 2, so that 4k is 8. Every table is held against the complete list of names.
"""

from __future__ import annotations

from collections import Counter

import pytest

from ragbench.diagnose import ATTRIBUTIONS, CAUSES, LABELS
from ragbench.errors import LLMError
from ragbench.records import CallClass, Termination


def one_need(trial, kit, *items, question="question"):
    trial.task(("mark", {"key": "A"}))
    return trial.need("A", *(items or (kit.p,)), by="a0", question=question).user()


def act(trial):
    return trial.do("mark", key="A").agent("Done.").user("###STOP###")


# Causes: each trial has one item, so that its cause is the only one.


def not_in_index(trial, kit):
    one_need(trial, kit, {"doc_id": "D9", "quote": "gone"}).search("other", "c")
    return kit.ranked()


def lost_in_parsing(trial, kit):
    trial.own_loader = False
    one_need(trial, kit, {"doc_id": "D1", "quote": "not in its text"}).search("other", "w")
    return kit.ranked()


def not_offered(trial, kit):
    trial.offered = False
    one_need(trial, kit)
    return kit.ranked(question="w")


def not_searched(trial, kit):
    # The one search shares its message with the action: step 1, deadline 1.
    one_need(trial, kit).agent(None, kit.search("other", "w"), kit.do("mark", key="A"))
    return kit.ranked(question="w", other="w")


def truncated(trial, kit):
    one_need(trial, kit).search("other", "c w", delivered=1)
    return kit.ranked(question="w", other="c w")


def not_asked(trial, kit):
    # Both queries are farther from the need than the bound, 0.4; the second finds w at 3 > k = 2.
    one_need(trial, kit).search("other", "c z1").search("third", "c z1")
    probe = kit.ranked(question="w", other="c z1", third="c z1 w")
    probe.far = ("other", "third")
    return probe


def filtered(trial, kit):
    # Unfiltered the query finds w at rank 2 = k; but D1 is of another kind than it asks for.
    one_need(trial, kit).search("other", "c", parameters={"kind": "hours"})
    return kit.ranked(question="w", other="c w")


def own_k(trial, kit):
    # The query finds w at rank 2 = k; the call asked for one hit.
    one_need(trial, kit).search("other", "c", parameters={"k": 1})
    return kit.ranked(question="w", other="c w")


def split(trial, kit):
    # a and b hold 100 of P's 200 each: 0.5 < 0.9
    one_need(trial, kit).search("other", "c z1")
    return kit.ranked("a b c", question="a b", other="c z1 a b")


def query(trial, kit):
    # The question finds w at rank 2 <= k; the agent's query finds it at 5.
    one_need(trial, kit).search("other", "c z1")
    return kit.ranked(question="c w", other="c z1 z2 z3 w")


def cut_off(trial, kit):
    # The agent's query finds w at rank 5, the question at 4: both > k = 2 and <= 8.
    one_need(trial, kit).search("other", "c z1")
    return kit.ranked(question="c z1 z2 w", other="c z1 z2 z3 w")


def ranking(trial, kit):
    # w is ninth for both, one further than 4k = 8.
    one_need(trial, kit).search("other", "c z1")
    deep = "c z1 z2 z3 z4 z5 z6 z7 w"
    return kit.ranked(question=deep, other=deep)


def undetermined(trial, kit):
    one_need(trial, kit).search("other", "c z1")  # and the run's index is gone


CAUSE_TRIALS = (
    not_in_index, lost_in_parsing, not_offered, not_searched, truncated, not_asked, filtered, own_k,
    split, query, cut_off, ranking, undetermined,
)  # fmt: skip


@pytest.mark.parametrize("build", CAUSE_TRIALS, ids=lambda build: build.__name__)
def test_cause(trial, kit, build):
    probe = build(trial, kit)
    found = act(trial).diagnose(probe)
    assert found.causes == {build.__name__: 1}
    assert found.items[0].cut_off_depth == (4 if build is cut_off else None)
    assert found.items[0].in_time is False


def test_the_table_of_causes_is_complete():
    assert [build.__name__ for build in CAUSE_TRIALS] == list(CAUSES)


def test_no_cause_for_what_was_covered_in_time(trial, kit):
    one_need(trial, kit).search("other", "w")
    assert act(trial).diagnose(kit.ranked()).causes == {}


def cause(trial, probe):
    (item,) = act(trial).diagnose(probe).items
    return item.cause, item.cut_off_depth


def test_causes_come_in_order(trial, kit):
    # Without a tool and lost at once: lost_in_parsing comes first.
    trial.own_loader, trial.offered = False, False
    one_need(trial, kit, {"doc_id": "D1", "quote": "not in its text"})
    assert cause(trial, None) == ("lost_in_parsing", None)


def test_what_was_seen_counts_towards_the_depth(trial, kit):
    # a was seen (half of P), b completes it at rank 2 of the question: query.
    one_need(trial, kit).search("other", "a z1")
    probe = kit.ranked("a b w", question="z2 b", other="a z1")
    assert cause(trial, probe) == ("query", None)


def test_one_near_query_is_enough_to_have_asked(trial, kit):
    one_need(trial, kit).search("other", "c z1").search("third", "c z1")
    probe = kit.ranked(question="w", other="c z1", third="c z1")
    probe.far = ("other",)
    assert cause(trial, probe) == ("query", None)


@pytest.mark.parametrize("wording", ["The question", "also this", "Named so"])
def test_a_wording_of_the_need_is_near_without_any_measure(trial, kit, wording):
    trial.task(("mark", {"key": "A"}))
    more = {"paraphrases": ["also this"], "natural": "named so?"}
    trial.need("A", kit.p, by="a0", question="the question!", **more).user()
    trial.search(wording, "c z1")
    probe = kit.ranked(**{"the question!": "c z1"})
    probe.nearness = None  # nobody asks for it
    assert cause(trial, probe) == ("ranking", None)


@pytest.mark.parametrize(
    ("parameters", "reported", "expected"),
    [
        ({"k": 1}, False, "own_k"),  # w is second and k is 2: the call asked for one
        ({"kind": "hours"}, False, "filtered"),  # D1 is of the kind fees
        ({"k": 1}, True, "not_asked"),  # its own means cannot be asked again, so nothing proves it
    ],
)
def test_a_query_that_covers_it_within_k_is_near_by_proof(
    trial, kit, parameters, reported, expected
):
    one_need(trial, kit).search("other", "c", parameters=parameters)
    trial.events = [trial.events[0].model_copy(update={"reported": reported})]
    probe = kit.ranked(question="w", other="c w")
    probe.far = ("other",)
    assert act(trial).diagnose(probe).causes == {expected: 1}


def test_a_far_query_that_covers_it_below_k_was_not_asked(trial, kit):
    one_need(trial, kit).search("other", "c", parameters={"k": 1})
    probe = kit.ranked(question="w", other="c z1 w")  # third, and k is 2
    probe.far = ("other",)
    assert act(trial).diagnose(probe).causes == {"not_asked": 1}


def test_nearness_is_to_all_wordings_and_to_the_titles_of_the_needs_documents(trial, kit):
    trial.task(("mark", {"key": "A"}))
    more = {"paraphrases": ["also"], "natural": "named?"}
    trial.need("A", kit.p, kit.q, by="a0", **more).user().search("other", "z1")
    asked = []
    probe = kit.ranked(question="z1", other="z1")
    probe.nearness = lambda query, texts: asked.append((query, texts)) or 0.4
    act(trial).diagnose(probe)
    assert asked[0] == ("other", ["question", "also", "named?", "One", "Two"])


def test_a_query_after_the_deadline_was_not_asked_in_time(trial, kit):
    one_need(trial, kit).search("other", "c z1").do("mark", key="A").search("question", "w")
    probe = kit.ranked(question="w", other="c z1")
    probe.far = ("other",)
    assert trial.agent(".").user("###STOP###").diagnose(probe).causes == {"not_asked": 1}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"kind": "hours", "k": 1}, "filtered"),  # both, and the filter comes first
        ({"kind": "fees", "k": 1}, "own_k"),  # the filter lets D1 through
        ({"colour": "red", "k": 1}, "own_k"),  # no document has a colour: it filters nothing
        ({"kind": "hours", "k": 2}, "filtered"),
        ({"k": 2}, "cut_off"),  # as many hits as the setup's: the record says otherwise than this
    ],
)
def test_which_parameter_kept_it_out(trial, kit, parameters, expected):
    one_need(trial, kit).search("other", "c", parameters=parameters)
    assert cause(trial, kit.ranked(question="w", other="c w"))[0] == expected


def test_a_filter_is_not_to_blame_for_what_ranks_below_k(trial, kit):
    one_need(trial, kit).search("other", "c", parameters={"kind": "hours"})
    assert cause(trial, kit.ranked(question="", other="c z1 w")) == ("cut_off", 3)


def test_a_small_k_is_not_to_blame_for_what_ranks_below_the_setups_k(trial, kit):
    one_need(trial, kit).search("other", "c", parameters={"k": 1})
    assert cause(trial, kit.ranked(question="w", other="c z1 w")) == ("query", None)


def test_the_agents_own_small_k_comes_before_a_split(trial, kit):
    # a (half of P, and rank 1) and b at rank 2 cover it within k, though no single chunk holds it
    one_need(trial, kit).search("other", "a", parameters={"k": 1})
    assert cause(trial, kit.ranked("a b", question="a b", other="a b")) == ("own_k", None)


def test_the_smallest_depth_is_kept(trial, kit):
    one_need(trial, kit).search("other", "c z1").search("third", "c z1")
    probe = kit.ranked(question="", other="c z1 z2 z3 z4 w", third="c z1 w")
    assert cause(trial, probe) == ("cut_off", 3)


def test_calls_after_the_deadline_say_nothing_about_the_cause(trial, kit):
    one_need(trial, kit).search("other", "c z1").do("mark", key="A").search("late", "w")
    probe = kit.ranked(question="", other="c z1", late="w")
    found = trial.agent(".").user("###STOP###").diagnose(probe)
    assert found.causes == {"ranking": 1}
    assert found.label == "evidence_late"


def test_a_need_without_question_is_undetermined(trial, kit):
    # Whether it was asked cannot be told, so that no later cause is the first that holds.
    one_need(trial, kit, question=None).search("other", "c z1")
    assert cause(trial, kit.ranked(other="c z1 w")) == ("undetermined", None)
    assert trial.diagnose(kit.ranked("a b c")).causes == {"undetermined": 1}


def test_nothing_is_said_of_searches_that_cannot_be_seen(trial, kit):
    trial.offered, trial.searches_seen = False, False
    one_need(trial, kit)
    assert cause(trial, kit.ranked(question="w")) == ("undetermined", None)


def test_without_a_tool_to_ask_the_question_it_is_undetermined(trial, kit):
    one_need(trial, kit).search("other", "c z1")
    probe = kit.ranked(other="c z1 w", question="w")
    probe.search_tool = None
    assert cause(trial, probe) == ("undetermined", None)


def test_without_the_model_behind_the_tool_it_is_undetermined(trial, kit):
    one_need(trial, kit).search("other", "c z1")
    probe = kit.ranked(other="c z1 w", question="w")

    def silent(query, depth, tool):
        raise LLMError("connection", "The model that rewrites cannot be reached.")

    assert cause(trial, probe) == ("query", None)
    probe.hits = silent
    assert trial.diagnose(probe).causes == {"undetermined": 1}


def test_one_whole_alternative_is_not_split(trial, kit):
    # P is split, Q is whole in c.
    one_need(trial, kit, [kit.p, kit.q]).search("other", "z1 z2")
    assert cause(trial, kit.ranked("a b c", question="c", other="z1 z2")) == ("query", None)


@pytest.mark.parametrize(("start", "expected"), [(110, "ranking"), (111, "split")])
def test_a_chunk_with_nine_tenths_of_a_passage_is_no_split(trial, kit, start, expected):
    # A passage of 100 from `start`, a chunk that ends at 200: 90 of 100, or 89.
    passage = {"doc_id": "D1", "start": start, "end": start + 100, "loader": "files"}
    one_need(trial, kit, passage).search("other", "z1 z2")
    assert cause(trial, kit.ranked("a")) == (expected, None)


# Call classes: the complete multiset of each trial.


def useful(trial, kit):
    one_need(trial, kit).search("one", "w")


def unneeded(trial, kit):
    trial.user().search("one", "w")


def redundant(trial, kit):
    # Redundant needs an equal call before it, which was a miss.
    one_need(trial, kit).search("one", "z1").search("ONE!", "z1")


def missed(trial, kit):
    one_need(trial, kit).search("one", "z1")


CALL_TRIALS = {
    useful: {"useful": 1},
    unneeded: {"unneeded": 1},
    redundant: {"missed": 1, "redundant": 1},
    missed: {"missed": 1},
}


@pytest.mark.parametrize("build", CALL_TRIALS, ids=lambda build: build.__name__)
def test_call_class(trial, kit, build):
    build(trial, kit)
    found = trial.agent("Done.").user("###STOP###").diagnose()
    assert Counter(call.call_class.value for call in found.calls) == CALL_TRIALS[build]
    counts = (found.n_useful, found.n_unneeded, found.n_redundant, found.n_missed)
    names = ("useful", "unneeded", "redundant", "missed")
    assert dict(zip(names, counts, strict=True)) == {n: CALL_TRIALS[build].get(n, 0) for n in names}
    assert (found.n_stale, found.n_failed_calls) == (0, 0)


def test_stale_and_raised_alone(trial, kit):
    one_need(trial, kit).search("one", "z1").search("two", "z1").search("three", error=True)
    found = trial.agent("Done.").user("###STOP###").diagnose()
    assert [(c.call_class, c.stale) for c in found.calls] == [
        (CallClass.MISSED, False),
        (CallClass.MISSED, True),
        (None, False),
    ]
    assert (found.n_calls, found.n_stale, found.n_failed_calls) == (2, 1, 1)


def test_the_table_of_call_classes_is_complete():
    assert {build.__name__ for build in CALL_TRIALS} == {kind.value for kind in CallClass}


# Labels.


def no_retrieval_needed(trial, kit):
    trial.task(("mark", {"key": "A"})).user()
    act(trial)


def unneeded_retrieval(trial, kit):
    trial.task(("mark", {"key": "A"})).user().search("one", "w")
    act(trial)


def efficient(trial, kit):
    # A miss is no excess.
    act(one_need(trial, kit).search("one", "z1").search("two", "w"))


def excess_retrieval(trial, kit):
    act(one_need(trial, kit).search("one", "w").search("two", "w"))


def evidence_unused(trial, kit):
    one_need(trial, kit).search("one", "w").search("two", "w")  # excess, but it failed
    trial.agent("No.").user("###STOP###")


def not_observed(trial, kit):
    trial.offered, trial.searches_seen = False, False
    act(one_need(trial, kit))


def label_not_offered(trial, kit):
    trial.offered = False
    act(one_need(trial, kit))


def missed_retrieval(trial, kit):
    act(one_need(trial, kit))


def evidence_missed(trial, kit):
    act(one_need(trial, kit).search("one", "z1"))


def evidence_partial(trial, kit):
    act(one_need(trial, kit, kit.p, kit.q).search("one", "c"))


def evidence_late(trial, kit):
    one_need(trial, kit, kit.p, kit.q).search("one", "c").do("mark", key="A")
    trial.search("two", "w").agent("Done.").user("###STOP###")


# label: lucky, sufficient context, multiset of call classes
LABEL_TRIALS = {
    no_retrieval_needed: (False, None, {}),
    unneeded_retrieval: (False, None, {"unneeded": 1}),
    efficient: (False, True, {"missed": 1, "useful": 1}),
    excess_retrieval: (False, True, {"useful": 1, "unneeded": 1}),
    evidence_unused: (False, True, {"useful": 1, "unneeded": 1}),
    not_observed: (False, None, {}),
    label_not_offered: (True, False, {}),
    missed_retrieval: (True, False, {}),
    evidence_missed: (True, False, {"missed": 1}),
    evidence_partial: (True, False, {"useful": 1}),
    evidence_late: (True, False, {"useful": 2}),
}


@pytest.mark.parametrize("build", LABEL_TRIALS, ids=lambda build: build.__name__)
def test_label(trial, kit, build):
    lucky, sufficient, classes = LABEL_TRIALS[build]
    build(trial, kit)
    found = trial.diagnose()
    assert found.label == build.__name__.removeprefix("label_")
    assert (found.lucky, found.sufficient_context) == (lucky, sufficient)
    assert Counter(call.call_class.value for call in found.calls) == classes


def test_the_table_of_labels_is_complete():
    assert [build.__name__.removeprefix("label_") for build in LABEL_TRIALS] == list(LABELS)


def test_evidence_missed_never_stands_beside_a_useful_call(trial, kit):
    # a holds half of P: no item is covered, but something of it came
    act(one_need(trial, kit).search("one", "a"))
    found = trial.diagnose()
    assert (found.n_useful, found.label) == (1, "evidence_partial")


def test_an_infrastructure_failure_has_no_label(trial, kit):
    trial.termination = Termination.INFRASTRUCTURE_ERROR
    act(one_need(trial, kit).search("one", "w"))
    assert trial.diagnose().label is None


def test_what_cannot_be_seen_is_undefined_and_never_zero(trial, kit):
    not_observed(trial, kit)
    found = trial.diagnose()
    assert (found.under_retrieval, found.late_recall, found.document_recall) == (None, None, None)
    assert (found.under_search_rate, found.over_retrieval, found.lucky) == (None, None, False)
    failed = one_need(kit.new(), kit)
    failed.offered, failed.searches_seen = False, False
    assert failed.agent("No.").user("###STOP###").diagnose().attribution == "missing_action"


@pytest.mark.parametrize("kept", [0, 1])
def test_a_search_without_a_record_leaves_open_what_came(trial, kit, kept):
    # Two searches in the messages; of one or of both it is not recorded what they found.
    act(one_need(trial, kit).search("other", "c").search("third", "w"))
    trial.events = trial.events[:kept]
    found = trial.diagnose(kit.ranked(question="w"))
    assert (found.label, found.causes) == ("not_observed", {"undetermined": 1})
    assert [need.status.value for need in found.needs] == ["not known"]
    unknown = (
        "under_retrieval", "late_recall", "over_retrieval", "tokens_per_item", "excess_share",
        "misses_per_call", "over_search_rate", "under_search_rate", "sufficient_context",
        "calls_to_sufficiency",
    )  # fmt: skip
    assert {name: getattr(found, name) for name in unknown} == dict.fromkeys(unknown)


def test_a_search_that_failed_without_a_record_brought_nothing(trial, kit):
    act(one_need(trial, kit).search("other", error=True))
    trial.events = []
    assert trial.diagnose().label == "missed_retrieval"


def test_a_search_without_a_record_is_a_search_where_nothing_is_needed(trial):
    trial.task().search("other", "c").user("###STOP###")
    trial.events = []
    assert trial.diagnose().label == "unneeded_retrieval"


@pytest.mark.parametrize(
    "change",
    [
        {"call_id": "ghost"},  # in no message
        {"tool": "mark"},  # the call of that id is another tool's
        {},  # a second record of the one call
    ],
)
def test_a_search_that_nobody_made_does_not_count(trial, kit, change):
    act(one_need(trial, kit).search("other", "w"))
    honest = trial.diagnose()
    trial.events.append(trial.events[0].model_copy(update=change))
    assert trial.diagnose() == honest
    assert honest.n_calls == 1


def test_a_search_that_the_agent_reports_counts_without_a_call(trial, kit):
    act(one_need(trial, kit).search("other", "c"))
    reported = trial.events[0].model_copy(update={"call_id": "r1", "reported": True})
    trial.events.append(reported)
    assert trial.diagnose().n_calls == 2


def test_unseen_searches_are_no_matter_when_all_stood_in_the_prompt(trial, kit):
    trial.offered, trial.searches_seen = False, False
    act(one_need(trial, kit).inline("w"))
    assert trial.diagnose().label == "efficient"


def hits(n, first="w"):
    """So many chunks, the first with evidence unless another is named."""
    return " ".join([first, *(f"s{i}" for i in range(n - 1))])


@pytest.mark.parametrize(
    ("searches", "expected"),
    [
        ([hits(5)], "efficient"),  # 4 of 5 tokens without evidence: 80 % is ordinary
        ([hits(11)], "efficient"),  # 10/11, and the bound is 10 / 11 hits
        ([hits(12)], "excess_retrieval"),  # 11/12 > 10/12
        ([hits(50)], "excess_retrieval"),  # 49/50 > 10/50
        ([hits(5, "s99")] * 4 + [hits(5)], "efficient"),  # four misses: a miss is no excess
        ([hits(21, "s99"), hits(1)], "excess_retrieval"),  # 21/22 > 10/11
        ([hits(19, "s99"), hits(1)], "efficient"),  # 19/20 < 10/10
    ],
)  # fmt: skip
def test_a_flood_is_not_efficient(trial, kit, searches, expected):
    one_need(trial, kit)
    for number, found in enumerate(searches):
        trial.search(f"query {number}", found)
    found = act(trial).diagnose()
    assert (found.label, found.over_search_rate) == (expected, 0)


def test_three_floods_of_fifty_are_not_efficient(trial, kit):
    # each is useful: half of P, the rest of it, Q
    one_need(trial, kit, kit.p, kit.q)
    for number, first in enumerate("abc"):
        trial.search(f"query {number}", hits(50, first))
    found = act(trial).diagnose()
    assert [call.call_class for call in found.calls] == [CallClass.USEFUL] * 3
    assert (found.label, found.is_flooded) == ("excess_retrieval", True)
    assert found.excess_share == pytest.approx(147 / 150)
    assert found.avoidable_tokens == 3 * (4900 - 1000)


def test_a_search_tool_is_missed_only_when_evidence_is_missing(trial, kit):
    trial.offered = False
    act(one_need(trial, kit).inline("w"))
    assert trial.diagnose().label == "efficient"


# Attributions: what fails, with all evidence inlined unless retrieval is to blame.


def informed(trial, kit, **task):
    trial.task(("mark", {"key": "A"}), **task)
    return trial.need("A", kit.p, by="a0").inline("w").user()


def infrastructure(trial, kit):
    informed(trial, kit)
    trial.termination = Termination.INFRASTRUCTURE_ERROR


def broken_off(trial, kit, termination):
    # nothing was searched and nothing done: a crash is a crash all the same
    one_need(trial, kit)
    trial.termination, trial.script_delivered = termination, False


def agent_error(trial, kit):
    broken_off(trial, kit, Termination.AGENT_ERROR)


def timeout(trial, kit):
    broken_off(trial, kit, Termination.TIMEOUT)


def context_overflow(trial, kit):
    broken_off(trial, kit, Termination.CONTEXT_OVERFLOW)


def user_simulator(trial, kit):
    informed(trial, kit).user("###STOP###")
    trial.script_delivered = False


def retrieval(trial, kit):
    one_need(trial, kit).search("one", "z1").agent("No.").user("###STOP###")


def policy_violation(trial, kit):
    # The right mark, but 13 was written on the way, which a hard rule forbids.
    informed(trial, kit).do("mark", key="A", value=13)
    act(trial)


def wrong_arguments(trial, kit):
    informed(trial, kit).do("mark", key="Z").agent("Done.").user("###STOP###")


def missing_action(trial, kit):
    informed(trial, kit).agent("No.").user("###STOP###")


def extra_write(trial, kit):
    act(informed(trial, kit)).do("mark", key="Z")


def communication(trial, kit):
    act(informed(trial, kit, say=["$5"]))


def max_steps(trial, kit):
    act(informed(trial, kit))
    trial.termination = Termination.MAX_STEPS


def other(trial, kit):
    act(informed(trial, kit))
    trial.termination = Termination.MAX_ERRORS


ATTRIBUTION_TRIALS = (
    infrastructure, agent_error, timeout, context_overflow, user_simulator, retrieval,
    policy_violation, wrong_arguments, missing_action, extra_write, communication, max_steps, other,
)  # fmt: skip


@pytest.mark.parametrize("build", ATTRIBUTION_TRIALS, ids=lambda build: build.__name__)
def test_attribution(trial, kit, build):
    build(trial, kit)
    found = trial.diagnose()
    assert found.attribution == build.__name__
    assert found.sufficient_context is (
        build not in (retrieval, agent_error, timeout, context_overflow)
    )


def test_the_table_of_attributions_is_complete():
    assert [build.__name__ for build in ATTRIBUTION_TRIALS] == list(ATTRIBUTIONS)


def test_nothing_is_to_blame_for_a_success(trial, kit):
    assert act(informed(trial, kit)).diagnose().attribution is None
    lucky = act(one_need(kit.new(), kit)).diagnose()
    assert (lucky.lucky, lucky.attribution) == (True, None)


@pytest.mark.parametrize(
    ("termination", "delivered", "expected"),
    [
        (Termination.USER_ERROR, True, "user_simulator"),
        (Termination.USER_ERROR, None, "user_simulator"),
        (Termination.USER_STOP, None, "missing_action"),  # a user without script
        (Termination.USER_STOP, True, "missing_action"),
        (Termination.MAX_STEPS, False, "missing_action"),  # the user did not stop
        (Termination.AGENT_ERROR, False, "agent_error"),
    ],
)
def test_when_the_user_simulator_is_to_blame(trial, kit, termination, delivered, expected):
    informed(trial, kit).agent("No.")
    trial.termination, trial.script_delivered = termination, delivered
    assert trial.diagnose().attribution == expected


def test_an_unmet_need_of_something_right_is_not_to_blame(trial, kit):
    # a0's need is unmet, but a0 is right; a1 needs nothing and is missing.
    trial.task(("mark", {"key": "A"}), ("mark", {"key": "B"})).need("A", kit.p, by="a0").user()
    assert act(trial).diagnose().attribution == "missing_action"


def test_retrieval_is_to_blame_when_the_unlocking_lacked_its_document(trial, kit):
    # The write's own need is met; the name of the tool was never found.
    trial.task(("unlock_tool", {"tool_name": "stamp_77"}), ("stamp_77", {"key": "A"}))
    trial.need("name", kit.p, by="a0").need("amount", kit.q, by="a1").user()
    found = trial.search("amount", "c").agent("No.").user("###STOP###").diagnose()
    assert [need.status for need in found.needs] == ["unmet", "met"]
    assert found.attribution == "retrieval"


def test_a_missing_read_is_no_missing_action_unless_actions_are_scored(trial, kit):
    trial.task(("look", {"key": "A"}), say=["$5"]).user().agent("No.").user("###STOP###")
    assert trial.diagnose().attribution == "communication"
    trial.criteria["reward_basis"] = ["ACTION", "COMMUNICATE"]
    assert trial.diagnose().attribution == "missing_action"
