"""The table of trials: undefined is `-`, by design is said, nothing is cut."""

import io

import pytest

from ragbench.diagnose import CAUSES as ALL_CAUSES
from ragbench.records import CallClass, Diagnosis, TrialScore
from ragbench.report import table_text, trials_csv, trials_table
from ragbench.report._glossary import BY_DESIGN, CALL_CLASSES, CAUSES, by_design


def _rows(scores, agent="mine"):
    return [line.split() for line in table_text(scores, agent).splitlines()]


def test_every_row_exactly(scores):
    head, _, *rows = _rows(scores)
    assert head == [
        "task", "reward", "label", "calls", "under_retrieval", "over_retrieval", "floor",
        "tokens_per_item", "excess_share", "misses_per_call", "over_search_rate", "causes",
        "attribution",
    ]  # fmt: skip
    assert [" ".join(row) for row in rows] == [
        "due_date 1.0 no_retrieval_needed 0 - - - - - - - - -",
        # 1 - 0.125 of the delivered characters were no evidence; 800 tokens for one item, 600 of
        # them without evidence
        "extend_loan 1.0 efficient 1 0.0 % 87.5 % 50.0 % 800 75.0 % 0.0 % 0.0 % - -",
        "guess 1.0 missed_retrieval (lucky, beats_reference) 0 100.0 % - - - - - - not_searched -",
        "one_more_day 1.0 unneeded_retrieval 2 - 100.0 % - - 100.0 % 0.0 % 100.0 % - -",
        # one redundant call of three, one missed; 2,400 tokens for the two items that ever came
        "waive_fault 0.0 evidence_partial 3 75.0 % 90.0 % 70.0 % 1,200 66.7 % 33.3 % 33.3 % "
        "cut_off, query x2 retrieval",
        # what broke off for infrastructure says nothing about the agent
        "zz_lost - - 0 - - - - - - - - infrastructure",
    ]


def test_a_second_trial_brings_its_column(scores):
    again = scores[0].model_copy(update={"trial": 1})
    head, _, first, second = _rows([scores[0], again])
    assert head[:3] == ["task", "trial", "reward"]
    assert (first[1], second[1]) == ("0", "1")


def test_the_oracle_marks_what_it_fixes(scores):
    assert "0.0 % by design" in table_text([scores[1]], "oracle")
    assert "by design" not in table_text([scores[1]], "mine")
    # waive_fault has 1/3: not what the construction fixes, so it is shown plainly.
    assert "by design" not in table_text([scores[4]], "oracle")
    # No call, no rate: undefined is not by design either.
    assert "by design" not in table_text([scores[0]], "oracle")


def test_long_cells_are_whole(scores):
    name = "t" * 500
    long = scores[4].model_copy(update={"task_id": name})
    lines = table_text([long], "mine").splitlines()
    assert len(lines) == 3
    assert lines[2].startswith(name)
    assert lines[2].endswith("retrieval")


def test_brackets_are_no_markup(scores):
    odd = scores[0].model_copy(update={"task_id": "[red]x[/red]"})
    assert "[red]x[/red]" in table_text([odd], "mine")


@pytest.mark.parametrize("measure", BY_DESIGN)
def test_by_design_names_are_measures(measure):
    assert measure in Diagnosis.model_fields or measure in TrialScore.model_fields
    assert by_design(measure, BY_DESIGN[measure].value, "oracle")
    assert not by_design(measure, None, "oracle")


def test_the_glossary_is_complete():
    assert list(CAUSES) == list(ALL_CAUSES)
    assert set(CALL_CLASSES) == {kind.value for kind in CallClass}


def test_csv_has_a_row_per_trial_and_empty_cells_for_undefined(scores):
    import csv

    rows = {row["task_id"]: row for row in csv.DictReader(io.StringIO(trials_csv(scores)))}
    assert list(rows) == [score.task_id for score in scores]
    assert rows["waive_fault"]["causes"] == "cut_off:1;query:2"
    assert rows["waive_fault"]["under_retrieval"] == "0.75"
    assert (rows["due_date"]["under_retrieval"], rows["zz_lost"]["reward"]) == ("", "")
    assert (rows["due_date"]["n_calls"], rows["guess"]["lucky"]) == ("0", "True")


@pytest.mark.parametrize(
    ("width", "gone"),
    [
        (200, []),
        (120, []),
        (110, ["over_search_rate"]),
        (80, ["over_search_rate", "misses_per_call", "tokens_per_item", "excess_share"]),
    ],
)
def test_a_narrow_terminal_breaks_headers_then_does_without_columns(scores, width, gone):
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None)
    console.print(trials_table(scores[1:2], "oracle", width))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "extend_loan" in text
    assert "efficient" in text
    if gone:
        said = " ".join(text.split())
        assert f"Left out here: {', '.join(gone)}; report.html has them." in said
    else:
        assert "by design" in text
        assert "Left out" not in text
        assert ("over_search_rate" in text) is (width == 200)
