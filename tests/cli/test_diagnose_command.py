"""``ragbench diagnose`` over a run's trajectories, and over lines that are none."""

import json
import re
import subprocess
import sys

import pytest

RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]
DIAGNOSE = ["--domain", "mock", "--retrieval-config", "bm25"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a store and a run of two tasks."""
    folder = tmp_path_factory.mktemp("diagnose")
    some = ["--task-ids", "due_date,waive_fault", "--save-to", "run"]
    done = _ragbench(folder, "eval", *DIAGNOSE, *some)
    assert done.returncode == 0, done.stderr
    return folder


def _ragbench(folder, *args):
    return subprocess.run(
        [*RAGBENCH, *map(str, args)], cwd=folder, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def lines(folder):
    """The run's trajectories as objects, by task."""
    text = (folder / "run" / "trajectories.jsonl").read_text()
    return {line["task_id"]: line for line in map(json.loads, text.splitlines())}


@pytest.fixture
def diagnose(folder):
    def run(content, *options):
        path = folder / "given.jsonl"
        path.write_text(
            content if isinstance(content, str) else "".join(json.dumps(x) + "\n" for x in content)
        )
        return _ragbench(folder, "diagnose", "given.jsonl", *DIAGNOSE, *options)

    return run


def test_a_run_diagnosed_again_is_what_the_run_stored(folder):
    done = _ragbench(folder, "diagnose", "run/trajectories.jsonl", *DIAGNOSE, "--format", "json")
    assert done.returncode == 0, done.stderr
    stored = [
        json.loads(line) for line in (folder / "run" / "scores.jsonl").read_text().splitlines()
    ]
    assert sorted(json.loads(done.stdout)["trials"], key=lambda trial: trial["task_id"]) == stored


def test_a_block_per_trajectory(folder, diagnose, lines):
    done = diagnose([lines["due_date"], lines["waive_fault"]])
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.split("\n\n")
    assert first.splitlines() == [
        'no_retrieval_needed   "nothing had to be looked up, and nothing was"',
        "  line 1  task due_date  trial 0  agent oracle  reward 1.0",
        "  under_retrieval -  over_retrieval -  floor -  tokens_per_item -  excess_share -",
        "  misses_per_call -  over_search_rate -  under_search_rate -",
    ]
    assert second.startswith('efficient   "all evidence came in time, without a wasted call or ')
    assert "warning" not in done.stdout
    assert "do not agree" not in done.stderr
    assert re.search(r'^  call 1 \[useful\]  ".+"  step \d+, \d+ tokens$', second, re.M)
    assert re.search(
        r"^  need ground: met \(needed at step \d+, covered at step \d+\)$", second, re.M
    )
    assert "over_search_rate 0.0 % by design" in second


def _without_its_hits(line):
    """The same calls, each of which found only the document about opening hours."""
    hit = {
        "doc_id": "closed-days-2026.md",
        "start": 0,
        "end": 50,
        "score": 1.0,
        "rank": 1,
        "n_tokens": 9,
    }
    events = [event | {"hits": [hit], "n_delivered": 1} for event in line["events"]]
    return line | {"events": events, "agent": "mine"}


def test_causes_that_need_another_index_are_undetermined_and_it_says_so(diagnose, lines):
    poor = _without_its_hits(lines["waive_fault"])
    here = diagnose([poor])
    assert "undetermined" not in here.stdout
    assert re.search(r"never covered, cause (query|cut_off)", here.stdout), here.stdout
    elsewhere = diagnose([poor | {"index_id": "feedfacefeedface"}])
    assert elsewhere.returncode == 0
    assert "cause undetermined" in elsewhere.stdout
    assert "\n  undetermined: recorded with index feedfacefeed, not " in elsewhere.stdout
    other_setup = diagnose([poor | {"setup": "dense"}], "--format", "csv")
    assert (
        "1. task waive_fault: undetermined: recorded with setup dense, not bm25"
        in other_setup.stderr
    )


def message_of(line, name):
    """The result of the first call of a tool, and its id."""
    calls = [call for m in line["messages"] for call in m.get("tool_calls", ())]
    call = next(call for call in calls if call["name"] == name)
    return next(m for m in line["messages"] if m.get("tool_call_id") == call["id"]), call


def failed_with_effect(line):
    answer, _ = message_of(line, "waive_fee_2718")
    answer |= {"error": True, "content": "Error: the connection was lost"}


def refused(line):
    _, call = message_of(line, "find_member")
    call["name"] = "find_nobody"


def other_answer(line):
    answer, _ = message_of(line, "find_member")
    answer["content"] = answer["content"].replace("}", ', "vip": true}', 1)


def other_hits(line):
    line["events"][0]["hits"] = line["events"][0]["hits"][1:]
    line["events"][0]["n_delivered"] -= 1


def no_event(line):
    del line["events"][0]


def ghost(line):
    """A search that no message makes."""
    line["events"].append(line["events"][0] | {"call_id": "ghost"})


def other_setup(line):
    line["setup"] = "dense"


def other_task(line):
    line["task_sha256"] = "feed" * 16


def other_domain(line):
    line["domain_sha256"] = "beef" * 16


FORGERIES = {
    failed_with_effect: "(waive_fee_2718) is recorded as failed, but its effect stands in the",
    refused: "(find_nobody) is recorded as answered, but the environment refuses it: Error: ",
    other_answer: "(find_member) is recorded with another answer than the environment gives",
    other_hits: "(search_policies) is recorded with other hits than the search finds",
    no_event: "(search_policies) has no record of what it delivered, so that nothing of it counts",
    ghost: "the search ghost at step 2 (search_policies) is recorded, but no message makes this",
    other_setup: "it was recorded under the setup 'dense', and is diagnosed under 'bm25'; give",
    other_task: "the task 'waive_fault' is another than it was played on (feedfeedfeed, now ",
    other_domain: "the domain 'mock' is another than it was played on (beefbeefbeef, now ",
}


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_what_does_not_agree_with_the_domain_is_a_warning_and_a_count(diagnose, lines, forge):
    forged = json.loads(json.dumps(lines["waive_fault"]))
    forge(forged)
    done = diagnose([lines["due_date"], forged])
    assert done.returncode == 0, done.stderr
    honest, told = done.stdout.split("\n\n")
    assert "warning" not in honest
    assert told.count("warning: ") == 1
    assert FORGERIES[forge] in told
    assert "1 of 2 trajectories do not agree with the domain" in done.stderr
    again = diagnose([lines["due_date"], forged], "--format", "json")
    first, second = json.loads(again.stdout)["trials"]
    assert (first["provenance"], len(second["provenance"])) == ([], 1)
    assert f"2. task waive_fault: warning: {second['provenance'][0]}" in again.stderr


def test_the_spelling_of_an_answer_is_no_matter(diagnose, lines):
    same = json.loads(json.dumps(lines["waive_fault"]))
    answer, _ = message_of(same, "find_member")
    answer["content"] = json.dumps(json.loads(answer["content"]), indent=4)
    del same["task_sha256"], same["domain_sha256"]  # from elsewhere: nothing to hold it against
    assert "warning" not in diagnose([same]).stdout


def test_an_unknown_task_names_the_line(diagnose, lines):
    done = diagnose([lines["due_date"], lines["waive_fault"] | {"task_id": "waive_falt"}])
    assert done.returncode == 2
    assert done.stderr.startswith(
        "Error: given.jsonl, line 2: no task of mock is called 'waive_falt'. Known: "
    )
    assert "did you mean 'waive_fault'?" in done.stderr


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('{"task_id": "due', "given.jsonl, line 2 is no trajectory: Invalid JSON"),
        (
            '{"task_id": "due_date"}',
            "given.jsonl, line 2 is no trajectory: termination: Field required",
        ),
    ],
)
def test_a_line_that_is_no_trajectory_is_named(diagnose, lines, second, message):
    done = diagnose(json.dumps(lines["due_date"]) + "\n" + second + "\n")
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stdout == ""


