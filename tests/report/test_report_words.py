"""The summary in words, and one trial told in a few lines."""

from pathlib import Path

import pytest

from ragbench.report import narrative, words_text
from ragbench.report._words import sections

EXPECTED = """\
library, setup dense (recursive(size_tokens=256), minilm, k 5): 6 tasks, 1 trial each, agent mine,
user scripted, seed 7.
Success     pass^1 80.0 %, 95 % interval 37.6 % to 96.4 % over 5 tasks; 5 of 6 trials scored.
            Noise (standard error 20.0 points): one trial per task cannot tell the choice of tasks
              from chance within them; --num-trials 2 or more can.
            1 trial not scored: if all had failed, mean reward 66.7 %; if all had passed, 83.3 %.
Searching   The agent searched too little and too much: 4 of 6 evidence items (66.7 %) did not come
              in time, 3 of these for its own searching (not_searched, query x2), and 50.0 % of the
              4,800 delivered tokens were avoidable (after sufficiency, repeated, or floods); up to
              5 % of either still counts as well.
Reference   The oracle's success: no_knowledge 33.3 %, dense (this setup) 66.7 %, golden_retrieval
              100.0 %.
            The oracle asks exactly the written questions at k 5, never guesses, and acts perfectly
              once the annotated evidence has come: what this setup loses to golden_retrieval, its
              retrieval loses to those questions.
            It is a reference, no upper bound: better queries, a larger k, passages that nobody
              annotated, or luck can beat it. It does not say how well an LLM agent would do.
            Beat the reference (beats_reference), so review their evidence labels: guess.
"""


def _lines(resolved, summary, scores, title):
    found = {section.title: section.lines for section in sections(resolved, summary, scores)}
    return found.get(title, ())


def test_what_came_out_and_what_it_means(resolved, summary, scores):
    # 4 of 5 scored trials succeed; 4/6 and 5/6 bound the rate. The oracle solves 2, 4 and 6 of 6.
    text = words_text(resolved, summary, scores, Path("runs/library-1"))
    assert text.startswith(EXPECTED)
    assert "\nRun         runs/library-1: report.html shows every trial;" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_searches_and_tokens(resolved, summary, scores):
    lines = _lines(resolved, summary, scores, "Retrieval")
    # 1 + 3 + 2 calls; 800 + 2400 + 1600 tokens over 4 successes
    assert lines[-1] == (
        "6 searches: 2 useful, 2 after sufficiency, 1 redundant, 1 missed (1 stale), and 1 that "
        "raised an error; 4,800 tokens retrieved, 1,200 per success."
    )


def test_labels_causes_and_failures_with_their_meaning(resolved, summary, scores):
    assert _lines(resolved, summary, scores, "Labels")[-2:] == (
        "  1 evidence_partial: the agent searched and part of the evidence never came",
        "  1 of them lucky: success without the evidence",
    )
    assert (
        "  1 cut_off: it ranks below k, within 4k (at depth 8); remedy: a larger k, or a reranker"
        in _lines(resolved, summary, scores, "Causes")
    )
    assert _lines(resolved, summary, scores, "Context") == (
        "With all evidence in time 1 succeeded and 0 failed; without it 1 succeeded and 1 failed "
        "(trials with needs).",
    )
    assert _lines(resolved, summary, scores, "Failures")[-1] == (
        "  1 retrieval: something missing or wrong had a need that was not met"
    )


def test_equal_trials_show_one_figure(resolved, summary, scores):
    lines = _lines(resolved, summary | {"deterministic": True}, scores, "Success")
    assert lines[1] == "All trials are equal by construction, so only pass^1 is shown."


