"""A measure is a value that prints as its name and parses back; what it is not is said."""

from __future__ import annotations

import pytest

from ragbench.compare.measures import MEASURES, Ndcg, SpanRecall, parse_measure
from ragbench.errors import SpecError, UnknownName

NAMES = [
    "R@5",
    "P@10",
    "nDCG@10",
    "nDCG",
    "RR",
    "RR@3",
    "AP",
    "AP@100",
    "R(count=documents)@5",
    "span_recall@5",
    "span_recall(unit=tokens)@5",
    "span_precision(variant=published)@5",
    "IoU@1",
    "F1(unit=tokens)@20",
    "precision_omega",
    "precision_omega(variant=published)",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_prints_back(name) -> None:
    assert str(parse_measure(name)) == name


def test_equal_measures_are_one_key() -> None:
    assert parse_measure(" nDCG(count=chunks)@10 ") == Ndcg(k=10)
    assert len({parse_measure("R@5"), parse_measure("R( count = chunks )@5")}) == 1
    assert parse_measure("span_recall(unit=tokens)@5") == SpanRecall(k=5, unit="tokens")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("R", r"'R' is refused: it needs a cutoff, as in R@5"),
        ("precision_omega@5", "it has no cutoff"),
        ("R@0", "has the cutoff '0', which must be a whole number of at least 1"),
        ("R@five", "has the cutoff 'five'"),
        ("R@", "has the cutoff ''"),
        ("R@5@6", "is not a component spec"),
        ("R(k=5)", r"has its cutoff inside. Write: R@5"),
        ("R(unit=tokens)@5", "has no argument 'unit'"),
        ("F1(unit=words)@5", "unit must be one of 'characters', 'tokens'"),
        ("IoU(variant=published, unit=tokens)@5", "the published variant counts characters only"),
        ("", "is not a component spec"),
    ],
)
def test_a_bad_name_is_refused(name, message) -> None:
    with pytest.raises(SpecError, match=message):
        parse_measure(name)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="did you mean 'span_recall'"):
        parse_measure("span_recal@5")


def test_every_measure_says_what_it_is() -> None:
    assert list(MEASURES) == [
        *("AP", "F1", "IoU", "P", "R", "RR"),
        *("nDCG", "precision_omega", "span_precision", "span_recall"),
    ]
    for name in MEASURES:
        text = MEASURES._class(name).__doc__ or ""
        assert "Source:" in text, name
        assert "/" in MEASURES.describe(name) or "P R" in text or "precision_omega" in name
