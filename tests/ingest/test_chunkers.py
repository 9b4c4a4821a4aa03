"""What each chunker does, on texts small enough to cut by hand.

One word piece per short English word and per mark, unless said otherwise.
"""

import subprocess
import sys

import numpy as np
import pytest

from ragbench.errors import ModelUnavailable, SpecError, UnknownName
from ragbench.ingest.chunk import CHUNKERS, embedded_text, with_cache
from ragbench.ingest.embed import EmbeddingCache
from ragbench.ingest.load import LOADERS
from ragbench.records import Chunk, Document, Place
from ragbench.registry import spec_of


def cut(spec, text, places=()):
    chunks = CHUNKERS.create(spec).chunk(Document("d", "t", text, places=tuple(places)))
    return [chunk.text for chunk in chunks]


def words(count, word="one"):
    return " ".join([word] * count)


def test_recursive_prefers_paragraphs_then_lines_then_sentences():
    # One word piece per word and per full stop. Size 8.
    text = "one two three.\n\nfour five six. seven eight nine ten. two\nfive"
    chunks = CHUNKERS.create("recursive(size_tokens=8)").chunk(Document("d", "t", text))
    assert [(chunk.text, chunk.n_tokens) for chunk in chunks] == [
        ("one two three.", 4),  # 8 tokens reach "six"+"."; the paragraph ends before
        ("four five six.", 4),  # the reach is "ten"; no line ends there, a sentence does
        ("seven eight nine ten. two\nfive", 7),  # all that is left fits: 5 + 1 + 1
    ]


def test_recursive_keeps_a_heading_with_what_follows():
    text = "one two three.\nfour five.\n## Fees\n\nsix seven eight nine ten"
    # 12 tokens reach "six" (4 + 3 + "#", "#", "fees" + 2). The paragraph end stands behind a
    # heading and is passed over; so is the line end there; the line end before it is taken.
    assert cut("recursive(size_tokens=12)", text) == [
        "one two three.\nfour five.",
        "## Fees\n\nsix seven eight nine ten",
    ]


def test_recursive_knows_headings_without_a_mark():
    # The same without "##", as HTML is loaded: 10 tokens reach "six", "seven" (4 + 3 + 1 + 2).
    text = "one two three.\nfour five.\nFees\n\nsix seven eight nine ten"
    spec, place = "recursive(size_tokens=10)", Place(26, 56, heading="Fees")
    assert text[26:30] == "Fees"
    assert cut(spec, text, [place]) == ["one two three.\nfour five.", "Fees\n\n" + text[32:]]
    assert cut(spec, text) == ["one two three.\nfour five.\nFees", text[32:]]


def test_recursive_by_characters():
    # 32 characters reach the "l" of "lazy"; at least 8 stand before a cut; the sentence ends at 19.
    text = "The quick fox runs. It jumps over lazy dogs"
    assert cut("recursive(size_chars=32)", text) == ["The quick fox runs.", text[20:]]
    # From 20 the rest (23 characters) fits. The overlap of 10 reaches back to 10: the first word
    # that begins from there on is "fox".
    assert cut("recursive(size_chars=36, overlap_chars=10)", text) == [
        "The quick fox runs.",
        "fox runs. It jumps over lazy dogs",
    ]


def test_fixed_fills_with_whole_words():
    text = "one two three four five six-seven eight"
    # one..five (5), "six" "-" "seven" (8): fits exactly; with "ten" before it would be cut inside.
    assert cut("fixed(size_tokens=8)", text) == ["one two three four five six-seven", "eight"]
    assert cut("fixed(size_tokens=8)", "ten " + text) == [
        "ten one two three four five",  # 8 reach behind "six-"; the last white space is before it
        "six-seven eight",
    ]


def test_overlap_repeats_whole_words_up_to_the_size():
    text = "one two three four five six seven eight nine ten"
    assert cut("fixed(size_tokens=8, overlap_tokens=3)", text) == [
        "one two three four five six seven eight",
        "six seven eight nine ten",
    ]


