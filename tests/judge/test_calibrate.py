"""A judge against a person's labels: the file, the figures, and what is refused."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner

from ragbench.cli._main import cli
from ragbench.errors import RunError
from ragbench.judge import blank_labels, calibrate, judged_items, read_labels
from ragbench.records import AssertionReview, ClaimReview, DeviationReview, Review

HEADER = "task_id,trial,kind,number,label\n"


def review(task_id, trial=0, met=(), supported=(), deviated=None):
    return Review(
        task_id=task_id,
        trial=trial,
        assertions=tuple(
            AssertionReview(assertion=f"Said {i}.", met=one, reason="r")
            for i, one in enumerate(met)
        ),
        claims=tuple(
            ClaimReview(quote=f"Costs {i}.", step=1, supported=one, reason="r")
            for i, one in enumerate(supported)
        ),
        deviation=None if deviated is None else DeviationReview(deviated=deviated, reason="r"),
    )


@pytest.fixture
def items():
    """Assertions 6 true, 3 false, 1 not judged; two claims, one deviation."""
    met = [True, True, None], [True, True, False], [True, False], [True, False]
    reviews = [review(f"t{i}", met=one) for i, one in enumerate(met)]
    return judged_items([*reviews, review("t9", supported=(True, False), deviated=True)])


def labels(tmp_path, lines):
    path = tmp_path / "labels.csv"
    path.write_text(HEADER + lines, encoding="utf-8")
    return path


def test_sensitivity_and_specificity_by_hand(items, tmp_path):
    # Judge T T | T T F | T F; person T F | T T F | T T: of 5 true the judge calls 4 true, of 2
    # false 1 false; it agrees on 5 of 7, and calls 6 of its 9 true. The line left empty is none.
    path = labels(
        tmp_path,
        "t0,0,assertion,1,true\nt0,0,assertion,2,FALSE\nt1,0,assertion,1,True\n"
        "t1,0,assertion,2,true\nt1,0,assertion,3,false\nt2,0,assertion,1, true \n"
        "t2,0,assertion,2,true\nt3,0,assertion,1,\n",
    )
    one, deviation, claim = calibrate(items, read_labels(path, items))
    assert (one.kind, one.n_judged, one.n_not_judged) == ("assertion", 9, 1)
    assert (one.n_labelled, one.n_agreed) == (7, 5)
    assert one.sensitivity.share == pytest.approx(4 / 5)
    assert one.specificity.share == pytest.approx(1 / 2)
    assert one.apparent.share == pytest.approx(6 / 9)
    assert one.corrected.share == pytest.approx((6 / 9 + 1 / 2 - 1) / (4 / 5 + 1 / 2 - 1))
    assert (deviation.kind, deviation.n_labelled) == ("deviation", 0)
    assert claim.corrected.share is None
    assert "no labelled item is true" in claim.corrected.reason


def test_a_label_of_what_was_not_judged_is_in_no_figure(items, tmp_path):
    path = labels(tmp_path, "t0,0,assertion,3,true\n")
    assert calibrate(items, read_labels(path, items))[0].n_labelled == 0


def test_the_blank_file_does_not_tell_what_the_judge_said_and_reads_back(items, tmp_path):
    text = blank_labels(items, 4, seed=3)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["kind"] for row in rows].count("assertion") == 4
    assert {row["label"] for row in rows} == {""}
    assert "True" not in text
    assert text == blank_labels(items, 4, seed=3) != blank_labels(items, 4, seed=4)
    path = tmp_path / "filled.csv"
    path.write_text(text.replace(",\n", ",true\n"), encoding="utf-8")
    assert len(read_labels(path, items)) == len(rows)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("t0,0,assertion,1,yes\n", "'yes' is neither true nor false"),
        ("t0,0,assertion,7,true\n", "no assertion 7 of task 't0'"),
        ("zz,0,assertion,1,true\n", "of task 'zz'"),
        ("t0,0,verdict,1,true\n", "the kind 'verdict' is none of"),
        ("t0,x,assertion,1,true\n", "whole numbers"),
        ("t0,0,assertion,1,true\nt0,0,assertion,1,false\n", "line 2 .*has a label already"),
        ("", "no line"),
    ],
)
def test_malformed_labels_are_refused_with_their_line(items, tmp_path, lines, message):
    with pytest.raises(RunError, match=message):
        read_labels(labels(tmp_path, lines), items)


def test_a_file_without_its_columns_or_none_at_all(items, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("task,label\nt0,true\n", encoding="utf-8")
    with pytest.raises(RunError, match="no column 'task_id'"):
        read_labels(path, items)
    with pytest.raises(RunError, match="cannot be read"):
        read_labels(tmp_path / "none.csv", items)


def test_the_command(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.json").write_text("{}")
    asked = [
        CliRunner().invoke(cli, ["calibrate", str(run), *more], standalone_mode=False)
        for more in (["--sample", "2"], [])
    ]
    assert [isinstance(one.exception, RunError) for one in asked] == [True, True]
    assert "No judge has read" in str(asked[0].exception)
    reviews = [review(f"t{i}", met=[i % 3 > 0]) for i in range(30)]
    (run / "reviews.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in reviews))
    blank = CliRunner().invoke(cli, ["calibrate", str(run), "--sample", "20"]).stdout
    rows = blank.splitlines()
    assert len(rows) == 21
    # The person agrees on every item: 20 of 30 true, and so is the corrected rate.
    filled = [rows[0]] + [row + str(int(row.split(",")[0][1:]) % 3 > 0).lower() for row in rows[1:]]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(filled) + "\n")
    command = ["calibrate", str(run), "--labels", str(path)]
    text = CliRunner().invoke(cli, command).stdout
    assert text.startswith("assertions: 30 verdicts; true is met\n  labelled     20, of which 20")
    assert "corrected    66.7 % [" in text
    shown = json.loads(CliRunner().invoke(cli, [*command, "--format", "json"]).stdout)
    assert shown["assertion"]["corrected"]["share"] == pytest.approx(2 / 3)
