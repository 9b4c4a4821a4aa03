"""Values that texts state, passages of documents, and the look-up of passages that are alike."""

from __future__ import annotations

import random

import pytest

from ragbench.records import Document
from ragbench.score import facts_in
from ragbench.validate._corpus import ALIKE, Corpus, content_words, likeness, segments_of
from ragbench.validate._values import leaves, spoken_facts, states, value_of


@pytest.mark.parametrize(
    ("raw", "text", "stated"),
    [
        (25, "a fee of £25.00", True),
        (25.0, '{"fee": 25}', True),
        (25, "the number 250", False),
        (4.86, '{"amount": -4.86}', True),  # booked as leaving the account
        (0.0465, "at 4.65% a year", True),
        (0.0465, "after 4.65 days", False),
        ("£9", "the monthly fee is £9.", True),
        ("£9", "after 9 days", False),
        ("£9", '{"fee": 9.0}', True),  # a record has no unit
        ("3 days", "within three days", True),
        ("3 days", "a fee of £3", False),
        (1, "just one more day", True),
        (24, "not before twenty-four hours", True),
        ("2026-03-03", "due on 3 March 2026", True),
        ("2026-03-03", "due on 4 March 2026", False),
        ("FX-07", "the code is `FX-07`.", True),
        ("FX-07", "the code is FX-071", False),
        ("Ines Varga", "ines  varga here", True),
        ("14:30", "Tuesday 10:00 and 14:30", True),
    ],
)
def test_states(raw, text, stated) -> None:
    assert states(spoken_facts(text), value_of(raw)) is stated


@pytest.mark.parametrize("raw", [None, True, False, "", "  ."])
def test_what_says_nothing_has_no_value(raw) -> None:
    assert value_of(raw) is None


def test_leaves_of_nested_arguments() -> None:
    assert list(leaves({"a": [1, {"b": "x"}], "c": None})) == [1, "x", None]


def test_passages_are_sentences_rows_and_short_lines() -> None:
    text = (
        "Fees\n\nA card costs £24 a year. It pays back\na little of what is bought with it, in "
        "shops and elsewhere alike.\n\nCourier | £18\nPost | free\n"
    )
    assert [segment.text for segment in segments_of(text)] == [
        "Fees",
        "A card costs £24 a year.",
        "It pays back",  # a line of 37 characters where the longest has 60 ends a passage
        "a little of what is bought with it, in shops and elsewhere alike.",
        "Courier | £18",
        "Post | free",
    ]


def test_a_line_that_was_only_broken_goes_on() -> None:
    text = (
        "A replacement that is sent by courier to an address\n"
        "abroad costs £18 and takes three days."
    )
    (segment,) = segments_of(text)
    assert segment.text == text.replace("\n", " ")
    assert {str(number) for number, _ in segment.numbers} == {"18"}


def test_content_words_leave_figures_and_filler_out() -> None:
    assert content_words("The fees of 2026 are £24.") == {"fee"}
    assert likeness(frozenset("abc"), frozenset("bcd")) == pytest.approx(4 / 6)
    assert likeness(frozenset(), frozenset()) == 0


def test_the_look_up_finds_exactly_what_comparing_all_pairs_finds() -> None:
    draw = random.Random(3)
    words = [f"word{chr(97 + n)}" for n in range(14)]
    texts = {
        f"d{n}": " ".join(draw.choices(words, k=draw.randint(3, 9))).capitalize() + "."
        for n in range(120)
    }
    corpus = Corpus({key: Document(key, key, text) for key, text in texts.items()})
    n_found = 0
    for segment in corpus.segments:
        expected = {
            other.doc_id
            for other in corpus.segments
            if likeness(segment.tokens, other.tokens) >= ALIKE
        }
        assert {other.doc_id for other in corpus.alike(segment)} == expected
        n_found += len(expected) - 1
    assert n_found > 50  # others than the passage itself


def test_near_gives_every_document_that_states_the_value() -> None:
    texts = {"a": "It costs £18 by courier.", "b": "Eighteen (18) letters.", "c": "£180"}
    corpus = Corpus({key: Document(key, key, text) for key, text in texts.items()})
    assert [doc_id for doc_id, _ in corpus.near(value_of(18))] == ["a", "b"]
    assert [doc_id for doc_id, _ in corpus.near(value_of("£18"))] == ["a"]
    assert corpus.near(value_of("courier"))[0][1] == facts_in(texts["a"]).text