def test_sentence_keeps_sentences_whole():
    text = "One two three. Four five. Six seven eight nine ten! One."
    # 4 + 3 = 7 tokens, with the next sentence (6) 13; 6 + 2 = 8.
    assert cut("sentence(size_tokens=9)", text) == [
        "One two three. Four five.",
        "Six seven eight nine ten! One.",
    ]
    # The overlap of 3 holds "Four five." (3), and 3 + 6 fit in 9; then "One." follows "Six ...".
    assert cut("sentence(size_tokens=9, overlap_tokens=3)", text) == [
        "One two three. Four five.",
        "Four five. Six seven eight nine ten!",
        "One.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. J. Smith pays. He left.", ["Dr. J. Smith pays.", "He left."]),
        ("See No. 5 of it. The answer is No. Then go.", None),
        ("It costs, e.g. in Rome, 5. Yes.", ["It costs, e.g. in Rome, 5.", "Yes."]),
        ("A sum etc. is due. Pay.", ["A sum etc. is due.", "Pay."]),
        (
            "电汇费为五元。止付费为六元！好吗？好",
            ["电汇费为五元。", "止付费为六元！", "好吗？", "好"],
        ),
        ("彼は「はい。」と言った。次", ["彼は「はい。」", "と言った。", "次"]),
        ("शुल्क है। क्षमा करें॥ हाँ", ["शुल्क है।", "क्षमा करें॥", "हाँ"]),
        ("A line\ngoes on. New", ["A line\ngoes on.", "New"]),
        ("A line\n\nends", ["A line", "ends"]),
        (
            "# Fees\nA wire.\n- one\n- two\n3. three",
            ["# Fees", "A wire.", "- one", "- two", "3. three"],
        ),
        ("a | b. c | d\ne | f", ["a | b. c | d", "e | f"]),
    ],
)
def test_segments(text, expected):
    from ragbench.ingest.chunk._boundaries import Boundaries
    from ragbench.ingest.chunk._sentences import segments

    document = Document("d", "t", text)
    found = [text[s.start : s.end].strip() for s in segments(document, Boundaries(document))]
    if expected is None:
        expected = ["See No. 5 of it.", "The answer is No.", "Then go."]
    assert found == expected


@pytest.mark.parametrize("name", ["recursive", "sentence", "fixed"])
def test_no_chunk_ends_inside_a_row(name):
    # A row holds "| gold | 5 |": 5 tokens; two fit in 12, a third is not begun.
    text = "\n".join(["| gold | 5 |"] * 5)
    assert cut(f"{name}(size_tokens=12)", text) == [
        "| gold | 5 |\n| gold | 5 |",
        "| gold | 5 |\n| gold | 5 |",
        "| gold | 5 |",
    ]


def test_no_overlap_begins_inside_a_row():
    # 12 tokens: two rows of 5. The overlap of 4 would begin inside the second; of 5, at it.
    text = "\n".join(["gold | 5 | a"] * 3)
    two = "gold | 5 | a\ngold | 5 | a"
    assert cut("fixed(size_tokens=12, overlap_tokens=4)", text) == [two, "gold | 5 | a"]
    assert cut("fixed(size_tokens=12, overlap_tokens=5)", text) == [two, two]


def test_lines_of_a_pdf_are_rows_but_for_sentences():
    text = "gold five six seven\nsilver eight nine ten\nbronze one two six"
    pages = [Place(0, len(text), page=1)]
    # 4 tokens a line; 10 reach into the third line.
    assert cut("fixed(size_tokens=10)", text, pages) == [text[:41], text[42:]]
    assert cut("fixed(size_tokens=10)", text) == [text[:52], text[53:]]
    # 5 + 4 tokens, then 6: the second sentence ends inside the second line.
    prose = "One two three four. Five\nsix seven. Eight nine ten one two."
    assert cut("sentence(size_tokens=9)", prose, [Place(0, len(prose), page=1)]) == [
        "One two three four. Five\nsix seven.",
        "Eight nine ten one two.",
    ]


def test_a_row_over_the_size_is_cut():
    text = "Fee | " + words(20)
    assert cut("recursive(size_tokens=12)", text) == [
        "Fee | " + words(10),
        words(10),
    ]


def test_chinese_is_cut_at_sentences_then_clauses():
    # One token per character and mark.
    assert cut("recursive(size_tokens=12)", "电汇费为五元。止付费，为六元七元八元九元。") == [
        "电汇费为五元。",  # 7; 12 reach behind "，" and "为"
        "止付费，",  # 14 are left, 12 reach behind "九"; no sentence ends there, a clause does
        "为六元七元八元九元。",
    ]


