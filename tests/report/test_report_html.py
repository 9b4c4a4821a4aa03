"""The static page: complete, escaped, self-contained, equal bytes for equal scores."""

from html.parser import HTMLParser

import pytest

from ragbench.records import ActionCheck, CallClass, CallDiagnosis, CommunicateCheck
from ragbench.report import render_html

HOSTILE = "</style></code><script>alert('x')</script><img src=x onerror=\"go()\">&amp;\x07"
VOID = {"meta", "img", "wbr"}


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.text = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            glue = self.tags[-1] == "wbr" and self.text and self.open[-1] == "b"
            self.text.append((self.text.pop() if glue else "") + data)

    @property
    def words(self):
        return " ".join("".join(f"{part} " for part in self.text).replace("\xa0", " ").split())


@pytest.fixture
def hostile(scores):
    """The trials, with markup in everything that comes from outside."""
    bad = scores[4]
    action = ActionCheck(
        action_id=HOSTILE,
        name=HOSTILE,
        call_id="c",
        step=1,
        differences={HOSTILE: (HOSTILE, [HOSTILE])},
    )
    call = CallDiagnosis(
        call_id="c", step=1, position=0, query=HOSTILE, call_class=CallClass.MISSED, n_tokens=1
    )
    need = bad.diagnosis.needs[0].model_copy(update={"need_id": HOSTILE})
    score = bad.score.model_copy(
        update={
            "actions": (action,),
            "reason": HOSTILE,
            "communicate": (CommunicateCheck(index=0, info=HOSTILE),),
            "extra_writes": (HOSTILE,),
            "hard_violations": (HOSTILE,),
            "components": {HOSTILE: 0.0},
        }
    )
    diagnosis = bad.diagnosis.model_copy(
        update={"calls": (call,), "needs": (need,), "label": HOSTILE}
    )
    return [
        bad.model_copy(
            update={
                "task_id": HOSTILE,
                "score": score,
                "diagnosis": diagnosis,
                "beats_reference": True,
            }
        )
    ]


def test_everything_about_a_trial_is_on_the_page(resolved, summary, scores):
    words = Page(render_html(resolved, summary, scores)).words
    for part in (
        "pass^1 80.0 %",
        "dense (this setup) 66.7 %",
        "The agent searched too little and too much: 4 of 6 evidence items (66.7 %) did not come",
        "over_retrieval 92.5 % floor of this chunking 60.0 %",
        "tokens per covered item 1,600 ",
        "waive_fault 0.0 evidence_partial 3 75.0 % 90.0 % 70.0 % 1,200 66.7 % 33.3 % 33.3 % "
        "cut_off , query x2 retrieval",
        "1 after sufficiency closed days step 2 800 -",
        "ground late step 5 item 1 came at step 7: query, the written question finds it within k",
        "item 2 never came: cut_off, it ranks below k, within 4k (a query or the question",
        "2 missed, stale playbook step 3 800 25.0 %",
        "1 call raised an error, counted apart",
        'waive waive_fee wrong step 6 ground: expected "FAULT" , found "CLOSURE"',
        "unlock unlock_tool not attempted",
        "7.50 said step 7 FAULT not said",
        "Failed by retrieval: something missing or wrong had a need that was not met.",
        "excess_tokens 1,600 of 2,400",
    ):
        assert part in words, part


def test_a_details_element_per_trial(resolved, summary, scores):
    page = Page(render_html(resolved, summary, scores))
    assert page.tags.count("details") == page.tags.count("summary") == len(scores) == 6
    assert ("id", "waive_fault.0") in page.attributes


def test_nothing_that_was_read_becomes_markup(resolved, summary, hostile):
    identity = dict.fromkeys(resolved["identity"], HOSTILE) | {
        "task_ids": [HOSTILE],
        "num_trials": 1,
    }
    text = render_html({"identity": identity}, summary, hostile)
    page = Page(text)
    assert "<script" not in text
    assert "\x07" not in text
    assert not {"script", "img"} & set(page.tags)
    assert {name for name, _ in page.attributes} <= {
        "class", "id", "style", "lang", "charset", "name", "content", "colspan",
    }  # fmt: skip
    assert "<script>alert('x')</script>" in page.words


def test_self_contained_and_equal_for_equal_scores(resolved, summary, scores):
    text = render_html(resolved, summary, scores)
    assert text == render_html(dict(resolved), dict(summary), list(scores))
    for word in ("http", "url(", "@import", "<script", "<link", "src="):
        assert word not in text, word


def test_no_trial_and_no_figure_is_still_a_page(resolved, summary):
    undefined = {"mean": None, "low": None, "high": None, "n": 0, "n_undefined": 0}
    empty = summary | {
        "reward": undefined,
        "pass_hat_k": {"pass^1": None},
        "labels": {},
        "causes": {},
        "attributions": {},
        "by_task": dict.fromkeys(summary["by_task"], undefined),
        "references": dict.fromkeys(summary["references"], undefined),
        "tokens": dict.fromkeys(summary["tokens"], 0) | {"per_success": None, "per_item": None},
    }
    words = Page(render_html(resolved, empty, [])).words
    assert "pass^1 -" in words
    assert "tokens per success -" in words


def test_the_oracle_is_told_what_is_by_design(resolved, summary, scores):
    oracle = {"identity": resolved["identity"] | {"agent": "oracle"}}
    words = Page(render_html(oracle, summary, scores)).words
    assert "efficient 1 0.0 % 87.5 % 50.0 % 800 75.0 % 0.0 % 0.0 % by design" in words


def test_the_passages_stand_beside_the_diagnosis(resolved, summary, scores):
    from ragbench.report._passages import Delivered, Passages

    item = next(item for score in scores for item in score.diagnosis.items)
    score = next(score for score in scores if item in score.diagnosis.items)
    call = next(iter(score.diagnosis.calls))
    passages = Passages(
        evidence={(score.task_id, item.need_id, item.index): [("fees.pdf, p. 4", "It costs <5>")]},
        hits={
            (score.task_id, score.trial, call.call_id): [
                Delivered(1, "rates.md, Loans", (f"{item.need_id} 1",)),
                Delivered(2, "other.md", ()),
            ]
        },
    )
    page = render_html(resolved, summary, scores, passages)
    assert "<blockquote>It costs &lt;5&gt;<cite>fees.pdf, p. 4</cite></blockquote>" in page
    assert f"evidence: {item.need_id} 1" in page
    assert "<li>other.md</li>" in page
