"""Span measures: every one worked out by hand, ours and as published."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from ragbench.compare import Item, Rulers, SpanContext
from ragbench.compare.measures import parse_measure
from ragbench.interop import read_chunking_eval
from ragbench.records import HitRecord

NAMES = ("span_recall@5", "span_precision@5", "IoU@5", "F1@5", "precision_omega")
PUBLISHED = tuple(
    f"{name.partition('@')[0]}(variant=published){''.join(name.partition('@')[1:])}"
    for name in NAMES
)


def hits(*spans) -> list[HitRecord]:
    return [
        HitRecord(doc_id=doc_id, start=start, end=end, score=1.0, rank=rank, n_tokens=1)
        for rank, (doc_id, start, end) in enumerate(spans, start=1)
    ]


def item(*places, lost="") -> Item:
    return Item(tuple((doc_id, (start, end)) for doc_id, start, end in places), lost)


def values(names, items, found, chunks, texts) -> list[float | None]:
    context = SpanContext(items, hits(*found), chunks, Rulers(texts))
    return [parse_measure(name).score(context) for name in names]


# D is 100 characters without white space, cut into [0,40) [40,80) [80,100).
TEXTS = {"D": "x" * 100, "E": "y" * 100}
CUT = {"D": [(0, 40), (40, 80), (80, 100)], "E": [(0, 50), (50, 100)]}


def test_one_reference_half_found() -> None:
    # e = D[30,50): 20 characters. c = D[0,40): 10 of them. R = 10/20. P = 10/40.
    # IoU = 10 / (40 + 10). F1 = 2 x .5 x .25 / .75 = 1/3. All holding chunks: [0,80): 20/80.
    found = values(NAMES, [item(("D", 30, 50))], [("D", 0, 40)], CUT, TEXTS)
    assert found == pytest.approx([0.5, 0.25, 0.2, 1 / 3, 0.25])
    assert values(PUBLISHED, [item(("D", 30, 50))], [("D", 0, 40)], CUT, TEXTS) == pytest.approx(
        [0.5, 0.25, 0.2, 1 / 3, 0.25]
    )


def test_overlapping_chunks_count_once_for_us_and_twice_as_published() -> None:
    # e = D[10,30): 20. Chunks [0,40) and [20,60): union 60, sum 80. Found 20, all of it.
    # Ours: P = 20/60, IoU = 20/60, F1 = 2/3 / (4/3) = 1/2. Published: P = IoU = 20/80, F1 = .4.
    # Both chunks hold e: omega is of the union either way, 20/60.
    evidence, found = [item(("D", 10, 30))], [("D", 0, 40), ("D", 20, 60)]
    chunks = {"D": [(0, 40), (20, 60), (40, 80)]}
    assert values(NAMES, evidence, found, chunks, TEXTS) == pytest.approx(
        [1.0, 1 / 3, 1 / 3, 0.5, 1 / 3]
    )
    assert values(PUBLISHED, evidence, found, chunks, TEXTS) == pytest.approx(
        [1.0, 0.25, 0.25, 0.4, 1 / 3]
    )


def test_touching_is_a_hit_only_as_published() -> None:
    # e = D[40,80) is exactly the second chunk; its neighbours touch it at 40 and at 80.
    # Ours: omega = 40/40. Published: the union of all three chunks, 40/100.
    evidence = [item(("D", 40, 80))]
    assert values(NAMES, evidence, [("D", 0, 40)], CUT, TEXTS) == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert values(PUBLISHED, evidence, [("D", 0, 40)], CUT, TEXTS) == [0.0, 0.0, 0.0, 0.0, 0.4]


def test_references_that_overlap_are_a_union_for_us_and_a_sum_as_published() -> None:
    # e1 = D[0,20), e2 = D[10,30): union 30, sum 40. c = D[0,15): 15 found.
    # Ours: R = 15/30, P = 15/15, IoU = 15 / (15 + 15) = 1/2, F1 = 2/3; omega 30/40.
    # Published: R = 15/40, P = 1; of e1 5 are missed, of e2 15: IoU = 15 / (15 + 20) = 3/7.
    # F1 = 2 x .375 / 1.375 = 6/11. Omega: 30 / 40 as a union.
    evidence = [item(("D", 0, 20)), item(("D", 10, 30))]
    found = [("D", 0, 15)]
    assert values(NAMES, evidence, found, CUT, TEXTS) == pytest.approx([0.5, 1, 0.5, 2 / 3, 0.75])
    assert values(PUBLISHED, evidence, found, CUT, TEXTS) == pytest.approx(
        [0.375, 1, 3 / 7, 6 / 11, 0.75]
    )


def test_all_wrong_and_nothing_retrieved_are_zero() -> None:
    evidence = [item(("D", 0, 20))]
    # Another document at the same offsets is no hit. Omega: chunk [0,40), 20/40.
    for names in (NAMES, PUBLISHED):
        assert values(names, evidence, [("E", 0, 50)], CUT, TEXTS) == [0, 0, 0, 0, 0.5]
        assert values(names, evidence, [], CUT, TEXTS) == [0, 0, 0, 0, 0.5]
        assert values(names, evidence, [], {}, TEXTS) == [0, 0, 0, 0, 0]


def test_other_documents_lower_precision() -> None:
    # e = D[0,40) found whole, beside E[0,50): P = IoU = 40/90, F1 = 80/130.
    for names in (NAMES, PUBLISHED):
        assert values(names, [item(("D", 0, 40))], [("E", 0, 50), ("D", 0, 40)], CUT, TEXTS)[
            :4
        ] == pytest.approx([1, 4 / 9, 4 / 9, 8 / 13])


def test_k_cuts_the_results() -> None:
    context = SpanContext(
        [item(("D", 0, 40))], hits(("E", 0, 50), ("D", 0, 40)), CUT, Rulers(TEXTS)
    )
    assert parse_measure("span_recall@1").score(context) == 0.0
    assert parse_measure("span_recall@2").score(context) == 1.0


def test_repeated_passages_count_where_they_were_retrieved() -> None:
    # The same words stand at [0,10) and [50,60); the reference is the second. The first is no hit.
    texts = {"D": "the fee 35" + "x" * 40 + "the fee 35"}
    chunks = {"D": [(0, 10), (10, 50), (50, 60)]}
    evidence = [item(("D", 50, 60))]
    assert values(NAMES[:1], evidence, [("D", 0, 10)], chunks, texts) == [0.0]
    # 8 characters that are not white space, all of them found, and nothing else.
    assert values(NAMES, evidence, [("D", 50, 60)], chunks, texts) == [1, 1, 1, 1, 1]


def test_alternatives_one_place_is_enough() -> None:
    # The fact stands at D[0,20) or E[0,10). c = E[0,50): E is the place of which most was found.
    # R = 10/10, P = 10/50, IoU = 10 / (50 + 0), F1 = .4 / 1.2. Perfect: D[0,40) and E[0,50) hold
    # 20 + 10 of their 90, nothing is missed: 30/90.
    evidence = [item(("D", 0, 20), ("E", 0, 10))]
    assert values(NAMES, evidence, [("E", 0, 50)], CUT, TEXTS) == pytest.approx(
        [1, 0.2, 0.2, 1 / 3, 1 / 3]
    )
    # Nothing found: the first place is what is missed. 0 / 20.
    assert values(NAMES[:1], evidence, [("E", 50, 100)], CUT, TEXTS) == [0.0]
    # The published code knows the first place alone: nothing of D[0,20) is found, and D[0,40) is
    # what holds it: 20/40.
    assert values(PUBLISHED, evidence, [("E", 0, 50)], CUT, TEXTS) == [0, 0, 0, 0, 0.5]


def test_a_reference_that_is_repeated_counts_at_any_place_but_as_published(tmp_path) -> None:
    # "The fee is 35." stands at [0,14) and [40,54); the file states the second. Retrieved: the
    # first. 11 characters of 11 are found; as published 0 of the 14.
    text = "The fee is 35." + "x" * 26 + "The fee is 35." + "y" * 6
    (tmp_path / "d.md").write_text(text, encoding="utf-8")
    reference = '[{""content"": ""The fee is 35."", ""start_index"": 40, ""end_index"": 54}]'
    table = f'question,references,corpus_id\nfee?,"{reference}",d\n'
    (tmp_path / "q.csv").write_text(table, encoding="utf-8")
    (question,) = read_chunking_eval(tmp_path / "q.csv", tmp_path).questions
    places = [(one.start, one.end) for one in question.evidence[0].any_of]
    assert places == [(40, 54), (0, 14)]
    evidence = [item(*(("d.md", *place) for place in places))]
    cut, texts = {"d.md": [(0, 14), (14, 40), (40, 60)]}, {"d.md": text}
    first, second = [("d.md", 0, 14)], [("d.md", 40, 60)]
    assert values(NAMES[:1], evidence, first, cut, texts) == [1]
    assert values(PUBLISHED[:1], evidence, first, cut, texts) == [0]
    assert values(NAMES[:1], evidence, second, cut, texts) == [1]
    assert values(PUBLISHED[:1], evidence, second, cut, texts) == [1]
    # Places may overlap.
    (tmp_path / "d.md").write_text("aaa", encoding="utf-8")
    reference = '[{""content"": ""aa"", ""start_index"": 0, ""end_index"": 2}]'
    (tmp_path / "q.csv").write_text(
        f'question,references,corpus_id\nfee?,"{reference}",d\n', encoding="utf-8"
    )
    (question,) = read_chunking_eval(tmp_path / "q.csv", tmp_path).questions
    assert [(one.start, one.end) for one in question.evidence[0].any_of] == [(0, 2), (1, 3)]


def test_evidence_that_parsing_lost_is_missing_not_forgotten() -> None:
    # Found: D[0,20). Lost: a quote of 10 characters that are not white space.
    # R = 20/30, P = 20/40, IoU = 20 / (40 + 10), F1 = 2/3 / (7/6) = 4/7, omega as IoU here.
    evidence = [item(("D", 0, 20)), item(lost="12345 67890")]
    assert values(NAMES, evidence, [("D", 0, 40)], CUT, TEXTS) == pytest.approx(
        [2 / 3, 0.5, 0.4, 4 / 7, 0.4]
    )


def test_evidence_of_whole_documents_is_undefined_not_zero() -> None:
    assert values(NAMES, None, [("D", 0, 40)], CUT, TEXTS) == [None] * 5


def test_characters_leave_white_space_out_and_published_does_not() -> None:
    # "ab cd ef gh": e = [0,5) "ab cd" is 4 characters, published 5. c = [3,11) "cd ef gh": 6 or 8.
    # Ours: R = 2/4, P = 2/6. Published: R = 2/5, P = 2/8.
    texts = {"D": "ab cd ef gh"}
    evidence, found = [item(("D", 0, 5))], [("D", 3, 11)]
    assert values(NAMES[:2], evidence, found, {}, texts) == pytest.approx([0.5, 1 / 3])
    assert values(PUBLISHED[:2], evidence, found, {}, texts) == pytest.approx([0.4, 0.25])


def test_tokens_are_word_pieces() -> None:
    # Word pieces: wire | transfers | cost | $ | 25 | . at 0, 5, 15, 20, 21, 23.
    # e = "cost $25." has 4; c = [0,20) "Wire transfers cost" has 3, one of them required.
    # R = 1/4, P = 1/3, IoU = 1 / (3 + 3), F1 = 2/12 / (7/12) = 2/7.
    texts = {"D": "Wire transfers cost $25."}
    names = [f"{n[:-2]}(unit=tokens)@5" for n in NAMES[:4]]
    assert values(names, [item(("D", 15, 24))], [("D", 0, 20)], {}, texts) == pytest.approx(
        [1 / 4, 1 / 3, 1 / 6, 2 / 7]
    )


def test_tokens_of_a_long_text_are_those_of_the_whole() -> None:
    from ragbench.ingest.chunk import count_tokens

    text = (
        "Überweisungen kosten 25,50 € pro Stück. 国际汇款 " * 9000
    )  # over one block of characters
    assert len(text) > 1 << 18
    assert Rulers({"D": text})["tokens"].size("D", [(0, len(text))]) == count_tokens(text)


def test_rulers_of_equal_texts_share_what_was_marked() -> None:
    # Marks of "ab cd": characters 0 1 3 4, tokens 0 3.
    marks: defaultdict = defaultdict(dict)
    first = Rulers({"D": "ab cd"}, marks)
    assert first["characters"].size("D", [(0, 4), (3, 5), (9, 9)]) == 4
    assert first["tokens"].size("D", [(1, 5)]) == 1
    later = Rulers({"D": "never read again"}, marks)
    assert later["characters"].size("D", [(1, 4)]) == 2
    assert later["tokens"].size("D", [(0, 5)]) == 2
    assert later["tokens"].size("D", [(4, 1)]) == 0  # no characters


def test_items_with_alternatives_and_without_in_one_question() -> None:
    # "aaaa bbbb cccc": A = [0,4) or [10,14), B = [5,9); c = [0,9).
    # A's best is [0,4), found whole, and so is B: R = 8/8, P = 8/8.
    texts = {"D": "aaaa bbbb cccc"}
    evidence = [item(("D", 0, 4), ("D", 10, 14)), item(("D", 5, 9))]
    assert values(NAMES[:2], evidence, [("D", 0, 9)], {}, texts) == [1.0, 1.0]
    # c = [0,14) holds the alternative too: relevant is 12 of 12, found 8 of 8.
    assert values(NAMES[:2], evidence, [("D", 0, 14)], {}, texts) == [1.0, 1.0]


def brute(items, found, text, unit_marks) -> tuple[float, float, float]:
    """Recall, precision and IoU over sets of positions."""
    marks = set(unit_marks)
    required = {p for places in items for s, e in places for p in range(s, e)} & marks
    got = {p for s, e in found for p in range(s, e)} & marks
    both = required & got
    return (
        len(both) / len(required),
        len(both) / len(got) if got else 0.0,
        len(both) / len(required | got),
    )


def test_agreement_with_sets_of_positions_on_random_spans() -> None:
    generator = random.Random(3)
    for _ in range(300):
        text = "".join(generator.choice("ab c\n") for _ in range(60))
        marks = [i for i, char in enumerate(text) if not char.isspace()]

        def span(text=text) -> tuple[int, int]:
            start = generator.randrange(len(text) - 1)
            return start, generator.randrange(start + 1, len(text) + 1)

        places = [[span()] for _ in range(generator.randint(1, 3))]
        places.append([(marks[0], marks[0] + 1)])
        found = [span() for _ in range(generator.randint(0, 4))]
        ours = values(
            NAMES[:3],
            [item(*(("D", *one) for one in alternatives)) for alternatives in places],
            [("D", *one) for one in found],
            {},
            {"D": text},
        )
        assert ours == pytest.approx(brute(places, found, text, marks))