def test_thai_is_cut_at_spaces_and_never_before_a_mark():
    text = "ค่าธรรมเนียมการโอนเงิน น้ำเงินกู้ยืม" * 3
    for chunk in cut("recursive(size_chars=40)", text):
        assert chunk[0] not in "่้ำิี"


MARKDOWN = b"""Preface.

# Fees
## Cards
### Gold
one two three four five six.

### Silver
one two three.

### Bronze
one.

## Transfers
one two three four five six seven eight nine ten. One two.
"""


def _sections(spec):
    from ragbench.ingest.load._markdown import parse

    parsed = parse(MARKDOWN)
    return cut(spec, parsed.text, parsed.places)


def test_heading_makes_sections():
    # A heading alone goes with what follows below it; nothing else is merged.
    assert _sections("heading(size_tokens=32, merge_tokens=0)") == [
        "Preface.",
        "# Fees\n## Cards\n### Gold\none two three four five six.",
        "### Silver\none two three.",
        "### Bronze\none.",
        "## Transfers\none two three four five six seven eight nine ten. One two.",
    ]


def test_heading_merges_small_neighbours_under_one_parent():
    # Gold with its two bare headings: 2 + 3 + 4 + 7 = 16 tokens; silver 4 + 4 = 8; bronze 4 + 2 = 6
    # ("bronze" is one piece). 16 + 8 = 24, + 6 = 30. Fees is above all three, and above Transfers
    # (3 + 14 = 17), which is not merged: 30 + 17 is over the size.
    assert _sections("heading(size_tokens=32, merge_tokens=10)")[1:] == [
        MARKDOWN.decode()[10 : MARKDOWN.decode().index("\n\n## Transfers")],
        "## Transfers\none two three four five six seven eight nine ten. One two.",
    ]
    # Below 7 only bronze (6) is small: it goes to silver.
    assert _sections("heading(size_tokens=32, merge_tokens=7)")[2:4] == [
        "### Silver\none two three.\n\n### Bronze\none.",
        "## Transfers\none two three four five six seven eight nine ten. One two.",
    ]


def test_heading_does_not_merge_across_parents():
    places = [
        Place(0, 8, heading="A"),
        Place(8, 16, heading="A > B"),
        Place(16, 24, heading="C"),
        Place(24, 32, heading="C > D"),
    ]
    text = "A\none.\n\nB\none.\n\nC\none.\n\nD\none.\n\n"
    assert [text[p.start] for p in places] == ["A", "B", "C", "D"]
    # The first group begins at the top level, under which all stand: 3 tokens a section.
    assert cut("heading(size_tokens=256, merge_tokens=5)", text, places) == [text.strip()]
    below = [Place(p.start, p.end, heading=f"X > {p.heading}") for p in places[1:]]
    # "X > A > B" is under "X > A", which "X > C" is not.
    assert cut("heading(size_tokens=256, merge_tokens=64)", text, below) == [
        "A\none.",
        "B\none.",
        "C\none.\n\nD\none.",
    ]


def test_heading_cuts_a_long_section_as_recursive_does():
    text = "Fees\n\none two three four. five six seven eight nine."
    chunks = cut("heading(size_tokens=9)", text, [Place(0, len(text), heading="Fees")])
    assert chunks == ["Fees\n\none two three four.", "five six seven eight nine."]


def test_headings_of_html_and_docx_are_found(tmp_path):
    from ragbench.ingest.load import Source

    path = tmp_path / "a.html"
    path.write_text(
        "<title>Fees</title><h1>Fees</h1><p>One two.</p><h2>Cards</h2>"
        "<table><tr><td>gold</td><td>5</td></tr><tr><td>silver</td><td>6</td></tr></table>"
        "<h2>Limits</h2><p>Three four.</p>"
    )
    loaded = LOADERS.create("files").load(Source(path, "a.html", tmp_path))
    (document,) = list(loaded)
    chunks = CHUNKERS.create("heading(merge_tokens=0)").chunk(document)
    assert [chunk.text for chunk in chunks] == [
        "Fees\n\nOne two.",
        "Cards\n\ngold | 5\nsilver | 6",
        "Limits\n\nThree four.",
    ]
    assert [document.place_at(chunk.start).heading for chunk in chunks] == [
        "Fees",
        "Fees > Cards",
        "Fees > Limits",
    ]
    assert embedded_text(document, chunks[1], "headings") == f"Fees > Cards\n\n{chunks[1].text}"
    assert embedded_text(document, chunks[1], "title") == f"Fees\n\n{chunks[1].text}"
    assert embedded_text(document, chunks[1], None) == chunks[1].text