def test_a_span_that_the_corpus_does_not_hold_is_refused(diagnose, lines):
    line = lines["waive_fault"]
    events = [dict(event) for event in line["events"]]
    hits = [dict(hit) for hit in events[0]["hits"]]
    events[0]["hits"] = [hits[0] | {"doc_id": "elsewhere.md"}, *hits[1:]]
    done = diagnose([line | {"events": events}])
    assert done.returncode == 1
    assert (
        "given.jsonl, line 1 saw the document 'elsewhere.md', which the corpus of mock"
        in done.stderr
    )
    events[0]["hits"] = [hits[0] | {"end": 10**6}, *hits[1:]]
    done = diagnose([line | {"events": events}])
    assert "up to character 1000000, but it has" in done.stderr


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (90, 10, "from character 90 to 10, which is no stretch of text"),
        (10, 10, "from character 10 to 10, which is no stretch of text"),
        (-5, 10, "from character -5 to 10, which is no stretch of text"),
    ],
)
def test_a_span_that_is_none_is_refused(diagnose, lines, start, end, message):
    line = json.loads(json.dumps(lines["waive_fault"]))
    line["events"][0]["hits"][0] |= {"start": start, "end": end}
    done = diagnose([lines["due_date"], line])
    assert (done.returncode, done.stdout) == (1, "")
    assert "given.jsonl, line 2 saw " in done.stderr
    assert message in done.stderr