def test_more_trials_show_pass_k_and_its_absence(resolved, summary, scores):
    more = summary | {"pass_hat_k": {"pass^1": 0.8, "pass^2": 0.5, "pass^3": None}}
    assert "pass^2 50.0 %, pass^3 -." in _lines(resolved, more, scores, "Success")
    interval = {"mean": 0.5, "low": 0.31, "high": 0.69, "n": 20, "n_undefined": 0}
    undefined = {"mean": None, "low": None, "high": None, "n": 0, "n_undefined": 2}
    more |= {"pass_hat_k_intervals": {"pass^2": interval, "pass^3": undefined}}
    said = _lines(resolved, more, scores, "Success")
    assert "pass^2 50.0 % [31.0 %, 69.0 %], pass^3 -." in said


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.75, "25.0 % of its variance lies between tasks, 75.0 % is chance within them, so more "
         "trials help."),
        (0.3, "so more tasks help most, more trials a little."),
        (0.1, "so more tasks help, more trials hardly do."),
    ],
)  # fmt: skip
def test_where_the_noise_comes_from(resolved, summary, scores, share, words):
    found = {"standard_error": 0.042, "share_within": share, "within_tasks": 0.1}
    line = _lines(resolved, summary | {"variance": found}, scores, "Success")[1]
    assert line.startswith("Noise (standard error 4.2 points): ")
    assert line.endswith(words)


def test_one_trial_per_task_does_not_tell_the_parts_of_the_noise(resolved, summary, scores):
    assert summary["variance"]["within_tasks"] is None
    assert "one trial per task cannot tell" in _lines(resolved, summary, scores, "Success")[1]
    equal = summary | {"deterministic": True}
    assert not any("Noise" in line for line in _lines(resolved, equal, scores, "Success"))


def test_the_oracle_says_by_design_and_why(resolved, summary, scores):
    oracle = {"identity": resolved["identity"] | {"agent": "oracle"}}
    none = dict.fromkeys(("mean", "low", "high"), 0.0) | {"n": 3, "n_undefined": 3}
    fixed = summary | {"by_task": summary["by_task"] | {"over_search_rate": none}}
    lines = _lines(oracle, fixed, scores, "Retrieval")
    assert "over_search_rate 0.0 % by design, tokens per covered item 1,600 (means" in lines[0]
    assert lines[1].startswith("By design: the oracle never searches without an open item")


def test_without_a_search_tool_and_without_any_result(resolved, summary, scores):
    identity = resolved["identity"] | {"setup": "no_knowledge", "k": None, "embedder": None}
    text = words_text({"identity": identity}, summary, scores, Path("r"))
    assert text.startswith(
        "library, setup no_knowledge (recursive(size_tokens=256), no search tool):"
    )
    assert "no_knowledge (this setup) 33.3 %, golden_retrieval" in text
    undefined = {"mean": None, "low": None, "high": None, "n": 0, "n_undefined": 6}
    empty = summary | {"reward": undefined, "pass_hat_k": {"pass^1": None}, "n_trials_scored": 0}
    assert _lines(resolved, empty, scores, "Success")[0] == "pass^1 -; 0 of 6 trials scored."


def test_a_trial_told(scores):
    assert narrative(scores[4], "mine", "a note") == (
        'evidence_partial   "the agent searched and part of the evidence never came"\n'
        "  task waive_fault  reward 0.0 (DB is 0)  attribution retrieval\n"
        '  call 1 [useful]  "late fee grounds"  step 2, 800 tokens\n'
        '  call 2 [missed, stale]  "playbook"  step 3, 800 tokens\n'
        '  call 3 [redundant]  "Playbook!"  step 4, 800 tokens\n'
        "  1 call raised an error, counted apart\n"
        "  need ground: late (needed at step 5, covered at step 7), cause query\n"
        "  need how: unmet (needed at step 6)\n"
        "    item 1: covered at step 3\n"
        "    item 2: never covered, cause cut_off (at depth 8)\n"
        "    item 3: never covered, cause query\n"
        "  action waive: ground is 'CLOSURE', expected 'FAULT'\n"
        "  action unlock: not attempted\n"
        "  not said: 'FAULT'\n"
        "  extra writes: c2\n"
        "  under_retrieval 75.0 %  over_retrieval 90.0 %  floor 70.0 %  tokens_per_item 1,200  "
        "excess_share 66.7 %\n"
        "  misses_per_call 33.3 %  over_search_rate 33.3 %  under_search_rate 50.0 %\n"
        "  a note\n"
    )


def test_luck_is_said(scores):
    assert narrative(scores[2], "mine").splitlines()[0] == (
        'missed_retrieval   "evidence was missing and the agent never searched", '
        "lucky: success without the evidence"
    )