def test_page_makes_one_chunk_per_page():
    text = "One two.\n\nThree.\n\n\n\n" + words(12)
    pages = [
        Place(0, 10, page=1),
        Place(10, 18, page=2),
        Place(18, 20, page=3),
        Place(20, 67, page=4),
    ]
    assert len(text) == 20 + 12 * 4 - 1
    assert cut("page", text, pages) == ["One two.", "Three.", words(12)]  # the third is empty
    assert cut("page(size_tokens=8)", text, pages) == ["One two.", "Three.", words(8), words(4)]
    assert cut("page", text) == [text]


def test_semantic_parts_where_the_subject_changes(hash_embedder):
    # Alone (window 0), equal sentences have distance 0 and the one other distance is above any
    # percentile of 0, 0, x, 0, 0.
    text = "Fees fees. Fees fees. Fees fees. Cards cards. Cards cards. Cards cards."
    spec = "semantic(embedder=hash, window_sentences=0, percentile=50)"
    assert cut(spec, text) == [text[:32], text[33:]]
    # Two sentences have one distance, which is not above itself; one sentence has none.
    assert cut(spec, "Fees. Cards.") == ["Fees. Cards."]
    assert cut(spec, "Fees.") == ["Fees."]
    # A heading goes with what follows: the subject changes behind it, the text is parted before it.
    text = "Fees fees.\nFees fees.\n\n# Fees\n\nCards cards. Cards cards."
    assert cut(spec, text)[-1] == "# Fees\n\nCards cards. Cards cards."


def test_semantic_fills_long_groups_and_is_deterministic(hash_embedder):
    text = "Fees and cards. " * 40  # 4 tokens each
    spec = "semantic(embedder=hash, size_tokens=16)"
    assert cut(spec, text) == [("Fees and cards. " * 4).strip()] * 10
    assert cut(spec, text) == cut(spec, text)


def test_semantic_asks_the_cache_first(hash_embedder):
    cache = EmbeddingCache(None)
    chunker = CHUNKERS.create("semantic(embedder=hash, percentile=50)")
    document = Document("d", "t", "Fees fees. Cards cards. Limits. Fees again. Cards too.")
    expected = chunker.chunk(document)
    calls = []
    embed = type(_embedder("hash")).embed

    def counted(self, texts, kind):
        calls.append(len(texts))
        return embed(self, texts, kind)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(_embedder("hash")), "embed", counted)
        cached = with_cache(chunker, cache)
        assert cached.chunk(document) == expected
        assert cached.chunk(document) == expected
    assert calls == [5]
    assert with_cache(CHUNKERS.create("fixed"), cache) == CHUNKERS.create("fixed")
    cache.close()


def _embedder(spec):
    from ragbench.ingest.embed import EMBEDDERS

    return EMBEDDERS.create(spec)


def test_semantic_batches_do_not_matter(hash_embedder, monkeypatch):
    from ragbench.ingest.chunk import _sentence

    text = " ".join(f"Word{n} and word{n // 3}." for n in range(50))
    expected = cut("semantic(embedder=hash, percentile=70.0)", text)
    monkeypatch.setattr(_sentence, "_BATCH", 7)
    assert cut("semantic(embedder=hash, percentile=70.0)", text) == expected
    assert len(expected) > 5


def test_context_is_added_to_what_is_embedded_alone():
    text = "# Fees\n\none two.\n\n## Cards\n\nthree"
    places = (Place(0, 18, heading="Fees"), Place(18, 33, heading="Fees > Cards"))
    chunk = Chunk("d", 28, 33, "three", 1)
    fees = Document("d", "Fees", text, places=places)
    guide = Document("d", "Guide", text, places=places)
    assert embedded_text(fees, chunk, None) == "three"
    assert embedded_text(fees, chunk, "title") == "Fees\n\nthree"
    assert embedded_text(fees, chunk, "headings") == "Fees > Cards\n\nthree"
    inside = Chunk("d", 18, 26, "## Cards", 3)
    assert embedded_text(fees, inside, "headings") == "Fees > Cards\n\n## Cards"
    assert embedded_text(guide, inside, "headings") == "Guide > Fees > Cards\n\n## Cards"
    assert embedded_text(Document("d", "", text), inside, "headings") == "## Cards"