@pytest.mark.parametrize("n", [-1, 99])
def test_more_delivered_than_found_is_refused(diagnose, lines, n):
    line = json.loads(json.dumps(lines["waive_fault"]))
    line["events"][0]["n_delivered"] = n
    done = diagnose([line])
    assert done.returncode == 1
    assert f"of which {n} are said to have been delivered" in done.stderr


def test_a_trial_that_stands_twice_is_a_warning(diagnose, lines):
    done = diagnose([lines["waive_fault"], lines["due_date"], lines["waive_fault"]])
    assert done.returncode == 0
    assert (
        "warning: given.jsonl, line 3: trial 0 of the task 'waive_fault' stands on line 1 already"
        in done.stderr
    )
    second = lines["waive_fault"] | {"trial": 1, "agent": "by hand"}
    done = diagnose([lines["waive_fault"], second])
    assert "already" not in done.stderr
    assert "\n  line 2  task waive_fault  trial 1  agent by hand  reward 1.0\n" in done.stdout


def test_a_byte_order_mark_is_no_matter(diagnose, lines):
    done = diagnose("\ufeff" + json.dumps(lines["due_date"]) + "\n")
    assert (done.returncode, done.stdout.split("  ")[0]) == (0, "no_retrieval_needed")


def test_a_search_without_a_record_is_not_observed(diagnose, lines):
    """What it found is not known: nothing reads as a search or as evidence that was missing."""
    line = lines["waive_fault"] | {"events": []}
    done = diagnose([line])
    assert done.stdout.startswith("not_observed ")
    assert "unmet" not in done.stdout
    assert "never covered" not in done.stdout
    needed = r"^  need ground: not known \(needed at step \d+, not seen to come\), cause undeter"
    assert re.search(needed, done.stdout, re.M)
    assert "under_retrieval -  over_retrieval -" in done.stdout


def test_a_setup_that_the_oracle_cannot_play_is_diagnosed(folder):
    """No oracle plays here: a tool that takes patterns alone is as good as any."""
    done = _ragbench(
        folder, "diagnose", "run/trajectories.jsonl", "--domain", "mock",
        "--retrieval-config", "grep_only",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "oracle" not in done.stderr
    assert "recorded under the setup 'bm25', and is diagnosed under 'grep_only'" in done.stdout


def test_no_file_and_no_line(folder, diagnose):
    done = _ragbench(folder, "diagnose", "absent.jsonl", *DIAGNOSE)
    assert (done.returncode, "'absent.jsonl' cannot be read" in done.stderr) == (2, True)
    done = diagnose("\n")
    assert (done.returncode, "holds no trajectory" in done.stderr) == (2, True)


@pytest.mark.slow
def test_the_recorded_examples_show_one_of_each_label(repository, tmp_path):
    from ragbench.diagnose import LABELS

    recorded = repository / "domains" / "mock" / "recorded" / "labels.jsonl"
    done = _ragbench(tmp_path, "diagnose", recorded, "--domain", "mock")
    assert done.returncode == 0, done.stderr
    heads = [block.split("   ")[0] for block in done.stdout.split("\n\n")]
    assert sorted(heads) == sorted(LABELS)
    unseen = next(block for block in done.stdout.split("\n\n") if block.startswith("not_observed"))
    assert done.stdout.count("undetermined") == unseen.count("undetermined") == 1
    assert "warning" not in done.stdout, "recorded with other tasks: make records"
