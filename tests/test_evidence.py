"""Spans, quotes and coverage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.errors import EvidenceError
from ragbench.evidence import (
    LOST_IN_PARSING,
    NOT_IN_INDEX,
    Located,
    Seen,
    find_quote,
    intersect,
    locate,
    n_characters,
    resolve_quote,
    union,
)
from ragbench.records import Document, EvidenceItem, Need, Passage

spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda s: (min(s), max(s))))


@pytest.mark.parametrize(
    ("given_spans", "expected"),
    [
        ([], []),
        ([(3, 3)], []),  # empty
        ([(0, 5), (5, 9)], [(0, 9)]),  # touching spans hold the same characters as one span
        ([(0, 5), (6, 9)], [(0, 5), (6, 9)]),
        ([(4, 8), (0, 5), (4, 8)], [(0, 8)]),
        ([(0, 10), (2, 3)], [(0, 10)]),
    ],
)
def test_union(given_spans, expected):
    assert union(given_spans) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ([(0, 5)], [(5, 9)], []),  # touching is not overlapping
        ([(0, 10), (20, 30)], [(5, 25)], [(5, 10), (20, 25)]),
        ([(0, 10)], [], []),
        ([(0, 10)], [(2, 3), (3, 5), (9, 12)], [(2, 5), (9, 10)]),
    ],
)
def test_intersect(left, right, expected):
    assert intersect(left, right) == expected
    assert intersect(right, left) == expected


@given(spans, spans)
def test_spans_agree_with_sets_of_characters(left, right):
    def characters(some):
        return {i for start, end in some for i in range(start, end)}

    assert characters(union(left)) == characters(left)
    assert characters(intersect(left, right)) == characters(left) & characters(right)
    assert all(a[1] < b[0] for a, b in zip(union(left), union(left)[1:], strict=False))
    text = "a b\n" * 10
    expected = sum(text[i : i + 1].strip() != "" for i in characters(left))
    assert n_characters(text, left) == expected


def test_white_space_does_not_count():
    # "a b\u00a0c\u3000\nd": a, b, c, d; no-break and ideographic space are white space
    assert n_characters("a b\u00a0c\u3000\nd", [(0, 8)]) == 4
    assert n_characters("    ", [(0, 4)]) == 0


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("The fee\n  is $35.", "fee is $35", [(4, 16)]),
        ("The fee is $35.", "fee\tis", [(4, 10)]),
        ("a.b axb", "a.b", [(0, 3)]),  # no regular expression
        ("one one one", "one one", [(0, 7), (4, 11)]),  # overlapping occurrences are occurrences
        ("The fee", "the fee", []),  # case is not folded
        ("The fee", "  ", []),
        ("利息は５％です", "５％", [(3, 5)]),
    ],
)
def test_find_quote(text, quote, expected):
    assert find_quote(text, quote) == expected


def test_resolve_quote():
    text = "Fee: $5. Later, fee: $5. Again fee: $5."
    assert resolve_quote(text, "Fee: $5") == (0, 7)
    assert resolve_quote(text, "fee: $5", 2) == (31, 38)
    with pytest.raises(EvidenceError, match=r"Task x: The quote 'fee: \$5' stands 2 times"):
        resolve_quote(text, "fee: $5", where="Task x: ")
    with pytest.raises(EvidenceError, match="occurrence 3 is not among them"):
        resolve_quote(text, "fee: $5", 3)
    with pytest.raises(EvidenceError, match="does not stand in the loaded text"):
        resolve_quote(text, "fee: $6")
    with pytest.raises(EvidenceError, match=r"'x{77}\.\.\.' does not stand"):
        resolve_quote(text, "x" * 100)


def test_coverage_at_the_threshold():
    # A passage of 10 characters: 9/10 = 0.9 is enough, 8/10 is not.
    seen = Seen({"d": "x" * 20})
    passage = Located("d", (5, 15))
    assert seen.share(passage) == 0.0
    seen.add([("d", 0, 13)])  # 5..13: 8 of 10
    assert seen.share(passage) == 0.8
    assert not seen.covers([passage])
    asked = seen.copy()
    asked.add([("d", 13, 14)])  # 9 of 10
    assert asked.covers([passage])
    assert not seen.covers([passage])  # the copy is independent
    assert not seen.covers([])


def test_coverage_leaves_white_space_out():
    # "ab" + 18 spaces + "cd": 4 characters; seen "ab" + all spaces = 2/4.
    text = "ab" + " " * 18 + "cd"
    seen = Seen({"d": text})
    seen.add([("d", 0, 20)])
    assert seen.share(Located("d", (0, 22))) == 0.5


@pytest.mark.parametrize("size", range(1, 200))
def test_nine_tenths_is_exact_for_every_size(size):
    seen = Seen({"d": "x" * (10 * size)})
    seen.add([("d", 0, 9 * size)])
    assert seen.covers([Located("d", (0, 10 * size))])
    seen = Seen({"d": "x" * (10 * size)})
    seen.add([("d", 0, 9 * size - 1)])
    assert not seen.covers([Located("d", (0, 10 * size))])


def test_alternatives_and_whole_documents():
    seen = Seen({"a": "x" * 10, "b": "y" * 10})
    seen.add([("b", 9, 10)])
    assert seen.covers([Located("a", (0, 5)), Located("b", (9, 10))])
    assert seen.share(Located("b", None)) == 1.0  # any of it
    assert seen.share(Located("a", None)) == 0.0


def need(*passages, id="n"):
    return Need(
        id=id, question="?", evidence=(EvidenceItem(any_of=passages),), needed_by=("communicate:0",)
    )


DOCS = {
    "a.md": Document("a.md", "A", "The fee is $5. The fee is $5.", aliases=("doc_a", "twin")),
    "b.md": Document("b.md", "B", "Late fee:   $7", aliases=("twin",)),
}


def found(passage, own=True, loader="files"):
    (item,) = locate([need(passage)], DOCS, loader, own)
    return item


def test_locate_quotes_offsets_and_documents():
    quote = found(Passage(doc_id="b.md", quote="fee: $7"))
    assert (quote.need_id, quote.index, quote.problem) == ("n", 0, None)
    assert quote.any_of == (Located("b.md", (5, 14)),)
    second = found(Passage(doc_id="a.md", quote="The fee is $5.", occurrence=2))
    assert second.any_of == (Located("a.md", (15, 29)),)
    offsets = found(Passage(doc_id="a.md", start=0, end=7, loader="files"))
    assert offsets.any_of == (Located("a.md", (0, 7)),)
    whole = found(Passage(doc_id="doc_a"))  # by an id that the content states
    assert whole.any_of == (Located("a.md", None),)
    assert whole.doc_ids == ("a.md",)


def test_locate_missing_documents_and_lost_quotes():
    assert found(Passage(doc_id="c.md", quote="x")).problem == NOT_IN_INDEX
    lost = found(Passage(doc_id="a.md", quote="The charge"), own=False)
    assert (lost.problem, lost.any_of, lost.doc_ids) == (LOST_IN_PARSING, (), ("a.md",))
    ambiguous = found(Passage(doc_id="a.md", quote="The fee"), own=False)
    assert ambiguous.problem == LOST_IN_PARSING
    (both,) = locate(
        [need(Passage(doc_id="c.md", quote="x"), Passage(doc_id="b.md", quote="Late"))],
        DOCS, "files", own_loader=True,
    )  # fmt: skip
    assert (both.problem, both.any_of) == (None, (Located("b.md", (0, 4)),))


@pytest.mark.parametrize(
    ("passage", "own", "message"),
    [
        (Passage(doc_id="a.md", quote="The charge"), True, "Need 'n', document 'a.md': The quote"),
        (Passage(doc_id="a.md", quote="The fee"), True, "stands 2 times"),
        (
            Passage(doc_id="a.md", start=0, end=5, loader="other"),
            True,
            "refer to the loader 'other'",
        ),
        (Passage(doc_id="a.md", start=0, end=5, loader="other"), False, "refer to the loader"),
        (Passage(doc_id="a.md", start=0, end=99, loader="files"), False, "end after the text"),
        (Passage(doc_id="b.md", start=9, end=12, loader="files"), True, "nothing but white space"),
        (Passage(doc_id="twin"), False, "'twin' is an alias of a.md, b.md"),
    ],
)
def test_locate_refuses(passage, own, message):
    with pytest.raises(EvidenceError, match=message):
        found(passage, own)


def test_locate_keeps_file_order():
    items = locate(
        [need(Passage(doc_id="b.md"), id="first"), need(Passage(doc_id="a.md"), id="second")],
        DOCS, "files", own_loader=True,
    )  # fmt: skip
    assert [item.need_id for item in items] == ["first", "second"]