def test_heading_above_is_that_of_place_at():
    from ragbench.ingest.chunk._base import _heading_at

    rng = np.random.default_rng(3)
    for _ in range(200):
        places = []
        for _ in range(6):
            start, end = sorted(rng.integers(0, 30, size=2).tolist())
            heading, page = [("A", None), (None, 2), ("B", 3)][rng.integers(3)]
            places.append(Place(start, end, page, heading))
        document = Document("d", "t", "x" * 30, places=tuple(sorted(places, key=lambda p: p.start)))
        for offset in range(30):
            place = document.place_at(offset)
            assert _heading_at(document, offset) == ((place and place.heading) or "")


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_every_spec_prints_and_parses_back(name):
    chunker = CHUNKERS.create(name)
    assert CHUNKERS.create(str(spec_of(chunker))) == chunker
    assert CHUNKERS.defaults(name) == str(spec_of(chunker))
    assert chunker.context is None
    assert CHUNKERS.create(f"{name}(context=headings)").context == "headings"


def test_specs_as_they_print():
    assert str(spec_of(CHUNKERS.create("recursive"))) == (
        "recursive(size_tokens=256, overlap_tokens=0, tokenizer=wordpiece, size_chars=none, "
        "overlap_chars=0, context=none)"
    )
    by_chars = CHUNKERS.create("recursive(size_chars=1000, overlap_chars=200)")
    assert (by_chars.size_tokens, by_chars.size_chars) == (None, 1000)
    assert CHUNKERS.create(str(spec_of(by_chars))) == by_chars


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fixed(size_tokens=3)", "size_tokens is 3; it must be at least 8"),
        ("recursive(size_tokens=8, overlap_tokens=8)", "overlap_tokens is 8; it must be from 0 to"),
        ("recursive(size_chars=9)", "size_chars is 9; it must be at least 32"),
        ("recursive(size_tokens=64, size_chars=99)", "size_chars is 99; give one"),
        ("recursive(size_chars=99, overlap_tokens=5)", "give overlap_chars"),
        ("recursive(overlap_chars=5)", "overlap_chars goes with size_chars; give overlap_tokens"),
        ("heading(merge_tokens=-1)", "merge_tokens is -1"),
        ("semantic(percentile=101)", "percentile is 101.0; it must be from 0 to 100"),
        ("semantic(window_sentences=-1)", "window_sentences is -1"),
        ("fixed(tokenizer=gpt2)", "tokenizer must be one of 'wordpiece', 'cl100k'"),
        ("page(context=body)", "context must be one of 'title', 'headings' or none"),
    ],
)
def test_bad_specs_say_what_is_wrong(spec, message):
    with pytest.raises(SpecError, match=message):
        CHUNKERS.create(spec)


def test_unknown_names():
    with pytest.raises(UnknownName, match=r"No chunker is called 'fixd'.*did you mean 'fixed'"):
        CHUNKERS.create("fixd")
    with pytest.raises(UnknownName, match="No embedder is called 'minilmm'"):
        CHUNKERS.create("semantic(embedder=minilmm)")


def test_cl100k_needs_neither_network_nor_litellm():
    # A socket that is opened is an error; tiktoken's own cache is pointed to an empty place.
    code = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("network")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
from ragbench.ingest.chunk import CHUNKERS
from ragbench.records import Document
chunks = CHUNKERS.create("fixed(size_tokens=8, tokenizer=cl100k)").chunk(Document("d", "t", TEXT))
assert not {"litellm", "torch"} & set(sys.modules)
print([chunk.text for chunk in chunks])
"""
    # "tiktoken is great!" is 6 tokens in cl100k: t, ik, token, is, great, !; then tik, token: 8
    code = code.replace("TEXT", repr("tiktoken is great! tiktoken is great!"))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['tiktoken is great! tiktoken', 'is great!']"


def test_cl100k_says_where_its_file_should_be(monkeypatch, tmp_path):
    from ragbench.ingest.chunk import _cl100k

    monkeypatch.setattr(_cl100k, "_path", lambda: tmp_path / "absent")
    with pytest.raises(
        ModelUnavailable, match=r"cl100k_base is not where litellm keeps it.*absent"
    ):
        _cl100k.cl100k.__wrapped__()
    (tmp_path / "absent").write_bytes(b"IQ== 0\n")
    with pytest.raises(ModelUnavailable, match="Install litellm again"):
        _cl100k.cl100k.__wrapped__()
